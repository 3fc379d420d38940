"""CONTRIBUTING names files that are there. Its recipes are complete: every file of one has the example's word in it. Each
fuzz target has its row and a small corpus, and there is no other. Each mutant changes one place of its file, so that an
edit elsewhere does not disable it."""

import re
import unittest

from fuzz import corpus
from fuzz.corpus import TARGETS
from harness.folders import REPOSITORY
from mutate.mutants import MUTANTS

RECIPE = re.compile(r"^### (?P<title>.+)\nExample: `(?P<word>[^`]+)`\n\n(?P<files>(?:- .+\n(?:  .+\n)*)+)", re.M)
# In documents and descriptions a column goes by its JSON name.
JSON_NAME = re.compile(r"_([a-z])")


def spellings(word):
    """The word as code, command line, SQL and JSON write it."""
    return {word, word.replace("_", "-"), word.replace("_", " "), JSON_NAME.sub(lambda m: m[1].upper(), word)}


class Recipes(unittest.TestCase):
    def setUp(self):
        self.text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
        self.recipes = list(RECIPE.finditer(self.text))

    def test_files_named_are_there(self):
        for name in re.findall(r"`((?:lib|fcgi|ctl|sql|tests|lab|deploy|docs)/[\w./-]+)`", self.text):
            with self.subTest(name=name):
                self.assertTrue((REPOSITORY / name).exists())

    def test_each_file_of_a_recipe_has_its_example(self):
        self.assertGreaterEqual(len(self.recipes), 5)
        for recipe in self.recipes:
            files = re.findall(r"^- `([^`]+)`", recipe["files"], re.M)
            self.assertGreaterEqual(len(files), 3, recipe["title"])
            for name in files:
                with self.subTest(recipe=recipe["title"], file=name):
                    content = (REPOSITORY / name).read_text(encoding="utf-8")
                    self.assertTrue(any(word in content for word in spellings(recipe["word"])))


FUZZ = REPOSITORY / "tests" / "fuzz"
MOST = 60  # inputs of a target
LARGEST = 2048  # bytes


class Fuzz(unittest.TestCase):
    def test_each_target_has_its_row_and_its_corpus(self):
        sources = "".join(path.read_text(encoding="utf-8") for path in (FUZZ / "targets").iterdir())
        self.assertEqual(sorted(re.findall(r'fuzz::Target target\{"(\w+)"', sources)), sorted(TARGETS))
        self.assertEqual(list(corpus.read()), sorted(TARGETS))

    def test_corpora_are_small(self):
        for name, inputs in corpus.read().items():
            with self.subTest(target=name):
                sizes = [len(content) for content in inputs.values()]
                self.assertLessEqual(len(sizes), MOST)
                self.assertLessEqual(max(sizes), LARGEST)

    def test_the_corpus_is_in_its_one_form(self):
        inputs = corpus.read().items()
        text = "".join(f"== {name}\n" + "".join(corpus.text(*each) for each in of.items()) for name, of in inputs)
        self.assertEqual(corpus.CORPUS.read_text(encoding="ascii"), text)


class Mutants(unittest.TestCase):
    def test_each_applies_once(self):
        for mutant in MUTANTS:
            with self.subTest(mutant=mutant.id):
                text = (REPOSITORY / mutant.file).read_text(encoding="utf-8")
                self.assertEqual(len(mutant.places(text)), 1)
