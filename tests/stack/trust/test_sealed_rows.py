"""A sealed key opens for the row that it was entered for, and nowhere else: rows moved and damaged in
the database answer a call with a clear error, and nothing is deleted. And what another implementation
(harness/envelope.py) seals is opened by the programs, what they seal is opened by it. Another address:
cases/calls.case; forged envelopes: attack/test_database.py."""

import unittest

from common import trust_stack
from harness.envelope import Header, Ring, open_envelope, resealed
from harness.planted import plant_envelope, plant_key
from harness.scenes import ROUTE, account, listed, provider

MOVED = "The stored key belongs to another record. Enter the key again."
DAMAGED = "The stored key is damaged. Enter the key again."
NO_RING = "The key ring that protects this key is not available. Enter the key again."
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


class Sealed(unittest.TestCase):
    def setUp(self):
        self.made = provider(ada, f"{stack.stub.url}/v1", KEY)
        self.addCleanup(ada.call, "DELETE", f"{ROUTE}/{self.made}")

    def check(self, client, made, error, path="test"):
        answer = client.post(f"{ROUTE}/{made}/{path}")
        self.assertEqual(answer.status, 200)
        expected = {"ok": True} if error is None else {"ok": False, "error": error}
        self.assertEqual({name: answer.json().get(name) for name in expected}, expected)
        self.assertTrue(listed(client, made)["hasKey"])


class Rows(Sealed):
    def test_at_another_provider_or_account(self):
        mine = row_of(self.made)[3]
        for person, error in ((ada, MOVED), (eve, DAMAGED)):
            other = provider(person, f"{stack.stub.url}/v1", "sk-other-0123456789abcdef")
            self.addCleanup(person.call, "DELETE", f"{ROUTE}/{other}")
            store(other, mine)
            self.check(person, other, error)
        label = account(ada, self.made, "sk-second-0123456789abcdef", "Second")
        sql(f"UPDATE usershell.accounts SET sealed_key = '\\x{mine.hex()}' WHERE id = '{label}'")
        self.check(ada, self.made, MOVED, f"accounts/{label}/test")
        self.check(ada, self.made, None)

    def test_damaged_or_of_a_ring_key_that_is_not_there(self):
        mine = row_of(self.made)[3]
        flipped = mine[:100] + bytes([mine[100] ^ 1]) + mine[101:]
        for envelope, error in ((flipped, DAMAGED), (mine[:2] + bytes(16) + mine[18:], NO_RING)):
            store(self.made, envelope)
            self.check(ada, self.made, error)


class AnotherImplementation(Sealed):
    def fields(self, kind, base_url, key):
        return [self.made, "provider", kind, base_url, key]

    def test_opens_what_the_service_sealed(self):
        owner, kind, base_url, envelope = row_of(self.made)
        fields = open_envelope(ring("vault.secret"), ring("web.public"), owner, envelope)
        self.assertEqual([f.decode() for f in fields], self.fields(kind, base_url, KEY))
        header = Header.parse(envelope)
        columns = f"ring_key_id, signer_id FROM usershell.providers WHERE id = '{self.made}'"
        ids = [header.ring_key_id.hex(), header.signer.hex()]
        self.assertEqual(sql(f"SELECT {columns}").split("|"), ids)

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
