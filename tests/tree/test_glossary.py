"""docs/glossary.md is short, and no name has a word that it replaced."""

import re
import unittest

from harness.folders import REPOSITORY

_FOLDERS = ("ctl", "fcgi", "lib", "mail", "sql", "deploy/nginx/assets", "templates", "docs", "tests", "lab")
_CODE = (".cpp", ".hpp", ".sql", ".js", ".mjs", ".py")
_TEXT = (".md", ".tpl", ".json", ".yaml", ".case")
_NEVER = re.compile(
    r"\b(?:\w*cool(?:ing|_down)\w*|\w*resting_?until|key_rest|\w+_key_pause|on_departure|CallAnswer|already_streamed"
    r"|DecodePlaces|isResting|KeyHealth|passes_over|judges_\w+)\b",
)
# These are ordinary words in a sentence.
_NO_NAME = re.compile(
    r"\b(?:Executor|Departure|Presence|Gate|Passage|Door|Later|Conclusion|Entrance|Awaited|(?!test_)\w*_place|Place"
    r"|Threads|_?judge(?:_\w+)?)\b",
)
_COMMENT_OR_TEXT = re.compile(r'//[^\n]*|--[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
_PYTHON_COMMENT_OR_TEXT = re.compile(r'""".*?"""|#[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
# std::in_place, and what a test makes when it is first used.
_NOT_OURS = {"in_place"}
_OF_TESTS = {"Later"}


def replaced_words(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix in _TEXT:
        return {*_NEVER.findall(text)}
    is_python = path.suffix == ".py"
    code = (_PYTHON_COMMENT_OR_TEXT if is_python else _COMMENT_OR_TEXT).sub(" ", text)
    return {*_NEVER.findall(code), *_NO_NAME.findall(code)} - _NOT_OURS - (_OF_TESTS if is_python else set())


class Glossary(unittest.TestCase):
    def test_has_at_most_30_words(self):
        text = (REPOSITORY / "docs" / "glossary.md").read_text(encoding="utf-8")
        self.assertLessEqual(text.count("\n| ") - 1, 30)

    def test_no_name_has_a_word_that_was_replaced(self):
        own = {REPOSITORY / "docs" / "glossary.md", REPOSITORY / "tests" / "tree" / "test_glossary.py"}
        files = {f for folder in _FOLDERS for f in (REPOSITORY / folder).rglob("*") if f.suffix in _CODE + _TEXT}
        self.assertGreater(len(files), 600)
        found = {str(f.relative_to(REPOSITORY)): left for f in files - own if (left := replaced_words(f))}
        self.assertEqual(found, {})


if __name__ == "__main__":
    unittest.main()
