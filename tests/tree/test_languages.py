"""A language is one file, and it is whole: each sentence of the sources, no other, and the same places in both."""

import json
import re
import unittest

from harness.folders import REPOSITORY

LANGUAGES = sorted((REPOSITORY / "templates" / "languages").glob("*.json"))
LITERAL = r"'((?:[^'\\]|\\.)*)'"
PLACE = r"\{+\w+\}+"


def texts(folder, pattern):
    return [path.read_text(encoding="utf-8") for path in (REPOSITORY / folder).rglob(pattern)]


def of_nginx():
    """The languages that nginx chooses its own pages by, row by row."""
    rows = re.findall(r"\(\?<found>([a-z|]+)\)\S*\s+\$found;", texts("deploy/nginx/snippets", "http.conf")[0])
    return [set(row.split("|")) for row in rows if "de" in row.split("|")]


def in_templates():
    pages = texts("templates", "*.tpl") + texts("deploy/nginx", "*.html")
    return {s for text in pages for s in re.findall(r"\[\[(.*?)\]\]", text, re.S)}


def in_scripts():
    said = set()
    for text in texts("deploy/nginx/assets", "*.js"):
        said.update(re.findall(rf"\bt\(\s*{LITERAL}", text))
        for pair in re.findall(rf"\bplural\([^,]+,\s*{LITERAL},\s*{LITERAL}", text):
            said.update(pair)
    return said


def cpp_files():
    return [path for part in ("lib", "fcgi", "mail", "opener", "ctl") for path in (REPOSITORY / part).rglob("*.[ch]pp")]


def sentences_in(source):
    """The literals of C++ with the suffix of a sentence (lib/base/sentence.hpp)."""
    code = re.sub(r"^\s*//.*$", "", source, flags=re.M)
    parts = re.findall(r'(?<!operator)((?:"(?:[^"\\\n]|\\.)*"\s*)+)_en\b', code)
    return {json.loads('"' + re.sub(r'"\s*"', "", found.strip())[1:-1] + '"') for found in parts}


def in_programs():
    return {said for path in cpp_files() for said in sentences_in(path.read_text(encoding="utf-8"))}


def sentences_of(path):
    return json.loads(path.read_text(encoding="utf-8"))["sentences"]


def in_nginx():
    return {s for text in texts("deploy/nginx", "*.conf") for s in re.findall(r'"error":"([^"]*)"', text)}


class Languages(unittest.TestCase):
    def test_nginx_knows_all_of_them(self):
        codes = {path.stem for path in LANGUAGES} | {"en"}
        self.assertEqual(of_nginx(), [codes] * 2)

    def test_there_is_one(self):
        self.assertGreater(len(LANGUAGES), 0)
        for said in (in_templates(), in_scripts(), in_programs()):
            self.assertGreater(len(said), 100)
        self.assertEqual(len(in_nginx()), 5)

    def test_each_is_whole(self):
        said = in_templates() | in_scripts() | in_programs() | in_nginx()
        for path in LANGUAGES:
            with self.subTest(language=path.stem):
                self.assertEqual(sentences_of(path).keys(), said)

    def test_each_has_the_same_places(self):
        for path in LANGUAGES:
            for english, other in sentences_of(path).items():
                with self.subTest(language=path.stem, sentence=english):
                    self.assertEqual(*(sorted(re.findall(PLACE, text)) for text in (english, other)))

    def test_each_place_is_given_a_value(self):
        """By the file that says the sentence."""
        for path in cpp_files():
            text = path.read_text(encoding="utf-8")
            for place in {place for said in sentences_in(text) for place in re.findall(r"\{(\w+)\}", said)}:
                with self.subTest(file=path.name, place=place):
                    self.assertIn(f'"{place}"', text)
