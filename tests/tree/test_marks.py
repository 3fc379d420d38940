"""Each type of provider has its mark, or is named as one without (docs/decisions/0023)."""

import re
import unittest

from harness.folders import REPOSITORY

ASSETS = REPOSITORY / "deploy" / "nginx" / "assets"
TYPE = r'\b(?:chat|search)_type\(\s*"([\w-]+)"|\bown_server\("([\w-]+)"'


class Marks(unittest.TestCase):
    def test_each_type_has_one_or_is_lettered(self):
        catalogue = (REPOSITORY / "lib" / "domain" / "catalogue.cpp").read_text(encoding="utf-8")
        types = {chat or own for chat, own in re.findall(TYPE, catalogue)}
        script = (ASSETS / "providers" / "catalogue.js").read_text(encoding="utf-8")
        lettered = set(re.findall(r"'([\w-]+)'", re.search(r"lettered = new Set\(\[(.*?)\]\)", script)[1]))
        drawn = {path.stem for path in (ASSETS / "marks").iterdir()}
        self.assertGreater(len(types), 20)
        self.assertEqual(drawn & lettered, set())
        self.assertEqual(drawn | lettered, types)

    def test_each_is_one_small_drawing(self):
        for path in (ASSETS / "marks").iterdir():
            text = path.read_text(encoding="utf-8")
            self.assertLess(len(text), 5000, path.name)
            self.assertIsNone(re.search(r"<(?!/?(?:svg|path|circle|g)\b)|style|href|url\(|on\w+=", text), path.name)
