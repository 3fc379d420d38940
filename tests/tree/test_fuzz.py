"""Each fuzz target has its row and a small corpus, and there is no other."""

import unittest

from fuzz import corpus
from fuzz.table import TARGETS
from harness.folders import REPOSITORY

FUZZ = REPOSITORY / "tests" / "fuzz"
MOST = 60  # inputs of a target
LARGEST = 2048  # bytes


def names(folder, ending=""):
    return {path.name.removesuffix(ending) for path in (FUZZ / folder).iterdir()}


class Fuzz(unittest.TestCase):
    def test_each_target_has_its_row_and_its_corpus(self):
        self.assertEqual(names("targets", ".cpp"), set(TARGETS))
        self.assertEqual(names("corpus", ".txt"), set(TARGETS))

    def test_corpora_are_small(self):
        for name in TARGETS:
            with self.subTest(target=name):
                sizes = [len(content) for content in corpus.read(name).values()]
                self.assertLessEqual(len(sizes), MOST)
                self.assertLessEqual(max(sizes), LARGEST)

    def test_corpora_are_in_their_one_form(self):
        for name in TARGETS:
            with self.subTest(target=name):
                written = (corpus.FOLDER / f"{name}.txt").read_text(encoding="ascii")
                self.assertEqual(written, "".join(corpus.text(*each) for each in corpus.read(name).items()))
