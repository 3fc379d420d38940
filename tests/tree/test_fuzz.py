"""Each fuzz target has its row and a small corpus, and there is no other."""

import unittest

from fuzz.table import TARGETS
from harness.folders import REPOSITORY

FUZZ = REPOSITORY / "tests" / "fuzz"
MOST_FILES = 60
LARGEST = 2048  # bytes


def names(folder, ending=""):
    return {path.name.removesuffix(ending) for path in (FUZZ / folder).iterdir()}


class Fuzz(unittest.TestCase):
    def test_each_target_has_its_row_and_its_corpus(self):
        self.assertEqual(names("targets", ".cpp"), set(TARGETS))
        self.assertEqual(names("corpus"), set(TARGETS))

    def test_corpora_are_small(self):
        for name in TARGETS:
            with self.subTest(target=name):
                sizes = [path.stat().st_size for path in (FUZZ / "corpus" / name).iterdir()]
                self.assertLessEqual(len(sizes), MOST_FILES)
                self.assertLessEqual(max(sizes), LARGEST)
