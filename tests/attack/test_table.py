"""The last to run: the table of docs/security.md is what has just been tried."""

import unittest

import book

_FEWEST = 80


class Table(unittest.TestCase):
    def test_is_what_was_tried(self):
        print(f"\n{book.table()}\n{book.count()} attempts, none of which succeeded.")
        self.assertGreaterEqual(book.count(), _FEWEST)
        self.assertEqual(book.written(), book.table())


if __name__ == "__main__":
    unittest.main()
