"""Each type of provider has its mark, or is named as one without (docs/decisions/0023)."""

import re
import unittest

from harness.folders import REPOSITORY

NGINX = REPOSITORY / "deploy" / "nginx"
TEXT = (NGINX / "marks.svg").read_text(encoding="utf-8")
MARKS = dict(re.findall(r'^<svg id="([\w-]+)"(.*)$', TEXT, re.MULTILINE))
TYPE = r'\b(?:chat|search)_type\(\s*"([\w-]+)"|\bown_server\("([\w-]+)"'


class Marks(unittest.TestCase):
    def test_each_type_has_one_or_is_lettered(self):
        catalogue = (REPOSITORY / "lib" / "domain" / "catalogue.cpp").read_text(encoding="utf-8")
        types = {chat or own for chat, own in re.findall(TYPE, catalogue)}
        script = (NGINX / "assets" / "providers" / "catalogue.js").read_text(encoding="utf-8")
        lettered = set(re.findall(r"'([\w-]+)'", re.search(r"lettered = new Set\(\[(.*?)\]\)", script)[1]))
        drawn = MARKS.keys()
        self.assertGreater(len(types), 20)
        self.assertEqual(drawn & lettered, set())
        self.assertEqual(drawn | lettered, types)

    def test_each_is_one_small_drawing(self):
        self.assertEqual(len(MARKS), TEXT.count("\n") - 2)  # a line each, in one frame
        for name, drawing in MARKS.items():
            self.assertLess(len(drawing), 5000, name)
            self.assertIsNone(re.search(r"<(?!/?(?:svg|path|circle|g)\b)|style|href|url\(|on\w+=", drawing), name)
