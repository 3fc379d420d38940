"""Formulas of answers: TeX becomes elements of MathML and nothing else, what is none stays text, and nothing is loaded before."""

import unittest

from browser.visits import Scripted, stack_and_browser
from harness.scenes import PLAYGROUND, provider

# (what a provider writes, the text of each formula that is drawn).
CASES = [
    ("$x$ and \\(y\\), $$z$$ and \\[a\nb\\]", ["x", "y", "z", "ab"]),
    ("Before\n$$\nx\n- y\n= z\n$$\nafter", ["x−y=z"]),
    ("- a $x$\n- **b $y$**\n\n| $a$ |\n|---|\n| $b$ |", ["x", "y", "a", "b"]),
    ("$a_1 * b_2 * c$", ["a1∗b2∗c"]),
    ("$\\mathbb{R} \\mathcal{L} \\mathbf{w} \\mathbf{1} \\boldsymbol{\\beta}$", ["ℝℒ𝐰𝟏𝜷"]),
    # Prices, escaped dollars, code, what is unfinished, and a formula over an empty line.
    ("It costs $5 and $6, or $7-$8; $a, b$5.", []),
    ("\\$5 and \\$6", []),
    ("`$x$` and $5, see `$x`\n\n    $$x$$\n\n```\n\\(x\\)\n$$x$$\n```", []),
    ("$$x and \\(y and \\[z", []),
    ("$$a\n\nb$$", []),
]
DRAWN = "return [...[...document.querySelectorAll('[data-testid=\"playground-answer-text\"]')].at(-1).querySelectorAll('math')]"
TEXTS = DRAWN + ".map((each) => each.textContent.replaceAll('\\u2061', ''))"
LOADED = "return performance.getEntriesByType('resource').some(({ name }) => /katex|later/.test(name))"

# Kept as text: commands that are no mathematics, that grow without end, and what is too long, too deep or too much.
REFUSED = [
    r"\href{javascript:alert(1)}{x}", r"\url{https://evil.example}", r"\includegraphics{https://evil.example/x}",
    r"\htmlData{a=b}{x}", r"\htmlStyle{position:fixed}{x}", r"\htmlId{playground}{x}", r"\htmlClass{bar}{x}",
    r"\def\a{\a\a}\a", r"\newcommand{\a}{\a\a}\a", r"\def\a{}" + r"\edef\a{\a\a x}" * 40 + r"\a", r"\global\let\a=b \a",
    r"\nosuchcommand", r"{x", r"\frac{x", r"\begin{matrix}", r"\left(", "{" * 900 + "x^", "x^{" * 400 + "}" * 400,
    r"\frac{1}{" * 60 + "x" + "}" * 60, r"\begin{matrix}" + "&" * 1400 + r"\end{matrix}", r"\ne " * 370, "x" * 1501,
]  # fmt: skip
# Drawn, without power over the page: (TeX, its markup).
TAMED = [
    (r"\rule{1000em}{1000em}", '<mspace width="10em" height="10em"></mspace>'),
    (r"\kern{-1000em}x", "<mspace></mspace><mi>x</mi>"),
    (r"\raisebox{1000em}{x}", "<mpadded><mstyle"),
    (r"\color{white}\huge x", "<mi>x</mi>"),
    (r"\fcolorbox{red}{blue}{x}", "<mtext>x</mtext>"),
    (r"\text{<img src=x onerror=alert(1)>}", "<mtext>&lt;img&nbsp;src=x&nbsp;onerror=alert(1)&gt;</mtext>"),
    (r"\boxed{x}", '<mrow class="boxed"><mstyle'),
]
FOREIGN = """return [...document.querySelectorAll('math, math *')].filter((each) =>
  each.namespaceURI !== 'http://www.w3.org/1998/Math/MathML' || each.querySelectorAll('*').length > 1000
  || each.getAttributeNames().some((name) => /^(?:on|style|href|src|id|data)/.test(name))).map((each) => each.outerHTML);"""

stack, browser = stack_and_browser()


class Formulas(unittest.TestCase):
    def setUp(self):
        client = stack.newcomer()
        provider(client, f"{stack.stub.url}/v1")
        browser.visit(client, PLAYGROUND)
        self.page = Scripted(browser)

    def tearDown(self):
        self.assertEqual(browser.complaints(), [])

    def said(self, *tokens):
        """The answer is drawn when a formula after it is."""
        self.page.ask("?")
        self.page.say(*tokens, *"\n\n$\\Omega$")
        browser.wait(lambda: browser.run(TEXTS)[-1:] == ["Ω"], "the last formula")

    def test_what_is_one_is_drawn_whole_and_letter_by_letter(self):
        for source, texts in CASES:
            for tokens in ([source], source):
                with self.subTest(source=source, pieces=len(tokens)):
                    self.said(*tokens)
                    self.assertEqual(browser.run(TEXTS)[:-1], texts)

    def test_nothing_is_loaded_before_and_its_tex_is_kept(self):
        self.page.ask("?")
        self.page.say("It costs $5 and $6. `$x$`")
        self.page.ask("?")
        self.page.answer({"token": "unfinished $\\frac{1}{2}"})
        browser.wait(lambda: "frac" in browser.all("playground-answer-text")[-1].text, "what has come")
        self.assertFalse(browser.run(LOADED))
        self.page.answer({"token": "$ and more"})
        self.page.end()
        browser.wait(lambda: browser.run(TEXTS) == ["12"], "the formula")
        self.assertTrue(browser.run(LOADED))
        browser.all("answer-copy")[-1].click()
        browser.wait(self.page.copied, "the copy")
        self.assertEqual(self.page.copied(), "unfinished $\\frac{1}{2}$ and more")

    def test_a_hostile_one_stays_text(self):
        self.said("\n\n".join(f"\\[{tex}\\]" for tex in REFUSED))
        self.assertEqual(browser.run(TEXTS), ["Ω"])
        shown = "".join(browser.run("return document.querySelector('[data-testid=playground-answer-text]').textContent").split())
        for tex in REFUSED:
            with self.subTest(tex=tex[:40]):
                self.assertIn("".join(tex.split()), shown)

    def test_or_has_no_power_over_the_page(self):
        self.said("\n\n".join(f"\\[{tex}\\]" for tex, _ in TAMED))
        drawn = browser.run(DRAWN + ".map((each) => each.innerHTML)")
        for (tex, markup), mathml in zip(TAMED, drawn[:-1], strict=True):
            with self.subTest(tex=tex):
                self.assertIn(markup, mathml)
        self.assertEqual(browser.run(FOREIGN), [])
