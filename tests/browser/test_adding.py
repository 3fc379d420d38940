"""Adding a provider: from its type to a first answer; and its models. Testing all providers, and which models are offered
for a conversation."""

import unittest
import urllib.parse

from browser.visits import fill_a_provider, focused, stack_and_browser
from harness.scenes import ROUTE, ask, provider
from selenium.webdriver.common.keys import Keys

KEY = "sk-adding-0123456789"
REFUSED = "key-refused-0123456789"
HOLDS = """function (text) {
  const held = ({ value }) => typeof value === 'string' && value.includes(text);
  return this.some((each) => Object.values(Object.getOwnPropertyDescriptors(each)).some(held));
}"""
MODELS = ["stub-large", "stub-small", "vendor/stub-with-slash"]
# The provider's own list is this one.
LISTS = """const real = window.fetch;
const models = arguments[0].map((modelId) => ({ modelId, displayName: modelId, added: false }));
window.fetch = (path, options) => path.endsWith('/models/available')
  ? Promise.resolve(Response.json({ models })) : real(path, options);"""

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
            self.assertEqual(focused(browser), "provider-api-key")
            browser.click("type-change")
        browser.click("type-openai")
        browser.fill("provider-name", "Mine")
        browser.click("type-change")
        browser.click("type-mistral")
        self.assertEqual(browser.value("provider-name"), "Mine")

    def test_types_are_found_by_their_name(self):
        browser.visit(self.client)
        browser.click("create-provider")
        browser.wait(lambda: focused(browser) == "type-search", "the focus on the search field")
        tiles = [tile.get_attribute("data-testid") for tile in browser.part("provider-dialog").find_elements("css selector", ".tile")]
        best = ["openai", "anthropic", "google-gemini", "openrouter", "deepseek"]
        self.assertEqual(tiles[:5], [f"type-{kind}" for kind in best])
        browser.press("mist", Keys.ENTER)
        browser.wait(lambda: browser.value("provider-name") == "Mistral", "that type")
        browser.press(Keys.ESCAPE)
        browser.wait(lambda: not browser.shown("provider-dialog"), "no question: only a type was chosen")

    def test_the_first_one_begins_with_a_well_known_type(self):
        browser.visit(self.client)
        browser.click("begin-anthropic")
        self.assertEqual(browser.value("provider-name"), "Anthropic")
        self.assertEqual(focused(browser), "provider-api-key")

    def test_an_error_goes_when_its_field_is_mended(self):
        browser.visit(self.client)
        browser.click("create-provider")
        browser.click("type-generic-compatible")
        browser.click("provider-submit")
        browser.reads("provider-name-error", "Enter a name.")
        browser.press("Mine")
        self.assertEqual(browser.shown("provider-name-error"), [])
        browser.reads("provider-base-url-error", "Enter the address of its API.")

    def test_a_server_may_need_no_key(self):
        browser.visit(self.client)
        fill_a_provider(browser, f"{stack.stub.url}/v1", "")
        browser.click("provider-submit")
        browser.mentions("provider-health", "Working")

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
        browser.click("type-openai")
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
            if browser.shown("type-change"):
                browser.click("type-change")
            browser.click(f"type-{kind}")
            browser.fill("provider-base-url", base + pasted)
            browser.press(Keys.TAB)
            browser.reads("provider-pasted", "Shortened to the base URL.")
            self.assertEqual(browser.value("provider-base-url"), base)

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
        browser.mentions("provider-outcome", "the check failed")
        browser.fill("provider-base-url", f"{stack.stub.url}/v1")
        browser.click("provider-submit")
        browser.wait(lambda: browser.part("provider-api-key-error").text, "the refused key")
        browser.fill("provider-api-key", KEY)
        browser.click("provider-submit")
        browser.mentions("provider-health", "Working")
        self.assertEqual(self.stored(), [f"{stack.stub.url}/v1"])

    def test_a_failed_one_is_kept_or_removed(self):
        for choice, stored in (("provider-remove", 0), ("provider-keep", 1)):
            self.fill("/v1", REFUSED)
            said = browser.part("provider-api-key-error")
            browser.wait(lambda: said.text, "the refused key")
            self.assertTrue(self.is_held(REFUSED))
            browser.click(choice)
            if choice == "provider-remove":
                browser.click("confirm-yes")
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

    def test_what_is_to_be_decided_is_in_sight(self):
        browser.shown_as(1280)
        browser.command("Emulation.setDeviceMetricsOverride", width=1280, height=500, deviceScaleFactor=1, mobile=False)
        self.fill("/v1", REFUSED)
        below = "return innerHeight - arguments[0].getBoundingClientRect().bottom"
        for choice in ("provider-keep", "provider-remove", "provider-submit"):
            self.assertGreater(browser.run(below, browser.part(choice)), 0, choice)
        browser.shown_as()

    def models(self):
        return [each["modelId"] for each in self.client.get(f"{ROUTE}/list").json()["providers"][0]["models"]]

    def test_a_new_one_has_models_and_has_answered(self):
        self.fill("/v1")
        browser.mentions("provider-health", "Working")
        browser.wait(lambda: focused(browser) == "chat-provider", "the focus on the way to a chat")
        browser.mentions("test-outcome", "stub-large answered")
        browser.mentions("toast", "Added Stub with 3 models.")
        self.assertEqual(self.models(), MODELS)
        self.assertEqual(browser.shown("available-dialog"), [])

    def test_the_models_of_a_type_come_before_others_of_the_list(self):
        browser.visit(self.client)
        fill_a_provider(browser, f"{stack.stub.url}/v1", KEY, kind="openai")
        browser.run(LISTS, ["aaa", "gpt-5-mini", "gpt-5.6"])
        browser.click("provider-submit")
        browser.mentions("provider-health", "Working")
        self.assertEqual(self.models(), ["gpt-5.6", "gpt-5-mini"])

    def test_where_no_model_can_chat_none_is_added(self):
        browser.visit(self.client)
        fill_a_provider(browser, f"{stack.stub.url}/v1", KEY)
        browser.run(LISTS, ["text-embedding-3-small"])
        browser.click("provider-submit")
        browser.wait(lambda: focused(browser) == "add-model-id", "where a model is added")
        self.assertEqual(self.models(), [])

    def test_what_lists_nothing_is_asked_for_a_word(self):
        self.fill("", kind="perplexity")
        browser.mentions("provider-health", "Working")
        self.assertEqual(self.models(), ["sonar", "sonar-pro"])

    def names(self):
        return [row.get_attribute("data-model-id") for row in browser.all("model-row")]

    def browse(self):
        browser.click("browse-models")
        browser.part("available-model")

    def test_many_models_are_chosen_added_and_taken_back(self):
        provider(self.client, f"{stack.stub.url}/v1", models=())
        browser.visit(self.client)
        browser.click("manage-provider")
        self.browse()
        browser.click("available-choose-all")
        browser.click("available-add-chosen")
        browser.wait(lambda: self.names() == MODELS, "all models")
        browser.click("available-undo")
        browser.wait(lambda: self.names() == [], "none")
        self.assertEqual(focused(browser), "browse-models")
        self.browse()
        browser.fill("available-filter", "vendor")
        browser.click("available-choose")
        browser.reads("available-add-chosen", "Add 1 model")
        browser.click("available-add-chosen")
        browser.wait(lambda: self.names() == MODELS[2:], "that one")

    def test_as_many_are_chosen_as_there_is_room_for(self):
        provider(self.client, f"{stack.stub.url}/v1", models=[f"m{n}" for n in range(18)])
        browser.visit(self.client)
        browser.run(LISTS, [f"n{n}" for n in range(30)])
        browser.click("manage-provider")
        self.browse()
        browser.reads("available-choose-all", "Choose the first 2")
        browser.click("available-choose-all")
        browser.click("available-add-chosen")
        browser.wait(lambda: self.names()[18:] == ["n0", "n1"], "the first two")

    def test_a_removed_model_is_put_back(self):
        provider(self.client, f"{stack.stub.url}/v1")
        browser.visit(self.client)
        browser.click("manage-provider")
        browser.part("model-remove").send_keys(Keys.ENTER)
        browser.wait(lambda: self.models() == [], "no model")
        browser.part("model-undo").send_keys(Keys.ENTER)
        browser.wait(lambda: self.models() == ["stub-small"], "the model again")
        self.assertEqual(focused(browser), "browse-models")

    def test_models_are_ordered_and_put_back_in_their_place(self):
        provider(self.client, f"{stack.stub.url}/v1", models=("stub-small", "stub-large"))
        browser.visit(self.client)
        browser.click("manage-provider")
        browser.part("model-order").send_keys(Keys.ARROW_DOWN)
        browser.mentions("toast", "stub-small is number 2 of 2.")
        self.assertEqual(self.models(), ["stub-large", "stub-small"])
        self.assertEqual(focused(browser), "model-order")
        browser.part("model-remove").send_keys(Keys.ENTER)
        browser.wait(lambda: self.models() == ["stub-small"], "one model")
        browser.part("model-undo").send_keys(Keys.ENTER)
        browser.wait(lambda: self.models() == ["stub-large", "stub-small"], "the place that it had")


# Keeps what the page does from time to time.
KEEP_TICKS = "window.ticks = []; window.setInterval = (tick) => window.ticks.push(tick);"


class Checks(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        self.good = provider(self.client, f"{stack.stub.url}/v1", name="Good")
        provider(self.client, f"{stack.stub.url}/status-401/v1", name="Refused")

    def test_all(self):
        browser.visit(self.client)
        browser.part("provider-card")
        browser.click("test-all")
        browser.mentions("batch-summary", "1 of 2 providers works.")
        browser.mentions("batch-failures", "Failing: Refused")
        results = [each.get_attribute("data-ok") for each in browser.all("test-outcome")]
        self.assertEqual(results, ["true", "false"])

    def test_what_fails_is_counted_and_comes_first(self):
        browser.visit(self.client)
        browser.part("provider-card")
        browser.click("test-all")
        browser.reads("provider-summary", "1 working, 1 failing")
        browser.driver.refresh()
        browser.reads("provider-title", "Refused")
        browser.reads("provider-health", "Failing")

    def test_what_is_left_to_spend_is_shown(self):
        provider(self.client, stack.stub.url, kind="deepseek", name="A balance")
        browser.visit(self.client)
        card = browser.wait(lambda: browser.all("provider-card")[2:], "the third card")[0]
        browser.click("test-provider", card)
        browser.wait(lambda: "$12.30 left" in card.text, "the balance")

    def test_times_go_on(self):
        self.client.post(f"{ROUTE}/{self.good}/test")
        kept = browser.command("Page.addScriptToEvaluateOnNewDocument", source=KEEP_TICKS)
        self.addCleanup(browser.command, "Page.removeScriptToEvaluateOnNewDocument", **kept)
        browser.visit(self.client)
        browser.mentions("provider-card", "just now")
        browser.run("const now = Date.now; Date.now = () => now() + 18e5; window.ticks.forEach((tick) => tick())")
        browser.mentions("provider-card", "30 minutes ago")

    def test_all_can_be_cancelled(self):
        provider(self.client, f"{stack.stub.url}/silent/v1", name="Silent")
        browser.visit(self.client)
        browser.part("provider-card")
        browser.click("test-all")
        browser.mentions("batch-summary", "2 of 3")
        browser.click("batch-cancel")
        browser.mentions("batch-summary", "Cancelled; 2 of 3 providers were tested.")
        self.assertEqual(len(browser.all("test-outcome")), 2)

    def test_models_are_tested_and_renamed(self):
        models = f"{ROUTE}/{self.good}/models"
        self.client.post(models, {"modelId": "other"})
        self.client.post(models, {"modelId": "e", "capabilities": "embedding"})
        browser.visit(self.client)
        browser.click("manage-provider")
        browser.click("test-models")
        browser.wait(lambda: len(browser.shown("model-result")) == 2, "two results")
        browser.mentions("model-result", "Working: answered")
        row = browser.part("model-row")
        browser.click("model-edit", row)
        browser.fill("model-name", "Everyday")
        browser.click("capability-vision")
        browser.click("capabilities-submit")
        browser.mentions("model-row", "Everyday\nstub-small\nVision")
        browser.click("model-test")
        browser.wait(lambda: len(browser.shown("model-result")) == 2, "a new result")

    def test_models_that_cannot_talk_are_not_offered(self):
        id_ = provider(self.client, f"{stack.stub.url}/v1", name="Third", models=())
        for word in ("embedding", "rerank", "generation"):
            body = {"modelId": word, "capabilities": word}
            self.client.post(f"{ROUTE}/{id_}/models", body)
        browser.visit(self.client)
        browser.part("provider-card")
        browser.click("chat-provider", browser.all("provider-card")[2])
        browser.reads("playground-model", "generation")
