"""A provider's keys and own headers: each key says whether it is used, and their order is changed by hand and by keyboard;
headers are kept over a reload without their values, replaced and removed."""

import unittest

from browser.visits import Keyboard, stack_and_browser
from harness.scenes import ROUTE, account, listed, provider
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

NAMES = ("one", "two", "three")
# Keeps what the page will do when a rest of an hour is over; does it, two hours on.
AN_HOUR_ON = (
    """const later = window.setTimeout;
    window.setTimeout = (act, wait) => wait > 3e6 ? void (window.rested = act) : later(act, wait);""",
    "const now = Date.now; Date.now = () => now() + 7.2e6; window.rested();",
)

stack, browser = stack_and_browser()


class TheKeys(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        self.provider = provider(self.client, f"{stack.stub.url}/v1")
        for name in NAMES:
            account(self.client, self.provider, f"sk-{name}-0123456789", name=name, priority=5)
        self.look()

    def look(self):
        browser.visit(self.client)
        browser.click("manage-provider")
        browser.click("tab-keys")

    def uses(self):
        return [part.text for part in browser.all("key-use")]

    def wait_for_uses(self, *words):
        browser.wait(lambda: self.uses() == list(words), f"{words}")

    def test_each_says_whether_it_is_used(self):
        self.wait_for_uses("In use", *["Not used"] * 3)
        browser.click("rotate")
        others = "Not used while keys rotate"
        self.wait_for_uses(others, "Next", "In rotation", "In rotation")
        browser.click("account-enabled")
        self.wait_for_uses(others, "Switched off", "Next", "In rotation")
        browser.all("account-enabled")[1].click()
        self.wait_for_uses(others, *["Switched off"] * 2, "Next")
        browser.all("account-enabled")[2].click()
        self.wait_for_uses("In use", *["Switched off"] * 3)
        browser.click("tab-settings")
        browser.click("provider-active")
        browser.click("tab-keys")
        self.wait_for_uses(*["Not used: the provider is switched off"] * 4)

    def test_they_are_one_list_and_counted_as_one(self):
        browser.reads("account-count", "4 of 11")
        rows = browser.part("account-list").find_elements("css selector", "li")
        self.assertEqual([row.get_attribute("data-testid") for row in rows], ["own-key-row", *["account-row"] * 3])

    def test_several_are_pasted_at_once(self):
        browser.click("add-account")
        browser.fill("keys-value", "sk-four-0123456789\nwith space 0123\n\nsk-five-0123456789")
        browser.click("key-submit")
        browser.mentions("keys-value-error", "This key contains a space")
        self.assertEqual(browser.value("keys-value"), "with space 0123")
        self.assertEqual(self.stored(), [*sorted(NAMES), "Key 5", "Key 6"])
        browser.fill("keys-value", "sk-six-0123456789")
        browser.click("key-submit")
        browser.reads("account-count", "7 of 11")

    def test_a_refused_key_is_in_cooldown_and_says_why(self):
        refused = account(self.client, self.provider, "key-refused-0123456789", name="0", priority=0)
        self.client.call("PUT", f"{ROUTE}/{self.provider}", {"roundRobinAccounts": True})
        self.look()
        browser.wait(lambda: self.uses()[1:2] == ["Next"], "the new key's turn")
        browser.click("sheet-close")
        browser.click("test-provider")
        why = "The provider refused the key. Check or replace it."
        browser.mentions("test-outcome", f"1 of 4 keys fails. “0”: {why}")
        browser.mentions("provider-health", "Partly working")
        browser.click("manage-provider")
        browser.click("tab-keys")
        browser.wait(lambda: "Paused · tried again at" in self.uses()[1], "its cooldown")
        row = next(r for r in browser.all("account-row") if r.get_attribute("data-account-id") == refused)
        browser.mentions("key-reason", why, row)
        errors = browser.part("key-errors", row)
        browser.reads("key-errors", "Last error", row)
        errors.find_element(By.TAG_NAME, "summary").click()
        self.assertIn(f"just now: {why}", errors.text)
        browser.click("account-test", row)
        browser.wait(lambda: browser.shown("account-result"), "its own test")
        browser.mentions("key-errors", why)
        stack.sql(f"UPDATE usershell.accounts SET cooldown_until = now() + interval '1 h' WHERE id = '{refused}'")
        browser.visit(self.client)
        browser.part("provider-card")
        browser.run(AN_HOUR_ON[0])
        browser.click("manage-provider")
        browser.click("tab-keys")
        browser.wait(lambda: "Paused · tried again at" in self.uses()[1], "its cooldown")
        browser.wait(lambda: browser.run("return Boolean(window.rested)"), "the page to wait, too")
        browser.run(AN_HOUR_ON[1])
        browser.wait(lambda: self.uses()[1] == "Failing", "its turn again, and one word for both")

    def test_a_key_for_another_address_is_held_back(self):
        elsewhere = {"baseUrl": f"{stack.stub.url}/v2"}
        self.client.call("PUT", f"{ROUTE}/{self.provider}", elsewhere)
        browser.visit(self.client)
        browser.click("key-held-back")
        self.wait_for_uses(*["Held back: enter it again"] * 4)
        browser.mentions("key-reason", "another address")
        browser.click("replace-key")
        browser.fill("key-value", "sk-again-0123456789")
        browser.click("key-submit")
        self.wait_for_uses("In use", *["Held back: enter it again"] * 3)

    def test_a_changed_address_asks_for_the_key(self):
        browser.click("tab-settings")
        self.assertEqual(browser.shown("provider-api-key"), [])
        browser.fill("provider-base-url", f"{stack.stub.url}/v2")
        browser.click("settings-save")
        browser.reads("provider-api-key-error", "Enter the key.")
        browser.fill("provider-api-key", "sk-again-0123456789")
        browser.click("settings-save")
        browser.reads("toast", "Saved.")
        now = listed(self.client, self.provider)
        self.assertEqual((now["baseUrl"], now.get("keyEnteredFor")), (f"{stack.stub.url}/v2", None))

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
            browser.mentions("toast", f"one is number {order.index('one') + 1} ")
            browser.wait(lambda: self.stored() == order, f"{order}")

    def test_their_order_by_dragging(self):
        handles = browser.all("account-order")
        actions = ActionChains(browser.driver).click_and_hold(handles[0])
        actions.move_to_element(handles[1]).move_to_element(handles[2]).move_by_offset(0, 12)
        actions.release().perform()
        browser.wait(lambda: self.stored() == ["three", "two", "one"], "the new order")


SECRET = "of the header 7f3a"


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
        browser.mentions("header-name-error", "can’t be set")

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
