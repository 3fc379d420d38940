"""The development stack runs README's walk with curl to the letter."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

from harness.folders import REPOSITORY
from harness.processes import run


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
        cls.harness("up", "--set", "password-memlimit=8388608", "--set", "password-opslimit=1")

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
