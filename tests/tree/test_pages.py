"""No text becomes markup or code in a browser: what scripts and templates may not contain. The policy
that nginx sends (stack/front) stands behind this, for the day on which somebody forgets. Each type of provider has its
mark, or is named as one without (docs/decisions/0023)."""

import re
import unittest

from harness.folders import REPOSITORY

SCRIPTS = sorted((REPOSITORY / "deploy" / "nginx" / "assets").rglob("*.js"))
TEMPLATES = sorted((REPOSITORY / "templates").rglob("*.tpl"))
PAGES = [*TEMPLATES, REPOSITORY / "deploy" / "nginx" / "errors.html"]

# (what, pattern) that no script may contain.
IN_SCRIPTS = [
    ("text as markup", r"\b(innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|setHTMLUnsafe)\b"),
    ("text as a document", r"\bdocument\s*\.\s*(write|writeln|open)\b|\b(DOMParser|srcdoc)\b"),
    (
        "text as code",
        r"\beval\b|\bFunction\s*\(|\bimport\s*\((?!'/assets/\w+\.js'\)|'\./[\w/]+\.js'\)|`/assets/prism/prism-\$\{file\}\.min\.js`\))|\bset(Timeout|Interval)\s*\(\s*[\"'`]",
    ),
    ("a handler as text", r"\bsetAttribute\s*\(\s*[\"'`]on"),
    ("a script as text", r"javascript:|createElement\s*\(\s*[\"'`]script"),
]
# The same for pages; a value in a template is escaped for its place by ctemplate.
IN_PAGES = [
    ("an inline handler", r"<[^>]*\son[a-z]+\s*="),
    ("an inline script", r"<script(?![^>]*\bsrc=)[^>]*>"),
    ("an inline style element", r"<style\b"),
    ("a script as an address", r"javascript:"),
    ("an unescaped value", r"\{\{[A-Z_]+:[^}]*\bnone\b"),
]
AUTOESCAPE = '{{%AUTOESCAPE context="HTML"}}'


def found(rules, text):
    """What of the rules the text breaks, with its line."""
    for what, pattern in rules:
        for match in re.finditer(pattern, text):
            yield f"line {text.count(chr(10), 0, match.start()) + 1}: {what}: {match[0]}"


class Pages(unittest.TestCase):
    def test_scripts_and_pages(self):
        self.assertGreater(len(SCRIPTS), 10)
        self.assertGreater(len(PAGES), 10)
        for rules, files in ((IN_SCRIPTS, SCRIPTS), (IN_PAGES, PAGES)):
            for path in files:
                with self.subTest(file=path.name):
                    self.assertEqual(list(found(rules, path.read_text(encoding="utf-8"))), [])

    def test_every_template_of_markup_is_escaped(self):
        for path in TEMPLATES:
            if not path.name.endswith(".text.tpl"):
                first = path.read_text(encoding="utf-8").split("\n", 1)[0]
                self.assertEqual(first, AUTOESCAPE, path.name)


NGINX = REPOSITORY / "deploy" / "nginx"
TEXT = (NGINX / "marks.svg").read_text(encoding="utf-8")
MARKS = dict(re.findall(r'^<svg id="([\w-]+)"(.*)$', TEXT, re.MULTILINE))
TYPE = r'\b(?:chat|search)_type\(\s*"([\w-]+)"|\bown_server\("([\w-]+)"'


class Marks(unittest.TestCase):
    def test_each_type_has_one(self):
        catalogue = (REPOSITORY / "lib" / "domain" / "catalogue.cpp").read_text(encoding="utf-8")
        types = {chat or own for chat, own in re.findall(TYPE, catalogue)}
        self.assertGreater(len(types), 20)
        self.assertEqual(MARKS.keys(), types)

    def test_each_is_one_small_drawing(self):
        self.assertEqual(len(MARKS), TEXT.count("\n") - 2)  # a line each, in one frame
        for name, drawing in MARKS.items():
            self.assertLess(len(drawing), 5000, name)
            self.assertIsNone(re.search(r"<(?!/?(?:svg|path|circle|g)\b)|style|href|url\(|on\w+=", drawing), name)
