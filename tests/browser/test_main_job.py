"""The main job in a browser: sign in, register a provider, add a model, test it, watch the tokens
arrive, stop an answer, delete the provider, sign out."""

import unittest

from browser.visits import ask, fill_a_provider, sign_in, stack_and_browser

WORDS = 30
MESSAGE = " ".join(f"word{i}" for i in range(WORDS))


def setUpModule():
    global stack, browser
    stack, browser = stack_and_browser()


class MainJob(unittest.TestCase):
    """One visit, step by step."""

    def test_visit(self):
        self.sign_in()
        self.register_a_provider()
        self.add_a_model()
        self.check_it()
        self.tokens_arrive_one_by_one()
        self.stop_keeps_what_came()
        self.delete_and_sign_out()
        expected = ("400 (", "/user/providers/create")  # the base URL that was none
        unexpected = [c for c in browser.complaints() if not all(e in c for e in expected)]
        self.assertEqual(unexpected, [])

    def card(self):
        return browser.part("provider-card")

    def answer(self):
        """The newest answer's (state, text)."""
        newest = browser.all("playground-answer")[-1]
        text = browser.all("playground-answer-text", newest)[0].text
        return newest.get_attribute("data-state"), text

    def sign_in(self):
        email, password = stack.new_person("Ada")
        browser.driver.get(f"{stack.base_url}/")
        sign_in(browser, email, "not the password")
        browser.mentions("login-error", "not right")
        sign_in(browser, email, password)
        browser.reads("display-name", "Ada")
        self.assertEqual(browser.driver.title.split(" ·")[0], "Providers")

    def register_a_provider(self):
        fill_a_provider(browser, "not a URL", "sk-browser-0123456789")
        browser.click("provider-submit")
        browser.reads("provider-base-url-error", "The base URL has a space in it.")
        browser.fill("provider-base-url", f"{stack.stub.url}/slow-60/v1")
        browser.click("provider-submit")
        browser.part("available-model")
        browser.click("available-close")
        browser.reads("provider-title", "Stub", self.card())
        self.assertNotIn("sk-browser-0123456789", browser.driver.page_source)

    def add_a_model(self):
        card = self.card()
        browser.fill("add-model-id", "stub-small", card)
        browser.click("add-model-submit", card)
        row = browser.part("model-row", card)
        self.assertEqual(row.get_attribute("data-model-id"), "stub-small")

    def check_it(self):
        browser.click("test-provider", self.card())
        outcome = browser.part("test-outcome", self.card())
        self.assertEqual(outcome.get_attribute("data-ok"), "true", outcome.text)
        browser.wait(
            lambda: browser.part("provider-health").get_attribute("data-health") == "healthy",
            "the provider to be healthy",
        )

    def tokens_arrive_one_by_one(self):
        browser.click("try-provider", self.card())
        ask(browser, MESSAGE)
        lengths = set()

        def whole():
            state, text = self.answer()
            lengths.add(len(text))
            return state not in ("waiting", "streaming")

        browser.wait(whole, "the whole answer")
        self.assertEqual(self.answer()[1], f"echo: {MESSAGE}")
        # A page that shows the answer only at its end would have had two lengths: none and all.
        self.assertGreater(len(lengths), 2)

    def stop_keeps_what_came(self):
        marker = "stopped-in-the-browser"
        ask(browser, f"{marker} {MESSAGE} {MESSAGE}")
        browser.wait(lambda: len(self.answer()[1]) > 20, "some of the answer")
        browser.click("playground-stop")
        entry = stack.stub.wait_for(lambda e: e["ended"], marker=marker)
        self.assertEqual(entry["endedBy"], "peer")
        browser.wait(lambda: self.answer()[0] not in ("waiting", "streaming"), "the end")
        self.assertTrue(self.answer()[1].startswith("echo:"))

    def delete_and_sign_out(self):
        browser.click("delete-provider", self.card())
        browser.click("confirm-yes")
        browser.wait(lambda: not browser.all("provider-card"), "the card to go")
        browser.click("sign-out")
        browser.part("login-email")
        browser.driver.get(f"{stack.base_url}/user/providers")
        browser.part("login-email")
