"""The adapters against servers of the providers' formats that this project did not write: aimock
for chats, mock-llm for the model lists of Anthropic and Gemini. OpenAI's: test_mock_server.py."""

import json
import tempfile
import unittest
from pathlib import Path

from harness.npm_server import AIMOCK, MOCK_LLM, Aimock, MockLlm, install, skip_without_npm
from harness.scenes import ROUTE, ask, provider, remove_all
from harness.stack import Stack

KEY = "key-for-aimock"
REPLY = "pong from a server of others, with 你好"
FIXTURES = [
    {
        "match": {"userMessage": "cut"},
        "response": {"content": "a long reply that nobody will ever see the end of"},
        "chunkSize": 5,
        "latency": 20,
        "truncateAfterChunks": 4,
    },
    {
        "match": {"userMessage": "too often"},
        "response": {
            "error": {"message": "Slow down, please.", "type": "rate_limit_error"},
            "status": 429,
        },
    },
    {
        "match": {"userMessage": "broken"},
        "response": {"error": {"message": "It is me.", "type": "server_error"}, "status": 500},
    },
    {"match": {}, "response": {"content": REPLY}, "chunkSize": 3},
]
# (type, where its base URL ends, a model)
CHATS = [
    ("anthropic", "/v1", "claude-sonnet-4"),
    ("google-gemini", "/v1beta", "gemini-2.5-flash"),
    ("azure-openai", "", "gpt-4o"),
    ("ollama", "", "llama3"),
    ("openrouter", "/api/v1", "openai/gpt-4o"),
    ("generic-compatible", "", "gpt-4o"),
]
GEMINI = {
    "models": [
        {
            "name": "models/gemini-x",
            "displayName": "Gemini X",
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        },
        {
            "name": "models/embedding-y",
            "displayName": "Embedding Y",
            "supportedGenerationMethods": ["embedContent"],
        },
    ]
}
ANTHROPIC = {
    "data": [
        {"type": "model", "id": "claude-b", "display_name": "Claude B"},
        {"type": "model", "id": "claude-a", "display_name": "Claude A"},
    ],
    "has_more": False,
}
REFUSAL = {"type": "error", "error": {"type": "authentication_error", "message": "No such key."}}


def rule(path, header, body):
    """Answers who brings the key, and nobody else."""
    given = f"headers.\"{header}\" == '{KEY}'"
    answer = {"status": 200, "content": json.dumps(body)}
    refusal = {"status": 401, "content": json.dumps(REFUSAL)}
    return [
        {"path": path, "match": given, "response": answer},
        {"path": path, "match": f"!({given})", "response": refusal},
    ]


def setUpModule():
    global stack, client, aimock, mock_llm
    skip_without_npm()
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    install(Path(folder.name), AIMOCK, MOCK_LLM)
    aimock = Aimock(Path(folder.name), KEY, FIXTURES)
    unittest.addModuleCleanup(aimock.stop)
    rules = rule("^/v1/models", "x-api-key", ANTHROPIC)
    rules += rule("^/v1beta/models", "x-goog-api-key", GEMINI)
    mock_llm = MockLlm(Path(folder.name), rules)
    unittest.addModuleCleanup(mock_llm.stop)
    settings = [("egress-allow", aimock.where), ("egress-allow", mock_llm.where)]
    settings.append(("catalogue-base-url", f"tavily=http://{aimock.where}"))
    stack = Stack(manage=1, execute=1, settings=settings).start()
    unittest.addModuleCleanup(stack.stop)
    client = stack.client("ada@example.com")


def the_provider(kind, where, end="", model=None, key=KEY):
    """The only one there is; its id."""
    remove_all(client)
    models = (model,) if model else ()
    return provider(client, f"http://{where}{end}", key, kind, kind, models)


def plain(made, message):
    return client.post(f"{ROUTE}/playground", ask(made, message))


def streamed(made, message):
    with client.stream(f"{ROUTE}/playground", ask(made, message, stream=True)) as stream:
        assert stream.status == 200, stream.status
        return [frame for frame, _ in stream]


class Chats(unittest.TestCase):
    def each(self, work):
        """work(provider's id, model) for every format."""
        for kind, end, model in CHATS:
            with self.subTest(kind=kind):
                work(the_provider(kind, aimock.where, end, model), model)

    def test_check(self):
        def check(made, model):
            result = client.post(f"{ROUTE}/{made}/test").json()
            self.assertEqual((result["ok"], result.get("reply")), (True, REPLY), result)
            self.assertEqual(result["model"], model)

        self.each(check)

    def test_answers(self):
        def answers(made, _):
            answer = plain(made, "hello")
            self.assertEqual((answer.status, answer.json().get("content")), (200, REPLY))
            frames = streamed(made, "hello")
            tokens = [frame["token"] for frame in frames[:-1]]
            self.assertEqual("".join(tokens), REPLY)
            self.assertGreater(len(tokens), 3)
            self.assertTrue(frames[-1]["done"])

        self.each(answers)

    def test_a_stream_that_is_cut(self):
        def cut(made, _):
            frames = streamed(made, "cut")
            self.assertIn("token", frames[0])
            self.assertEqual(frames[-1].get("code"), "upstream_error")
            self.assertIn("broke off", frames[-1]["error"])

        self.each(cut)

    def test_a_limit_and_an_error(self):
        def fails(made, message, *sentences):
            answer = plain(made, message)
            self.assertEqual((answer.status, answer.code), (502, "upstream_error"))
            for sentence in sentences:
                self.assertIn(sentence, answer.json()["error"])

        def both(made, _):
            fails(made, "too often", "limits how often", "Slow down, please.")
            fails(made, "broken", "an error of its own", "It is me.")

        self.each(both)

    def test_a_key_it_does_not_know(self):
        for kind, end, model in CHATS:
            with self.subTest(kind=kind):
                made = the_provider(kind, aimock.where, end, model, "another-key-0123456789")
                error = client.post(f"{ROUTE}/{made}/test").json()["error"]
                self.assertTrue(error.startswith("The provider refused the key."), error)


class Search(unittest.TestCase):
    def test_tavily(self):
        made = the_provider("tavily", "ignored.example.org")
        result = client.post(f"{ROUTE}/{made}/test").json()
        self.assertEqual((result["ok"], result.get("reply")), (True, "No results."), result)
        made = the_provider("tavily", "ignored.example.org", key="another-key-0123456789")
        self.assertIn("refused the key", client.post(f"{ROUTE}/{made}/test").json()["error"])


class Lists(unittest.TestCase):
    def listed(self, kind, where, end, key=KEY):
        made = the_provider(kind, where, end, key=key)
        return client.get(f"{ROUTE}/{made}/models/available").json()

    def test_anthropic(self):
        rows = self.listed("anthropic", mock_llm.where, "/v1")["models"]
        names = [(row["modelId"], row["displayName"]) for row in rows]
        self.assertEqual(names, [("claude-a", "Claude A"), ("claude-b", "Claude B")])

    def test_gemini(self):
        rows = self.listed("google-gemini", mock_llm.where, "/v1beta")["models"]
        shown = [(row["modelId"], row["displayName"], row["capabilities"]) for row in rows]
        embedding = ("embedding-y", "Embedding Y", "embedding")
        self.assertEqual(shown, [embedding, ("gemini-x", "Gemini X", "generation,assistant")])

    def test_ollama_and_the_compatible_ones(self):
        for kind, end in (("ollama", ""), ("generic-compatible", "/v1"), ("anthropic", "/v1")):
            with self.subTest(kind=kind):
                body = self.listed(kind, aimock.where, end)
                self.assertNotIn("error", body)
                self.assertIn("gpt-4o", [row["modelId"] for row in body["models"]])

    def test_a_key_it_does_not_know(self):
        for kind, end in (("anthropic", "/v1"), ("google-gemini", "/v1beta")):
            with self.subTest(kind=kind):
                body = self.listed(kind, mock_llm.where, end, "another-key-0123456789")
                self.assertEqual(body["models"], [])
                self.assertTrue(body["error"].startswith("The provider refused the key."), body)


if __name__ == "__main__":
    unittest.main()
