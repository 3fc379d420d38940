"""The main job in the other browser: Firefox ESR, from signing in to an answer and the profile."""

import unittest

from browser.by_keyboard import whole_visit
from browser.visits import fill_a_provider, sideways, sign_in
from harness.firefox import Firefox
from harness.scenes import PROFILE, ROUTE
from harness.suite import shared_stack

KEY = "sk-firefox-0123456789"


def setUpModule():
    global stack, browser
    stack = shared_stack(manage=2, execute=2, mail=True)
    browser = Firefox()
    unittest.addModuleCleanup(browser.close)


class InFirefox(unittest.TestCase):
    def setUp(self):
        browser.open(f"{stack.base_url}/auth/login")
        browser.forget()
        browser.open(f"{stack.base_url}{ROUTE}")

    def test_visit(self):
        email, password = stack.new_person("Ada")
        sign_in(browser, email, password)
        browser.part("provider-empty")
        self.add_a_provider()
        self.ask()
        for path in (ROUTE, PROFILE):
            browser.open(f"{stack.base_url}{path}")
            for width in (500, 768, 1440):  # a window of Firefox is no narrower
                browser.shown_as(width)
                self.assertLessEqual(sideways(browser), 0, (path, width))
        browser.mentions("current-email", email)

    def test_by_keyboard(self):
        whole_visit(browser, f"{stack.stub.url}/v1", *stack.new_person("Grace"))

    def add_a_provider(self):
        fill_a_provider(browser, f"{stack.stub.url}/v1", KEY)
        browser.click("provider-submit")
        browser.click("available-add")
        browser.click("available-close")
        browser.click("test-provider")
        browser.mentions("test-outcome", "Works: answered")

    def ask(self):
        browser.fill("playground-message", "Hello **there**")
        browser.click("playground-send")
        state = """return document.querySelector('[data-testid="playground-answer"]')?.dataset.state"""
        browser.wait(lambda: browser.run(state) == "done", "the answer")
        browser.mentions("playground-answer-text", "there")
