"""What goes wrong at a provider, and the sentence, code and status it becomes: the same for a
check, a plain answer and a stream."""

import unittest

from harness.ports import claim
from harness.scenes import KEY, ROUTE, ask, listed, provider, remove_all
from harness.stack import Stack

LIMITS = [("upstream-connect-timeout", 2), ("upstream-first-byte-timeout", 1)]
LIMITS += [("upstream-silence-timeout", 1), ("upstream-total-timeout", 4)]
LIMITS += [("upstream-test-timeout", 4)]

REFUSED = "The provider refused the key. Check or replace it."
NO_CREDIT = "The provider says that this key has no credit left. Top up the account"
LIMITED = "The provider limits how often this key may call. Try again"
UNKNOWN_MODEL = "The provider does not know this model, or this key may not use it. Check the model"
TOO_LONG = "The message is too long for this model. Shorten it or start a new conversation."
POLICY = "The provider declined to answer because of its content policy."
REJECTED = "The provider rejected the request."
FAILED = "The provider had an error of its own. Try again later."
UNREACHABLE = "The provider could not be reached. Check the base URL."
TIMED_OUT = "The provider did not answer in time."
CERTIFICATE = "The provider's TLS certificate could not be verified. Check the base URL."
FOREIGN = "What answered does not speak this provider type's protocol. Check the base URL and the"
REDIRECT = "The provider answered with a redirect (HTTP 302), and redirects are not followed."
TOO_LARGE = "The provider's answer was too large."
CUT_OFF = "The provider's answer broke off before it was complete."

EVERY = ("generic-compatible", "anthropic", "google-gemini")
OPENAI = EVERY[:1]

# (types, first segment of the path, key, how the sentence begins)
TABLE = [
    (EVERY, "", "key-refused-0123456789", REFUSED),
    (EVERY, "", "key-forbidden-0123456789", REFUSED),
    (EVERY[:2], "", "key-broke-0123456789", NO_CREDIT),  # Gemini has one word for both
    (EVERY, "", "key-limited-77-0123456789", f"{LIMITED} in 77 seconds."),
    (EVERY, "", "key-limited-0123456789", f"{LIMITED} later."),
    (EVERY, "status-401", KEY, REFUSED),
    (EVERY, "status-402", KEY, NO_CREDIT),
    (EVERY, "status-403", KEY, REFUSED),
    (EVERY, "status-418", KEY, REJECTED),
    (EVERY, "status-429", KEY, f"{LIMITED} in 2 seconds."),
    (EVERY, "status-500", KEY, FAILED),
    (EVERY, "status-503", KEY, FAILED),
    (EVERY, "status-529", KEY, FAILED),
    (EVERY, "unknown-model", KEY, UNKNOWN_MODEL),
    (EVERY, "context-too-long", KEY, TOO_LONG),
    (EVERY, "content-filter", KEY, POLICY),
    (EVERY, "error-in-stream-0", KEY, FAILED),
    (EVERY, "html", KEY, FOREIGN),
    (EVERY, "empty", KEY, FOREIGN),
    (EVERY, "redirect", KEY, REDIRECT),
    (OPENAI, "garbage", KEY, FOREIGN),
    (EVERY, "garbage-json", KEY, FOREIGN),
    (OPENAI, "endless-line", KEY, TOO_LARGE),
    (OPENAI, "endless-head", KEY, TOO_LARGE),
    (OPENAI, "reset", KEY, UNREACHABLE),
    (OPENAI, "no-answer", KEY, UNREACHABLE),
    (OPENAI, "silent", KEY, TIMED_OUT),
    (OPENAI, "pings", KEY, TIMED_OUT),
    (OPENAI, "drip-100", KEY, TIMED_OUT),
]
# The same for answers that begin well: plain, and after the first token of a stream.
LATER = [
    ("reset-after-1", CUT_OFF),
    ("cut-after-1", CUT_OFF),
    ("silent-after-1", TIMED_OUT),
    ("error-in-stream-1", FAILED),
    ("huge", TOO_LARGE),
]


def setUpModule():
    global stack, client, closed
    closed = claim(0)
    unittest.addModuleCleanup(closed.close)
    settings = [*LIMITS, ("egress-allow", f"127.0.0.1:{closed.port}")]
    stack = Stack(manage=1, execute=2, settings=settings, stub_tls=True).start()
    unittest.addModuleCleanup(stack.stop)
    client = stack.client("ada@example.com")


class Case(unittest.TestCase):
    def with_provider(self, url, key=KEY, kind="generic-compatible"):
        """The only provider there is."""
        remove_all(client)
        return provider(client, url, key, kind)

    def assert_check(self, made, sentence):
        answer = client.post(f"{ROUTE}/{made}/test")
        self.assertEqual(answer.status, 200)
        self.assertEqual(set(answer.json()), {"ok", "error"})
        self.assertFalse(answer.json()["ok"])
        self.assert_sentence(answer.json()["error"], sentence)
        row = listed(client, made)
        judged = sentence not in (UNKNOWN_MODEL, TOO_LONG, POLICY, REJECTED)  # the request's fault
        self.assertEqual(row["healthStatus"], "unhealthy" if judged else "unknown")
        self.assertEqual(row["healthMessage"], answer.json()["error"] if judged else "")

    def assert_plain(self, made, sentence, stream=False):
        """Also of a stream: nothing had been sent yet."""
        answer = client.post(f"{ROUTE}/playground", ask(made, "hello", stream))
        late = sentence == TIMED_OUT
        self.assertEqual(answer.status, 504 if late else 502, answer.text)
        self.assertEqual(answer.code, "upstream_timeout" if late else "upstream_error")
        self.assertTrue(answer.headers["content-type"].startswith("application/json"))
        self.assert_sentence(answer.json()["error"], sentence)
        return answer

    def assert_sentence(self, text, sentence):
        self.assertTrue(text.startswith(sentence), text)
        self.assertLess(len(text), 500)


class Table(Case):
    def test_each(self):
        for kinds, behaviour, key, sentence in TABLE:
            for kind in kinds:
                with self.subTest(kind=kind, behaviour=behaviour, key=key):
                    made = self.with_provider(f"{stack.stub.url}/{behaviour}/v1", key, kind)
                    self.assert_check(made, sentence)
                    self.assert_plain(made, sentence)
                    self.assert_plain(made, sentence, stream=True)

    def test_of_the_connection(self):
        port = closed.port
        closed.close()
        for url, sentence in (
            (f"http://127.0.0.1:{port}/v1", UNREACHABLE),
            (f"https://127.0.0.1:{stack.stub.tls_port}/v1", CERTIFICATE),
        ):
            with self.subTest(url=url):
                made = self.with_provider(url)
                self.assert_check(made, sentence)
                self.assert_plain(made, sentence)
                self.assert_plain(made, sentence, stream=True)
                listing = client.get(f"{ROUTE}/{made}/models/available").json()
                self.assertEqual(listing["models"], [])
                self.assert_sentence(listing["error"], sentence)

    def test_later(self):
        for behaviour, sentence in LATER:
            with self.subTest(behaviour=behaviour):
                made = self.with_provider(f"{stack.stub.url}/{behaviour}/v1")
                self.assert_plain(made, sentence)
                body = ask(made, "hello there", stream=True)
                with client.stream(f"{ROUTE}/playground", body) as stream:
                    frames = [frame for frame, _ in stream]
                self.assertEqual(stream.status, 200)
                self.assertIn("token", frames[0])
                self.assertEqual(set(frames[-1]), {"error", "code"})
                self.assert_sentence(frames[-1]["error"], sentence)
                late = sentence == TIMED_OUT
                code = "upstream_timeout" if late else "upstream_error"
                self.assertEqual(frames[-1]["code"], code)

    def test_when_to_come_back(self):
        made = self.with_provider(f"{stack.stub.url}/v1", "key-limited-77-0123456789")
        answer = self.assert_plain(made, LIMITED)
        self.assertEqual(answer.headers["retry-after"], "77")


class Words(Case):
    """The provider's own words are shown: trimmed, as text, without the key."""

    def test_are_shown(self):
        made = self.with_provider(f"{stack.stub.url}/unknown-model/v1")
        error = client.post(f"{ROUTE}/{made}/test").json()["error"]
        self.assertTrue(error.endswith("It said: The model `••••` does not exist."), error)

    def test_are_trimmed_printable_and_masked(self):
        key = "sk-rant-0123456789abcdef"
        for kind in EVERY:
            with self.subTest(kind=kind):
                made = self.with_provider(f"{stack.stub.url}/rant/v1", key, kind)
                error = client.post(f"{ROUTE}/{made}/test").json()["error"]
                self.assertIn("<b>No</b>", error)
                self.assertIn("•••• again ••••!", error)
                self.assertNotIn(key, error)
                self.assertTrue(error.isprintable(), error)
                self.assertLess(len(error), 400)


class NothingWrong(Case):
    """What looks like an error and is none."""

    def test_a_check_of_a_model_that_only_streams_or_only_thinks(self):
        for behaviour, kinds in (
            ("stream-only", EVERY),
            ("reasoning-100000", EVERY),
            ("needs-max-completion-tokens", OPENAI),
        ):
            for kind in kinds:
                with self.subTest(behaviour=behaviour, kind=kind):
                    made = self.with_provider(f"{stack.stub.url}/{behaviour}/v1", kind=kind)
                    result = client.post(f"{ROUTE}/{made}/test").json()
                    self.assertTrue(result["ok"], result)

    def test_a_plain_answer_of_a_model_that_only_streams(self):
        made = self.with_provider(f"{stack.stub.url}/stream-only/v1")
        answer = client.post(f"{ROUTE}/playground", ask(made, "hello"))
        self.assertEqual(answer.json().get("content"), "echo: hello", answer.text)


if __name__ == "__main__":
    unittest.main()
