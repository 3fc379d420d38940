"""No answer of a provider hangs the page: texts that the Markdown library does not survive, or takes long over, are
shown as they came."""

import unittest

from browser.visits import stack_and_browser
from harness.scenes import PLAYGROUND

_RICH = """
const [done] = arguments;
const base = new URL('.', document.querySelector('script[type="module"]').src);
Promise.all(['rich_text', 'markdown'].map((name) => import(`${base}playground/${name}.js`)))
  .then(async ([{ richText }, { loadMarkdown }]) => {
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
  '|'.repeat(15000), '> '.repeat(10) + '|'.repeat(5000)];
return hostile.filter((text) => {
  const node = drawn(text);
  return node.textContent.trimEnd() !== text.trimEnd() || !node.querySelector('.plain');
}).map((text) => text.slice(0, 10));
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
