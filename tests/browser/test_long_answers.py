"""Tokens are shown as they arrive, a long answer is drawn once, and a silent one shows. No answer hangs the page: texts that
the Markdown library does not survive, or takes long over, are shown as they came."""

import re
import unittest

from browser.visits import ask, stack_and_browser
from harness.browser import work_during
from harness.scenes import PLAYGROUND, provider
from provider_stub.behaviours import LONG_WORDS

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


_RICH = """
const [done] = arguments;
const base = new URL('.', document.querySelector('script[type="module"]').src);
import(`${base}playground.js`)
  .then(async ({ richText, loadMarkdown }) => {
    await loadMarkdown();
    const drawn = (text) => {
      const node = document.createElement('div');
      const rich = richText(node);
      rich.push(text);
      rich.end();
      for (let pieces = 0; rich.draw({ over: () => true }); pieces += 1) {
        if (pieces > text.length + 100) throw new Error(`no end of ${text.slice(0, 40)}`);
      }
      return node;
    };
    return (() => {%s})();
  }).then(done, (error) => done(String(error)));
"""
# Each is plain text, whole.
KNOWN = """
const hostile = ['>'.repeat(15000), '*a '.repeat(3000), '_a '.repeat(3000), '- '.repeat(1900) + 'x', '1. '.repeat(5000),
  '**a *'.repeat(2000), '_*a'.repeat(3000), '> - '.repeat(3000), '['.repeat(15000), '!'.repeat(15000),
  '|'.repeat(15000), '> '.repeat(10) + '|'.repeat(5000), 'a@*'.repeat(2000), 'a.*'.repeat(2000)];
return hostile.filter((text) => {
  const node = drawn(text);
  return node.textContent.trimEnd() !== text.trimEnd() || !node.querySelector('.plain');
}).map((text) => text.slice(0, 10));
"""
# Of an answer with many of them the rest is plain.
MANY = """
const costly = `${'a@*'.repeat(1900)}\\n\\n`;
return [1, 3].map((many) => drawn(`${costly.repeat(many)}**rest**`).querySelector('strong') !== null);
"""
# Pieces that are drawn at once are small, in lines, words or letters of any length.
SMALL = """
const long = ['|'.repeat(60000) + '\\n', 'a|'.repeat(4000) + '\\n|-|-|\\n' + '|a|b|\\n'.repeat(10), '|a|b|\\n|-|-|\\n' + '|a'.repeat(7500),
  '|a|b|\\n|-|-|\\n' + '|a|b|\\n'.repeat(3000), '\\n '.repeat(15000), ' '.repeat(15000) + 'a', '😀'.repeat(7500), '- a\\n\\n  '.repeat(3000)];
return long.filter((text) => {
  const blocks = [...drawn(text).querySelectorAll(':scope > * > *')].map((each) => each.textContent);
  return blocks.some((block) => block.length > 7000 || /^[\\uDC00-\\uDFFF]/.test(block));
}).map((text) => text.slice(0, 10));
"""
# Everyday Markdown is drawn, not shown as source.
USUAL = """
const usual = ['- **one** of `these` [here](https://example.org)\\n'.repeat(60), 'A *word* or **two** in a line. '.repeat(60),
  `| a | b |\\n|---|---|\\n${'| *x* | **y** |\\n'.repeat(100)}`, '> quoted *well*\\n>\\n> - and so on\\n'.repeat(20),
  '- a\\n  - b\\n    - c\\n      - d\\n'.repeat(40)];
return usual.filter((text) => drawn(text).querySelector('.plain')).map((text) => text.slice(0, 10));
"""
FUZZED = """
let seed = 20261123;
const chance = (most) => {  // mulberry32
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % most;
};
const pieces = ['>', '*', '_', '[', ']', '(', ')', '!', '`', '~', '<', '|', '#', '-', '+', '1.', '&', '\\\\', ' ', '\\n', '\\n\\n',
  '\\t', 'a', 'b ', '**', '~~', '![', '](', '<!--', '<b ', '</', '&#', '|-|\\n', '- [ ] ', '===\\n', 'http://a', '[a]: b\\n', '😀', 'é'];
const lost = [];
for (let number = 0; number < 2000; number += 1) {
  let text = '';
  for (let parts = 1 + chance(4); parts > 0; parts -= 1) {
    const unit = Array.from({ length: 1 + chance(4) }, () => pieces[chance(pieces.length)]).join('');
    text += unit.repeat(1 + chance(number % 10 === 0 ? 4000 : 60));
  }
  const shown = drawn(`begun\\n\\n${text}\\n\\nended`).textContent;
  if (!shown.includes('begun') || !shown.includes('ended')) lost.push(text.slice(0, 40));
}
return lost;
"""


class HostileAnswers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack, cls.browser = stack_and_browser()
        cls.browser.visit(cls.stack.newcomer(), PLAYGROUND)

    def test_each_known_one_is_shown_as_it_came_usual_ones_are_drawn_pieces_are_small_and_all_end(self):
        for script in (KNOWN, SMALL, USUAL, FUZZED):
            with self.subTest(script=script[:40]):
                self.assertEqual(self.browser.driver.execute_async_script(_RICH % script), [])
        self.assertEqual(self.browser.driver.execute_async_script(_RICH % MANY), [True, False])
