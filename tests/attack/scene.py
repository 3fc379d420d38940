"""The scene of the thieves: one running stack, in it Ada with all that is hers, and Eve, whose session and
password the thief has."""

import functools
import json
import re
import secrets
import unittest

from book import stopped
from harness.envelope import Ring, Unopened, blake2b, length_prefixed, open_envelope, seal
from harness.folders import REPOSITORY
from harness.planted import owner_of
from harness.scenes import CALLS, account, provider
from harness.suite import shared_stack
from sql import Database, Refused

ADAS_KEY = "sk-ada-4b1c7e90f2a83d560bd1"
ACCOUNTS_KEY = "sk-account-91d3c20a77be45f6"
EVES_KEY = "sk-eve-5a0e6b3c18d7f294"
MAIL_ID = "5f6f1c0e-0000-4000-8000-0000000000aa"
HELD_BACK = "The provider now points to another address. Enter the key again."
DAMAGED = "The stored key is damaged. Enter the key again."
MOVED = "The stored key belongs to another record. Enter the key again."
NO_RING = "The key ring that protects this key is not available. Enter the key again."


def presented(client):
    """What usershell-execute hands to the database when that person calls: a hash of the cookie's token."""
    return "\\x" + blake2b(length_prefixed("calls", client.cookies[CALLS])).hex()


def escaping_ids():
    """The table of tests/unit/adapters/path_escape_test.cpp."""
    source = REPOSITORY / "tests" / "unit" / "adapters" / "path_escape_test.cpp"
    table = source.read_text(encoding="utf-8").partition("escaping[] = {")[2].partition("};")[0]
    return [json.loads(text) for text in re.findall(r'"(?:[^"\\]|\\.)*"', table)]


class Scene:
    def __init__(self):
        self.stack = shared_stack(settings=[("api", "true")], auth=1, manage=1, execute=1, mail=True)
        self.ada, self.eve = self.stack.newcomer(), self.stack.newcomer("Eve")
        self.base_url = f"{self.stack.stub.url}/tenant-a/v1"
        self.adas = provider(self.ada, self.base_url, ADAS_KEY, name="Of Ada")
        self.account = account(self.ada, self.adas, ACCOUNTS_KEY, "Second")
        self.eves = provider(self.eve, self.base_url, EVES_KEY, name="Of Eve")
        self.ada_id, self.eve_id = (owner_of(self.stack, made) for made in (self.adas, self.eves))
        self.facts = {"ada": self.ada_id, "eve": self.eve_id, "adas": self.adas, "eves": self.eves}
        self.facts |= {"account": self.account, "email": self.ada.email, "url": self.base_url}

    def envelope(self):
        """Ada's key as it is stored."""
        column = "encode(sealed_key, 'hex')"
        row = f"SELECT {column} FROM usershell.providers WHERE id = '{self.adas}'"
        return bytes.fromhex(self.stack.sql(row))

    def mail_envelope(self):
        """A mail to Ada, as it waits in the outbox."""
        auth, mail = self.ring("auth.secret"), self.ring("mail.public")
        content = json.dumps({"to": self.ada.email, "subject": "s", "text": "t", "html": "h"})
        return seal("mail", auth, mail, self.ada_id, [MAIL_ID, str(2**33), content])

    def ring(self, name):
        return Ring.load(self.stack.folder.sub("rings", name))

    def present(self, role, owner):
        """The role presents a session of that person, as while it answers a request of theirs."""
        presented, other = secrets.token_hex(32), secrets.token_hex(32)
        self.stack.sql(
            "INSERT INTO usershell.sessions (owner_id, id, token_hash, auth_token_hash, calls_token_hash, antiforgery_key, "
            "auth_antiforgery_key, security_stamp, remembered, idle, max_expires_at, expires_at) SELECT id, "
            f"gen_random_uuid(), sha256('\\x{presented}'), sha256('\\x{presented}'), "
            f"'\\x{other}', '\\x{other}', '\\x{other}', security_stamp, false, '1 h', now() + interval '1 h', "
            f"now() + interval '1 h' FROM usershell.users WHERE id = '{owner}'"
        )
        role.ask(f"SELECT set_config('usershell.session', '{presented}', false)")
        return presented

    def as_role(self, role):
        database = Database(self.stack.postgres, role)
        unittest.addModuleCleanup(database.close)
        return database


@functools.cache
def the_scene():
    return Scene()


class Thief(unittest.TestCase):
    """who: as the book names it."""

    who = ""

    def stopped(self, tried, by):
        stopped(self.who, tried, by)

    def assert_shut(self, keys):
        """None of these opens Ada's stored key as the vault's secret key."""
        scene = the_scene()
        envelope, web = scene.envelope(), scene.ring("web.public")
        for key in keys:
            ring = Ring("vault", "secret", web.installation, envelope[2:18], {envelope[2:18]: key})
            with self.assertRaises(Unopened):
                open_envelope(ring, web, scene.ada_id, envelope)

    def keys_of(self, *names):
        return [key for name in names for key in the_scene().ring(name).keys.values()]

    def refused(self, roles, rows, facts):
        """rows: what is tried, as words and as a statement, what stops it, and what PostgreSQL says."""
        for tried, statement, (by, said) in rows:
            with self.subTest(tried=tried):
                for role in roles:
                    with self.assertRaises(Refused) as told:
                        role.attempt(statement.format(**facts))
                    self.assertRegex(str(told.exception), said)
                self.stopped(tried, by)
