"""What usershell-auth keeps in its memory of the secrets that pass through it: the passwords that are
typed, the cookies that it sets and the access token that it shows once. A thief of the process finds
those of people who come while it is there, and none of before."""

import unittest
from pathlib import Path

from harness.sanitizers import patient
from harness.scenes import ACCESS, SECURITY, access_token
from harness.suite import Later, shared_stack

AUTH = "__Host-usershell-auth"
_PIECE = 1 << 20

stack = Later(shared_stack, settings=[("api", "true"), ("max-memory", "256")], manage=1, execute=1)


def memory_of(pid):
    """The pieces of all that the process can write to."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text(encoding="ascii").splitlines():
            places, rights, *_, name = line.split(maxsplit=5) if line.count(" ") > 4 else (*line.split(), "")
            if "w" not in rights or name.strip() in ("[vvar]", "[vsyscall]"):
                continue
            begin, end = (int(place, 16) for place in places.split("-"))
            for start in range(begin, end, _PIECE):
                memory.seek(start)
                try:  # with the begin of the next piece
                    yield memory.read(min(_PIECE + 256, end - start))
                except OSError:  # a guard page, or what ends meanwhile
                    continue


def copies(secrets):
    """How often each is in the memory of a worker."""
    counts = dict.fromkeys(secrets, 0)
    for pid in stack.pools["auth"].pids():
        for piece in memory_of(pid):
            for name, secret in secrets.items():
                counts[name] += piece.count(secret)
    return counts


@unittest.skipIf(patient(1) > 1, "a sanitizer's allocator keeps what was freed")
class Memory(unittest.TestCase):
    def setUp(self):
        try:
            next(memory_of(stack.pools["auth"].pids()[0]))
        except PermissionError:
            self.skipTest("only root reads a program's memory")

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
        self.assertEqual(copies(secrets), dict.fromkeys(secrets, 0))

    def test_would_be_found(self):
        """The search finds what the process does have."""
        self.assertGreater(copies({"a template": b'data-testid="new-token"'})["a template"], 0)
