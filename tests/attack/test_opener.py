"""A thief of usershell-opener has its role and the vault ring."""

import book
from harness.envelope import Ring, Unopened, open_envelope
from harness.scenes import ACCESS, id_of, provider
from rights import OF_OPENER
from scene import EVES_KEY, Thief, presented, the_scene

_NOBODYS = "00000000-0000-4000-8000-000000000000"
_BY_TOKEN = "the functions want the token of a caller"
_BEGIN = "SELECT * FROM usershell.begin_call("

# Statements that are allowed and show or change nothing of Ada's. {hash}: of Eve's token.
EMPTY = (
    ("read Ada's provider with Eve's token", f"{_BEGIN}'{{hash}}', gen_random_uuid(), '{{adas}}', NULL, true) WHERE name IS NOT NULL",
     _BY_TOKEN),
    ("read it with a made-up token", f"{_BEGIN}sha256('x'), gen_random_uuid(), '{{adas}}', NULL, true)", _BY_TOKEN),
    ("read it with no token", f"{_BEGIN}'', gen_random_uuid(), '{{adas}}', NULL, true)", _BY_TOKEN),
    ("read it with NULL for a token", f"{_BEGIN}NULL, gen_random_uuid(), '{{adas}}', NULL, true)", _BY_TOKEN),
    ("read all in one query of made-up tokens",
     "SELECT c.* FROM generate_series(1, 1000) n, "
     "usershell.begin_call(sha256(n::text::bytea), gen_random_uuid(), '{adas}', NULL, true) c", _BY_TOKEN),
    ("list providers with a made-up token", f"{_BEGIN}sha256('x'), gen_random_uuid(), NULL, NULL, false)", _BY_TOKEN),
    ("read Ada's provider with the hash of her session's other token",
     f"{_BEGIN}'{{session}}', gen_random_uuid(), '{{adas}}', NULL, true)", "two tokens, each good at one pool"),
    ("read Ada's provider with the stored hash of her token", f"{_BEGIN}'{{stored}}', gen_random_uuid(), '{{adas}}', NULL, true)",
     "the database hashes what it is given"),
)  # fmt: skip


def setUpModule():
    global scene, role, call
    scene = the_scene()
    role = scene.as_role("usershell_opener")
    call = role.one("SELECT gen_random_uuid()")
    role.ask(f"{_BEGIN}'{presented(scene.eve)}', '{call}', NULL, NULL, false)")


def stored(owner, column="calls_token_hash"):
    """The stored hash of the session's token."""
    return scene.stack.sql(f"SELECT {column} FROM usershell.sessions WHERE owner_id = '{owner}' LIMIT 1")


class Opener(Thief):
    who = book.OPENER

    def setUp(self):
        self.facts = scene.facts | {"hash": presented(scene.eve), "call": call, "made": _NOBODYS}
        self.facts |= {"session": stored(scene.ada_id, "token_hash"), "stored": stored(scene.ada_id), "owner": scene.ada_id}

    def test_the_database(self):
        self.refused([role], OF_OPENER, self.facts)

    def test_functions_without_adas_token(self):
        for tried, statement, by in EMPTY:
            with self.subTest(tried=tried):
                self.assertEqual(role.attempt(statement.format(**self.facts)), [])
                self.stopped(tried, by)

    def test_an_identity_of_its_choice(self):
        scene.present(role, scene.ada_id)
        self.addCleanup(role.ask, "RESET usershell.session")
        names = {
            provider: role.ask(
                f"SELECT name FROM usershell.begin_call('{presented(scene.eve)}', '{call}', '{provider}', NULL, false)"
            )
            for provider in (scene.adas, scene.eves)
        }
        self.assertEqual(names, {scene.adas: [[None]], scene.eves: [["Of Eve"]]})
        self.stopped("become Ada by `set_config`", "its functions read no identity of the connection")

    def test_holding_a_token(self):
        """In a transaction that it keeps open, with all that it is given of the token."""
        client = scene.stack.newcomer("Tia")
        provider(client, scene.base_url, EVES_KEY)
        selector, token = "substr(sha256('held'), 1, 12)", scene.stack.sql("SELECT gen_random_uuid()")
        scene.stack.sql(
            "INSERT INTO usershell.access_tokens (owner_id, id, selector, verifier_hash, security_stamp, name, max_requests_a_minute, "
            f"max_tokens_a_day, may_use_stored_objects, expires_at) SELECT id, '{token}', {selector}, sha256('v'), security_stamp, 'n', 9, "
            f"9999, false, now() + interval '1 h' FROM usershell.users WHERE id = '{id_of(scene.stack, client)}'"
        )
        other = scene.as_role("usershell_opener")
        begun = f"usershell.begin_token_call({selector}, 'v', gen_random_uuid(), 'chat', '', 1, 1, NULL)"
        self.assertEqual(other.ask(f"BEGIN; SELECT outcome FROM {begun}"), [["begun"]])
        answer = client.form(f"{ACCESS}/{token}/revoke", {}, page=ACCESS)
        self.assertEqual(answer.status, 303, answer.text)
        self.assertEqual(scene.stack.sql(f"SELECT count(*) FROM usershell.access_tokens WHERE id = '{token}'"), "0")
        other.ask("ROLLBACK")
        self.stopped("keep a token from being revoked by a transaction that it holds open",
                     "what it writes about a token are rows that no revoking waits for")  # fmt: skip


class Rings(Thief):
    who = book.OPENER

    def test_queued_mail_does_not_open(self):
        mail = scene.mail_envelope()
        vault = scene.ring("vault.secret")
        for key in vault.keys.values():
            ring = Ring("mail", "secret", vault.installation, mail[2:18], {mail[2:18]: key})
            with self.assertRaises(Unopened):
                open_envelope(ring, scene.ring("auth.public"), scene.ada_id, mail)
        self.stopped("open a queued mail from a backup", "another ring's key pair")
