"""A request costs no more instructions than what instructions.py says it did, and a tenth."""

import unittest

from bench.instructions import EXPECTED, LIMIT, Counter
from harness.sanitizers import unless_sanitized
from harness.suite import shared_stack


class Instructions(unittest.TestCase):
    @unless_sanitized("they execute other instructions")
    def test_no_request_has_become_dearer(self):
        with Counter(shared_stack()) as counter:
            counted = counter.count()
        self.assertEqual(set(counted), set(EXPECTED))
        for name, each in counted.items():
            with self.subTest(name):
                self.assertLessEqual(each / 1000, LIMIT * EXPECTED[name])


if __name__ == "__main__":
    unittest.main()
