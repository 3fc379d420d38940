"""Every exception that our code throws is `Error` or `Refusal`, whose text the log shows. std::bad_alloc is the one other."""

import re
import unittest

from harness.folders import REPOSITORY

THROWN = re.compile(r"\bthrow std::(?!bad_alloc\b)")
BASE = re.compile(r": public std::(runtime_error|logic_error|\w+_error|exception)\b")
OWN = {"lib/base/error.hpp"}


class Exceptions(unittest.TestCase):
    def test_only_our_own_are_thrown(self):
        found = []
        for folder in ("lib", "fcgi", "ctl", "mail"):
            for path in sorted((REPOSITORY / folder).rglob("*.[ch]pp")):
                text = path.read_text(encoding="utf-8")
                name = str(path.relative_to(REPOSITORY))
                if THROWN.search(text) or (BASE.search(text) and name not in OWN):
                    found.append(name)
        self.assertEqual(found, [])
