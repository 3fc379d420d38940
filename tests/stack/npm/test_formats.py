"""The adapters against a server of the providers' formats that this project did not write: aimock. Model lists:
unit_adapters."""

import tempfile
import unittest
from pathlib import Path

from harness.npm import Aimock, skip_without_npm
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


def setUpModule():
    global stack, client, aimock
    skip_without_npm()
    folder = unittest.enterModuleContext(tempfile.TemporaryDirectory())
    aimock = Aimock(Path(folder), KEY, FIXTURES)
    unittest.addModuleCleanup(aimock.stop)
    stack = shared_stack(manage=1, execute=1, settings=[("egress-allow", aimock.where)])
    client = stack.newcomer()


class Chats(unittest.TestCase):
    def test_every_format(self):
        for kind, end, model in CHATS:
            with self.subTest(kind=kind):
                made = self.provider(kind, end, model)
                check = tested(client, made)
                self.assertEqual((check.get("reply"), check.get("model")), (REPLY, model), check)
                answer = self.plain(made, "hello")
                self.assertEqual((answer.status, answer.json().get("content")), (200, REPLY))
                tokens, last = self.streamed(made, "hello")
                self.assertEqual(("".join(tokens), last["done"]), (REPLY, True))
                self.assertGreater(len(tokens), 3)
                tokens, last = self.streamed(made, "cut")
                self.assertTrue(tokens)
                self.assertEqual(last["code"], "upstream_error")
                self.assertIn("broke off", last["error"])
                for message, sentence in (("too often", "limits how often this key may call. Try again"), ("broken", "an internal error")):
                    answer = self.plain(made, message)
                    self.assertEqual((answer.status, answer.code), (502, "upstream_error"))
                    self.assertIn(sentence, answer.json()["error"])
                error = tested(client, self.provider(kind, end, model, "another-key-0123456789"))["error"]
                self.assertTrue(error.startswith("The provider refused the key."), error)

    @staticmethod
    def provider(kind, end, model, key=KEY):
        """The only one there is; its id."""
        remove_all(client)
        return provider(client, f"http://{aimock.where}{end}", key, kind, kind, (model,))

    @staticmethod
    def plain(made, message):
        return client.post(f"{ROUTE}/playground", ask(made, message))

    @staticmethod
    def streamed(made, message):
        """(the tokens, the last frame)"""
        *frames, last = frames_of(client, ask(made, message, stream=True))[1]
        return [frame["token"] for frame in frames], last
