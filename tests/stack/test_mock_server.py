"""The main job against an OpenAI-compatible server that this project did not write: the npm package
@copilotkit/aimock, installed into the test's own folder."""

import json
import shutil
import socket
import tempfile
import time
import unittest
from pathlib import Path

from harness.processes import HarnessError, end, run, spawn, tail
from harness.scenes import ROUTE, ask, provider
from harness.stack import Stack

PACKAGE = "@copilotkit/aimock@1.43"
KEY = "key-for-aimock"
REPLY = "pong from a server of others"
FIXTURES = {"fixtures": [{"match": {}, "response": {"content": REPLY}, "chunkSize": 4}]}
_START_TIMEOUT = 60.0


def setUpModule():
    if shutil.which("npm") is None:
        raise unittest.SkipTest("npm is not installed")


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


class MockServer:
    """aimock in a child process; a port that somebody else took first is given up for another."""

    def __init__(self, folder):
        self._folder = folder
        self._log = folder / "aimock.log"
        (folder / "fixtures.json").write_text(json.dumps(FIXTURES), encoding="utf-8")
        run(["npm", "install", "--no-audit", "--no-fund", "--prefix", folder, PACKAGE])

    def start(self):
        for _ in range(3):
            port = _free_port()
            self._process = spawn(
                ["env", f"AIMOCK_API_KEYS={KEY}", self._folder / "node_modules/.bin/llmock"]
                + ["-p", port, "-f", self._folder / "fixtures.json"],
                self._log,
            )
            deadline = time.monotonic() + _START_TIMEOUT
            while self._process.poll() is None and time.monotonic() < deadline:
                if _answers(port):
                    return f"127.0.0.1:{port}"
                time.sleep(0.05)
            self.stop()
        raise HarnessError(f"aimock did not start:\n{tail(self._log)}")

    def stop(self):
        end(self._process)


class MainJob(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        server = MockServer(Path(folder.name))
        where = server.start()
        cls.addClassCleanup(server.stop)
        stack = Stack(manage=1, execute=1, settings=[("egress-allow", where)]).start()
        cls.addClassCleanup(stack.stop)
        cls.client = stack.client("ada@example.com")
        cls.base = f"http://{where}/v1"
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
