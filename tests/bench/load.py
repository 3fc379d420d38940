"""The load client (programs/load.cpp), and the provider that the streams come from
(programs/upstream.cpp), as child processes."""

import contextlib
import json
import select
import subprocess
import tempfile
import time

from harness.processes import HarnessError, end, spawn, tail
from harness.stack import programs

OURS = {"first": '"token"', "end": '"done"'}
PROVIDERS = {"first": "data:", "end": "[DONE]"}


class Load:
    """One run; result() waits for its end and returns what it says. Options are the client's own,
    an underscore standing for a hyphen; True for a switch."""

    def __init__(self, port, requests, authority=None, **options):
        self._file = tempfile.NamedTemporaryFile()
        for request in requests:
            self._file.write(b"%d\n%b" % (len(request), request))
        self._file.flush()
        words = ["--port", port, "--requests", self._file.name]
        words += ["--authority", authority] if authority else []
        for name, value in options.items():
            words += [f"--{name}"] if value is True else [f"--{name}", value]
        self._process = subprocess.Popen(
            [str(word) for word in (programs() / "bench_load", *words)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )

    def wait_until_open(self, seconds):
        """Until the answers of all connections have begun; False when they have not by then."""
        return bool(select.select([self._process.stdout], [], [], seconds)[0])

    def result(self):
        text = self._process.stdout.read()
        if self._process.wait() != 0:
            raise HarnessError("The load client failed.")
        self._file.close()
        return json.loads(text.removeprefix("open\n"))


class Upstream:
    """`port`: where it listens."""

    def __init__(self, folder):
        self._told = folder / "upstream.out"
        self._log = folder / "upstream.log"
        self._told.write_text("", encoding="ascii")
        with open(self._told, "ab") as output:
            self.process = spawn([programs() / "bench_upstream"], self._log, stdout=output)
        for _ in range(500):
            with contextlib.suppress(ValueError):
                self.port = int(self._lines()[0])
                return
            time.sleep(0.01)
        raise HarnessError(f"The upstream did not start:\n{tail(self._log)}")

    def _lines(self):
        text = self._told.read_text(encoding="ascii")
        return text.splitlines() or [""]

    def left(self):
        """When callers left in mid-answer, in seconds of time.monotonic()."""
        return [int(line.split()[1]) / 1e9 for line in self._lines() if line.startswith("left ")]

    def stop(self):
        end(self.process)
