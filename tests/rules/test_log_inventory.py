"""docs/log.md lists each log line with its levels and fields."""

import re
import unittest

from harness.folders import REPOSITORY


def text(path):
    return (REPOSITORY / path).read_text(encoding="utf-8")


# - `message` level, level (field, field): when
LINE = re.compile(r"^- `(?P<message>[^`]+)` (?P<levels>[a-z, ]+?)(?: \((?P<fields>[a-z_, ]+)\))?(?:: .+)?$")


def words(text):
    return set(re.findall(r"\w+", text or ""))


def listed():
    """As logged() returns it, of the page."""
    lines = [line for line in text("docs/log.md").splitlines() if line.startswith("- ")]
    return [(found["message"], (words(found["levels"]), words(found["fields"]))) for found in map(LINE.match, lines)]


def sources():
    for folder in ("lib", "fcgi", "mail", "opener", "ctl"):
        for path in sorted((REPOSITORY / folder).rglob("*.cpp")):
            yield path.read_text(encoding="utf-8")


def logged():
    """message → (levels, fields), of every call of log(). A message that is a variable is a periodic
    task's name."""
    code = "\n".join(sources())
    tasks = re.findall(r'PeriodicTask ?\w*\{\s*"([^"]+)"', code)
    found = {}
    for call in re.findall(r"(?<![\w:.])log(?:_line|_last)?\(\s*((?:Level::|[^;{}\"]*?\? Level::).*?)\);", code, re.S):
        head = call.split("{{", 1)[0]
        for message in re.findall(r'"([^"]+)"', head) or tasks:
            levels, fields = found.setdefault(message, (set(), set()))
            levels |= set(re.findall(r"Level::(\w+)", head))
            fields |= set(re.findall(r'\{"(\w+)",', call))
    return found


class LogInventory(unittest.TestCase):
    def test_has_every_line_with_its_levels_and_fields(self):
        lines = listed()
        self.assertEqual(len(dict(lines)), len(lines), "a message stands twice")
        self.assertEqual(dict(lines), logged())

    def test_no_call_is_overlooked(self):
        calls = sum(len(re.findall(r"(?<![\w:.])log\((?!Level level)[^)]", each)) for each in sources())
        with_level = r"(?<![\w:.])log\(\s*(?:Level::|[^;{}\"]*?\? Level::)"
        read = sum(len(re.findall(with_level, each)) for each in sources())
        self.assertGreater(read, 30)
        self.assertEqual(read, calls)
