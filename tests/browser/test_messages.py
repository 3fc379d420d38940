"""Messages stand where the person looks, in plain words."""

import unittest

from browser.visits import focused, stack_and_browser
from harness.scenes import ROUTE, account, provider

stack, browser = stack_and_browser()


class Messages(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()

    def test_all_faults_of_a_form_are_told_at_once(self):
        browser.visit(self.client)
        browser.click("create-provider")
        browser.click("type-generic-compatible")
        browser.click("provider-submit")
        for testid, words in (
            ("provider-name-error", "Enter a name."),
            ("provider-base-url-error", "Enter the address of its API."),
            ("provider-api-key-error", "Enter the key."),
        ):
            browser.reads(testid, words)
        self.assertEqual(focused(browser), "provider-name")

    def test_a_failure_is_told_in_the_dialog_that_is_open(self):
        provider_id = provider(self.client, f"{stack.stub.url}/v1", models=())
        browser.visit(self.client)
        browser.click("manage-provider")
        browser.click("browse-models")
        browser.click("available-choose")
        self.client.call("DELETE", f"{ROUTE}/{provider_id}")
        browser.click("available-add-chosen")
        news = "This provider was deleted in another window."
        browser.reads("toast", news, browser.part("available-dialog"))

    def test_what_is_gone_elsewhere_goes_here_and_is_named(self):
        first = provider(self.client, f"{stack.stub.url}/v1", name="First")
        key = account(self.client, first, "sk-account-0123456789", name="one")
        second = provider(self.client, f"{stack.stub.url}/v1", name="Second")
        browser.visit(self.client)
        browser.part("provider-card")
        browser.click("manage-provider")
        for tab, path, testid, words, left in (
            ("keys", f"{first}/accounts/{key}", "account-test", "This key was deleted", "account-row"),
            ("models", f"{first}/models?modelId=stub-small", "model-remove", "This model was removed", "model-row"),
        ):
            browser.click(f"tab-{tab}")
            self.client.call("DELETE", f"{ROUTE}/{path}")
            browser.click(testid)
            browser.mentions("toast", words)
            self.assertEqual(browser.shown(left), [])
        browser.click("sheet-close")
        self.client.call("DELETE", f"{ROUTE}/{second}")
        browser.click("test-provider", browser.all("provider-card")[1])
        browser.wait(lambda: len(browser.all("provider-card")) == 1, "the card to go")

    def test_a_failed_call_leads_to_what_mends_it(self):
        provider(self.client, f"{stack.stub.url}/status-401/v1")
        browser.visit(self.client)
        browser.click("chat-provider")
        browser.fill("playground-message", "hello")
        browser.click("playground-send")
        browser.reads("playground-remedy", "Check the keys")
        browser.click("playground-remedy")
        browser.part("replace-key")

    def test_a_script_that_does_not_load_is_told(self):
        browser.become(self.client)
        browser.command("Network.enable")
        browser.command("Network.setCacheDisabled", cacheDisabled=True)
        self.addCleanup(browser.command, "Network.setCacheDisabled", cacheDisabled=False)
        browser.command("Network.setBlockedURLs", urls=["*/common/dom.js"])
        self.addCleanup(browser.command, "Network.setBlockedURLs", urls=[])
        browser.driver.get(f"{stack.base_url}{ROUTE}")
        link = browser.part("late").find_element("tag name", "a")
        browser.command("Network.setBlockedURLs", urls=[])
        link.click()
        browser.part("provider-empty")
        self.assertEqual(browser.all("late"), [])
