"""Servers of AI providers' formats that this project did not write, from npm, each a child process
on a loopback port. install() puts them into the folder of the test that asks."""

import json
import shutil
import socket
import time
import unittest

from ..processes import HarnessError, end, run, spawn, tail

AIMOCK = "@copilotkit/aimock@1.43"  # OpenAI, Anthropic, Gemini, Ollama, Azure
MOCK_LLM = "@dwmkerr/mock-llm@0.1.29"  # any path and JSON
_START_TIMEOUT = 60.0


def skip_without_npm():
    if shutil.which("npm") is None:
        raise unittest.SkipTest("npm is not installed")


def install(folder, *packages):
    run(["npm", "install", "--no-audit", "--no-fund", "--prefix", folder, *packages])


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


class _Server:
    """`where` is host:port once it runs. A port that somebody else took first is given up for
    another. `folder` is where it was installed."""

    def __init__(self, folder, name):
        self._log = folder / f"{name}.log"
        self._program = folder / "node_modules" / ".bin" / name
        for _ in range(3):
            port = _free_port()
            self._process = spawn(self.command(port), self._log, cwd=folder)
            deadline = time.monotonic() + _START_TIMEOUT
            while self._process.poll() is None and time.monotonic() < deadline:
                if _answers(port):
                    self.where = f"127.0.0.1:{port}"
                    return
                time.sleep(0.05)
            self.stop()
        raise HarnessError(f"{name} did not start:\n{tail(self._log)}")

    def stop(self):
        end(self._process)


class Aimock(_Server):
    """Knows one key. `fixtures`: [{"match": …, "response": …}], the first that matches counts."""

    def __init__(self, folder, key, fixtures):
        self._key = key
        self._fixtures = folder / "fixtures.json"
        self._fixtures.write_text(json.dumps({"fixtures": fixtures}), encoding="utf-8")
        super().__init__(folder, "llmock")

    def command(self, port):
        keys = f"AIMOCK_API_KEYS={self._key}"
        return ["env", keys, self._program, "-p", port, "-f", self._fixtures]


class MockLlm(_Server):
    """`rules`: [{"path": regular expression, "match": JMESPath of {headers, body}, "response":
    {"status": …, "content": text}}]."""

    def __init__(self, folder, rules):
        self._rules = folder / "mock-llm.yaml"
        self._rules.write_text(json.dumps({"rules": rules}), encoding="utf-8")  # JSON is YAML
        super().__init__(folder, "mock-llm")

    def command(self, port):
        where = ["HOST=127.0.0.1", f"PORT={port}"]
        return ["env", *where, self._program, "--config", self._rules]
