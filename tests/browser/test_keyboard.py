"""The providers page by keyboard alone, and where the focus goes when its place is gone."""

import unittest

from harness.browser import Browser
from harness.scenes import account, provider
from harness.suite import shared_stack
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

_MOST_STEPS = 60
MODELS = ("stub-small", "stub-large", "third")


def setUpModule():
    global stack, browser
    stack = shared_stack(manage=2, execute=2, mail=True)
    browser = Browser()
    unittest.addModuleCleanup(browser.close)


def press(*keys):
    ActionChains(browser.driver).send_keys(*keys).perform()


def mark():
    return browser.run("return document.activeElement.dataset.testid")


def go_to(testid, key=Keys.TAB, *more):
    """Steps on until that part has the focus."""
    for _ in range(_MOST_STEPS):
        if mark() == testid:
            return
        press(key, *more)
    raise AssertionError(f"{testid} is not reached; {mark()} has the focus.")


def row_of_focus():
    """The name of the row, the card or the dialog that has the focus, and its control."""
    script = """
      const at = document.activeElement;
      const row = at.closest('[data-model-id], [data-account-id], [data-provider-id]');
      const name = row?.dataset.modelId ?? row?.querySelector('h2')?.textContent
        ?? row?.querySelector('.grow > div')?.firstChild.textContent;
      return [name, at.dataset.testid];
    """
    return tuple(browser.run(script))


class Keyboard(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()

    def test_a_whole_visit(self):
        browser.become(None)
        browser.driver.get(f"{stack.base_url}/")
        browser.part("login-email")
        press(self.client.email, Keys.TAB, self.client.password, Keys.ENTER)
        browser.part("create-provider")
        browser.wait(browser.part("create-provider").is_enabled, "the list")
        go_to("create-provider")
        press(Keys.ENTER)
        browser.part("provider-dialog")
        go_to("provider-name")
        press("Mine", Keys.TAB, f"{stack.stub.url}/v1", Keys.TAB)
        go_to("provider-api-key")
        press("sk-keyboard-0123456789", Keys.ENTER)
        browser.part("available-model")
        go_to("available-choose")
        press(Keys.SPACE)
        go_to("available-add-chosen")
        press(Keys.ENTER)
        browser.part("available-undo")
        press(Keys.ESCAPE)
        browser.part("model-row")
        browser.wait(lambda: mark() == "add-model-id", "the next step")
        go_to("try-provider", Keys.SHIFT, Keys.TAB)
        press(Keys.ENTER)
        self.assertEqual(mark(), "playground-message")
        press("hello", Keys.ENTER)
        browser.wait(
            lambda: browser.part("playground-answer").get_attribute("data-state") == "done",
            "the answer",
        )
        self.assertEqual(mark(), "playground-message")
        go_to("sign-out", Keys.SHIFT, Keys.TAB)
        press(Keys.ENTER)
        browser.part("login-email")

    def page_with_everything(self):
        first = provider(self.client, f"{stack.stub.url}/v1", name="First", models=MODELS)
        for name in ("one", "two"):
            account(self.client, first, f"sk-{name}-0123456789", name=name)
        provider(self.client, f"{stack.stub.url}/v1", name="Second")
        browser.visit(self.client)
        browser.click("manage-provider")
        return first

    def test_removing_leads_to_the_neighbour(self):
        self.page_with_everything()
        for step, place in (
            ("model-remove", ("stub-large", "model-remove")),
            ("model-remove", ("third", "model-remove")),
        ):
            browser.part(step).send_keys(Keys.ENTER)
            browser.wait(lambda: row_of_focus() == place, f"the focus on {place}")
        browser.part("account-delete").send_keys(Keys.ENTER)
        browser.part("confirm-yes").send_keys(Keys.ENTER)
        browser.wait(lambda: row_of_focus() == ("two", "account-delete"), "the next key")
        browser.part("delete-provider").send_keys(Keys.ENTER)
        browser.part("confirm-yes").send_keys(Keys.ENTER)
        browser.wait(lambda: row_of_focus() == ("Second", "manage-provider"), "the next card")

    def test_adding_leads_to_the_next_and_closing_back(self):
        self.page_with_everything()
        browser.click("model-remove")
        browser.part("browse-models").send_keys(Keys.ENTER)
        free = browser.wait(
            lambda: [b for b in browser.all("available-add") if b.is_enabled()], "a free model"
        )
        free[0].send_keys(Keys.ENTER)
        following = ("vendor/stub-with-slash", "available-add")
        browser.wait(lambda: row_of_focus() == following, "the focus on the next")
        press(Keys.ESCAPE)
        browser.wait(lambda: mark() == "browse-models", "the focus where it was")


if __name__ == "__main__":
    unittest.main()
