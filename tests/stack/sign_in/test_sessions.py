"""Sessions, as far as a single request does not show it: the operator's lifetimes, the sweeping of what
has lapsed, which sessions may be ended, a password's hash made anew when its cost has risen. The
rest: cases/sign_in.case."""

import re
import unittest

from harness.processes import wait_until
from harness.scenes import PROFILE, ROUTE, SECURITY, id_of
from harness.suite import Later, shared_stack

IDLE, ABSOLUTE = 7200, 36000

stack = Later(shared_stack, manage=2, execute=2, mail=True)


def of(client):
    return f"owner_id = '{id_of(stack, client)}'"


class Lifetimes(unittest.TestCase):
    """How they count, and that use never leads beyond the end: store_nouns."""

    def test_are_the_operators(self):
        with stack.configured(session_idle=IDLE, session_absolute=ABSOLUTE):
            row = f"FROM usershell.sessions WHERE {of(stack.newcomer())}"
            for lasts, seconds in (("expires_at", IDLE), ("max_expires_at", ABSOLUTE), ("created_at + idle", IDLE)):
                told = stack.sql(f"SELECT extract(epoch FROM {lasts} - created_at) {row}")
                self.assertEqual(float(told), seconds, lasts)

    def test_what_has_expired_is_swept(self):
        lapsed = of(stack.newcomer())
        stack.sql(f"UPDATE usershell.sessions SET expires_at = now() - interval '1 second' WHERE {lapsed}")
        stack.pools["auth"].restart()  # each worker sweeps when it starts
        left = f"SELECT count(*) FROM usershell.sessions WHERE {lapsed}"
        wait_until(lambda: stack.sql(left) == "0", "the sweeping")


class Ended(unittest.TestCase):
    """One by one, by the ids that the profile page shows; nobody else's: store_guards (owner_nets)."""

    @staticmethod
    def shown(client):
        """The ids of the sessions on the page."""
        return set(re.findall(rf'action="{PROFILE}/sessions/([0-9a-f-]+)/end"', client.get(SECURITY).text))

    def test_another_of_ones_own(self):
        client = stack.newcomer()
        this = self.shown(client)
        other = stack.sign_in(client)
        (that,) = self.shown(client) - this
        path = f"{PROFILE}/sessions/{that}/end"
        self.assertEqual(client.form(path, {}, page=SECURITY).headers["location"], f"{SECURITY}#sessions")
        self.assertIn("The device is signed out.", client.get(SECURITY).text)
        self.assertEqual(other.get(f"{ROUTE}/list").status, 401)
        self.assertEqual(self.shown(client), this)
        self.assertEqual(client.form(path, {}, page=SECURITY).status, 404)


class Cost(unittest.TestCase):
    def test_that_has_risen_makes_the_hash_anew_at_the_next_sign_in(self):
        person = stack.new_person()

        def hash_after_sign_in():
            stack.sign_in(person).close()
            return stack.sql(f"SELECT password_hash FROM usershell.users WHERE email = '{person[0]}'")

        first = hash_after_sign_in()
        self.assertIn(",t=1,", first)
        self.assertEqual(hash_after_sign_in(), first)
        with stack.configured(password_opslimit=3):
            second = hash_after_sign_in()
        self.assertIn(",t=3,", second)
        self.assertEqual(hash_after_sign_in(), second)
