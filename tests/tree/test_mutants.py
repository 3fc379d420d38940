"""Each mutant changes one place of its file, so that an edit elsewhere does not disable it."""

import unittest

from harness.folders import REPOSITORY
from mutate.mutants import MUTANTS


class Mutants(unittest.TestCase):
    def test_each_applies_once(self):
        for mutant in MUTANTS:
            with self.subTest(mutant=mutant.id):
                text = (REPOSITORY / mutant.file).read_text(encoding="utf-8")
                self.assertEqual(len(mutant.places(text)), 1)
