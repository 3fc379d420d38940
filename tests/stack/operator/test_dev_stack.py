"""The development stack: up, README's walk with curl as it stands there, its mail in the terminal, up
again with all of it kept, down."""

import re
import shlex
import sys
import tempfile
import unittest
from pathlib import Path

from harness.client import Client
from harness.folders import REPOSITORY
from harness.processes import HarnessError, run, wait_until
from harness.scenes import ask_for_address

SET = ("--set", "password-memlimit=8388608", "--set", "password-opslimit=1")


class DevStack(unittest.TestCase):
    @classmethod
    def harness(cls, *words):
        """python3 -m harness, as ./dev runs it, for a folder of the test's own."""
        command = [sys.executable, "-B", "-m", "harness", *words, "--folder", cls.folder]
        return run(command, cwd=REPOSITORY / "tests")

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="usershell-")))
        cls.addClassCleanup(cls.harness, "down")
        cls.harness("up", *SET)

    def facts(self):
        lines = (self.folder / "env").read_text(encoding="utf-8").splitlines()
        return {name: shlex.split(value)[0] for name, _, value in (x.partition("=") for x in lines)}

    def test_readmes_walk_with_curl(self):
        readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
        walk = readme.split("\n## From sign-in to stream, with curl\n", 1)[1].split("\n## ", 1)[0]
        script = "".join(re.findall(r"```sh\n(.*?)```", walk, re.S))
        self.assertIn(". .dev/env\n", script)
        script = script.replace(". .dev/env\n", f". {self.folder}/env\n")
        said = run(["bash", "-euo", "pipefail", "-c", script], 60)
        self.assertIn('"ok":true', said)
        self.assertRegex(said, r'data: \{"token":"[^"]+"\}')
        self.assertIn('data: {"done":true', said)

    def test_mail_is_shown_and_kept(self):
        facts = self.facts()
        client = Client(facts["BASE_URL"], facts["CA_CERT"])
        client.sign_in(facts["DEMO_EMAIL"], facts["DEMO_PASSWORD"])
        self.assertEqual(ask_for_address(client, "demo.1@example.org").status, 303)
        wait_until(lambda: "   1  " in self.harness("mail"), "mail")
        text = self.harness("mail")
        self.assertIn(f"{facts['BASE_URL']}/user/settings/profile/confirm-email-change?", text)
        self.assertIn("To: demo.1@example.org", self.harness("mail", "1"))
        self.assertEqual(self.harness("mail", "3"), "There is no message 3.\n")
        with self.assertRaises(HarnessError):
            self.harness("mail", "x")
        self.harness("up", *SET)
        self.assertEqual(self.facts()["SMTP_PASSWORD"], facts["SMTP_PASSWORD"])
        self.assertEqual(self.harness("mail"), text)
