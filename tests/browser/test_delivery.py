"""The cost of a visit of the providers page."""

import unittest

from harness.browser import Browser
from harness.scenes import provider
from harness.suite import shared_stack

MOST_BYTES = 90_000  # compressed, of a first visit; 31,000 of them are the font
MOST_REQUESTS = 16, 3  # of a first visit and of a second: the page, the picture, the list
# Of the page and all it loaded: [name, bytes over the network, bytes of its compressed body].
ENTRIES = """
return ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type))
  .map((entry) => [entry.name, entry.transferSize, entry.encodedBodySize]);
"""


def setUpModule():
    global stack, browser
    stack = shared_stack(manage=2, execute=2, mail=True)
    browser = Browser(stack.certificate)
    unittest.addModuleCleanup(browser.close)


class Delivery(unittest.TestCase):
    def visit(self):
        browser.driver.get("about:blank")
        browser.visit(self.client)
        browser.part("provider-card")
        browser.wait(lambda: browser.run("return document.readyState === 'complete'"), "the rest")
        return browser.run(ENTRIES)

    def test_a_first_and_a_second_visit(self):
        self.client = stack.newcomer()
        provider(self.client, f"{stack.stub.url}/v1")
        first = self.visit()
        self.assertGreater(len(first), 9)
        self.assertLessEqual(len(first), MOST_REQUESTS[0], first)
        self.assertLessEqual(sum(body for _, _, body in first), MOST_BYTES, first)
        second = [name for name, network, _ in self.visit() if network]
        self.assertLessEqual(len(second), MOST_REQUESTS[1], second)
        self.assertEqual(browser.complaints(), [])
