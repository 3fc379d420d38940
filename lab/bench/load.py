"""The load client (load.mjs), and the provider that the streams come from (provider.mjs), as child processes."""

import json
import select
import subprocess
from pathlib import Path

from harness.processes import HarnessError, spawn, wait_until

_HERE = Path(__file__).resolve().parent
OURS = {"first": '"token"', "end": '"done"'}
PROVIDERS = {"first": "data:", "end": "[DONE]"}


class Load:
    """One run; result() waits for its end and returns what it says. Options are load.mjs's own."""

    def __init__(self, port, requests, **options):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = spawn(["node", _HERE / "load.mjs"], **pipes)
        with self._process.stdin as pipe:
            json.dump({"port": port, "requests": requests, **options}, pipe)

    def wait_until_open(self, seconds):
        """Until the answers of all connections have begun, or those seconds have passed."""
        select.select([self._process.stdout], [], [], seconds)

    def result(self):
        with self._process.stdout as pipe:
            text = pipe.read()
        if self._process.wait() != 0:
            raise HarnessError("The load client failed.")
        return json.loads(text.removeprefix("open\n"))


class Upstream:
    """`port`: where it listens."""

    def __init__(self, folder):
        self._told = folder / "provider.out"
        log = folder / "provider.log"
        with open(self._told, "wb") as output:
            self.process = spawn(["node", _HERE / "provider.mjs"], log, stdout=output)
        self.port = wait_until(self._lines, "the provider", 10, self.process, log)[0]

    def _lines(self):
        return [int(line) for line in self._told.read_text(encoding="ascii").splitlines()]

    def left(self):
        """When callers left in mid-answer, in seconds of time.monotonic()."""
        return [nanoseconds / 1e9 for nanoseconds in self._lines()[1:]]
