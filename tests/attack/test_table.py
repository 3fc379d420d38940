"""The last to run: the report of all that was tried, and docs/security.md says what each thief can do."""

import unittest

import book

_FEWEST = 400  # fewer: a file of attempts was not run


class Table(unittest.TestCase):
    maxDiff = None

    def test_is_written(self):
        print(f"\n{book.report()}\nThis is {book.write_report()}.")
        self.assertGreaterEqual(book.count(), _FEWEST)

    def test_the_page_says_what_each_thief_can_do(self):
        self.assertEqual(book.of_page(), book.abilities())
