"""The programs and another implementation (harness/envelope.py) open each other's sealed keys. Moved,
damaged and forged rows: attack/test_database.py; another address: cases/calls.case."""

import unittest

from common import trust_stack
from harness.envelope import Ring, resealed
from harness.planted import plant_envelope, plant_key
from harness.scenes import ROUTE, listed, provider

DAMAGED = "The stored key is damaged. Enter the key again."
KEY = "sk-ada-0123456789abcdef"


def setUpModule():
    global stack, ada, eve, sql
    stack = trust_stack()
    sql = stack.sql
    ada, eve = stack.newcomer(), stack.newcomer("Eve")


def ring(name):
    return Ring.load(stack.folder.sub("rings", name))


def row_of(provider_id):
    """Owner, type, base URL and sealed key."""
    columns = "owner_id, type, base_url, encode(sealed_key, 'hex')"
    row = sql(f"SELECT {columns} FROM usershell.providers WHERE id = '{provider_id}'").split("|")
    return [*row[:3], bytes.fromhex(row[3])]


def store(provider_id, envelope):
    plant_envelope(stack, provider_id, envelope)


class AnotherImplementation(unittest.TestCase):
    def setUp(self):
        self.made = provider(ada, f"{stack.stub.url}/v1", KEY)
        self.addCleanup(ada.call, "DELETE", f"{ROUTE}/{self.made}")

    def check(self, client, made, error):
        answer = client.post(f"{ROUTE}/{made}/test")
        self.assertEqual(answer.status, 200)
        expected = {"ok": True} if error is None else {"ok": False, "error": error}
        self.assertEqual({name: answer.json().get(name) for name in expected}, expected)
        self.assertTrue(listed(client, made)["hasKey"])

    def test_seals_what_the_service_opens(self):
        _, kind, base_url, _ = row_of(self.made)
        key = "sk-by-another-hand-0123456789"
        plant_key(stack, self.made, kind, base_url, key)
        self.check(ada, self.made, None)
        self.assertEqual(len(stack.stub.journal(key=key)), 1)

    def test_a_signed_record_sealed_for_another_owner_stays_its_owners(self):
        owner, _, _, envelope = row_of(self.made)
        eves = provider(eve, f"{stack.stub.url}/v1", "sk-eve-0123456789abcdef")
        self.addCleanup(eve.call, "DELETE", f"{ROUTE}/{eves}")
        secret, public = ring("vault.secret"), ring("vault.public")
        store(eves, resealed(secret, public, envelope, owner, row_of(eves)[0]))
        self.check(eve, eves, DAMAGED)
        store(self.made, resealed(secret, public, envelope, owner, owner))  # which is no harm
        self.check(ada, self.made, None)
