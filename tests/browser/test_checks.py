"""Testing all providers, and which models are offered for a conversation."""

import unittest

from browser.visits import stack_and_browser
from harness.scenes import ROUTE, provider

# Keeps what the page does from time to time.
KEEP_TICKS = "window.ticks = []; window.setInterval = (tick) => window.ticks.push(tick);"

stack, browser = stack_and_browser()


class Checks(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        self.good = provider(self.client, f"{stack.stub.url}/v1", name="Good")
        provider(self.client, f"{stack.stub.url}/status-401/v1", name="Refused")

    def test_all(self):
        browser.visit(self.client)
        browser.part("provider-card")
        browser.click("test-all")
        browser.mentions("batch-summary", "1 of 2 providers works, 1 failed.")
        browser.mentions("batch-failures", "Refused ")
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
        browser.mentions("test-outcome", "$12.30 left.", card)

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
