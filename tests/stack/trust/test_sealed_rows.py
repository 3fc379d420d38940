"""A stored key that was sealed for another owner with the vault ring. Another implementation seals and opens keys in
stack_legacy. Moved, damaged and forged rows: attack/test_database.py; another address: cases/calls.case."""

import unittest

from common import trust_stack
from harness.envelope import Ring, resealed
from harness.planted import plant_envelope
from harness.scenes import id_of, provider, tested

DAMAGED = "The stored key is damaged. Enter the key again."


class SealedForAnother(unittest.TestCase):
    def test_a_signed_record_stays_its_owners(self):
        stack = trust_stack()
        ada, eve = stack.newcomer(), stack.newcomer("Eve")
        mine, eves = (provider(client, f"{stack.stub.url}/v1") for client in (ada, eve))
        secret, public = (Ring.load(stack.folder.sub("rings", f"vault.{half}")) for half in ("secret", "public"))
        row = f"usershell.providers WHERE id = '{mine}'"
        envelope = bytes.fromhex(stack.sql(f"SELECT encode(sealed_key, 'hex') FROM {row}"))
        owner = id_of(stack, ada)
        plant_envelope(stack, eves, resealed(secret, public, envelope, owner, id_of(stack, eve)))
        self.assertEqual(tested(eve, eves)["error"], DAMAGED)
        plant_envelope(stack, mine, resealed(secret, public, envelope, owner, owner))  # which is no harm
        self.assertTrue(tested(ada, mine)["ok"])
