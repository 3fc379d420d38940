"""The providers page by keyboard alone, and where the focus goes when its place is gone. The main job in the other browser,
Firefox ESR, too, from signing in to an answer and out again."""

import unittest

from browser.visits import Keyboard, sideways, stack_and_browser, whole_visit
from harness.firefox import Firefox
from harness.scenes import ROUTE, account, provider
from harness.suite import shared_stack
from selenium.webdriver.common.keys import Keys

MODELS = ("stub-small", "stub-large", "third")

stack, browser = stack_and_browser()


def row_of_focus():
    """The name of the row, the card or the dialog that has the focus, and its control."""
    script = """
      const at = document.activeElement;
      const row = at.closest('[data-model-id], [data-account-id], [data-provider-id]');
      const name = row?.dataset.modelId ?? row?.querySelector('h2')?.textContent
        ?? row?.querySelector('.name-line')?.firstChild.textContent;
      return [name, at.dataset.testid];
    """
    return tuple(browser.run(script))


class ByKeyboard(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()

    def test_a_whole_visit(self):
        browser.become(None)
        browser.driver.get(f"{stack.base_url}/")
        whole_visit(browser, f"{stack.stub.url}/v1", self.client.email, self.client.password)

    def page_with_everything(self):
        first = provider(self.client, f"{stack.stub.url}/v1", name="First", models=MODELS)
        for name in ("one", "two"):
            account(self.client, first, f"sk-{name}-0123456789", name=name)
        provider(self.client, f"{stack.stub.url}/v1", name="Second")
        browser.visit(self.client)
        browser.click("manage-provider")

    def test_a_menu(self):
        provider(self.client, f"{stack.stub.url}/v1", name="First", models=MODELS)
        browser.visit(self.client)
        browser.part("provider-menu").send_keys(Keys.ENTER)
        at = Keyboard(browser)
        at.wait_at("menu-models")
        browser.press(Keys.ARROW_DOWN)
        at.wait_at("menu-keys")
        browser.press(Keys.END)
        at.wait_at("menu-delete")
        browser.press(Keys.ESCAPE)
        at.wait_at("provider-menu")
        self.assertEqual(browser.shown("menu-keys"), [])
        browser.press(Keys.ARROW_UP, Keys.ENTER)
        at.wait_at("confirm-no")
        busy = "return document.querySelectorAll('[aria-busy=true]').length"
        self.assertEqual(browser.run(busy), 0, "nothing is busy while a question is open")
        browser.press(Keys.ESCAPE)
        at.wait_at("provider-menu")
        browser.press(Keys.ARROW_DOWN, "s", Keys.ENTER)
        at.wait_at("tab-settings")
        browser.press(Keys.ARROW_LEFT)
        at.wait_at("tab-keys")
        browser.press(Keys.ESCAPE)
        at.wait_at("provider-menu")

    def test_removing_leads_to_the_neighbour(self):
        self.page_with_everything()
        for model in ("stub-large", "third"):
            browser.part("model-remove").send_keys(Keys.ENTER)
            browser.wait(lambda: row_of_focus() == (model, "model-remove"), f"the focus on {model}")
        browser.click("tab-keys")
        browser.part("account-delete").send_keys(Keys.ENTER)
        browser.part("confirm-yes").send_keys(Keys.ENTER)
        browser.wait(lambda: row_of_focus() == ("two", "account-delete"), "the next key")
        browser.click("tab-settings")
        browser.part("delete-provider").send_keys(Keys.ENTER)
        browser.part("confirm-yes").send_keys(Keys.ENTER)
        browser.wait(lambda: row_of_focus() == ("Second", "manage-provider"), "the next card")

    def test_browsing_leads_back(self):
        self.page_with_everything()
        browser.click("model-remove")
        browser.part("browse-models").send_keys(Keys.ENTER)
        free = browser.wait(lambda: [b for b in browser.all("available-choose") if b.is_enabled()], "a free model")
        free[0].send_keys(Keys.SPACE)
        browser.press(Keys.ESCAPE)
        Keyboard(browser).wait_at("browse-models")


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
