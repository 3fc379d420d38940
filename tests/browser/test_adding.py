"""Adding a provider and its models in one flow."""

import unittest
import urllib.parse

from browser.visits import fill_a_provider, focused, stack_and_browser
from harness.scenes import ROUTE, ask, provider

KEY = "sk-adding-0123456789"
REFUSED = "key-refused-0123456789"
HOLDS = """function (text) {
  const held = ({ value }) => typeof value === 'string' && value.includes(text);
  return this.some((each) => Object.values(Object.getOwnPropertyDescriptors(each)).some(held));
}"""
MODELS = ["stub-large", "stub-small", "vendor/stub-with-slash"]

stack, browser = stack_and_browser()


class Adding(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()

    def tearDown(self):
        self.assertEqual(browser.complaints(), [])

    def test_a_type_fills_in_what_it_knows(self):
        provider(self.client, f"{stack.stub.url}/v1", name="OpenAI")
        browser.visit(self.client)
        browser.part("provider-card")
        browser.click("create-provider")
        for kind, name, base in (
            ("anthropic", "Anthropic", "https://api.anthropic.com/v1"),
            ("openai", "OpenAI 2", "https://api.openai.com/v1"),
        ):
            browser.click(f"type-{kind}")
            self.assertEqual([browser.value("provider-name"), browser.value("provider-base-url")], [name, base])
        browser.fill("provider-name", "Mine")
        browser.click("type-mistral")
        self.assertEqual(browser.value("provider-name"), "Mine")

    def test_the_request_url_is_the_one_that_is_called(self):
        browser.visit(self.client)
        browser.part("provider-empty")
        for kind in ("openai", "anthropic", "google-gemini", "generic-compatible"):
            browser.click("create-provider")
            browser.click(f"type-{kind}")
            browser.fill("provider-base-url", f"{stack.stub.url}/v1/")
            said = browser.part("provider-request-url").text.removeprefix("Requests go to ")
            browser.click("provider-cancel")
            browser.click("confirm-yes")
            marker = f"asked-by-{kind}"
            made = provider(self.client, f"{stack.stub.url}/v1", kind=kind)
            self.client.post(f"{ROUTE}/playground", ask(made, marker))
            path = stack.stub.wait_for(lambda e: e["ended"], marker=marker)["path"]
            wanted = urllib.parse.urlsplit(said).path.replace("MODEL", "stub-small")
            self.assertEqual(path, wanted)

    def test_a_key_can_be_looked_at_while_it_is_typed(self):
        browser.visit(self.client)
        browser.click("create-provider")
        browser.fill("provider-api-key", KEY)
        for kind in ("text", "password"):
            browser.click("provider-key-reveal")
            self.assertEqual(browser.part("provider-api-key").get_attribute("type"), kind)

    def test_a_pasted_request_url_becomes_its_base_url(self):
        browser.visit(self.client)
        browser.click("create-provider")
        base = f"{stack.stub.url}/v1"
        for kind, pasted in (
            ("generic-compatible", "/chat/completions"),
            ("anthropic", "/messages?beta=true"),
            ("google-gemini", "/models/some-model:generateContent"),
        ):
            browser.click(f"type-{kind}")
            browser.fill("provider-base-url", base + pasted)
            browser.click("provider-pasted-use")
            self.assertEqual(browser.value("provider-base-url"), base)
            self.assertEqual(browser.all("provider-pasted-use"), [])
            self.assertEqual(focused(browser), "provider-base-url")

    def fill(self, path, key=KEY, kind="generic-compatible", scheme="http"):
        browser.visit(self.client)
        base = stack.stub.url.replace("http", scheme) + path
        fill_a_provider(browser, base, key, kind=kind)
        browser.click("provider-submit")

    def stored(self):
        return [each["baseUrl"] for each in self.client.get(f"{ROUTE}/list").json()["providers"]]

    def test_a_failed_check_is_corrected_in_place(self):
        self.fill("/v1", "key-refused-0123456789", scheme="https")
        browser.part("provider-base-url-error")
        browser.mentions("provider-outcome", "its check has failed")
        browser.fill("provider-base-url", f"{stack.stub.url}/v1")
        browser.click("provider-submit")
        browser.wait(lambda: browser.part("provider-api-key-error").text, "the refused key")
        browser.fill("provider-api-key", KEY)
        browser.click("provider-submit")
        browser.part("available-model")
        self.assertEqual(self.stored(), [f"{stack.stub.url}/v1"])

    def test_a_failed_one_is_kept_or_removed(self):
        for choice, stored in (("provider-remove", 0), ("provider-keep", 1)):
            self.fill("/v1", REFUSED)
            said = browser.part("provider-api-key-error")
            browser.wait(lambda: said.text, "the refused key")
            self.assertTrue(self.is_held(REFUSED))
            browser.click(choice)
            browser.wait(lambda: not browser.shown("provider-dialog"), "the end of the dialog")
            self.assertEqual(len(self.stored()), stored, choice)
            self.assertFalse(self.is_held(REFUSED), choice)
        browser.mentions("test-outcome", "refused the key")

    def test_while_it_is_checked_again_there_is_nothing_to_decide(self):
        self.fill("/v1", REFUSED)
        browser.part("provider-keep")
        browser.fill("provider-base-url", f"{stack.stub.url}/silent/v1")
        browser.fill("provider-api-key", KEY)
        browser.click("provider-submit")
        stack.stub.wait_for(lambda entry: not entry["ended"], path="/silent/v1/models")
        busy = "return document.querySelector('[data-testid=provider-submit]').getAttribute('aria-busy')"
        browser.wait(lambda: browser.run(busy) == "true", "the check")
        for choice in ("provider-keep", "provider-remove"):
            browser.click(choice)
            self.assertTrue(browser.shown("provider-dialog"), choice)
        self.assertEqual(len(self.stored()), 1)

    def is_held(self, text):
        """Whether any object of the page has that text, once those that nobody needs are gone."""
        page = browser.command("Runtime.evaluate", expression="Object.prototype")["result"]["objectId"]
        all_of_it = browser.command("Runtime.queryObjects", prototypeObjectId=page)["objects"]["objectId"]
        asked = {"objectId": all_of_it, "arguments": [{"value": text}], "returnByValue": True}
        answer = browser.command("Runtime.callFunctionOn", functionDeclaration=HOLDS, **asked)
        browser.command("Runtime.releaseObject", objectId=all_of_it)
        return answer["result"]["value"]

    def test_what_lists_nothing_is_said_to_be_unchecked(self):
        self.fill("", kind="perplexity")
        browser.mentions("toast", "cannot be listed")
        browser.wait(lambda: browser.shown("add-model-id"), "where a model is added")

    def names(self):
        return [row.get_attribute("data-model-id") for row in browser.all("model-row")]

    def test_the_model_list_opens_and_many_are_added_and_taken_back(self):
        self.fill("/v1")
        browser.part("available-model")
        browser.click("available-choose-all")
        browser.click("available-add-chosen")
        browser.wait(lambda: self.names() == MODELS, "all models")
        browser.click("available-undo")
        browser.wait(lambda: self.names() == [], "none")
        browser.fill("available-filter", "vendor")
        browser.click("available-choose")
        browser.reads("available-add-chosen", "Add 1 model")
        browser.click("available-add-chosen")
        browser.wait(lambda: self.names() == MODELS[2:], "that one")
