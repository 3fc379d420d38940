"""docs/asvs.md has every requirement once, what it names exists, and its list of what is not met is
the table's. The log inventory of docs/security.md is what the sources log."""

import re
import unittest

from harness.folders import REPOSITORY

# OWASP ASVS 5.0.0: of each section the levels of its requirements 1, 2, … up to level 2. Sections
# that are missing here have requirements of level 3 alone.
LEVELS = """
1.1 22  1.2 111112222  1.3 11222222222  1.4 222  1.5 12
2.1 122  2.2 112  2.3 1222  2.4 2
3.2 11  3.3 1222  3.4 112222  3.5 11122  3.7 22
4.1 122  4.2 2  4.3 22  4.4 1222
5.1 2  5.2 112  5.3 11  5.4 222
6.1 122  6.2 111111112222  6.3 1122  6.4 1122  6.5 22222  6.6 222  6.8 2222
7.1 222  7.2 1111  7.3 22  7.4 11222  7.5 22  7.6 22
8.1 12  8.2 112  8.3 1  8.4 2
9.1 111  9.2 1222
10.1 22  10.2 22  10.3 2222  10.4 11111222222  10.5 22222  10.6 22  10.7 222
11.1 22  11.2 222  11.3 112  11.4 1222  11.5 2  11.6 2
12.1 122  12.2 11  12.3 2222
13.1 2  13.2 22222  13.3 22  13.4 12222
14.1 22  14.2 1222  14.3 122
15.1 122  15.2 122  15.3 1222222
16.1 2  16.2 22222  16.3 2222  16.4 222  16.5 222
17.1 2  17.2 2222  17.3 22
"""
MET, NOT_APPLICABLE, NOT_MET = "met", "not applicable", "**not met**"


def text(path):
    return (REPOSITORY / path).read_text(encoding="utf-8")


def requirements():
    words = iter(LEVELS.split())
    for section, levels in zip(words, words):
        for number, level in enumerate(levels, 1):
            yield f"{section}.{number}", level


def table(lines):
    """The cells of every row of a Markdown table but its heading."""
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines if line.startswith("| ")]
    return [row for row in rows if row[0] not in ("Id", "Message")]


def paths(sentence):
    """What a row names in the manner of a path: a slash in it, or a document's ending."""
    return [name for name in re.findall(r"`([^`]+)`", sentence) if re.search(r"/|\.(md|json)$", name)]


class Asvs(unittest.TestCase):
    def setUp(self):
        self.lines = text("docs/asvs.md").splitlines()
        self.rows = table(self.lines)

    def test_every_requirement_stands_once_and_in_order(self):
        self.assertEqual([(row[0], row[1]) for row in self.rows], list(requirements()))

    def test_each_is_judged_and_says_by_what(self):
        for number, _, asked, status, evidence in self.rows:
            with self.subTest(number=number):
                self.assertTrue(asked)
                self.assertIn(status, (MET, NOT_APPLICABLE, NOT_MET))
                self.assertTrue(evidence)
                if status == MET:
                    self.assertTrue(paths(evidence), "names no file")

    def test_every_path_exists(self):
        for number, _, _, _, evidence in self.rows:
            for path in paths(evidence):
                self.assertTrue((REPOSITORY / path).exists(), f"{number}: {path}")

    def test_the_list_of_what_is_not_met_is_the_tables(self):
        listed = [line.removeprefix("- ") for line in self.lines if line.startswith("- ")]
        unmet = [f"{number} {asked}" for number, _, asked, status, _ in self.rows if status == NOT_MET]
        self.assertEqual(listed, unmet)


def section(content, heading):
    return content.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def sources():
    for folder in ("lib", "fcgi", "mail", "ctl"):
        for path in sorted((REPOSITORY / folder).rglob("*.cpp")):
            yield path.read_text(encoding="utf-8")


def logged():
    """message → (levels, fields), of every call of log(). A message that is a variable is a periodic
    task's name."""
    code = "\n".join(sources())
    tasks = re.findall(r'PeriodicTask \w+\{\s*"([^"]+)"', code)
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
        rows = table(section(text("docs/security.md"), "Log inventory").splitlines())
        cells = {row[0].strip("`"): row[1:3] for row in rows}
        words = {name: tuple(set(re.findall(r"\w+", cell)) for cell in both) for name, both in cells.items()}
        self.assertEqual(len(words), len(rows), "a message stands twice")
        self.assertEqual(words, logged())

    def test_no_call_is_overlooked(self):
        calls = sum(len(re.findall(r"(?<![\w:.])log\((?!Level level)[^)]", each)) for each in sources())
        with_level = r"(?<![\w:.])log\(\s*(?:Level::|[^;{}\"]*?\? Level::)"
        read = sum(len(re.findall(with_level, each)) for each in sources())
        self.assertGreater(read, 30)
        self.assertEqual(read, calls)
