"""The main job in the other browser: Firefox ESR, by keyboard alone, from signing in to an answer and out again."""

import unittest

from browser.by_keyboard import whole_visit
from browser.visits import sideways
from harness.firefox import Firefox
from harness.scenes import ROUTE
from harness.suite import shared_stack


class InFirefox(unittest.TestCase):
    def test_visit(self):
        stack = shared_stack(manage=2, execute=2, mail=True)
        browser = Firefox()
        self.addCleanup(browser.close)
        browser.open(f"{stack.base_url}{ROUTE}")
        whole_visit(browser, f"{stack.stub.url}/v1", *stack.new_person("Grace"))
        for width in (500, 768, 1440):  # a window of Firefox is no narrower
            browser.shown_as(width)
            self.assertLessEqual(sideways(browser), 0, width)
