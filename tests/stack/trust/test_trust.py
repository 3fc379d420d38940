"""Where secrets may be, and whom an answer depends on: not on the key. Another implementation seals and opens keys in
stack_legacy. Moved and forged rows: attack/test_database.py; another address: cases/calls.case; every part of a
key and every cut of an answer: unit_adapters."""

import json
import random
import re
import string
import unittest

from harness.client import HEADER
from harness.envelope import Ring, resealed
from harness.sanitizers import patient
from harness.scenes import (
    MODEL,
    ROUTE,
    SESSION,
    account,
    ask,
    forms_of,
    id_of,
    listed,
    plant_envelope,
    provider,
    remove_all,
    tested,
)
from harness.suite import Later, shared_stack

_SETTINGS = [("upstream-silence-timeout", patient(1)), ("upstream-total-timeout", patient(3))]
_SETTINGS += [("upstream-test-timeout", patient(3))]
_SETTINGS += [("catalogue-base-url", f"{kind}={{stub}}") for kind in ("tavily", "brave-search")]


def trust_stack():
    return shared_stack(manage=1, execute=2, settings=_SETTINGS)


CANARY = "canary-4b1c7e90f2a83d56-0bd1"
TELLING = "4b1c7e90f2a8"  # the hint shows the first three and the last four characters
ADA, PASSWORD = "ada-of-the-canary@example.com", "canary-password-77aa01"
TALK = "canary-talk-5512ef"
# (type, first segment of the path, key): good ends, and errors that quote the key or not.
WAYS = [
    ("generic-compatible", "", CANARY),
    ("generic-compatible", "", f"{CANARY}-refused"),
    ("generic-compatible", "", f"{CANARY}-limited"),
    ("generic-compatible", "rant", CANARY),
    ("generic-compatible", "error-in-stream", CANARY),
    ("anthropic", "", CANARY),
    ("google-gemini", "", CANARY),
    ("azure-openai", "rant", CANARY),
    ("ollama", "", CANARY),
    ("tavily", "", f"{CANARY}-refused"),
    ("brave-search", "", CANARY),
]

stack = Later(trust_stack)


class Recorder:
    """The client, keeping the bytes of every answer."""

    def __init__(self, client):
        self.browser = client
        self.seen = []

    def __getattr__(self, name):
        method = getattr(self.browser, name)

        def recorded(*arguments, **options):
            answer = method(*arguments, **options)
            self.seen.append(answer.body + repr(answer.headers).encode())
            return answer

        return recorded

    def read_stream(self, path, value=None, headers=None):
        with self.browser.stream(path, value, headers) as stream:
            self.seen.append(stream.raw() + repr(stream.headers).encode())


def use_a_provider(client, kind, behaviour, key):
    """Its whole life."""
    made = provider(client, "/".join(filter(None, (stack.stub.url, behaviour, "v1"))), key, kind, f"Is {kind}")
    path = f"{ROUTE}/{made}"
    client.post(f"{path}/headers", {"name": "X-Canary", "value": f"Bearer {key}-header"})
    for name in ("second", "third"):
        client.post(f"{path}/accounts", {"name": name, "apiKey": f"{key}-{name}"})
    account = f"{path}/accounts/{listed(client, made)['accounts'][0]['id']}"
    for rotates in (False, True):
        client.call("PUT", path, {"name": "Renamed", "roundRobinAccounts": rotates})
        client.post(f"{path}/test")
        client.get(f"{path}/models/available")
        client.post(f"{ROUTE}/playground", ask(made, TALK, system=TALK))
        client.read_stream(f"{ROUTE}/playground", ask(made, TALK, stream=True))
    client.post(f"{account}/test")
    client.post(f"{account}/apikey", {"apiKey": key})
    client.post(f"{account}/enabled", {"isEnabled": False})
    client.call("DELETE", account)
    client.post(f"{path}/apikey", {"apiKey": f"  {key}  "})
    client.post(f"{path}/models/enabled?modelId={MODEL}")
    client.call("PUT", path, {"baseUrl": f"{stack.stub.url}/elsewhere/v1", "type": "openai"})
    client.post(f"{path}/test")
    client.get(ROUTE)


def mistreat(client):
    """Keys in requests that fail, and where they do not belong."""
    good = {"name": "x", "baseUrl": f"{stack.stub.url}/v1", "apiKey": CANARY}
    create = f"{ROUTE}/create"
    keys = [{"apiKey": key} for key in (f"{CANARY} {CANARY}", [CANARY], CANARY * 200)]
    for change in ({"name": ""}, {"baseUrl": f"https://{CANARY}@example.org"}, *keys):
        client.post(create, good | change)
    token = {HEADER: client.browser.token(), "Content-Type": "application/json"}
    body = json.dumps(good)
    client.request("POST", create, body[:-1], token)
    client.request("POST", create, body, {**token, "Content-Type": "text/plain"})
    client.request("POST", create, body, {**token, HEADER: "wrong"})
    client.request("POST", create, json.dumps({**good, "more": "x" * 300_000}), token)
    client.request("PATCH", create, body, token)
    client.request("POST", f"{ROUTE}/no/such", body, token)
    client.get(f"{ROUTE}/list?apiKey={CANARY}", {"Authorization": f"Bearer {CANARY}"})
    client.get(f"/no-such-page?key={CANARY}", {"Referer": f"https://example.org/{CANARY}"})
    stranger = Recorder(stack.visitor())
    stranger.request("POST", create, body, token)
    stranger.form("/auth/login", {"email": ADA, "password": f"{PASSWORD}x"})
    client.seen += stranger.seen


class Canary(unittest.TestCase):
    def test_is_found_nowhere_but_at_the_provider(self):
        stack.add_user(ADA, "Ada", PASSWORD)
        client = Recorder(stack.sign_in((ADA, PASSWORD)))
        for way in WAYS:
            use_a_provider(client, *way)
            remove_all(client)
        mistreat(client)
        provider(client, f"{stack.stub.url}/silent/v1", CANARY, name="Left 1")
        provider(client, f"{stack.stub.url}/v1", f"{CANARY}-refused", name="Left 2")
        client.post(f"{ROUTE}/test-batch")
        client.read_stream(f"{ROUTE}/test-batch", headers={"Accept": "text/event-stream"})
        self.assertGreater(len(stack.stub.journal(key=CANARY)), 60)
        self.assertGreater(len(client.seen), 220)
        for answer in client.seen:
            self.assert_clean(answer, "an answer", TELLING, PASSWORD)
        secrets = [TELLING, PASSWORD, TALK, client.browser.cookies[SESSION]]
        dump = stack.dump()
        self.assertIn(b"Left 2", dump)
        self.assert_clean(dump, "the dump", *secrets)
        # Logs, configuration, rings, the store's own files and its journal, nginx's leftovers.
        stack.postgres.psql(sql="CHECKPOINT")
        files = [path for path in stack.folder.path.rglob("*") if path.is_file()]
        self.assertGreater(len(files), 100)
        for path in files:
            self.assert_clean(path.read_bytes(), path, *secrets)
        self.assertIn(b"/user/providers", stack.folder.log("manage").read_bytes())
        self.assertTrue(stack.nginx.has_logged("/user/providers"))

    def assert_clean(self, data, where, *secrets):
        for secret in secrets:
            for form in forms_of(secret.encode()):
                if form in data:
                    at = data.index(form)
                    self.fail(f"{secret} is in {where}: {data[max(0, at - 200) : at + 100]!r}")


DAMAGED = "The stored key is damaged. Enter the key again."


class SealedForAnother(unittest.TestCase):
    def test_a_signed_record_stays_its_owners(self):
        stack = trust_stack()
        ada, eve = stack.newcomer(), stack.newcomer("Eve")
        mine, eves = (provider(client, f"{stack.stub.url}/v1") for client in (ada, eve))
        secret, public = (Ring.load(stack.folder.sub("rings", f"vault.{half}")) for half in ("secret", "public"))
        row = f"usershell.providers WHERE id = '{mine}'"
        envelope = bytes.fromhex(stack.sql(f"SELECT encode(sealed_key, 'hex') FROM {row}"))
        owner = id_of(stack, ada)
        plant_envelope(stack, eves, resealed(secret, public, envelope, owner, id_of(stack, eve)))
        self.assertEqual(tested(eve, eves)["error"], DAMAGED)
        plant_envelope(stack, mine, resealed(secret, public, envelope, owner, owner))  # which is no harm
        self.assertTrue(tested(ada, mine)["ok"])


KINDS = ("generic-compatible", "anthropic", "google-gemini", "azure-openai", "ollama", "tavily")
PLAIN = "It did not like"
# Parts of an answer that differ between any two calls.
VARYING = (
    (rb'"latencyMs":\d+', b'"latencyMs":0'),
    (rb'"requestId":"[^"]+"', b'"requestId":""'),
    (rb'request_id="[^"]+"', b'request_id=""'),
    (rb'\b(ms|duration_ms|milliseconds)="\d+"', rb'\1="0"'),
    (rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*(Z|\+00)?", b"a time"),
    (rb"'\\x[0-9a-f]*'", b"some bytes"),
    (rb'"at": \d+', b'"at": 0'),
)
HEADERS = {"date", "x-request-id", "content-length", "etag"}


def still(data):
    for pattern, same in VARYING:
        data = re.sub(pattern, same, data)
    return data


def keys():
    """Two that have nothing in common but their hint, which shows the first three and the last four
    characters of each."""
    chance = random.Random()
    middle = "".join(chance.choices(string.ascii_letters + string.digits, k=17))
    other = "".join(chance.choices(string.ascii_letters + string.digits, k=17))
    return f"sk-{middle}Zq7x", f"sk-{other}Zq7x"


def scripts(key):
    """What the upstream says, with every beginning and every end of the key."""
    beginnings = (key[:size] for size in range(8, len(key)))
    ends = (key[start:] for start in range(1, len(key) - 8))
    text = " ".join((PLAIN, *beginnings, *ends))
    for way in ("answer", "late", "long", "status", "refused", "limited", "unknown-model"):
        yield {"way": way, "text": text}
    for way, cut in (("answer", 150), ("answer", 400), ("late", 300), ("status", 90)):
        yield {"way": way, "text": text, "cut": cut}


class NonInterference(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        self.addCleanup(stack.stub.say)
        self.addCleanup(remove_all, self.client)
        self.keys = keys()
        first = self.keys[0]
        self.made = [
            provider(self.client, f"{stack.stub.url}/v1", first, kind, kind, (first[:-1],))
            for kind in KINDS
        ]
        self.account = account(self.client, self.made[0], first, "second")

    def seen(self, key):
        """All that may be seen while this key is the stored one, script by script."""
        paths = [f"{ROUTE}/{made}" for made in self.made]
        for path in (*paths, f"{paths[0]}/accounts/{self.account}"):
            self.assertEqual(self.client.post(f"{path}/apikey", {"apiKey": key}).status, 200)
        log = stack.folder.log("execute")
        for script in scripts(self.keys[0]):
            begin = log.stat().st_size
            stack.stub.say(**script)
            yield script, list(self.answers()), self.lines(log, begin)
        yield "the store", [self.rows()], []

    def answers(self):
        post, get = self.client.post, self.client.get
        for made in self.made:
            yield self.bare(post(f"{ROUTE}/{made}/test"))
            yield self.bare(post(f"{ROUTE}/playground", ask(made)))
            yield self.streamed(f"{ROUTE}/playground", ask(made, stream=True))
            yield self.bare(get(f"{ROUTE}/{made}/models/available"))
        yield self.bare(post(f"{ROUTE}/{self.made[0]}/accounts/{self.account}/test"))
        yield self.bare(post(f"{ROUTE}/test-batch"))
        # Its frames come in the order in which the providers answer.
        batch = self.streamed(f"{ROUTE}/test-batch", None, {"Accept": "text/event-stream"})
        yield (*batch[:2], sorted(batch[2].split(b"\n\n")))
        yield self.bare(get(f"{ROUTE}/list"))

    @staticmethod
    def bare(answer):
        headers = {name: value for name, value in answer.headers.items() if name not in HEADERS}
        return answer.status, headers, still(answer.body)

    def streamed(self, path, body, headers=None):
        with self.client.stream(path, body, headers) as stream:
            stream.body = stream.raw()
            return self.bare(stream)

    @staticmethod
    def lines(log, begin):
        """Of the log since then, in any order, as providers of a batch are called side by side."""
        return sorted(still(log.read_bytes()[begin:]).splitlines())

    @staticmethod
    def rows():
        dump = stack.dump("--data-only").splitlines()
        rows = {still(line) for line in dump if line.startswith(b"INSERT ")}
        # An event has an id of its own, and there is one more with each key that is entered.
        event = re.compile(rb"(INSERT INTO usershell\.events VALUES \('[0-9a-f-]+', )'[0-9a-f-]+'")
        return b"\n".join(sorted({event.sub(rb"\1an id", row) for row in rows}))

    def test_whatever_the_key_is(self):
        first, second = (list(self.seen(key)) for key in self.keys)
        for one, other in zip(first, second, strict=True):
            with self.subTest(script=one[0]):
                self.assertEqual(one, other)
        self.assertNotIn(PLAIN.encode(), first[-1][1][0])  # no word of a provider is stored
        for script, answers, _ in first[:-1]:
            with self.subTest(script=script):  # it is not the same for being nothing
                said = any(PLAIN.encode() in body for *_, body in answers if isinstance(body, bytes))
                self.assertTrue(said or "cut" in script)
