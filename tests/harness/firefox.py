"""Debian's Firefox ESR, headless, driven by its own protocol, Marionette: Debian 12 has no geckodriver, which
is what selenium would need.

A message is its length, a colon and JSON: [0, number, command, parameters], answered by [1, number, error,
result] (Firefox's sources: remote/marionette, testing/marionette/client).
"""

import json
import re
import socket
import tempfile
from pathlib import Path

from .processes import HarnessError, end, spawn, tail, wait_until
from .sanitizers import patient

_TIMEOUT = patient(60)
_SHIFT = "\ue008"  # WebDriver's code for the key
_SEEN = """return [...document.querySelectorAll(`[data-testid="${arguments[0]}"]`)]
  .some((part) => part.checkVisibility?.() ?? part.getClientRects().length > 0);"""
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
user_pref("security.webauth.webauthn_enable_usbtoken", false);
user_pref("security.webauth.webauthn_enable_softtoken", true);
"""


class Firefox:
    """One browser with an empty profile, which takes every certificate. Parts of a page are named by
    their data-testid, as in browser.py."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="usershell-firefox-", ignore_cleanup_errors=True)
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
            raise HarnessError(f"{command}: {error['error']}: {error['message']}")
        return result.get("value", result) if isinstance(result, dict) else result

    def close(self):
        self._stream.close()
        self._socket.close()
        end(self._process)
        self._folder.cleanup()

    def virtual_authenticator(self):
        """A passkey of the device itself, whose person is there and verified."""
        self._do(
            "WebAuthn:AddVirtualAuthenticator",
            protocol="ctap2_1", transport="internal", hasResidentKey=True, hasUserVerification=True,
            isUserConsenting=True, isUserVerified=True,
        )  # fmt: skip

    def open(self, url):
        self._do("WebDriver:Navigate", url=url)

    def shown_as(self, width, height=1000):
        self._do("WebDriver:SetWindowRect", width=width, height=height)

    def run(self, script, *arguments):
        """What the script returns, run in the page."""
        return self._do("WebDriver:ExecuteScript", script=script, args=list(arguments))

    def wait(self, condition, what="the page"):
        """Waits until condition() is true and returns what it returned."""
        return wait_until(condition, what)

    def part(self, testid):
        """Waits until such a part can be seen."""
        self.wait(lambda: self.run(_SEEN, testid), testid)

    def press(self, *keys, shift=False):
        """Keys and texts one after the other, wherever the focus is."""
        strokes = [(way, key) for key in "".join(keys) for way in ("keyDown", "keyUp")]
        if shift:
            strokes = [("keyDown", _SHIFT), *strokes, ("keyUp", _SHIFT)]
        actions = [{"type": way, "value": key} for way, key in strokes]
        keyboard = {"type": "key", "id": "keyboard", "actions": actions}
        self._do("WebDriver:PerformActions", actions=[keyboard])
