"""The development stack's mail: sent to a server of its own, shown in the terminal."""

import shlex
import sys
import tempfile
import time
import unittest
from pathlib import Path

from harness.client import Client
from harness.folders import REPOSITORY
from harness.users import ask_for_address
from harness.processes import HarnessError, run


class Inbox(unittest.TestCase):
    def harness(self, *words):
        """python3 -m harness, as ./dev runs it, for a folder of the test's own."""
        command = [sys.executable, "-B", "-m", "harness", *words, "--folder", self.folder]
        return run(command, cwd=REPOSITORY / "tests")

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="usershell-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.addCleanup(self.harness, "down")
        self.harness("up", "--set", "password-memlimit=8388608")

    def facts(self):
        lines = (self.folder / "env").read_text(encoding="utf-8").splitlines()
        return {name: shlex.split(value)[0] for name, _, value in (x.partition("=") for x in lines)}

    def wait_for_messages(self, count):
        deadline = time.monotonic() + 30
        while f"{count:>4}  " not in self.harness("mail"):
            self.assertLess(time.monotonic(), deadline, "no mail")
            time.sleep(0.1)

    def test_shows_what_has_been_sent_and_keeps_it(self):
        self.assertEqual(self.harness("mail"), "No mail yet.\n")
        facts = self.facts()
        client = Client(facts["BASE_URL"], facts["CA_CERT"])
        client.sign_in(facts["DEMO_EMAIL"], facts["DEMO_PASSWORD"])
        for number in (1, 2):
            self.assertEqual(ask_for_address(client, f"demo.{number}@example.org").status, 303)
            self.wait_for_messages(number)
        text = self.harness("mail")
        self.assertIn("   1  ", text)
        self.assertIn("demo.1@example.org", text)
        self.assertIn("To: demo.2@example.org", text)
        self.assertIn(f"{facts['BASE_URL']}/user/settings/profile/confirm-email-change?", text)
        first = self.harness("mail", "1")
        self.assertIn("To: demo.1@example.org", first)
        self.assertNotIn("demo.2@example.org", first)
        self.assertEqual(self.harness("mail", "3"), "There is no message 3.\n")
        self.harness("up")
        again = self.facts()
        self.assertEqual(again["SMTP_PASSWORD"], facts["SMTP_PASSWORD"])
        self.assertEqual(self.harness("mail"), text)
        self.harness("down")
        self.assertEqual(self.harness("mail"), text)
        with self.assertRaises(HarnessError):
            self.harness("mail", "x")


if __name__ == "__main__":
    unittest.main()
