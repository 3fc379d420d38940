"""docs/glossary.md is short, and no name of the code has a word that it replaced."""

import re
import unittest

from harness.folders import REPOSITORY

_FOLDERS = ("ctl", "fcgi", "lib", "sql", "deploy/nginx/assets")
_REPLACED = re.compile(
    r"\b(?:\w*cool(?:ing|_down)\w*|\w*resting_?until|key_rest|\w+_key_pause|Executor|Departure|on_departure|Presence|Gate"
    r"|Passage|Door|Later|Conclusion|CallAnswer|already_streamed|Entrance|Awaited|DecodePlaces|\w*_place|Place|Threads"
    r"|isResting)\b",
)
_COMMENT_OR_TEXT = re.compile(r'//[^\n]*|--[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
_NOT_OURS = {"in_place"}  # std::in_place


def names(path):
    return _REPLACED.findall(_COMMENT_OR_TEXT.sub(" ", path.read_text(encoding="utf-8")))


class Glossary(unittest.TestCase):
    def test_has_at_most_30_words(self):
        text = (REPOSITORY / "docs" / "glossary.md").read_text(encoding="utf-8")
        self.assertLessEqual(text.count("\n| ") - 1, 30)

    def test_no_name_has_a_word_that_was_replaced(self):
        files = [f for folder in _FOLDERS for f in (REPOSITORY / folder).rglob("*")
                 if f.suffix in (".cpp", ".hpp", ".sql", ".js")]  # fmt: skip
        self.assertGreater(len(files), 300)
        found = {str(f.relative_to(REPOSITORY)): left for f in files if (left := set(names(f)) - _NOT_OURS)}
        self.assertEqual(found, {})


if __name__ == "__main__":
    unittest.main()
