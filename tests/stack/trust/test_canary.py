"""Secrets that would be noticed anywhere are used in every way, then searched for: in every answer,
every log, the database's dump, every file of the stack. Only the stub's record may have the key.
"""

import json
import unittest

from common import trust_stack
from harness.client import HEADER
from harness.scenes import MODEL, ROUTE, SESSION, ask, forms_of, listed, provider, remove_all
from harness.suite import Later

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
