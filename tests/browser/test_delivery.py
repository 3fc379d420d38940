"""The cost of a visit of the providers page."""

import re
import unittest

from harness.browser import Browser
from harness.folders import REPOSITORY
from harness.scenes import PROFILE, ROUTE, SECURITY, provider
from harness.suite import shared_stack

MOST_BYTES = 60_000  # compressed, of a first visit
MOST_REQUESTS = 3  # of a second: the page, the picture, the list
# Of the page and all it loaded: [name, bytes over the network, bytes of its compressed body].
ENTRIES = """
return ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type))
  .map((entry) => [entry.name, entry.transferSize, entry.encodedBodySize]);
"""


def graph(script):
    """The scripts that this one needs before it runs, itself included."""
    folder = REPOSITORY / "deploy" / "nginx" / "assets"
    needed, waiting = set(), [folder / script]
    while waiting:
        path = waiting.pop()
        if path not in needed:
            needed.add(path)
            imports = re.findall(r"^import [^'(]*'([\w./]+)'", path.read_text("utf-8"), re.MULTILINE)
            waiting += [(path.parent / each).resolve() for each in imports]
    return {str(path.relative_to(folder)) for path in needed}


def setUpModule():
    global stack, browser
    stack = shared_stack(manage=2, execute=2, mail=True)
    browser = Browser(stack.certificate)
    unittest.addModuleCleanup(browser.close)


class Delivery(unittest.TestCase):
    def test_every_page_names_all_modules_of_its_script(self):
        client = stack.newcomer()
        for path, script in ((ROUTE, "providers.js"), (PROFILE, "profile.js"), (SECURITY, "security.js")):
            page = client.get(path).text
            named = re.findall(r'rel="modulepreload" href="/assets/v-\w+/([\w./]+)"', page)
            self.assertEqual(named, sorted(graph(script) - {script}))

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
        self.assertGreater(len(first), 20)
        self.assertLessEqual(sum(body for _, _, body in first), MOST_BYTES, first)
        second = [name for name, network, _ in self.visit() if network]
        self.assertLessEqual(len(second), MOST_REQUESTS, second)
        self.assertEqual(browser.complaints(), [])
