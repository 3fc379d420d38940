"""The own headers of a provider: set by keyboard, kept over a reload without their values, replaced and removed."""

import unittest

from browser.by_keyboard import Keyboard
from browser.visits import stack_and_browser
from harness.scenes import ROUTE, listed, provider
from selenium.webdriver.common.keys import Keys

SECRET = "of the header 7f3a"

stack, browser = stack_and_browser()


class TheHeaders(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        self.provider = provider(self.client, f"{stack.stub.url}/v1")
        self.look()

    def look(self):
        browser.visit(self.client)
        browser.click("manage-provider")
        browser.click("tab-settings")

    def names(self):
        return [each["name"] for each in listed(self.client, self.provider)["headers"]]

    def sent(self):
        self.client.post(f"{ROUTE}/{self.provider}/test")
        return stack.stub.journal()[-1]["headers"].get("x-tenant")

    def test_one_is_set_and_removed_by_keyboard(self):
        keyboard = Keyboard(browser)
        keyboard.go_to("header-name")
        keyboard.press("X-Tenant", Keys.TAB, SECRET, Keys.ENTER)
        browser.reads("toast", "Saved.")
        browser.reads("header-row", "x-tenant")
        self.assertEqual((self.names(), self.sent()), (["x-tenant"], SECRET))
        self.assertEqual([browser.value("header-name"), browser.value("header-value")], ["", ""])
        self.look()
        browser.reads("header-row", "x-tenant")
        self.assertNotIn(SECRET, browser.run("return document.documentElement.outerHTML"))
        keyboard.go_to("header-replace")
        keyboard.press(Keys.ENTER)
        keyboard.wait_at("header-value")
        keyboard.press("another", Keys.ENTER)
        browser.wait(lambda: self.sent() == "another", "the new value")
        keyboard.wait_at("header-name")
        keyboard.go_to("header-remove", back=True)
        keyboard.press(Keys.ENTER)
        browser.click("confirm-yes")
        browser.wait(lambda: not browser.all("header-row"), "the row to go")
        self.assertEqual((self.names(), self.sent()), ([], None))

    def test_a_fault_is_told_beside_its_field(self):
        browser.click("header-submit")
        browser.reads("header-name-error", "Enter a header.")
        browser.reads("header-value-error", "Enter its value.")
        browser.fill("header-name", "Host")
        browser.fill("header-value", "elsewhere")
        browser.click("header-submit")
        browser.mentions("header-name-error", "can't be set")

    def test_one_for_another_address_is_held_back(self):
        self.client.post(f"{ROUTE}/{self.provider}/headers", {"name": "X-Tenant", "value": SECRET})
        self.client.call("PUT", f"{ROUTE}/{self.provider}", {"baseUrl": f"{stack.stub.url}/v2"})
        browser.visit(self.client)
        browser.click("header-held-back")
        browser.reads("header-use", "Held back: enter it again")
        browser.click("header-replace")
        browser.fill("header-value", SECRET)
        browser.click("header-submit")
        browser.wait(lambda: not browser.all("header-use"), "the header to be in use")
