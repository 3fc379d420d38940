"""Programs from npm: install() puts them into a folder of the caller."""

import json
import shutil
import socket
import unittest

from .processes import HarnessError, end, run, spawn, tail, wait_until

_AIMOCK = "@copilotkit/aimock@1.43"


def skip_without_npm():
    if shutil.which("npm") is None:
        raise unittest.SkipTest("npm is not installed")


def install(folder, *packages):
    run(["npm", "install", "--no-audit", "--no-fund", "--prefix", folder, *packages])


class Aimock:
    """A server of the formats of OpenAI, Anthropic, Gemini, Ollama and Azure at `where`, a host:port, which knows one
    key. `fixtures`: [{"match": …, "response": …}], the first that matches counts. A port that another program took
    first is given up for another."""

    def __init__(self, folder, key, fixtures):
        install(folder, _AIMOCK)
        log, told = folder / "aimock.log", folder / "fixtures.json"
        told.write_text(json.dumps({"fixtures": fixtures}), encoding="utf-8")
        for _ in range(3):
            with socket.create_server(("127.0.0.1", 0)) as probe:
                address = probe.getsockname()
            command = ["env", f"AIMOCK_API_KEYS={key}", folder / "node_modules" / ".bin" / "llmock", "-p", address[1], "-f", told]
            self._process = spawn(command, log, cwd=folder)
            self.where = f"127.0.0.1:{address[1]}"

            def listens(address=address):
                with socket.socket() as probe:
                    return probe.connect_ex(address) == 0

            try:
                wait_until(listens, "aimock", process=self._process, log=log)
                return
            except HarnessError:
                self.stop()
        raise HarnessError(f"aimock did not start:\n{tail(log)}")

    def stop(self):
        end(self._process)
