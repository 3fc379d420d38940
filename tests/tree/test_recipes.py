"""CONTRIBUTING names files that are there. Its recipes are complete: every file of one has the example's word in it."""

import re
import unittest

from harness.folders import REPOSITORY

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
