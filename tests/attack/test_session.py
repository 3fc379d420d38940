"""A thief with both cookies of a session, and no password: what it may do with the keys and how they could stay; and, with a
server, what its provider can do to the calls of others, and what their own calls tell of the network."""

import book
from harness.folders import REPOSITORY
from harness.passkey import Passkey, challenge_in
from harness.ports import Canary
from harness.processes import wait_until
from harness.scenes import (
    ACCESS, APP, KEY, PROFILE, ROUTE, SECURITY, access_token, ask, id_of, listed, plant_address, provider,
    remove_all, rotating, tested,
)  # fmt: skip
from harness.suite import Later
from scene import EVES_KEY, HELD_BACK, Thief, the_scene

scene, stack = Later(the_scene), Later(lambda: the_scene().stack)

FORGED = {"RequestVerificationToken": "x", "Content-Type": "application/json"}


def yaml_text():
    return (REPOSITORY / "docs" / "openapi.yaml").read_text(encoding="utf-8")


class Keys(Thief):
    """Eve's session is the stolen one."""

    who = book.SESSION

    def setUp(self):
        self.client = stack.sign_in(scene.eve)
        self.addCleanup(self.client.close)

    def test_read_in_an_answer(self):
        made, client = scene.eves, self.client
        answers = [client.get(path) for path in (ROUTE, f"{ROUTE}/list", PROFILE)]
        answers += [client.call("PUT", f"{ROUTE}/{made}", {"name": "Of Eve"})]
        answers += [client.post(f"{ROUTE}/{path}") for path in (f"{made}/test", "test-batch")]
        answers += [client.post(f"{ROUTE}/playground", ask(made))]
        answers += [client.get(f"{ROUTE}/{made}{end}") for end in ("", "/apikey", "/models/available")]
        for answer in answers:
            self.assertNotIn(EVES_KEY[6:], answer.text)
        self.stopped("read a key in the answer of any route", "no program that shows keys can open one")

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
                self.stopped(f"have the key sent to {where} by editing the provider", "the sealed record: held back")

    def test_headers(self):
        client = stack.newcomer()
        made = f"{ROUTE}/{provider(client, scene.base_url, EVES_KEY)}"
        before = len(stack.stub.journal())
        self.assertEqual(client.post(f"{made}/headers", {"name": "X-Secret", "value": "of-the-header-7f3a"}).status, 200)
        self.assertEqual(client.call("PUT", made, {"baseUrl": f"{stack.stub.url}/tenant-b/v1"}).status, 200)
        self.assertEqual(client.post(f"{made}/apikey", {"apiKey": "sk-of-the-thief-0123456789"}).status, 200)
        for answer in (client.post(f"{made}/test"), client.get(f"{made}/models/available"), client.get(f"{ROUTE}/list")):
            self.assertNotIn("of-the-header", answer.text)
        self.assertEqual(len(stack.stub.journal()), before)
        self.stopped("have a header's value sent to another tenant's path, with a key of its own", "the sealed record: held back")


TOKEN = "1f8fad5b-d9cb-469f-a165-70867728950e"


class PasswordGiven(Thief):
    """The owner gives the password, on whichever page: the thief has the cookies of before."""

    who = book.SESSION

    def given(self, operation, status, made=None, **fields):
        """made: the fields that follow from the form's page."""
        owner = stack.newcomer()
        provider(owner, scene.base_url)
        if operation.startswith(f"{ACCESS}/"):
            access_token(owner, TokenId=TOKEN)
        fields = {name: value.format(email=owner.email) for name, value in fields.items()}
        if made:
            fields |= made(owner.get(operation).text)
        thief = owner.clone()
        self.assertEqual(thief.get(SECURITY).status, 200)
        answer = owner.form(operation, {"CurrentPassword": owner.password, **fields}, page=SECURITY)
        self.assertEqual(answer.status, status, answer.text)
        self.assertEqual(thief.get(SECURITY).status, 302, operation)
        self.assertEqual(thief.get(f"{ROUTE}/list").status, 401, operation)
        self.assertEqual(thief.post(f"{ROUTE}/test-batch", {}, FORGED).status, 401, operation)
        return owner

    def test_by_any_form_that_takes_it(self):
        token = {"Name": "tool", "Days": "1", "RequestsAMinute": "1"}
        change = f"{PROFILE}/email"
        owners = [
            self.given(change, 303, NewEmail="new-{email}"),
            self.given(change, 200, NewEmail="{email}"),  # refused: it is in use
            self.given(f"{PROFILE}/password", 303, NewPassword="a wholly new password"),
            self.given(ACCESS, 200, **token),
            self.given(ACCESS, 200, **token, TokenId=TOKEN),
            self.given(f"{ACCESS}/{TOKEN}", 303, **token, LaterProviders="true"),
            self.given(f"{ACCESS}/{TOKEN}/renew", 200, Selector="AAAA"),  # refused: it is no secret of this token
            self.given(f"{ACCESS}/{TOKEN}/enable", 303),
        ]
        for owner in owners:
            self.assertEqual(owner.get(SECURITY).status, 200)
            self.assertEqual(owner.get(f"{ROUTE}/list").status, 200)
        self.given(f"{PROFILE}/delete", 303, ConfirmEmail="{email}")
        made = Passkey(stack.base_url, "localhost")
        self.given(f"{SECURITY}/passkey", 200, Name="k",
                   made=lambda page: made.register(challenge_in(page)))  # fmt: skip
        self.given(APP, 200, Secret="A" * 27, NewCode="000000")
        self.given(f"{SECURITY}/recovery", 303)
        self.given(f"{SECURITY}/remove", 303, Factor="app")
        self.stopped("stay in a session after its owner has given the password, on 11 routes",
                     "a right password gives the session new tokens before anything else")  # fmt: skip

    def test_and_is_refused_then(self):
        owner = stack.newcomer()
        attempts = "INSERT INTO usershell.email_attempts (owner_id, id, mailed) SELECT id, gen_random_uuid(), true"
        stack.sql(f"{attempts} FROM usershell.users, generate_series(1, 10) WHERE email = '{owner.email}'")
        thief = owner.clone()
        fields = {"NewEmail": f"new-{owner.email}", "CurrentPassword": owner.password}
        self.assertEqual(owner.form(f"{PROFILE}/email", fields, page=SECURITY).status, 429)
        self.assertEqual((owner.get(SECURITY).status, thief.get(SECURITY).status), (200, 302))

    def test_every_route_that_takes_it_is_tried_here(self):
        described = yaml_text().split("        CurrentPassword: {$ref:")
        # those of address, deletion, password, token, its renewal, app, passkey, removal, and the proof alone
        self.assertEqual(len(described) - 1, 9)


_REFUSED = "key-refused-0123456789"
_CALLS = 5


class Providers(Thief):
    who = book.SESSION

    def setUp(self):
        self.client = stack.newcomer()
        self.addCleanup(self.client.close)

    def test_an_answer_that_was_compressed_twice(self):
        made = provider(self.client, f"{stack.stub.url}/compressed-twice/v1")
        before = stack.pools["execute"].pids()
        self.assertEqual(tested(self.client, made).get("reason"), "not_this_protocol")
        self.assertEqual(stack.pools["execute"].pids(), before)  # the loop's watch has ended nobody
        self.stopped("stop everybody's calls by some KiB that were compressed twice", "one compression is taken off")

    def test_many_requests_by_one(self):
        """Ten keys each, and a model that makes the service ask again."""
        marks = [f"{self.client.email.partition('@')[0]}-{number}" for number in range(3)]
        for mark in marks:
            keys = [f"{_REFUSED}-{number}" for number in range(10)]
            rotating(self.client, f"{stack.stub.url}/{mark}/v1", keys, name=mark)
        self.assertEqual(self.client.post(f"{ROUTE}/test-batch").json()["failed"], len(marks))
        self.assertEqual([len(stack.stub.journal(path=mark)) for mark in marks], [3] * len(marks))
        self.stopped("cause 100 requests to providers by one of a batch", "3 are made of each provider")

    def test_internal_names(self):
        """What a person sees of an address where somebody listens who may not be called, and of one where
        nobody listens."""
        canary = Canary()
        self.addCleanup(canary.close)
        self.assertEqual(self.shown_of(stack.closed), self.shown_of(f"127.0.0.1:{canary.port}"))
        self.assertEqual(canary.connections(), 0)
        wait_until(lambda: self.logged() >= _CALLS, "the lines of the log")
        self.assertEqual(self.logged(), _CALLS)  # of the second address alone
        self.stopped("tell by the answers which internal names there are", "one answer for all that is not reached")

    def shown_of(self, address):
        """All that is shown of _CALLS calls there."""
        remove_all(self.client)
        made = provider(self.client, f"{stack.stub.url}/v1")
        plant_address(stack, made, f"http://{address}/v1", KEY)
        shown = [tested(self.client, made), self.client.get(f"{ROUTE}/{made}/models/available").json()]
        shown += [self.client.post(f"{ROUTE}/test-batch").json()]
        for stream in (False, True):
            answer = self.client.post(f"{ROUTE}/playground", ask(made, "hello", stream))
            shown += [answer.status, answer.headers.get("retry-after"), answer.json()]
        row = listed(self.client, made)
        return without_chance([*shown, row["healthStatus"], row["healthMessage"]])

    def logged(self):
        lines = stack.folder.log("execute").read_text(encoding="utf-8").splitlines()
        user = f'user="{id_of(stack, self.client)}"'
        return sum("address not allowed" in line and user in line for line in lines)


def without_chance(shown):
    """Without what differs from one call to the next."""
    if isinstance(shown, list):
        return [without_chance(each) for each in shown]
    if not isinstance(shown, dict):
        return shown
    changing = ("requestId", "latencyMs", "providerId")
    return {name: without_chance(value) for name, value in shown.items() if name not in changing}
