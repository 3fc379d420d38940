"""A sealed key opens for the row and the host that it was entered for, and nowhere else: rows moved and damaged in
the database answer a call with a clear error, and nothing is deleted."""

import unittest

from common import trust_stack
from harness.scenes import ROUTE, account, listed, provider

MOVED = "The stored key belongs to another record. Enter the key again."
DAMAGED = "The stored key is damaged. Enter the key again."
OTHER_HOST = "The base URL now points to another host. Enter the key again."
NO_RING = "The key ring that protects this key is not available. Enter the key again."


def setUpModule():
    global stack, ada, eve, sql
    stack = trust_stack()
    sql = stack.sql
    ada, eve = stack.newcomer(), stack.newcomer("Eve")


class Rows(unittest.TestCase):
    def setUp(self):
        self.made = provider(ada, f"{stack.stub.url}/v1", "sk-ada-0123456789abcdef")
        self.addCleanup(ada.call, "DELETE", f"{ROUTE}/{self.made}")

    def check(self, client, made, error, path="test"):
        answer = client.post(f"{ROUTE}/{made}/{path}")
        self.assertEqual(answer.status, 200)
        expected = {"ok": True} if error is None else {"ok": False, "error": error}
        self.assertEqual({name: answer.json().get(name) for name in expected}, expected)
        self.assertTrue(listed(client, made)["hasKey"])

    def test_as_it_was_entered(self):
        self.check(ada, self.made, None)

    def test_another_provider_of_the_same_user(self):
        other = provider(ada, f"{stack.stub.url}/v1", "sk-other-0123456789abcdef")
        self.addCleanup(ada.call, "DELETE", f"{ROUTE}/{other}")
        sql(
            f"""UPDATE usershell.providers p SET sealed_key = q.sealed_key, key_scope = q.key_scope
            FROM usershell.providers q WHERE p.id = '{other}' AND q.id = '{self.made}'"""
        )
        self.check(ada, other, MOVED)
        self.check(ada, self.made, None)

    def test_an_account(self):
        label = account(ada, self.made, "sk-second-0123456789abcdef", "Second")
        sql(
            f"""UPDATE usershell.accounts a SET sealed_key = p.sealed_key, key_scope = p.key_scope
            FROM usershell.providers p WHERE a.id = '{label}' AND p.id = '{self.made}'"""
        )
        self.check(ada, self.made, MOVED, f"accounts/{label}/test")

    def test_another_user_even_with_the_scope(self):
        stolen = provider(eve, f"{stack.stub.url}/v1", "sk-eve-0123456789abcdef")
        self.addCleanup(eve.call, "DELETE", f"{ROUTE}/{stolen}")
        sql(
            f"""INSERT INTO usershell.scopes (owner_id, id, ring_key, public_key, sealed_secret, voucher, created_at)
            SELECT q.owner_id, s.id, s.ring_key, s.public_key, s.sealed_secret, s.voucher, '2000-01-01'
            FROM usershell.providers p JOIN usershell.scopes s ON s.owner_id = p.owner_id AND s.id = p.key_scope
            JOIN usershell.providers q ON q.id = '{stolen}' WHERE p.id = '{self.made}'"""
        )
        sql(
            f"""UPDATE usershell.providers q SET sealed_key = p.sealed_key, key_scope = p.key_scope
            FROM usershell.providers p WHERE q.id = '{stolen}' AND p.id = '{self.made}'"""
        )
        self.check(eve, stolen, MOVED)

    def test_a_flipped_byte(self):
        sql(
            f"""UPDATE usershell.providers SET sealed_key =
            set_byte(sealed_key, 40, get_byte(sealed_key, 40) # 1) WHERE id = '{self.made}'"""
        )
        self.check(ada, self.made, DAMAGED)

    def test_a_ring_key_that_is_not_there(self):
        sql(
            f"""UPDATE usershell.scopes s SET ring_key = '0123456789abcdef' FROM usershell.providers p
            WHERE p.id = '{self.made}' AND s.owner_id = p.owner_id AND s.id = p.key_scope"""
        )
        self.check(ada, self.made, NO_RING)
        again = provider(ada, f"{stack.stub.url}/v1", "sk-again-0123456789abcdef")
        self.addCleanup(ada.call, "DELETE", f"{ROUTE}/{again}")
        self.check(ada, again, None)  # sealed to a new scope

    def test_another_host_and_back(self):
        def edit(url):
            self.assertEqual(ada.call("PUT", f"{ROUTE}/{self.made}", {"baseUrl": url}).status, 200)

        edit("https://elsewhere.example.org/v1")
        self.check(ada, self.made, OTHER_HOST)
        edit(f"{stack.stub.url}/slow-1/v1")
        self.check(ada, self.made, None)

    def test_a_public_key_that_is_not_ours_is_never_sealed_to(self):
        sql("UPDATE usershell.scopes SET public_key = decode(repeat('42', 32), 'hex')")
        fresh = provider(ada, f"{stack.stub.url}/v1", "sk-fresh-0123456789abcdef")
        self.addCleanup(ada.call, "DELETE", f"{ROUTE}/{fresh}")
        self.check(ada, fresh, None)


if __name__ == "__main__":
    unittest.main()
