"""A thief of usershell-execute has its role and the vault ring; Eve calls through it just now.
What it answers through nginx: test_answers.py."""

import json

import book
from harness.envelope import Ring, Unopened, open_envelope
from harness.scenes import ACCESS, ROUTE, SESSION, ask, id_of, owner_of, provider
from rights import OF_EXECUTE
from scene import EVES_KEY, Thief, presented, the_scene

_NOBODYS = "00000000-0000-4000-8000-000000000000"
_BY_CALL = "the call's id is 122 random bits and one owner's"
_BY_TOKEN = "the functions want the token of a caller"
_BEGIN = "SELECT * FROM usershell.begin_call("
_REPORT = (
    '[{{"owner": "{owner}", "call": "{call}", "health": [{{"provider": "{adas}", "base_url": "{url}", "status": "unhealthy", '
    '"message": "planted"{of_key}}}]}}]'
)

# Statements that are allowed and show or change nothing of Ada's. {hash}: of Eve's token.
EMPTY = (
    ("read Ada's provider with Eve's token", f"{_BEGIN}'{{hash}}', gen_random_uuid(), '{{adas}}', true) WHERE name IS NOT NULL",
     _BY_TOKEN),
    ("read it with a made-up token", f"{_BEGIN}sha256('x'), gen_random_uuid(), '{{adas}}', true)", _BY_TOKEN),
    ("read it with no token", f"{_BEGIN}'', gen_random_uuid(), '{{adas}}', true)", _BY_TOKEN),
    ("read it with NULL for a token", f"{_BEGIN}NULL, gen_random_uuid(), '{{adas}}', true)", _BY_TOKEN),
    ("read all in one query of made-up tokens",
     "SELECT c.* FROM generate_series(1, 1000) n, "
     "usershell.begin_call(sha256(n::text::bytea), gen_random_uuid(), '{adas}', true) c", _BY_TOKEN),
    ("list providers with a made-up token", f"{_BEGIN}sha256('x'), gen_random_uuid(), NULL, false)", _BY_TOKEN),
    ("read Ada's provider with the hash of her session's other token",
     f"{_BEGIN}'{{session}}', gen_random_uuid(), '{{adas}}', true)", "two tokens, each good at one pool"),
    ("read Ada's provider with the stored hash of her token", f"{_BEGIN}'{{stored}}', gen_random_uuid(), '{{adas}}', true)",
     "the database hashes what it is given"),
)  # fmt: skip


def _renews(owner, id_of_call):
    lists = f"ARRAY['{owner}']::uuid[], ARRAY['{id_of_call}']::uuid[]"
    return role.ask(f"SELECT usershell.renew_calls({lists})") != []


def _ends(owner, id_of_call):
    ended = json.dumps([{"owner": str(owner), "call": str(id_of_call), "health": []}])
    role.ask(f"SELECT usershell.end_calls('{ended}')")
    return scene.stack.sql(f"SELECT count(*) FROM usershell.calls WHERE id = '{id_of_call}'") == "0"


def setUpModule():
    global scene, role, call
    scene = the_scene()
    role = scene.as_role("usershell_execute")
    call = role.one("SELECT gen_random_uuid()")
    role.ask(begin(scene.eve, call))


def stored(owner, column="calls_token_hash"):
    """The stored hash of the session's token."""
    return scene.stack.sql(f"SELECT {column} FROM usershell.sessions WHERE owner_id = '{owner}' LIMIT 1")


def begin(client, id_of_call):
    """Of all active providers."""
    return f"{_BEGIN}'{presented(client)}', '{id_of_call}', NULL, false)"


class Execute(Thief):
    who = book.EXECUTE

    def setUp(self):
        self.facts = scene.facts | {"hash": presented(scene.eve), "call": call, "made": _NOBODYS}
        self.facts |= {"session": stored(scene.ada_id, "token_hash"), "stored": stored(scene.ada_id), "owner": scene.ada_id}

    def test_the_database(self):
        self.refused([role], OF_EXECUTE, self.facts)

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
                f"SELECT name FROM usershell.begin_call('{presented(scene.eve)}', '{call}', '{provider}', false)"
            )
            for provider in (scene.adas, scene.eves)
        }
        self.assertEqual(names, {scene.adas: [[None]], scene.eves: [["Of Eve"]]})
        self.stopped("become Ada by `set_config`", "its functions read no identity of the connection")

    def test_writing_about_another(self):
        seen = "SELECT health_status, health_message FROM usershell.providers WHERE id = '{adas}'"
        before = scene.stack.sql(seen.format(**self.facts))
        account = {"account": self.facts["account"], "key": "\\x" + scene.envelope().hex()}
        for words, changes in (
            ("a made-up call", {"call": _NOBODYS}),
            ("Eve's call", {}),
            ("Eve's call in Eve's name", {"owner": scene.eve_id}),
        ):
            for of_key in ("", ", " + json.dumps(account)[1:-1]):
                report = _REPORT.format(**(self.facts | changes | {"of_key": of_key}))
                role.ask(f"SELECT usershell.end_calls('{report}')")
            self.assertEqual(scene.stack.sql(seen.format(**self.facts)), before)
            self.stopped(f"write a health message at Ada's provider with {words}", _BY_CALL)
        count = "SELECT count(*) FROM usershell.accounts WHERE health_message = 'planted'"
        self.assertEqual(scene.stack.sql(count), "0")

    def test_calls_of_others(self):
        adas_call = role.one("SELECT gen_random_uuid()")
        role.ask(begin(scene.ada, adas_call))
        for wrong in ((scene.eve_id, adas_call), (scene.ada_id, call)):
            self.assertFalse(_ends(*wrong))
        self.assertFalse(_renews(scene.ada_id, call))
        self.assertFalse(_renews(scene.eve_id, adas_call))
        self.assertTrue(_renews(scene.ada_id, adas_call))
        self.stopped("renew or end another's call under its own owner or id", _BY_CALL)
        self.assertTrue(_ends(scene.ada_id, adas_call))

    def test_usage_of_any_number(self):
        """It may tell of a call that it has begun."""
        client, used = scene.stack.newcomer("Una"), "SELECT min(input_tokens), max(output_tokens) FROM usershell.usage WHERE owner_id = '{}'"
        made = provider(client, scene.base_url, EVES_KEY)
        owner, own = owner_of(scene.stack, made), role.one("SELECT gen_random_uuid()")
        role.ask(begin(client, own))
        told = [{"provider": made, "model": "m", "input": number, "output": -number} for number in (-(2**63), -1, 2**63, 10**400)]
        role.ask(f"SELECT usershell.end_calls('{json.dumps([{'owner': owner, 'call': own, 'health': [], 'usage': told}])}')")
        self.assertEqual(scene.stack.sql(used.format(owner)), "2000000000|1000000001")
        self.assertEqual(client.get(ACCESS).status, 200)
        self.stopped("give a day's tokens back, or break the page of usage, by numbers below zero and beyond 64 bits",
                     "the database counts from nothing to a billion for a call")  # fmt: skip

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
        other = scene.as_role("usershell_execute")
        begun = f"usershell.begin_token_call({selector}, 'v', gen_random_uuid(), 'chat', '', 1, 1, NULL)"
        self.assertEqual(other.ask(f"BEGIN; SELECT outcome FROM {begun}"), [["begun"]])
        answer = client.form(f"{ACCESS}/{token}/revoke", {}, page=ACCESS)
        self.assertEqual(answer.status, 303, answer.text)
        self.assertEqual(scene.stack.sql(f"SELECT count(*) FROM usershell.access_tokens WHERE id = '{token}'"), "0")
        other.ask("ROLLBACK")
        self.stopped("keep a token from being revoked by a transaction that it holds open",
                     "what it writes about a token are rows that no revoking waits for")  # fmt: skip

    def test_after_the_caller_has_gone(self):
        zoe = scene.stack.newcomer("Zoe")
        owner = id_of(scene.stack, zoe)
        kept = role.one("SELECT gen_random_uuid()")
        again = begin(zoe, kept)
        self.assertNotEqual(role.ask(again), [])
        self.assertTrue(_renews(owner, kept))
        zoe.form("/auth/logout", {}, page=ROUTE)
        self.assertEqual(role.ask(again), [])
        self.stopped("go on with a token that it kept after the sign-out", "tokens end with the session")
        self.assertFalse(_renews(owner, kept))
        self.stopped("keep a call going after the sign-out", "a call is renewed only while its session is good")

    def test_acts_of_managing_with_what_a_call_knows(self):
        """The caller's cookie and anti-forgery key are all that it needs there, it seems."""
        token = scene.eve.token()
        cookie = {"Cookie": "; ".join(f"{n}={v}" for n, v in scene.eve.cookies.items() if n != SESSION)}
        for method, path, body in (
            ("POST", f"{ROUTE}/create", {"name": "x", "type": "openai", "apiKey": "k"}),
            ("PUT", f"{ROUTE}/{scene.eves}", {"baseUrl": "https://x.org"}),
            ("DELETE", f"{ROUTE}/{scene.eves}", None),
            ("POST", f"{ROUTE}/{scene.eves}/apikey", {"apiKey": "k"}),
        ):
            answer = scene.eve.call(method, path, body, {**cookie, "RequestVerificationToken": token,
                                                         "Content-Type": "application/json"})  # fmt: skip
            self.assertEqual(answer.status, 401)
        self.stopped("enter, edit and delete with the caller's own cookie and anti-forgery token",
                     "the managing pool wants the other token")  # fmt: skip
        session = {"Cookie": f"{SESSION}={scene.eve.cookies[SESSION]}"}
        for sent in (session, {"Cookie": session["Cookie"].replace("session=", "calls=")}):
            answer = scene.eve.post(f"{ROUTE}/playground", ask(scene.eves), sent)
            self.assertEqual(answer.status, 401)
        scene.eve.learn_token()
        self.stopped("have a call made with the managing pool's cookie, under either name",
                     "two tokens, each good at one pool")  # fmt: skip


class Rings(Thief):
    who = book.EXECUTE

    def test_queued_mail_does_not_open(self):
        mail = scene.mail_envelope()
        vault = scene.ring("vault.secret")
        for key in vault.keys.values():
            ring = Ring("mail", "secret", vault.installation, mail[2:18], {mail[2:18]: key})
            with self.assertRaises(Unopened):
                open_envelope(ring, scene.ring("auth.public"), scene.ada_id, mail)
        self.stopped("open a queued mail from a backup", "another ring's key pair")
