"""Whoever has a stolen session, both its cookies, and no password: what they may do with the keys and
how they could stay."""

import json
import re
import unittest

import book
from harness.crowd import together
from harness.folders import REPOSITORY
from harness.scenes import (
    MODEL,
    PROFILE,
    ROUTE,
    ask,
    ask_for_address,
    mailed_link,
    may_sign_in,
    provider,
    start_change,
)
from scene import EVES_KEY, HELD_BACK, Thief, the_scene

_OLD_PASSWORD = "the old words of Ada 5"
_NEW_PASSWORD = "the newer words of Ada 6"
_LIMIT = 64 * 1024  # of what is read of an error
_NOBODYS = "5f6f1c0e-0000-4000-8000-0000000000bb"
_STAMP = "the security stamp"


def setUpModule():
    global scene, stack
    scene = the_scene()
    stack = scene.stack


def escaping_ids():
    """The table of tests/unit/adapters/path_escape_test.cpp."""
    source = REPOSITORY / "tests" / "unit" / "adapters" / "path_escape_test.cpp"
    table = source.read_text(encoding="utf-8").partition("escaping[] = {")[2].partition("};")[0]
    return [json.loads(text) for text in re.findall(r'"(?:[^"\\]|\\.)*"', table)]


_GOOD, _DEAD = (200, 404), (401, 401)


def at_the_pools(client):
    """What the two pools answer to its cookies, the executing one about a provider that is another's."""
    return (
        client.get(f"{ROUTE}/list").status,
        client.get(f"{ROUTE}/{_NOBODYS}/models/available").status,
    )


class Keys(Thief):
    """Eve's session is the stolen one."""

    who = book.SESSION

    def setUp(self):
        self.client = stack.sign_in(scene.eve)
        self.addCleanup(self.client.close)
        self.addCleanup(stack.stub.say)

    def test_read_in_an_answer(self):
        made, client = scene.eves, self.client
        answers = [client.get(path) for path in (ROUTE, f"{ROUTE}/list", PROFILE)]
        answers += [client.call("PUT", f"{ROUTE}/{made}", {"name": "Of Eve"})]
        answers += [
            client.post(f"{ROUTE}/{made}/test"),
            client.get(f"{ROUTE}/{made}/models/available"),
        ]
        answers += [
            client.post(f"{ROUTE}/playground", ask(made)),
            client.post(f"{ROUTE}/test-batch"),
        ]
        answers += [client.get(f"{ROUTE}/{made}/apikey"), client.get(f"{ROUTE}/{made}")]
        for answer in answers:
            self.assertNotIn(EVES_KEY[6:], answer.text)
        self.stopped(
            "read a key in the answer of any route", "no program that shows keys can open one"
        )

    def test_sent_elsewhere(self):
        stub, port = stack.stub.url, stack.stub.port
        for where, edit in (
            ("another host", {"baseUrl": f"http://elsewhere.example.org:{port}/tenant-a/v1"}),
            ("another port", {"baseUrl": f"http://{stack.closed}/tenant-a/v1"}),
            ("another scheme", {"baseUrl": f"https://127.0.0.1:{port}/tenant-a/v1"}),
            ("another tenant's path", {"baseUrl": f"{stub}/tenant-b/v1"}),
            ("a protocol with another header", {"type": "anthropic"}),
        ):
            with self.subTest(where=where):
                path = f"{ROUTE}/{scene.eves}"
                before = len(stack.stub.journal(key=EVES_KEY))
                self.assertEqual(self.client.call("PUT", path, edit).status, 200)
                errors = [self.client.post(f"{path}/test").json()["error"]]
                errors += [self.client.get(f"{path}/models/available").json()["error"]]
                errors += [self.client.post(f"{ROUTE}/playground", ask(scene.eves)).json()["error"]]
                undo = {"baseUrl": scene.base_url, "type": "generic-compatible"}
                self.client.call("PUT", path, undo)
                for error in errors:
                    self.assertTrue(error.startswith(HELD_BACK[:-22]), error)
                self.assertEqual(len(stack.stub.journal(key=EVES_KEY)), before)
                self.stopped(
                    f"have the key sent to {where} by editing the provider",
                    "the sealed record: held back",
                )

    def test_path_escaping_models(self):
        ids = escaping_ids()
        self.assertGreaterEqual(len(ids), 40)
        for kind in ("azure-openai", "google-gemini"):
            made = provider(
                self.client, f"{stack.stub.url}/tenant-a", "sk-path", kind, kind, models=()
            )
            for model in ids:
                answer = self.client.post(f"{ROUTE}/{made}/models", {"modelId": model})
                self.assertEqual((answer.status, answer.code), (400, "invalid_field"), model)
            self.client.call("DELETE", f"{ROUTE}/{made}")
            self.stopped(
                f"leave the path by one of {len(ids)} model ids ({kind})",
                "refused when it is entered",
            )

    def test_guesses_by_the_model_that_a_provider_quotes(self):
        said = {}
        for size in range(8, len(EVES_KEY)):
            right = EVES_KEY[:size]
            wrong = right[:-1] + ("0" if right[-1] != "0" else "1")
            for guess in (right, wrong):
                stack.stub.say(
                    way="unknown-model", text=f"The model {guess} does not exist, says {EVES_KEY}"
                )
                self.client.post(f"{ROUTE}/{scene.eves}/models", {"modelId": guess})
                answer = self.client.post(f"{ROUTE}/playground", ask(scene.eves, modelId=guess))
                self.client.call("DELETE", f"{ROUTE}/{scene.eves}/models?modelId={guess}")
                self.assertEqual(answer.status, 502)
                said.setdefault(size, []).append(answer.json()["error"])
            self.assertEqual(*said[size])
        self.stopped("guess a key, character by character, in the model id that a provider quotes",
                     "what is shown of an error does not depend on the key")  # fmt: skip

    def shown(self, **script):
        stack.stub.say(**script)
        return self.client.post(f"{ROUTE}/playground", ask(scene.eves, modelId=MODEL)).text

    def test_a_key_across_the_end_of_what_is_read(self):
        head = len('{"error": {"message": "')
        for inside in range(1, len(EVES_KEY)):
            text = "x " * ((_LIMIT - head - inside) // 2 + 1)
            text = text[: _LIMIT - head - inside] + EVES_KEY + " x" * 200
            self.assert_hidden(self.shown(way="status", text=text))
        self.stopped(
            f"have a key cut by the {_LIMIT:,} bytes that are read of an error",
            "the last run is dropped",
        )
        for inside in range(1, len(EVES_KEY)):
            self.assert_hidden(
                self.shown(way="status", text=f"Says {EVES_KEY}", cut=head + 5 + inside)
            )
        self.stopped(
            "have a key cut by the end of the connection",
            "nothing is shown of an answer that was cut off",
        )

    def assert_hidden(self, text):
        self.assertIn("error", text)
        for at in range(len(EVES_KEY) - 5):
            if at != 0:  # the hint's first three may be anybody's
                self.assertNotIn(EVES_KEY[at : at + 6], text)

    def test_anothers_provider(self):
        adas, account = f"{ROUTE}/{scene.adas}", f"{ROUTE}/{scene.adas}/accounts/{scene.account}"
        for method, path, body in (
            ("PUT", adas, {"name": "x"}),
            ("DELETE", adas, None),
            ("POST", f"{adas}/apikey", {"apiKey": "k"}),
            ("POST", f"{adas}/status", {"status": "inactive"}),
            ("POST", f"{adas}/test", None),
            ("GET", f"{adas}/models/available", None),
            ("POST", f"{adas}/models", {"modelId": "m"}),
            ("POST", f"{adas}/models/enabled?modelId={MODEL}", None),
            ("DELETE", f"{adas}/models?modelId={MODEL}", None),
            ("POST", f"{adas}/accounts", {"name": "n", "apiKey": "k"}),
            ("PUT", account, {"name": "x"}),
            ("POST", f"{account}/apikey", {"apiKey": "k"}),
            ("POST", f"{account}/test", None),
            ("DELETE", account, None),
            ("POST", f"{ROUTE}/playground", ask(scene.adas)),
            ("POST", f"{ROUTE}/playground", ask(scene.adas, stream=True)),
        ):
            answer = self.client.call(method, path, body)
            self.assertEqual((answer.status, answer.code), (404, "not_found"), (method, path))
        self.stopped(
            "reach another's provider or account by its id, on 16 routes",
            "rows are found by their owner",
        )


class Forgery(Thief):
    """A site of the thief's, in a browser that is signed in."""

    who = book.SESSION

    def test_tokens(self):
        path = f"{ROUTE}/{scene.adas}/apikey"
        other = stack.sign_in(scene.ada)
        for tried, token in (
            ("without an anti-forgery token", None),
            ("with an anti-forgery token of their own session", scene.eve.token()),
            ("with that of another session of the same person", other.token()),
            ("with that of the sign-in page", stack.visitor().token("/auth/login")),
        ):
            answer = scene.ada.post(path, {"apiKey": "k"}, {"RequestVerificationToken": token,
                                                            "Content-Type": "application/json"})  # fmt: skip
            self.assertEqual((answer.status, answer.code), (400, "antiforgery_invalid"))
            self.stopped(f"replace a key {tried}", "a random key in the session's row")

    def test_a_confirmation_from_another_site(self):
        client = stack.newcomer()
        link = start_change(stack, client, f"thief-{client.email}")
        answer = client.get(link, {"Sec-Fetch-Site": "cross-site"})
        self.assertEqual(answer.status, 400)
        self.assertIn(f'"current-email">{client.email}<', client.get(PROFILE).text)
        self.stopped("have the owner's browser confirm a change of address from another site",
                     "a cross-site navigation asks first")  # fmt: skip
        stranger = stack.newcomer()
        self.assertEqual(stranger.get(link).status, 400)
        self.stopped(
            "confirm another's change of address in a session of their own",
            "a link is one person's",
        )


class Staying(Thief):
    who = book.SESSION

    def test_taking_the_account_over(self):
        """The password was given some while ago."""
        client = stack.newcomer()
        client.get(PROFILE)
        stack.sql(
            f"UPDATE usershell.sessions SET signed_in_at = now() - interval '1 hour' WHERE {of(client)}"
        )
        stolen = client.clone()
        new = f"thief-{client.email}"
        for fields in ({}, {"CurrentPassword": "a guess of the thief's"}):
            self.assertEqual(ask_for_address(stolen, new, **fields).status, 200)
        self.assertEqual(
            stack.sql(f"SELECT count(*) FROM usershell.email_changes WHERE {of(client)}"), "0"
        )
        self.stopped("change the address", "the password is asked for")
        for given in ("", "a guess of the thief's"):
            fields = {"CurrentPassword": given, "NewPassword": _NEW_PASSWORD}
            self.assertEqual(stolen.form(f"{PROFILE}/password", fields, page=PROFILE).status, 200)
        self.assertTrue(may_sign_in(stack, client.email, client.password))
        self.stopped("set another password", "the current one is asked for")
        kept = stolen.clone()
        fields = {"CurrentPassword": client.password}
        self.assertEqual(ask_for_address(client, new, **fields).status, 303)
        self.assertEqual(at_the_pools(client), _GOOD)
        self.assertEqual(at_the_pools(kept), _DEAD)
        self.stopped("stay when the owner gives the password again", "the session gets new tokens")

    def test_a_race(self):
        """Sign-ins with the password that is being changed."""
        for _ in range(3):
            person = stack.new_person()
            visitors = [stack.visitor() for _ in range(4)]
            fields = {"email": person[0], "password": person[1]}
            attempts = [lambda v=v: v.form("/auth/login", fields).status for v in visitors]
            change = lambda: stack.ctl(
                "user", "passwd", person[0], stdin=f"{_NEW_PASSWORD}\n"
            )  # noqa: E731
            together(change, *attempts)
            self.assertEqual({at_the_pools(visitor) for visitor in visitors}, {_DEAD})
        self.stopped("sign in with a password at the moment when it is changed",
                     "a session carries the stamp under which the password was verified")  # fmt: skip


def of(client):
    return f"owner_id = (SELECT id FROM usershell.users WHERE email = '{client.email}')"


class Target:
    """A person whose session was stolen while a link to set a password and one to change the address
    were on their way."""

    def __init__(self):
        self.client = stack.newcomer()
        self.new = f"new-{self.client.email}"
        assert ask_for_address(self.client, self.new).status == 303
        assert stack.visitor().form("/auth/forgot", {"email": self.client.email}).status == 200
        self.stolen = self.client.clone()
        self.stolen.learn_token()

    def collect(self):
        self.change = mailed_link(stack, self.new)
        self.reset = mailed_link(stack, self.client.email)

    def profile_form(self, path, **fields):
        answer = self.client.form(f"{PROFILE}/{path}", fields, page=PROFILE)
        assert answer.status in (302, 303), answer.text

    def password_changed(self):
        self.profile_form(
            "password", CurrentPassword=self.client.password, NewPassword=_NEW_PASSWORD
        )
        self.client.password = _NEW_PASSWORD

    def password_reset(self):
        assert use_reset(self.reset, _NEW_PASSWORD) == 303
        self.client.password = _NEW_PASSWORD

    def password_by_operator(self):
        stack.ctl("user", "passwd", self.client.email, stdin=f"{_NEW_PASSWORD}\n")
        self.client.password = _NEW_PASSWORD

    def signed_out_everywhere(self):
        self.profile_form("sessions/end")

    def disabled(self):
        stack.ctl("user", "disable", self.client.email)

    def enabled_again(self):
        stack.ctl("user", "disable", self.client.email)
        stack.ctl("user", "enable", self.client.email)

    def address_changed(self):
        assert self.client.get(self.change).status == 303
        self.client.email = self.new


def use_reset(link, password):
    """The status of setting a password by that link."""
    visitor = stack.visitor()
    token = link.partition("token=")[2]
    return visitor.form(
        "/auth/reset", {"token": token, "password": password}, page="/auth/login"
    ).status


class Events(Thief):
    """What happens, and whether the person can sign in afterwards."""

    who = book.SESSION
    EVENTS = (
        ("the owner has changed the password", Target.password_changed, True),
        ("the owner has reset the password by a link", Target.password_reset, True),
        ("the operator has set a password", Target.password_by_operator, True),
        ("the owner has signed out everywhere", Target.signed_out_everywhere, True),
        ("the operator has disabled the account", Target.disabled, False),
        ("the account was disabled and enabled again", Target.enabled_again, True),
        ("the owner's address has changed", Target.address_changed, True),
    )

    def test_after_every_event(self):
        targets = [Target() for _ in self.EVENTS]
        signed_out = Target()
        for target in targets:
            target.collect()
        for target, (words, deed, may_return) in zip(targets, self.EVENTS, strict=True):
            with self.subTest(event=words):
                self.assertEqual(at_the_pools(target.stolen), _GOOD)
                deed(target)
                self.assertEqual(at_the_pools(target.stolen), _DEAD)
                self.stopped(f"use the session after {words}", _STAMP)
                self.assertEqual(use_reset(target.reset, "of whoever reads the old mail"), 400)
                self.stopped(f"use a link to set a password after {words}", _STAMP)
                if may_return:
                    again = stack.sign_in(target.client)
                    self.assertEqual(again.get(target.change).status, 400)
                    self.stopped(
                        f"have a pending change of address confirmed after {words}", _STAMP
                    )
        signed_out.client.form("/auth/logout", {}, page=ROUTE)
        self.assertEqual(at_the_pools(signed_out.stolen), _DEAD)
        self.stopped(
            "use the session after its owner has signed out of it", "the session's row is gone"
        )

    def test_invitations(self):
        invited = [f"invited-{number}@example.org" for number in range(3)]
        for email in invited:
            stack.ctl("--mail-public", stack.folder.sub("rings", "mail.public"), "--web-secret",
                      stack.folder.sub("rings", "web.secret"),
                      "user", "add", email, "--name", "Ina", "--invite")  # fmt: skip
        links = [mailed_link(stack, email) for email in invited]
        self.assertEqual(use_reset(links[0], _OLD_PASSWORD), 303)
        stack.ctl("user", "passwd", invited[1], stdin=f"{_OLD_PASSWORD}\n")
        stack.ctl("user", "disable", invited[2])
        stack.ctl("user", "enable", invited[2])
        words = (
            "it was used",
            "the operator has set a password",
            "the account was disabled and enabled again",
        )
        for link, after in zip(links, words, strict=True):
            self.assertEqual(use_reset(link, _NEW_PASSWORD), 400)
            self.stopped(f"use an invitation after {after}", _STAMP)


if __name__ == "__main__":
    unittest.main()
