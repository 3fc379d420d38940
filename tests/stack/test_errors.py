"""Errors through the whole stack: their shape, their order, their codes, and bounded time for every
way a provider can fail."""

import json
import time
import unittest

from harness.client import HEADER
from harness.scenes import KEY, ROUTE, ask, provider
from harness.stack import Stack

# The settings below make the slow failures quick; a call may take their sum and some.
LIMITS = [("upstream-first-byte-timeout", 2), ("upstream-silence-timeout", 2)]
LIMITS += [("upstream-total-timeout", 6), ("upstream-test-timeout", 4)]
BOUND = 20.0


def setUpModule():
    global stack, client
    stack = Stack(manage=1, execute=2, settings=LIMITS).start()
    unittest.addModuleCleanup(stack.stop)
    client = stack.client("ada@example.com")


class Shape(unittest.TestCase):
    def assert_error(self, answer, status, code, field=None):
        self.assertEqual((answer.status, answer.code), (status, code), answer.text)
        self.assertTrue(answer.headers["content-type"].startswith("application/json"))
        self.assertEqual(answer.headers["cache-control"], "no-store")
        body = answer.json()
        self.assertEqual(body["requestId"], answer.headers["x-request-id"])
        self.assertTrue(body["error"])
        self.assertEqual(body.get("field"), field)

    def test_request_by_request(self):
        good = {"name": "n", "baseUrl": f"{stack.stub.url}/v1", "apiKey": KEY}
        create = f"{ROUTE}/create"
        for change, code, field in [
            ({"name": None}, "missing_field", "name"),
            ({"name": "  "}, "missing_field", "name"),
            ({"name": 7}, "invalid_field", "name"),
            ({"baseUrl": "nonsense"}, "invalid_field", "baseUrl"),
            ({"baseUrl": "http://127.0.0.1:1"}, "invalid_field", "baseUrl"),
            ({"apiKey": ""}, "missing_field", "apiKey"),
            ({"apiKey": "with space"}, "invalid_field", "apiKey"),
            ({"type": "no-such"}, "invalid_field", "type"),
        ]:
            answer = client.post(create, {**good, **change})
            with self.subTest(change=change):
                self.assert_error(answer, 400, code, field)
        for name in ("name", "apiKey", "baseUrl"):
            body = {n: v for n, v in good.items() if n != name}
            self.assert_error(client.post(create, body), 400, "missing_field", name)

    def test_bodies(self):
        create = f"{ROUTE}/create"
        headers = {HEADER: client.token(), "Content-Type": "application/json"}
        for body in ('{"name":', "[]", '{"name":"a","name":"b"}', '{"a":' * 20 + "1" + "}" * 20):
            self.assert_error(client.request("POST", create, body, headers), 400, "malformed_json")
        large = json.dumps({"name": "x" * 66_000})
        self.assert_error(client.request("POST", create, large, headers), 413, "body_too_large")
        huge = json.dumps({"name": "x" * 200_000})
        answer = client.request("POST", create, huge, headers)
        self.assertEqual((answer.status, answer.code), (413, "body_too_large"))
        self.assertEqual(answer.json()["requestId"], answer.headers["x-request-id"])
        headers["Content-Type"] = "text/plain"
        answer = client.request("POST", create, "{}", headers)
        self.assert_error(answer, 415, "unsupported_media_type")

    def test_methods(self):
        for method, path, allowed in [
            ("GET", f"{ROUTE}/create", {"POST"}),
            ("DELETE", f"{ROUTE}/list", {"GET", "HEAD"}),
            ("GET", f"{ROUTE}/playground", {"POST"}),
        ]:
            answer = client.call(method, path)
            self.assert_error(answer, 405, "method_not_allowed")
            self.assertEqual(set(answer.headers["allow"].split(", ")), allowed)

    def test_unknown_pages_and_routes(self):
        self.assert_error(client.get(f"{ROUTE}/no/such/route"), 404, "not_found")
        page = client.get("/no-such-page")
        self.assertEqual(page.status, 404)
        self.assertIn(page.headers["x-request-id"], page.text)
        for odd in ("/user/providers/..%2fcreate", "/%2e%2e/user", "/user//providers", "/user%00"):
            self.assertIn(client.get(odd).status, (400, 404), odd)

    def test_status_and_state(self):
        made = provider(client, f"{stack.stub.url}/v1", models=())
        status = f"{ROUTE}/{made}/status"
        self.assert_error(client.post(status, {"status": "paused"}), 400, "invalid_field", "status")
        self.assert_error(client.post(f"{ROUTE}/playground", ask(made)), 409, "no_enabled_model")
        client.post(status, {"status": "inactive"})
        self.assert_error(client.post(f"{ROUTE}/playground", ask(made)), 409, "provider_inactive")
        client.call("DELETE", f"{ROUTE}/{made}")


class Upstream(unittest.TestCase):
    """What the provider does wrong is told plainly, within bounds, and never as a success."""

    BEHAVIOURS = (
        "silent", "reset", "garbage", "garbage-json", "html", "redirect", "status-500",
        "unknown-model", "context-too-long", "error-in-stream-0", "endless-line", "huge",
    )  # fmt: skip

    def with_provider(self, behaviour, key=KEY):
        made = provider(client, f"{stack.stub.url}/{behaviour}/v1", key, name=behaviour or "plain")
        self.addCleanup(client.call, "DELETE", f"{ROUTE}/{made}")
        return made

    def within_bound(self, work):
        began = time.monotonic()
        result = work()
        self.assertLess(time.monotonic() - began, BOUND)
        return result

    def test_check(self):
        for behaviour in self.BEHAVIOURS:
            with self.subTest(behaviour=behaviour):
                made = self.with_provider(behaviour)
                answer = self.within_bound(lambda path=f"{ROUTE}/{made}/test": client.post(path))
                self.assertEqual((answer.status, answer.json()["ok"]), (200, False))
                self.assertTrue(answer.json()["error"])
                client.call("DELETE", f"{ROUTE}/{made}")

    def test_playground(self):
        for behaviour in self.BEHAVIOURS:
            made = self.with_provider(behaviour)
            for stream in (False, True):
                with self.subTest(behaviour=behaviour, stream=stream):
                    body = ask(made, "hello", stream)
                    if stream and behaviour == "huge":
                        continue  # tokens first, the limit later: see the next test
                    answer = self.within_bound(lambda b=body: client.post(f"{ROUTE}/playground", b))
                    self.assertIn(answer.status, (502, 504))
                    self.assertIn(answer.code, ("upstream_error", "upstream_timeout"))
            client.call("DELETE", f"{ROUTE}/{made}")

    def test_broken_after_the_first_token(self):
        for behaviour in ("silent-after-2", "reset-after-2", "cut-after-2", "error-in-stream-2",
                          "huge"):  # fmt: skip
            with self.subTest(behaviour=behaviour):
                made = self.with_provider(behaviour)
                body = ask(made, "hello there", stream=True)
                with client.stream(f"{ROUTE}/playground", body) as stream:
                    frames = self.within_bound(lambda s=stream: [frame for frame, _ in s])
                self.assertIn("token", frames[0])
                self.assertIn(frames[-1].get("code"), ("upstream_error", "upstream_timeout"))
                self.assertTrue(frames[-1]["error"])
                client.call("DELETE", f"{ROUTE}/{made}")

    def test_redirects_are_not_followed(self):
        made = self.with_provider("redirect")
        client.post(f"{ROUTE}/playground", ask(made, "not-followed"))
        paths = [entry["path"] for entry in stack.stub.journal(marker="not-followed")]
        self.assertEqual(paths, ["/redirect/v1/chat/completions"])

    def test_a_refused_key_is_told_without_the_key(self):
        key = "sk-refused-0123456789abcdef"
        made = self.with_provider("", key)
        for answer in (client.post(f"{ROUTE}/{made}/test"), client.get(f"{ROUTE}/list")):
            self.assertNotIn(key, answer.text)
        self.assertIn("key", client.post(f"{ROUTE}/{made}/test").json()["error"].lower())

    def test_streams_worth_reading(self):
        for behaviour in ("crlf", "split", "keepalive", "empty-choices", "reasoning"):
            with self.subTest(behaviour=behaviour):
                made = self.with_provider(behaviour)
                body = ask(made, "grüß dich 你好", stream=True)
                with client.stream(f"{ROUTE}/playground", body) as stream:
                    frames = [frame for frame, _ in stream]
                text = "".join(frame.get("token", "") for frame in frames)
                self.assertEqual((text, frames[-1].get("done")), ("echo: grüß dich 你好", True))
                client.call("DELETE", f"{ROUTE}/{made}")


if __name__ == "__main__":
    unittest.main()
