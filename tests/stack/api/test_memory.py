"""What usershell-auth keeps in its memory of the secrets that pass through it: the passwords that are
typed, the cookies that it sets and the access token that it shows once. A thief of the process finds
those of people who come while it is there, and none of before."""

import unittest

from harness.memory import copies, memory_of
from harness.sanitizers import patient
from harness.scenes import ACCESS, SECURITY, access_token
from harness.suite import Later, shared_stack

AUTH = "__Host-usershell-auth"

stack = Later(shared_stack, settings=[("api", "true"), ("max-memory", "256")], manage=1, execute=1)


@unittest.skipIf(patient(1) > 1, "a sanitizer's allocator keeps what was freed")
class Memory(unittest.TestCase):
    def setUp(self):
        try:
            next(memory_of(stack.pools["auth"].pids()[0]))
        except PermissionError:
            self.skipTest("only root reads a program's memory")

    @staticmethod
    def copies(secrets):
        return copies(stack.pools["auth"].pids(), secrets)

    def test_holds_no_secret_of_requests_that_have_ended(self):
        client = stack.newcomer()
        secrets = {"cookie of the sign-in": client.cookies[AUTH]}
        secrets["token"] = access_token(client)
        secrets["cookie after the password"] = client.cookies[AUTH]
        secrets["password"] = client.password
        client.get(ACCESS)
        client.get(SECURITY)
        self.assertEqual(len(set(secrets.values())), 4)
        secrets = {name: value.encode() for name, value in secrets.items()}
        self.assertEqual(self.copies(secrets), dict.fromkeys(secrets, 0))

    def test_would_be_found(self):
        """The search finds what the process does have."""
        self.assertGreater(self.copies({"a template": b'data-testid="new-token"'})["a template"], 0)
