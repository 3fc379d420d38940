"""A provider's keys: each says whether it is used, and their order is changed by hand and by keyboard."""

import unittest

from harness.browser import Browser
from harness.scenes import account, listed, provider
from harness.suite import shared_stack
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

NAMES = ("one", "two", "three")


def setUpModule():
    global stack, browser
    stack = shared_stack(manage=2, execute=2, mail=True)
    browser = Browser()
    unittest.addModuleCleanup(browser.close)


class TheKeys(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        self.provider = provider(self.client, f"{stack.stub.url}/v1")
        for name in NAMES:
            account(self.client, self.provider, f"sk-{name}-0123456789", name=name, priority=5)
        browser.visit(self.client)
        browser.click("manage-provider")

    def uses(self):
        return [part.text for part in browser.all("key-use")]

    def wait_for_uses(self, *words):
        browser.wait(lambda: self.uses() == list(words), f"{words}")

    def test_each_says_whether_it_is_used(self):
        off = "Not used while rotation is off"
        self.wait_for_uses("In use", off, off, off)
        browser.click("rotate")
        turn = "Takes its turn"
        self.wait_for_uses("Not used: the keys below take turns", turn, turn, turn)
        browser.click("account-enabled")
        self.wait_for_uses("Not used: the keys below take turns", "Switched off", turn, turn)
        browser.all("account-enabled")[1].click()
        self.wait_for_uses("Not used: the keys below take turns", *["Switched off"] * 2, turn)
        browser.all("account-enabled")[2].click()
        self.wait_for_uses("In use", *["Switched off"] * 3)
        browser.click("provider-active")
        self.wait_for_uses(*["Not used: the provider is inactive"] * 4)

    def stored(self):
        return [each["name"] for each in listed(self.client, self.provider)["accounts"]]

    def test_their_order_by_keyboard(self):
        self.assertEqual(self.stored(), ["one", "three", "two"])
        for key, order in (
            (Keys.ARROW_DOWN, ["three", "one", "two"]),
            (Keys.ARROW_DOWN, ["three", "two", "one"]),
            (Keys.ARROW_DOWN, ["three", "two", "one"]),
            (Keys.ARROW_UP, ["three", "one", "two"]),
        ):
            handle = browser.driver.switch_to.active_element
            if handle.get_attribute("data-testid") != "account-order":
                handle = browser.part("account-order")
            handle.send_keys(key)
            place = order.index("one") + 1
            browser.wait(
                lambda: f"one is number {place} " in browser.part("toast").text, "its place"
            )
            browser.wait(lambda: self.stored() == order, f"{order}")

    def test_their_order_by_dragging(self):
        handles = browser.all("account-order")
        actions = ActionChains(browser.driver).click_and_hold(handles[0])
        actions.move_to_element(handles[1]).move_to_element(handles[2]).move_by_offset(0, 12)
        actions.release().perform()
        browser.wait(lambda: self.stored() == ["three", "two", "one"], "the new order")


if __name__ == "__main__":
    unittest.main()
