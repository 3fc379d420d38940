"""CONTRIBUTING says what is so: every file that it names exists."""

import re
import unittest

from harness.folders import REPOSITORY


def section(text, heading):
    return text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


class Contributing(unittest.TestCase):
    def setUp(self):
        self.text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")

    def test_files_named_are_there(self):
        for name in re.findall(r"`((?:lib|fcgi|ctl|sql|tests|deploy|docs)/[\w./-]+)`", self.text):
            with self.subTest(name=name):
                self.assertTrue((REPOSITORY / name).exists())

    def test_a_playground_call_visits_no_file_twice(self):
        way = section(self.text, "A playground call, file by file")
        files = re.findall(r"`([\w/]+\.cpp)`", way)
        self.assertGreater(len(files), 8)
        self.assertEqual(len(files), len(set(files)))
