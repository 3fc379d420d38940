"""The last to run: the tables of docs/security.md are what has just been tried."""

import unittest

import book

_FEWEST = 80


class Table(unittest.TestCase):
    maxDiff = None

    def test_is_what_was_tried(self):
        for table in book.tables().values():
            print(f"\n{table}", end="")
        print(f"\n{book.count()} attempts, stopped.")
        self.assertGreaterEqual(book.count(), _FEWEST)
        for name, table in book.tables().items():
            self.assertEqual(book.written(name), table)
