"""Debian's Firefox ESR, headless, driven by its own protocol, Marionette: Debian 12 has no geckodriver, which
is what selenium would need.

A message is its length, a colon and JSON: [0, number, command, parameters], answered by [1, number, error,
result] (Firefox's sources: remote/marionette, testing/marionette/client).
"""

import json
import re
import socket
import tempfile
import time
from pathlib import Path

from .processes import HarnessError, end, spawn, tail, wait_until
from .sanitizers import patient

_TIMEOUT = patient(60)
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # WebDriver's name for a reference to one
_SHIFT = "\ue008"  # WebDriver's code for the key
_SEEN = """const seen = [...document.querySelectorAll(`[data-testid="${arguments[0]}"]`)]
  .find((part) => part.checkVisibility?.() ?? part.getClientRects().length > 0);"""
_PASSING = ("stale element reference", "element click intercepted")
_PREFERENCES = """user_pref("marionette.port", 0);
user_pref("app.update.disabledForTesting", true);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("extensions.update.enabled", false);
user_pref("intl.accept_languages", "en");
"""


class _Passing(HarnessError):
    """Only the moment was wrong: the page was being drawn anew, or something lay above."""


class Firefox:
    """One browser with an empty profile, which takes every certificate. Parts of a page are named by
    their data-testid, as in browser.py."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(
            prefix="usershell-firefox-", ignore_cleanup_errors=True
        )
        profile = Path(self._folder.name)
        (profile / "user.js").write_text(_PREFERENCES, encoding="utf-8")
        self._log = profile / "log"
        command = ["/usr/bin/firefox-esr", "--headless", "--marionette", "--no-remote"]
        self._process = spawn([*command, "--profile", profile], self._log)
        self._numbers = 0
        port = self._port(profile / "MarionetteActivePort")
        self._socket = socket.create_connection(("127.0.0.1", port), _TIMEOUT)
        self._stream = self._socket.makefile("rb")
        self._read()  # who it is
        self._do("WebDriver:NewSession", acceptInsecureCerts=True)

    def _port(self, file):
        def port():
            return file.exists() and re.fullmatch(r"\d+", file.read_text())

        return int(wait_until(port, "Firefox", process=self._process, log=self._log)[0])

    def _read(self):
        size = b""
        while not size.endswith(b":"):
            byte = self._stream.read(1)
            if not byte:
                raise HarnessError(f"Firefox has ended:\n{tail(self._log)}")
            size += byte
        return json.loads(self._stream.read(int(size[:-1])))

    def _do(self, command, **parameters):
        self._numbers += 1
        message = json.dumps([0, self._numbers, command, parameters]).encode()
        self._socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self._read()
        if error:
            kind = _Passing if error["error"] in _PASSING else HarnessError
            raise kind(f"{command}: {error['error']}: {error['message']}")
        return result.get("value", result) if isinstance(result, dict) else result

    def close(self):
        self._stream.close()
        self._socket.close()
        end(self._process)
        self._folder.cleanup()

    def open(self, url):
        self._do("WebDriver:Navigate", url=url)

    def forget(self):
        """Drops the cookies of the site that is open."""
        self._do("WebDriver:DeleteAllCookies")

    def shown_as(self, width, height=1000):
        self._do("WebDriver:SetWindowRect", width=width, height=height)

    def run(self, script, *arguments):
        """What the script returns, run in the page."""
        return self._do("WebDriver:ExecuteScript", script=script, args=list(arguments))

    def wait(self, condition, what="the page"):
        """Waits until condition() is true and returns what it returned."""
        return wait_until(condition, what)

    def part(self, testid):
        """The first such part that can be seen; waits for it."""
        return self.wait(lambda: self.run(f"{_SEEN} return seen;", testid), testid)[_ELEMENT]

    def mentions(self, testid, words):
        """Waits until the text of that part has `words` in it."""
        script = f"{_SEEN} return seen?.innerText.includes(arguments[1]);"
        self.wait(lambda: self.run(script, testid, words), f"{testid} to mention {words!r}")

    def _on(self, testid, command, **parameters):
        deadline = time.monotonic() + _TIMEOUT
        while True:
            try:
                return self._do(command, id=self.part(testid), **parameters)
            except _Passing:
                if time.monotonic() > deadline:
                    raise

    def click(self, testid):
        self._on(testid, "WebDriver:ElementClick")

    def press(self, *keys, shift=False):
        """Keys and texts one after the other, wherever the focus is."""
        strokes = [(way, key) for key in "".join(keys) for way in ("keyDown", "keyUp")]
        if shift:
            strokes = [("keyDown", _SHIFT), *strokes, ("keyUp", _SHIFT)]
        actions = [{"type": way, "value": key} for way, key in strokes]
        keyboard = {"type": "key", "id": "keyboard", "actions": actions}
        self._do("WebDriver:PerformActions", actions=[keyboard])

    def fill(self, testid, text):
        self._on(testid, "WebDriver:ElementClear")
        self._on(testid, "WebDriver:ElementSendKeys", text=text)
