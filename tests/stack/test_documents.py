"""README and CONTRIBUTING say what is so: the curl walk works as it stands there, and every file named exists."""

import os
import re
import subprocess
import unittest
from pathlib import Path

from harness.stack import Stack

SOURCE = Path(os.environ["USERSHELL_SOURCE"])


def section(text, heading):
    return text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


class Contributing(unittest.TestCase):
    def setUp(self):
        self.text = (SOURCE / "CONTRIBUTING.md").read_text()

    def test_files_named_are_there(self):
        for name in re.findall(r"`((?:lib|fcgi|ctl|sql|tests|deploy|docs)/[\w./-]+)`", self.text):
            with self.subTest(name=name):
                self.assertTrue((SOURCE / name).exists())

    def test_a_playground_call_visits_no_file_twice(self):
        way = section(self.text, "A playground call, file by file")
        files = re.findall(r"`([\w/]+\.cpp)`", way)
        self.assertGreater(len(files), 8)
        self.assertEqual(len(files), len(set(files)))


class Readme(unittest.TestCase):
    def test_the_curl_walk(self):
        walk = section((SOURCE / "README.md").read_text(), "From sign-in to stream, with curl")
        script = "".join(re.findall(r"```sh\n(.*?)```", walk, re.S))
        self.assertIn(". .dev/env\n", script)
        with Stack(manage=1, execute=1) as stack:
            stack.add_user("walk@example.com")
            facts = {
                "BASE_URL": stack.base_url,
                "DEMO_EMAIL": "walk@example.com",
                "DEMO_PASSWORD": stack.password("walk@example.com"),
                "STUB_URL": stack.stub.url,
                "CA_CERT": str(stack.certificate.ca),
            }
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", script.replace(". .dev/env\n", "")],
                env={**os.environ, **facts}, capture_output=True, text=True, timeout=60,
            )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"ok":true', done.stdout)
        self.assertRegex(done.stdout, r'data: \{"token":"[^"]+"\}')
        self.assertIn('data: {"done":true', done.stdout)


if __name__ == "__main__":
    unittest.main()
