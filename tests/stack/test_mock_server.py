"""The main job against an OpenAI-compatible server that this project did not write: the npm package
@copilotkit/aimock, installed into the test's own folder."""

import tempfile
import unittest
from pathlib import Path

from harness.npm_server import AIMOCK, Aimock, install, skip_without_npm
from harness.scenes import ROUTE, ask, provider
from harness.stack import Stack

KEY = "key-for-aimock"
REPLY = "pong from a server of others"
FIXTURES = [{"match": {}, "response": {"content": REPLY}, "chunkSize": 4}]


def setUpModule():
    skip_without_npm()


class MainJob(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        install(Path(folder.name), AIMOCK)
        server = Aimock(Path(folder.name), KEY, FIXTURES)
        cls.addClassCleanup(server.stop)
        stack = Stack(manage=1, execute=1, settings=[("egress-allow", server.where)]).start()
        cls.addClassCleanup(stack.stop)
        cls.client = stack.client("ada@example.com")
        cls.base = f"http://{server.where}/v1"
        cls.id = provider(cls.client, cls.base, KEY, models=("gpt-4o",))

    def test_check(self):
        result = self.client.post(f"{ROUTE}/{self.id}/test").json()
        self.assertEqual((result["ok"], result.get("reply")), (True, REPLY), result)

    def test_plain(self):
        answer = self.client.post(f"{ROUTE}/playground", ask(self.id))
        self.assertEqual((answer.status, answer.json()["content"]), (200, REPLY))

    def test_streamed(self):
        body = ask(self.id, stream=True)
        with self.client.stream(f"{ROUTE}/playground", body) as stream:
            frames = [frame for frame, _ in stream]
        tokens = [frame["token"] for frame in frames if "token" in frame]
        self.assertEqual("".join(tokens), REPLY)
        self.assertGreater(len(tokens), 1)
        self.assertTrue(frames[-1]["done"])

    def test_models(self):
        answer = self.client.get(f"{ROUTE}/{self.id}/models/available").json()
        self.assertNotIn("error", answer)
        self.assertGreater(len(answer["models"]), 0)

    def test_a_key_it_does_not_know(self):
        other = provider(self.client, self.base, "another-key", models=("gpt-4o",))
        result = self.client.post(f"{ROUTE}/{other}/test").json()
        self.assertFalse(result["ok"])
        self.assertIn("key", result["error"].lower())


if __name__ == "__main__":
    unittest.main()
