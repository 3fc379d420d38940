"""Two open windows; and the colours, which all windows share."""

import unittest

from browser.visits import choose, sign_out, stack_and_browser
from harness.scenes import ROUTE, listed, provider

stack, browser = stack_and_browser()


class TwoWindows(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        self.provider = provider(self.client, f"{stack.stub.url}/v1", name="Before")
        browser.visit(self.client)

    def edit(self):
        browser.click("manage-provider")
        browser.click("tab-settings")
        browser.part("provider-name")

    def elsewhere(self, **fields):
        self.client.call("PUT", f"{ROUTE}/{self.provider}", fields)

    def stored(self):
        found = listed(self.client, self.provider)
        return found["name"], found["baseUrl"]

    def test_only_what_was_changed_is_sent(self):
        self.edit()
        self.elsewhere(baseUrl=f"{stack.stub.url}/v2")
        browser.fill("provider-name", "Mine")
        browser.click("settings-save")
        browser.reads("provider-title", "Mine")
        self.assertEqual(self.stored(), ("Mine", f"{stack.stub.url}/v2"))

    def test_a_conflict_is_told_with_both_values(self):
        self.edit()
        self.elsewhere(name="Theirs")
        browser.fill("provider-name", "Mine")
        browser.click("settings-save")
        browser.mentions("provider-name-error", "“Theirs”")
        self.assertEqual(browser.part("provider-name").get_attribute("value"), "Mine")
        self.assertEqual(self.stored()[0], "Theirs")
        browser.click("settings-save")
        browser.reads("provider-title", "Mine")
        self.assertEqual(self.stored()[0], "Mine")

    def test_what_was_deleted_elsewhere_is_told(self):
        browser.part("provider-card")
        self.client.call("DELETE", f"{ROUTE}/{self.provider}")
        browser.click("test-provider")
        browser.reads("toast", "This provider was deleted in another window.")
        browser.part("provider-empty")

    def test_the_list_is_fresh_on_return(self):
        self.elsewhere(name="Theirs")
        browser.run("document.dispatchEvent(new Event('visibilitychange'))")
        browser.reads("provider-title", "Theirs")

    def test_the_colours_chosen_are_kept(self):
        colour = "return getComputedStyle(document.body).backgroundColor"
        browser.shown_as(dark=False)
        light = browser.run(colour)
        choose(browser, "theme", "dark")
        dark = browser.run(colour)
        self.assertNotEqual(light, dark)
        browser.driver.refresh()
        self.assertEqual(browser.run(colour), dark)
        browser.shown_as(dark=True)
        for choice, expected in (("light", light), ("", dark)):
            choose(browser, "theme", choice)
            self.assertEqual(browser.run(colour), expected)
        choose(browser, "theme", "light")
        sign_out(browser)
        browser.part("login-email")
        self.assertEqual(browser.run(colour), light)
        browser.shown_as()
