"""Tokens are shown as they arrive, a long answer is drawn once, and a silent one shows."""

import re
import unittest

from browser.visits import ask, stack_and_browser
from harness.scenes import PLAYGROUND, provider
from harness.trace import work_during
from provider_stub.content import LONG_WORDS

TOKENS = 20_000
MOST_WORK = 4  # times that an element is styled or placed, on average: the last one of an answer changes while it grows
COUNTS = """
const said = document.querySelector('[data-testid="playground-answer-text"]');
return [said.querySelectorAll('*').length, said.querySelectorAll('pre').length];
"""

stack, browser = stack_and_browser()


def state():
    return browser.all("playground-answer")[-1].get_attribute("data-state")


class LongAnswers(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()

    def page_of(self, behaviour):
        provider(self.client, f"{stack.stub.url}/{behaviour}/v1")
        browser.visit(self.client, PLAYGROUND)

    def test_tokens_arrive_one_by_one_and_stop_keeps_what_came(self):
        self.page_of("slow-60")
        words = " ".join(f"word{i}" for i in range(30))
        lengths = set()

        def text():
            shown = browser.all("playground-answer-text")[-1].text
            lengths.add(len(shown))
            return shown

        ask(browser, words)
        browser.wait(lambda: text() == f"echo: {words}" and state() == "done", "the whole answer")
        # A page that shows the answer only at its end would have had two lengths: none and all.
        self.assertGreater(len(lengths), 2)
        ask(browser, f"stopped-in-the-browser {words} {words}")
        browser.wait(lambda: len(text()) > 20, "some of the answer")
        browser.click("playground-stop")
        entry = stack.stub.wait_for(lambda e: e["ended"], marker="stopped-in-the-browser")
        self.assertEqual(entry["endedBy"], "peer")
        browser.wait(lambda: state() == "stopped", "the end")
        self.assertTrue(text().startswith("echo:"))

    def test_what_has_been_drawn_is_not_drawn_again(self):
        self.page_of(f"long-{TOKENS}")

        def whole():
            ask(browser, "all of it")
            browser.wait(lambda: state() == "done", "the whole answer")

        restyled, placed = work_during(browser, whole)
        elements, code = browser.run(COUNTS)
        self.assertEqual(code, TOKENS // len(LONG_WORDS))  # all kinds of Markdown, and not one block of code
        for work in (restyled, placed):
            self.assertGreater(work, elements // 2)  # the browser does tell
            self.assertLess(work, MOST_WORK * elements)

    def test_stop_works_amid_it(self):
        self.page_of(f"long-{12 * TOKENS}")
        # In the page, because an answer may end before the driver has found the button.
        browser.run(
            "const whole = document.getElementById('playground');"
            "new MutationObserver((_, watch) => {"
            "  if (!whole.querySelector('[data-state=streaming]')) return;"
            "  watch.disconnect();"
            "  document.getElementById('playground-stop').click();"
            "}).observe(whole, { subtree: true, childList: true, attributes: true });"
        )
        ask(browser, "as much as there is")
        browser.wait(lambda: state() == "stopped", "the end")

    def test_silence_is_told_and_can_be_stopped(self):
        self.page_of("silent-after-2")
        browser.run("document.getElementById('playground').dataset.stallSeconds = 0.25")
        ask(browser, "say two words and no more")
        stalled = browser.part("playground-stalled")

        def told():
            words = re.match(r"Nothing has arrived for ([\d.]+) seconds", stalled.text)
            return float(words[1]) if words else 0

        browser.wait(lambda: told() >= 0.25, "the silence to be told")
        browser.wait(lambda: told() >= 0.5, "that it goes on")
        stalled.find_element("tag name", "button").click()
        browser.wait(lambda: state() == "stopped", "the end")
        self.assertEqual(browser.all("playground-answer-text")[-1].text, "echo: say")
        self.assertEqual(stalled.text, "")
