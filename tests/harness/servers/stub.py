"""The provider stub as a child process, and its journal."""

import json
import subprocess
import sys
import time
import urllib.parse
import urllib.request

from ..folders import REPOSITORY
from ..processes import HarnessError, end, spawn, tail
from ..sanitizers import patient


class Stub:
    """`url` is its address. A preferred port that is taken is replaced by a free one."""

    def __init__(self, log, port=0, tls=False):
        self._log = log
        self._arguments = ["--tls-port", "0"] if tls else []
        self._preferred = port
        self._process = None

    def start(self):
        for port in dict.fromkeys((self._preferred, 0)):
            command = [sys.executable, "-B", "-m", "provider_stub", "--port", port, *self._arguments]
            options = {"stdout": subprocess.PIPE, "cwd": REPOSITORY / "tests"}
            self._process = spawn(command, self._log, **options)
            if line := self._process.stdout.readline():
                facts = json.loads(line)
                self.url, self.port = facts["url"], facts["port"]
                self.tls_port = facts.get("tls_port")
                return
            self.stop()
        raise HarnessError(f"The provider stub did not start:\n{tail(self._log)}")

    def stop(self):
        if self._process:
            end(self._process)
            self._process.stdout.close()
            self._process = None

    def journal(self, **filters):
        """The entries whose path, marker (of the message) or key contain the given text."""
        return json.loads(self._get("_journal", **filters))

    def body(self, entry):
        """The bytes that arrived with that entry of the journal; of a MiB and more its sha256 is kept alone."""
        return self._get("_body", n=entry["n"])

    def books(self, key=""):
        """What the stub has billed to keys with this text: {key, day, model, calls, failures, input, output}."""
        return json.loads(self._get("_books", key=key))

    def _get(self, place, **query):
        with urllib.request.urlopen(f"{self.url}/{place}?{urllib.parse.urlencode(query)}", timeout=10) as answer:
            return answer.read()

    def say(self, **script):
        """From now on the stub says this to everybody (scripted.py); nothing: as before."""
        body = json.dumps(script).encode()
        with urllib.request.urlopen(f"{self.url}/_script", body, timeout=10):
            pass

    def wait_for(self, condition, timeout=10.0, **filters):
        """The last matching entry once condition(entry) holds; AssertionError if it never does."""
        deadline = time.monotonic() + patient(timeout)
        while True:
            entries = self.journal(**filters)
            if entries and condition(entries[-1]):
                return entries[-1]
            if time.monotonic() > deadline:
                raise AssertionError(f"The stub saw {entries[-1:] or 'nothing'} for {filters}.")
            time.sleep(0.01)
