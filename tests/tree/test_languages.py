"""A language is one file, and it is whole: every sentence of the pages and their scripts, none that nobody
says, the same places in both; and of what the programs answer, all that a person can bring about by a page."""

import json
import re
import unittest

from harness.folders import REPOSITORY

LANGUAGES = sorted((REPOSITORY / "templates" / "languages").glob("*.json"))
LITERAL = r"'((?:[^'\\]|\\.)*)'"
PLACE = r"\{+\w+\}+"
# Whose sentences come from a person's own doing. Of calls to providers some are of the provider's own words.
SOURCES = ("lib/auth", "lib/app/pages", "lib/manage", "lib/images", "lib/base/address", "lib/base/passwords", "lib/store/users")


def texts(folder, pattern):
    return [path.read_text(encoding="utf-8") for path in (REPOSITORY / folder).rglob(pattern)]


def of_nginx():
    """The languages that nginx chooses its own pages by, row by row."""
    rows = re.findall(r"\(\?<found>([a-z|]+)\)\S*\s+\$found;", texts("deploy/nginx/snippets", "http.conf")[0])
    return [set(row.split("|")) for row in rows if "de" in row.split("|")]


def in_templates():
    pages = texts("templates", "*.tpl") + texts("deploy/nginx/errors", "*.html")
    return {s for text in pages for s in re.findall(r"\[\[(.*?)\]\]", text, re.S)}


def in_scripts():
    said = set()
    for text in texts("deploy/nginx/assets", "*.js"):
        said.update(re.findall(rf"\bt\(\s*{LITERAL}", text))
        for pair in re.findall(rf"\bplural\([^,]+,\s*{LITERAL},\s*{LITERAL}", text):
            said.update(pair)
    return said


def literals(folders):
    """String literals of C++, those that stand behind each other as one."""
    for folder in folders:
        for text in texts(folder, "*.cpp"):
            for found in re.findall(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', text):
                yield re.sub(r'"\s*"', "", found)[1:-1]


class Languages(unittest.TestCase):
    def test_nginx_knows_all_of_them(self):
        codes = {path.stem for path in LANGUAGES} | {"en"}
        self.assertEqual(of_nginx(), [codes] * 2)

    def test_there_is_one(self):
        self.assertGreater(len(LANGUAGES), 0)
        self.assertGreater(len(in_templates()), 100)
        self.assertGreater(len(in_scripts()), 100)

    def test_each_is_whole(self):
        said = set(literals(["lib"]))
        sentences = {s for s in literals(SOURCES) if re.fullmatch(r"[A-Z][^:\\]* [^:\\]*\.", s)}
        for path in LANGUAGES:
            language = json.loads(path.read_text(encoding="utf-8"))
            pages, answers = language["pages"], language["answers"]
            with self.subTest(language=path.stem):
                self.assertEqual(in_scripts(), language["scripts"].keys())
                self.assertLessEqual(in_templates(), pages.keys())
                self.assertEqual(sentences - pages.keys() - answers.keys(), set())
                self.assertEqual(pages.keys() - in_templates() - said, set())

    def test_each_has_the_same_places(self):
        for path in LANGUAGES:
            for part in ("pages", "answers", "scripts"):
                for english, other in json.loads(path.read_text(encoding="utf-8"))[part].items():
                    with self.subTest(language=path.stem, sentence=english):
                        places = [sorted(re.findall(PLACE, text)) for text in (english, other)]
                        self.assertEqual(*places)
