"""The chooser of models: search, keyboard, the last used, the comparison of three."""

import unittest

from browser.visits import Keyboard, Scripted, choose_model, stack_and_browser
from harness.scenes import PLAYGROUND, ROUTE, provider
from selenium.webdriver.common.keys import Keys

NAMES = "return [...document.querySelectorAll('[role=option] [dir]')].map((name) => name.textContent)"
ACTIVE = """
const at = document.activeElement.getAttribute('aria-activedescendant');
return at && document.getElementById(at).querySelector('[dir]').textContent;
"""
PLACES = "return [...document.querySelectorAll('[role=option]')].map((row) => row.getBoundingClientRect().toJSON())"

stack, browser = stack_and_browser()


class Chooser(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        self.first = provider(self.client, f"{stack.stub.url}/v1", name="First", models=("stub-small", "stub-plain"))
        provider(self.client, f"{stack.stub.url}/v1", name="Second", models=("stub-large",))
        self.client.post(f"{ROUTE}/{self.first}/models/name?modelId=stub-plain", {"displayName": "Everyday"})
        self.visit()

    def tearDown(self):
        self.assertEqual(browser.complaints(), [])

    def visit(self):
        browser.visit(self.client, PLAYGROUND)
        self.page = Scripted(browser)
        self.at = Keyboard(browser)
        self.at.is_ready("playground-model")

    def names(self):
        return browser.run(NAMES)

    def answer(self, *numbers):
        for number in numbers:
            self.page.answer({"token": f"from {number}"}, number=number)
            self.page.end(number=number)

    def test_models_are_found_by_name_id_and_provider(self):
        browser.click("playground-model")
        for words, found in (
            ("", ["stub-small", "Everyday", "stub-large"]),
            ("EVERY", ["Everyday"]),
            ("plain", ["Everyday"]),
            ("large second", ["stub-large"]),
        ):
            browser.fill("chooser-search", words)
            self.assertEqual(self.names(), found, words)

    def test_where_none_is_found_it_says_so_and_enter_chooses_none(self):
        browser.click("playground-model")
        browser.fill("chooser-search", "nosuch")
        browser.reads("chooser-none", "No model has that name.")
        browser.press(Keys.ENTER, Keys.ESCAPE)
        browser.reads("playground-model", "stub-small")

    def test_by_keyboard_alone(self):
        self.at.go_to("playground-model")
        browser.press(Keys.ENTER)
        self.at.wait_at("chooser-search")
        for key, name in (
            (Keys.ARROW_DOWN, "Everyday"), (Keys.END, "stub-large"), (Keys.ARROW_DOWN, "stub-small"),
            (Keys.ARROW_UP, "stub-large"), (Keys.HOME, "stub-small"), ("stub", "stub-small"),
            (Keys.ARROW_DOWN, "Everyday"),
        ):  # fmt: skip
            browser.press(key)
            self.assertEqual(browser.run(ACTIVE), name)
        browser.press(Keys.ENTER)
        self.at.wait_at("playground-model")
        browser.reads("playground-model", "Everyday")
        self.at.go_to("playground-message", back=True)
        browser.press("hello", Keys.ENTER)
        self.page.wait_asked(1)
        self.assertEqual(self.page.asked()[0]["modelId"], "stub-plain")

    def test_the_focus_goes_back_and_escape_stops_no_answer(self):
        self.page.ask("one")
        self.page.answer({"token": "still "})
        browser.wait(lambda: self.page.states() == ["streaming"], "the stream")
        words = browser.driver.find_element("id", "playground-keys")
        for leave, to in (
            (lambda: browser.press(Keys.ESCAPE), "playground-model"), (words.click, "playground-model"),
            (lambda: browser.press(Keys.TAB), "playground-options"),
        ):  # fmt: skip
            browser.click("playground-model")
            self.at.wait_at("chooser-search")
            leave()
            self.at.wait_at(to)
            self.assertEqual(browser.shown("chooser-search"), [])
        self.assertEqual(self.page.states(), ["streaming"])

    def test_on_a_phone_the_list_is_in_sight_and_no_keyboard_covers_it(self):
        browser.command("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=1)
        self.addCleanup(browser.command, "Emulation.setTouchEmulationEnabled", enabled=False)
        browser.shown_as(320)
        self.addCleanup(browser.command, "Emulation.clearDeviceMetricsOverride")
        browser.click("playground-model")
        for place in browser.run(PLACES):
            self.assertTrue(place["left"] >= 0 and place["right"] <= 320 and place["top"] >= 0, place)
        self.at.wait_at("playground-model")
        browser.all("chooser-option")[1].click()
        browser.reads("playground-model", "Everyday")

    def test_the_last_used_are_first_the_rest_in_the_persons_order(self):
        provider(self.client, f"{stack.stub.url}/v1", name="Third", models=("third",))
        for words in ("first small", "second"):
            choose_model(browser, words)
            self.page.ask("?")
            self.page.say("x")
        self.visit()
        browser.click("playground-model")
        self.assertEqual(self.names(), ["stub-large", "stub-small", "Everyday", "third"])

    def test_a_row_tells_what_a_model_can_do_and_whether_its_provider_fails(self):
        capabilities = f"{ROUTE}/{self.first}/models/capabilities?modelId=stub-small"
        self.client.post(capabilities, {"capabilities": "generation,assistant,vision,tools"})
        failing = provider(self.client, f"{stack.stub.url}/status-401/v1", name="Refused")
        self.client.post(f"{ROUTE}/{failing}/test", {})
        self.visit()
        browser.click("playground-model")
        browser.reads("chooser-option", "stub-small\nVision · Tools")
        groups = browser.driver.find_elements("css selector", "#chooser [role=group]")
        self.assertEqual([each.get_attribute("aria-label") for each in groups], ["First", "Second", "Refused, Failing"])

    def test_three_are_compared_and_each_goes_on_with_its_own(self):
        self.at.go_to("playground-compare", back=True)
        browser.press(Keys.ENTER)
        self.at.go_to("compare-add")
        browser.press(Keys.ENTER)
        self.at.wait_at("playground-model-3")
        self.page.ask("which?")
        self.page.wait_asked(3)
        models = [each["modelId"] for each in self.page.asked()]
        self.assertEqual(models, ["stub-small", "stub-large", "stub-plain"])
        self.answer(0, 1, 2)
        heads = ["First · stub-small", "Second · stub-large", "First · Everyday"]
        self.assertEqual([part.text for part in browser.all("answer-who")], heads)
        browser.driver.refresh()
        self.page = Scripted(browser)
        browser.reads("playground-model-3", "Everyday")
        browser.wait(lambda: [part.text for part in browser.all("answer-who")] == heads, "all three")
        self.at.go_to("compare-without-2")
        browser.press(Keys.ENTER)
        self.at.wait_at("compare-add")
        self.page.ask("and then?")
        self.page.wait_asked(2)
        spoken = [(each["modelId"], each["history"][1]["content"]) for each in self.page.asked()]
        self.assertEqual(spoken, [("stub-small", "from 0"), ("stub-plain", "from 2")])
        self.answer(0, 1)
        self.at.go_to("compare-without-3")
        browser.press(Keys.ENTER)
        self.at.wait_at("playground-model")
        self.assertEqual(browser.part("playground-compare").get_attribute("aria-pressed"), "false")
