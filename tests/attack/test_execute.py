"""A thief of usershell-execute has its role and the opener's socket; Eve calls through it just now.
What it answers through nginx: test_answers.py."""

import hashlib
import json

import book
from harness.opener import (
    Ended, begin_call, begin_token_call, load_provider, next_key, number, opener_of, proof_of, question, text,
)  # fmt: skip
from harness.scenes import MODEL, ROUTE, SESSION, access_token, ask, id_of, listed, provider
from rights import OF_EXECUTE
from scene import ACCOUNTS_KEY, ADAS_KEY, EVES_KEY, Thief, presented, the_scene

_NOBODYS = "00000000-0000-4000-8000-000000000000"
_BY_CALL = "the call's id is 122 random bits and one owner's"
_FIELDS = "a request has fields of fixed bounds, and no envelope"
_REPORT = (
    '[{{"owner": "{owner}", "call": "{call}", "health": [{{"provider": "{adas}", "base_url": "{url}", "status": "unhealthy", '
    '"message": "planted"{of_key}}}]}}]'
)


def hash_of(client):
    """What the opener is shown when that person calls."""
    return bytes.fromhex(presented(client)[2:])


def drawn():
    return role.one("SELECT gen_random_uuid()")


def has_key(answer, key):
    return answer is not None and key.encode() in answer


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
    call = drawn()
    assert opener_of(scene.stack).ask(begin_call(hash_of(scene.eve), call)) is not None


class Execute(Thief):
    who = book.EXECUTE

    def setUp(self):
        self.facts = scene.facts | {"call": call, "owner": scene.ada_id}

    def test_the_database(self):
        self.refused([role], OF_EXECUTE, self.facts)

    def test_writing_about_another(self):
        seen = "SELECT health_status, health_message FROM usershell.providers WHERE id = '{adas}'"
        before = scene.stack.sql(seen.format(**self.facts))
        digest = hashlib.sha256(scene.envelope()).hexdigest()
        account = {"account": self.facts["account"], "key": "\\x" + digest}
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
        adas_call = drawn()
        opener_of(scene.stack).ask(begin_call(hash_of(scene.ada), adas_call))
        for wrong in ((scene.eve_id, adas_call), (scene.ada_id, call)):
            self.assertFalse(_ends(*wrong))
        self.assertFalse(_renews(scene.ada_id, call))
        self.assertFalse(_renews(scene.eve_id, adas_call))
        self.assertTrue(_renews(scene.ada_id, adas_call))
        self.stopped("renew or end another's call under its own owner or id", _BY_CALL)
        self.assertTrue(_ends(scene.ada_id, adas_call))

    def test_after_the_caller_has_gone(self):
        zoe = scene.stack.newcomer("Zoe")
        made = provider(zoe, scene.base_url, EVES_KEY)
        owner = id_of(scene.stack, zoe)
        kept, again = drawn(), hash_of(zoe)
        opener = opener_of(scene.stack)
        self.assertTrue(has_key(opener.ask(begin_call(again, kept, made)), EVES_KEY))
        self.assertTrue(_renews(owner, kept))
        zoe.form("/auth/logout", {}, page=ROUTE)
        self.assertIsNone(opener.ask(begin_call(again, drawn(), made)))
        self.stopped("go on with a token that it kept after the sign-out", "tokens end with the session")
        self.assertIsNone(opener.ask(next_key(owner, kept, made)))
        self.stopped("have a key opened for a call that began before the sign-out", "a call has keys only while it may run")
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


class Socket(Thief):
    """At the opener's, in the place of usershell-execute."""

    who = book.EXECUTE

    def setUp(self):
        self.opener = opener_of(scene.stack)
        self.call = drawn()
        self.addCleanup(_ends, scene.eve_id, self.call)

    def shows_no_key_of_ada(self, answer):
        for key in (ADAS_KEY, ACCOUNTS_KEY):
            self.assertFalse(has_key(answer, key))

    def test_another_persons_provider(self):
        eves = hash_of(scene.eve)
        answer = self.opener.ask(begin_call(eves, self.call, scene.eves))
        self.assertTrue(has_key(answer, EVES_KEY))
        for provider_id, account in ((scene.adas, None), (scene.adas, scene.account)):
            other = drawn()
            self.shows_no_key_of_ada(self.opener.ask(begin_call(eves, other, provider_id, account)))
            _ends(scene.eve_id, other)
            for owner in (scene.eve_id, scene.ada_id):
                self.assertIsNone(self.opener.ask(next_key(owner, self.call, provider_id, account)))
        self.shows_no_key_of_ada(self.opener.ask(next_key(scene.eve_id, self.call, scene.eves, scene.account)))
        self.stopped("have Ada's key opened by Eve's token or call", "everything is the owner's whom the token or the call names")

    def test_tokens(self):
        stored = scene.stack.sql(f"SELECT calls_token_hash FROM usershell.sessions WHERE owner_id = '{scene.ada_id}' LIMIT 1")
        other = scene.stack.sql(f"SELECT token_hash FROM usershell.sessions WHERE owner_id = '{scene.ada_id}' LIMIT 1")
        for words, token in (
            ("a made-up token", bytes(32)),
            ("the stored hash of her token", bytes.fromhex(stored[2:])),
            ("the stored hash of her session's other token", bytes.fromhex(other[2:])),
        ):
            self.assertIsNone(self.opener.ask(begin_call(token, drawn(), scene.adas)))
            self.stopped(f"begin a call of Ada's by {words}", "the database hashes what it is given")

    def test_calls(self):
        self.opener.ask(begin_call(hash_of(scene.ada), self.call, scene.adas))
        self.addCleanup(_ends, scene.ada_id, self.call)
        self.assertTrue(has_key(self.opener.ask(next_key(scene.ada_id, self.call, scene.adas)), ADAS_KEY))
        for owner, of in ((scene.ada_id, drawn()), (scene.ada_id, call), (scene.eve_id, self.call)):
            self.assertIsNone(self.opener.ask(next_key(owner, of, scene.adas)))
        self.stopped("have a key opened for a guessed call", _BY_CALL)
        self.assertTrue(_ends(scene.ada_id, self.call))
        self.assertIsNone(self.opener.ask(next_key(scene.ada_id, self.call, scene.adas)))
        self.stopped("have a key opened for a call that has ended", "a call has keys only while it may run")

    def test_an_envelope_of_a_backup(self):
        """In the place of each value, and of a whole question."""
        envelope = scene.envelope()
        good = (hash_of(scene.eve), self.call, scene.eves, None, "f")
        tried = [envelope, number(3) + envelope, question(0, *good) + text(envelope), question(0, *good) + envelope]
        for place in range(len(good)):
            for value in (envelope, envelope[:32], "\\x" + envelope.hex()):
                tried.append(question(0, *good[:place], value, *good[place + 1 :]))
        for each in tried:
            try:
                self.shows_no_key_of_ada(self.opener.ask(each))
            except Ended:
                pass
        self.assertTrue(has_key(self.opener.ask(question(0, *good)), EVES_KEY))
        self.stopped("have an envelope of a backup opened", _FIELDS)

    def test_access_tokens(self):
        installation = scene.stack.sql("SELECT id FROM usershell.installation")
        proof = proof_of(access_token(scene.eve), installation)
        its_row = f"WHERE selector = '\\x{proof[0].hex()}'"
        named = f"{listed(scene.eve, scene.eves)['handle']}/{MODEL}"
        begun = drawn()
        self.assertTrue(has_key(self.opener.ask(begin_token_call(proof, begun, model=named)), EVES_KEY))
        late = drawn()
        self.assertIsNotNone(self.opener.ask(begin_token_call(proof, late)))
        self.assertIsNone(self.opener.ask(next_key(scene.eve_id, late, scene.eves)))
        self.stopped("have a key opened for a tool's call that has loaded no provider", "a token may be for some models only")
        self.assertIsNone(self.opener.ask(load_provider(scene.eve_id, late, scene.adas, MODEL)))
        self.stopped("load Ada's provider for a call of Eve's token", "everything is the owner's whom the token or the call names")
        self.assertIsNone(self.opener.ask(begin_token_call((proof[0], bytes(32)), drawn(), model=named)))
        self.stopped("begin a call by a token's selector alone", "the verifier is compared, too")
        scene.stack.sql(f"UPDATE usershell.access_tokens SET expires_at = now() {its_row}")
        for request in (begin_token_call(proof, drawn(), model=named), next_key(scene.eve_id, begun, scene.eves)):
            self.assertIsNone(self.opener.ask(request))
        self.stopped("begin a call, or have a key opened, by an access token that has expired", "only a good token counts")
        scene.stack.sql(f"DELETE FROM usershell.access_tokens {its_row}")
        for request in (begin_token_call(proof, drawn(), model=named), next_key(scene.eve_id, begun, scene.eves)):
            self.assertIsNone(self.opener.ask(request))
        self.stopped("begin a call, or have a key opened, by an access token that was revoked", "only a good token counts")

    def test_a_tokens_limits(self):
        """A day that is spent, another route, another model: by each question that opens a key."""
        installation = scene.stack.sql("SELECT id FROM usershell.installation")
        second = provider(scene.eve, scene.base_url, EVES_KEY, name="Limits", models=[MODEL, "stub-large"])
        self.addCleanup(scene.eve.call, "DELETE", f"{ROUTE}/{second}")
        named, other = (f"{listed(scene.eve, second)['handle']}/{model}" for model in (MODEL, "stub-large"))
        limits = {"Models": named, "Routes.chat": "true", f"Providers.{second}": "true", "TokensADay": "1000"}
        proof = proof_of(access_token(scene.eve, **limits), installation)
        self.assertTrue(has_key(self.opener.ask(begin_token_call(proof, drawn(), model=named, tokens="1")), EVES_KEY))
        for asked in ({"model": named, "tokens": "900"}, {"model": named, "route": "embeddings"}, {"model": named, "route": ""},
                      {"model": other}, {"route": ""}, {"route": "chat"}):  # fmt: skip
            its = drawn()
            self.assertFalse(has_key(self.opener.ask(begin_token_call(proof, its, **asked)), EVES_KEY), asked)
            for model, tokens in ((MODEL, "900"), ("stub-large", "1")):
                self.assertFalse(has_key(self.opener.ask(load_provider(scene.eve_id, its, second, model, tokens)), EVES_KEY), asked)
                self.assertFalse(has_key(self.opener.ask(next_key(scene.eve_id, its, second)), EVES_KEY), asked)
        self.stopped("have a key opened beyond the route, the models and the day of an access token",
                     "the statement that begins or loads looks at all three before the call has a provider")  # fmt: skip

    def test_a_flood(self):
        calls = [drawn() for _ in range(40)]
        answers = [self.opener.ask(begin_call(hash_of(scene.eve), each, scene.eves)) for each in calls]
        self.assertNotIn(None, answers)
        self.assertLessEqual(sum(has_key(answer, EVES_KEY) for answer in answers), 8)
        most = scene.stack.sql(
            f"SELECT count(*) FROM usershell.calls WHERE owner_id = '{scene.eve_id}' AND expires_at > now() AND token_id IS NULL"
        )
        self.assertEqual(int(most), 8)
        self.assertEqual(scene.ada.post(f"{ROUTE}/playground", ask(scene.adas)).status, 200)
        for each in calls:
            _ends(scene.eve_id, each)
        self.stopped("keep others from calling by a flood of begins", "a person has eight slots; without one no key is opened")
