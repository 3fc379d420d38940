"""The providers' own SDKs and Vercel's. Every case of a script is a call as a person's program makes it."""

import json
import unittest

from common import CLAUDE, SLASHED, address, script, stub
from harness.scenes import MODEL

# The image of report.mjs, as the provider has seen it.
SEEN = " image/png 70 497790947d4666760ce38f3c00e852c71fdb66cae849bae8e9ede352719e1581"

CITY = {"city": "Zürich", "unit": "c"}
SAID = f"echo: call get_weather {json.dumps(CITY, ensure_ascii=False)}"
LISTED = [MODEL, SLASHED]
# For each status of the provider the one of ours, and words of our sentence.
ERRORS = {
    400: (400, "rejected the request"),
    401: (403, "refused the key"),
    403: (403, "not allowed to do this"),
    404: (502, "look like an API"),
    413: (400, "no request of this size"),
    429: (429, "limits how often"),
    500: (503, "internal error"),
    503: (503, "overloaded"),
    529: (503, "overloaded"),
}


def the_addresses(name):
    """Each has a key of its own, by which its calls are found."""
    made = {
        "good": address(f"{name}-good"),
        "billed": address(f"{name}-billed"),
        "slow": address(f"{name}-slow", "slow-50"),
        "limited": address(f"{name}-limited-1"),
        "refused": address(f"{name}-refused"),
        "ended": address(f"{name}-ended", "error-in-stream-1"),
        "failed": address(f"{name}-failed", "failed-1"),
        "page": address(f"{name}-page", "html"),
    }
    return made | {f"error{status}": address(f"{name}-error", f"status-{status}") for status in ERRORS}


class Sdk(unittest.TestCase):
    name = None
    model = MODEL
    overloaded = 503

    @classmethod
    def setUpClass(cls):
        if cls.name is None:
            raise unittest.SkipTest("a base of others")
        cls.results = script(cls.name, the_addresses(cls.name))

    def found(self, case):
        result = self.results[case]
        self.assertFalse(isinstance(result, dict) and "thrown" in result, result)
        return result

    def thrown(self, case):
        self.assertIn("thrown", self.results[case] or {}, self.results[case])
        return self.results[case]["thrown"]

    def assert_thrown(self, classes):
        """{our status: the class of the error}, with our sentence and the request's number."""
        for status, (ours, words) in ERRORS.items():
            with self.subTest(status=status):
                error = self.thrown(f"error{status}")
                ours = self.overloaded if ours == 503 else ours
                self.assertEqual((error["class"], error["status"]), (classes[ours], ours), error)
                self.assertIn(words, error["message"])
                self.assertTrue(error["request"], error)
        self.assertEqual(self.thrown("error429")["wait"], "2")

    def assert_left(self, marker):
        """The provider saw that the caller left."""
        entry = stub().wait_for(lambda e: e["ended"], marker=marker)
        self.assertEqual(entry["endedBy"], "peer")
        self.assertLess(entry["tokens"], 500)
        return entry

    def assert_retried_once(self):
        """It waited as it was told, and gave up after the second refusal."""
        error = self.thrown("retried")
        self.assertEqual((error["class"], error["status"], error["wait"]), ("RateLimitError", 429, "1"))
        self.assertEqual(len(stub().journal(key=f"{self.name}-limited-1")), 2)

    def assert_refused_at_once(self, calls):
        """A client that would try again does not: another try would find the same key."""
        error = self.thrown("refused")
        self.assertEqual(error["status"], 403)
        self.assertIn("refused the key", error["message"])
        sent = [entry["path"] for entry in stub().journal(key=f"{self.name}-refused")]
        self.assertEqual(len(sent), calls, sent)

    def assert_billed(self):
        """The books have for a key what its client was shown."""
        (row,) = stub().books(f"{self.name}-billed")
        self.assertEqual((row["model"], row["failures"]), (self.model, 0))
        self.assertEqual({name: row[name] for name in ("calls", "input", "output")}, self.found("billed"))


class OpenAi(Sdk):
    name = "openai"

    def test_chat(self):
        whole, usage = self.found("whole"), self.found("usage")
        self.assertEqual(whole["text"], "echo: openai whole 你好")
        self.assertEqual((whole["usage"]["prompt_tokens"], whole["usage"]["completion_tokens"]), (10, 4))
        self.assertTrue(whole["request"])
        self.assertEqual(self.found("stream"), {"text": "echo: openai stream one two", "usages": 0})
        self.assertEqual((usage["choices"], usage["last"]["total_tokens"]), (0, 14))
        self.assertEqual(self.found("image"), "echo: openai image" + SEEN)
        self.assertEqual(self.found("json"), {"echo": "openai json"})

    def test_tools(self):
        found, streamed = self.found("tools"), self.found("toolsStreamed")
        self.assertEqual((found["finish"], found["name"], found["said"]), ("tool_calls", "get_weather", SAID))
        self.assertEqual((json.loads(found["arguments"]), streamed["finish"]), (CITY, "tool_calls"))
        self.assertEqual(json.loads(streamed["arguments"]), CITY)
        found = self.found("responseTools")
        self.assertEqual([json.loads(found[each]) for each in ("arguments", "streamed")], [CITY, CITY])
        self.assertEqual(found["said"], SAID)

    def test_responses(self):
        whole, events, helper = (self.found(each) for each in ("response", "responseStream", "responseHelper"))
        self.assertEqual((whole["text"], whole["status"]), ("echo: openai response", "completed"))
        self.assertEqual((whole["usage"]["input_tokens"], whole["usage"]["output_tokens"]), (9, 3))
        self.assertEqual((events["types"][0], events["types"][-1]), ("response.created", "response.completed"))
        self.assertEqual(events["numbers"], list(range(len(events["types"]))))
        self.assertEqual(events["types"].count("response.output_text.delta"), 4)
        self.assertEqual((events["text"], helper["text"]), ("echo: openai events one", "echo: openai helper"))
        self.assertEqual(helper["usage"]["total_tokens"], 12)
        self.assertEqual(self.found("responseImage"), "echo: openai seen" + SEEN)
        self.assertEqual(self.found("responseJson"), {"echo": "openai schema"})

    def test_completions_and_embeddings(self):
        self.assertEqual(self.found("completion"), "echo: openai text")
        self.assertEqual(self.found("completionStream"), "echo: openai older")
        embedding = self.found("embedding")
        self.assertEqual((embedding["count"], embedding["vector"]), (2, [0.5, -0.25, 1]))

    def test_images_speech_and_rankings(self):
        self.assertEqual(self.found("drawn"), "echo: openai drawn")
        self.assertEqual(self.found("spoken"), {"type": "audio/mpeg", "begins": "ID3"})
        self.assertEqual(self.found("compacted")["object"], "response.compaction")
        self.assertEqual(self.found("ranked"), [1, 0])

    def test_a_page_is_no_answer(self):
        error = self.thrown("noAnswer")
        self.assertEqual((error["class"], error["status"]), ("InternalServerError", 502))

    def test_models(self):
        self.assertEqual((self.found("models"), self.found("model")), (LISTED, f"open/{MODEL}"))

    def test_leaving(self):
        self.assertEqual(self.found("aborted"), {"chunks": 3})
        entry = self.assert_left("openai aborted")
        (row,) = stub().books("openai-slow")
        self.assertEqual((row["calls"], row["output"]), (1, entry["tokens"]))

    def test_errors(self):
        failed = {403: "PermissionDeniedError", 502: "InternalServerError", 503: "InternalServerError"}
        self.assert_thrown({400: "BadRequestError", 429: "RateLimitError", **failed})
        self.assert_retried_once()
        self.assert_refused_at_once(calls=2)

    def test_errors_in_a_stream(self):
        for case in ("endedStream", "endedResponse", "failedResponse"):
            error = self.thrown(case)
            self.assertEqual((error["class"], error["code"]), ("APIError", "overloaded"), case)
            self.assertIn("internal error", error["message"])

    def test_what_the_provider_billed(self):
        self.assert_billed()


class Anthropic(Sdk):
    name = "anthropic"
    model = CLAUDE
    overloaded = 529

    def test_messages(self):
        whole, helper = self.found("whole"), self.found("helper")
        self.assertEqual((whole["text"], whole["stop"]), ("echo: anthropic whole 你好", "end_turn"))
        self.assertEqual((whole["usage"]["input_tokens"], whole["usage"]["output_tokens"]), (10, 4))
        self.assertTrue(whole["request"])
        self.assertEqual((helper["text"], helper["usage"]["output_tokens"]), ("echo: anthropic helper", 3))
        self.assertEqual(self.found("bearer"), "echo: anthropic bearer")
        self.assertEqual(self.found("compatible"), "echo: anthropic compatible")
        self.assertEqual(self.found("image"), "echo: anthropic image" + SEEN)
        self.assertEqual(self.found("beta"), "echo: anthropic beta")
        (entry,) = stub().journal(marker="anthropic beta")
        self.assertEqual(entry["headers"]["anthropic-beta"], "stub-2026-01-01")

    def test_stream(self):
        stream = self.found("stream")
        kinds = ["message_start", "content_block_start", *["content_block_delta"] * 4]
        self.assertEqual(stream["types"], [*kinds, "content_block_stop", "message_delta", "message_stop"])
        self.assertEqual((stream["started"]["input_tokens"], stream["usage"]["output_tokens"]), (10, 4))

    def test_tools(self):
        found, streamed = self.found("tools"), self.found("toolsStreamed")
        self.assertEqual((found["stop"], found["name"], found["input"]), ("tool_use", "get_weather", CITY))
        self.assertEqual((found["ends"], streamed), ("end_turn", {"stop": "tool_use", "input": CITY}))

    def test_what_the_provider_billed(self):
        self.assert_billed()

    def test_counting_and_models(self):
        self.assertEqual(self.found("counted"), {"input_tokens": 11})
        names = [*LISTED, CLAUDE]  # of all providers that have Messages
        self.assertEqual((self.found("models"), self.found("model")), (names, f"claude/{CLAUDE}"))

    def test_leaving(self):
        self.assertEqual(self.thrown("aborted")["class"], "APIUserAbortError")
        self.assert_left("anthropic aborted")

    def test_errors(self):
        failed = {403: "PermissionDeniedError", 502: "InternalServerError", 529: "OverloadedError"}
        self.assert_thrown({400: "BadRequestError", 429: "RateLimitError", **failed})
        self.assert_retried_once()
        self.assert_refused_at_once(calls=1)
        error = self.thrown("noAnswer")
        self.assertEqual((error["class"], error["status"]), ("InternalServerError", 502))
        error = self.thrown("endedStream")
        self.assertEqual((error["class"], error["type"]), ("APIError", "overloaded_error"))
        self.assertIn("overloaded", error["message"])


class Vercel(Sdk):
    """`ai`, over each route that its providers take."""

    name = "ai"
    ways = ("responses", "chat", "completions", "messages")

    def test_text(self):
        for way in self.ways:
            text = f"user: ai {way} assistant:" if way == "completions" else f"ai {way}"
            whole, stream = self.found(f"{way} whole"), self.found(f"{way} stream")
            self.assertEqual(whole["text"], f"echo: {text}")
            self.assertEqual((whole["input"], whole["output"]), (7 + len(text.split()), 1 + len(text.split())))
            self.assertGreater(stream["pieces"], 3)
            self.assertEqual(stream["input"], whole["input"] + 1)

    def test_tools_images_json(self):
        for way in ("responses", "chat", "messages"):
            found = self.found(f"{way} tools")
            self.assertEqual((found["output"], found["steps"]), ("sunny in Zürich", 2), way)
            self.assertEqual(self.found(f"{way} image"), "echo: ai image" + SEEN)
        self.assertEqual([self.found(f"{way} json") for way in ("responses", "chat")], [{"echo": "ai json"}] * 2)
        self.assertEqual(self.found("embedding"), {"vector": [0.5, -0.25, 1], "tokens": 9})

    def test_refused_keys(self):
        for way in self.ways:
            error = self.thrown(f"{way} refused")
            status = 400 if way == "responses" else 403
            self.assertEqual((error["status"], error["isRetryable"]), (status, False), way)

    def test_leaving_and_errors(self):
        for way in self.ways:
            self.assertEqual(self.found(f"{way} aborted"), {"ended": True})
            self.assert_left(f"ai {way} aborted")
            error = self.thrown(f"{way} error")
            status = 529 if way == "messages" else 503
            self.assertEqual((error["name"], error["status"], error["isRetryable"]), ("AI_APICallError", status, True))
            self.assertIn("overloaded", error["message"])
            words = "overloaded" if way == "messages" else "internal error"
            self.assertIn(words, self.found(f"{way} failed"), way)
