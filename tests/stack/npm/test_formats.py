"""The adapters against servers of the providers' formats that this project did not write: aimock
for chats, mock-llm for the model lists of Anthropic and Gemini."""

import json
import tempfile
import unittest
from pathlib import Path

from harness.servers.npm_server import AIMOCK, MOCK_LLM, Aimock, MockLlm, install, skip_without_npm
from harness.scenes import ROUTE, ask, frames_of, provider, remove_all, tested
from harness.suite import shared_stack

KEY = "key-for-aimock"
REPLY = "pong from a server of others, with 你好"


def said(message, response, **more):
    return {"match": {"userMessage": message}, "response": response, **more}


def failed(message, status, kind, sentence):
    return said(message, {"error": {"message": sentence, "type": kind}, "status": status})


LONG = {"content": "a long reply that nobody will ever see the end of"}
FIXTURES = [
    said("cut", LONG, chunkSize=5, latency=20, truncateAfterChunks=4),
    failed("too often", 429, "rate_limit_error", "Slow down, please."),
    failed("broken", 500, "server_error", "It is me."),
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
GEMINI = [
    {"name": f"models/{name}", "displayName": shown, "supportedGenerationMethods": [method]}
    for name, shown, method in (
        ("gemini-x", "Gemini X", "generateContent"),
        ("embedding-y", "Embedding Y", "embedContent"),
    )
]
ANTHROPIC = [
    {"type": "model", "id": "claude-b", "display_name": "Claude B"},
    {"type": "model", "id": "claude-a", "display_name": "Claude A"},
]
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
    rules = rule("^/v1/models", "x-api-key", {"data": ANTHROPIC, "has_more": False})
    rules += rule("^/v1beta/models", "x-goog-api-key", {"models": GEMINI})
    mock_llm = MockLlm(Path(folder.name), rules)
    settings = []
    for each in (aimock, mock_llm):
        unittest.addModuleCleanup(each.stop)
        settings.append(("egress-allow", each.where))
    stack = shared_stack(manage=1, execute=1, settings=settings)
    client = stack.newcomer()


def the_provider(kind, where, end="", model=None, key=KEY):
    """The only one there is; its id."""
    remove_all(client)
    models = (model,) if model else ()
    return provider(client, f"http://{where}{end}", key, kind, kind, models)


def plain(made, message):
    return client.post(f"{ROUTE}/playground", ask(made, message))


class Chats(unittest.TestCase):
    def test_every_format(self):
        for kind, end, model in CHATS:
            with self.subTest(kind=kind):
                made = the_provider(kind, aimock.where, end, model)
                self.answers(made, model)
                self.breaks_off(made)
                for message, sentence in (
                    ("too often", "limits how often this key may call. Try again"),
                    ("broken", "an error of its own"),
                ):
                    answer = plain(made, message)
                    self.assertEqual((answer.status, answer.code), (502, "upstream_error"))
                    self.assertIn(sentence, answer.json()["error"])
                made = the_provider(kind, aimock.where, end, model, "another-key-0123456789")
                error = tested(client, made)["error"]
                self.assertTrue(error.startswith("The provider refused the key."), error)

    def answers(self, made, model):
        check = tested(client, made)
        self.assertEqual((check.get("reply"), check.get("model")), (REPLY, model), check)
        answer = plain(made, "hello")
        self.assertEqual((answer.status, answer.json().get("content")), (200, REPLY))
        _, frames = frames_of(client, ask(made, "hello", stream=True))
        tokens = [frame["token"] for frame in frames[:-1]]
        self.assertEqual(("".join(tokens), frames[-1]["done"]), (REPLY, True))
        self.assertGreater(len(tokens), 3)

    def breaks_off(self, made):
        _, frames = frames_of(client, ask(made, "cut", stream=True))
        self.assertIn("token", frames[0])
        self.assertEqual(frames[-1].get("code"), "upstream_error")
        self.assertIn("broke off", frames[-1]["error"])


class Lists(unittest.TestCase):
    def listed(self, kind, where, end, key=KEY):
        made = the_provider(kind, where, end, key=key)
        return client.get(f"{ROUTE}/{made}/models/available").json()

    def test_with_what_they_tell(self):
        chats = "generation,assistant"
        anthropic = [("claude-a", "Claude A", chats), ("claude-b", "Claude B", chats)]
        gemini = [("embedding-y", "Embedding Y", "embedding"), ("gemini-x", "Gemini X", chats)]
        for kind, end, expected in (("anthropic", "/v1", anthropic), ("google-gemini", "/v1beta", gemini)):
            with self.subTest(kind=kind):
                rows = self.listed(kind, mock_llm.where, end)["models"]
                shown = [(r["modelId"], r["displayName"], r.get("capabilities")) for r in rows]
                self.assertEqual(shown, expected)
                body = self.listed(kind, mock_llm.where, end, "another-key-0123456789")
                self.assertEqual(body["models"], [])
                self.assertTrue(body["error"].startswith("The provider refused the key."), body)
