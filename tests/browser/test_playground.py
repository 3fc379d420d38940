"""The playground's conversation: what an answer looks like, and what can be done with a turn."""

import unittest

from browser.visits import Scripted, choose_model, focused, stack_and_browser
from harness.scenes import PLAYGROUND, PROFILE, provider
from selenium.webdriver.common.keys import Keys

# (what a provider writes, the nodes of the page for it).
CASES = [
    ("plain *and* **bold**", "<p>plain <em>and</em> <strong>bold</strong></p>"),
    ("a\n\nb", "<p>a</p><p>b</p>"),
    ("# One\n\n## Two\n\n### Three\n\n#### Four", "<h3>One</h3><h4>Two</h4><h5>Three</h5><h5>Four</h5>"),
    ("- a\n- b\n  - c", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>"),
    ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
    ("- [x] a\n- [ ] b", "<ul><li>☑ a</li><li>☐ b</li></ul>"),
    ("> a", "<blockquote><p>a</p></blockquote>"),
    ("`a < b && c`", "<p><code>a &lt; b &amp;&amp; c</code></p>"),
    ("a < b & c &lt; d &#8364; &nosuch;", "<p>a &lt; b &amp; c &lt; d € &amp;nosuch;</p>"),
    # Markup is text, in a paragraph and between them.
    ("<img src=x onerror=alert(1)>", "<p>&lt;img src=x onerror=alert(1)&gt;</p>"),
    ("a <b>c</b>", "<p>a &lt;b&gt;c&lt;/b&gt;</p>"),
    ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
    # A link shows its host; a text that is no web address is no link, and a picture is not fetched.
    ("[a](https://evil.example/x)", "<p><a>a</a><span> (evil.example)</span></p>"),
    ("https://example.org/x", "<p><a>https://example.org/x</a></p>"),
    ("[a](javascript:alert(1))", "<p>a (javascript:alert(1))</p>"),
    ("[a](/user/providers)", "<p>a (/user/providers)</p>"),
    ("![cat](https://e.example/c)", "<p><a>Picture: cat</a><span> (e.example)</span></p>"),
    (
        "| a | b |\n|---|--:|\n| 1 | 2 |",
        "<div><table><thead><tr><th>a</th><th>b</th></tr></thead>"
        "<tbody><tr><td>1</td><td>2</td></tr></tbody></table></div>",
    ),
    (
        "~~~py\na\n\nb\n~~~",
        "<div><div><span>py</span><button>Copy</button></div>"
        "<pre><code><span>a\n\nb\n</span></code></pre></div>",
    ),
    ("hidden </think> it is", "<p>hidden &lt;/think&gt; it is</p>"),
]
# The markup of an answer without what only styles and tools use.
MARKUP = """
const copy = [...document.querySelectorAll('[data-testid="playground-answer-text"]')].at(-1).cloneNode(true);
for (const node of copy.querySelectorAll('*')) {
  for (const name of node.getAttributeNames()) if (name !== 'start') node.removeAttribute(name);
}
for (const part of [...copy.children]) part.replaceWith(...part.childNodes);
return copy.innerHTML;
"""

stack, browser = stack_and_browser()


class Playground(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        provider(self.client, f"{stack.stub.url}/v1", name="First")
        provider(self.client, f"{stack.stub.url}/v1", name="Second", models=("stub-large",))
        browser.visit(self.client, PLAYGROUND)
        self.page = Scripted(browser)

    def tearDown(self):
        self.assertEqual(browser.complaints(), [])

    def texts(self, testid):
        return [part.text for part in browser.all(testid)]

    def test_markdown(self):
        for source, markup in CASES:
            with self.subTest(source=source):
                self.page.ask("?")
                self.page.say(source)
                self.assertEqual(browser.run(MARKUP), markup)

    def test_it_is_drawn_the_same_whole_and_letter_by_letter(self):
        text = "\n\n".join(source for source, _ in CASES)
        drawn = []
        for tokens in ([text], text):
            self.page.ask("?")
            self.page.say(*tokens)
            drawn.append(browser.run(MARKUP))
        self.assertEqual(drawn[0], drawn[1])

    def test_links_leave_without_a_trace(self):
        self.page.ask("?")
        self.page.say("[a](https://example.org/x)")
        link = browser.part("playground-answer-text").find_element("tag name", "a")
        wanted = ("_blank", "noopener noreferrer", "no-referrer", "https://example.org/x")
        names = ("target", "rel", "referrerpolicy", "href")
        self.assertEqual(tuple(link.get_attribute(name) for name in names), wanted)

    def test_code_is_copied(self):
        self.page.ask("?")
        self.page.say("```sh\nls -l\n\npwd\n```\n")
        browser.click("code-copy")
        self.assertEqual(self.page.copied(), "ls -l\n\npwd\n")

    def test_code_gets_colours_and_stays_text(self):
        colours = "return [...document.querySelectorAll('.code span[class^=code-]')].map((s) => [s.className, s.textContent])"
        self.page.ask("?")
        code = '# <img src=x>\nreturn "<b>&amp;"\n'
        self.page.say(f"```PY\n{code}```\n\n```constructor\nreturn 1\n```\n")
        wanted = [["code-comment", "# <img src=x>"], ["code-word", "return"], ["code-string", '"<b>&amp;"']]
        browser.wait(lambda: browser.run(colours) == wanted, "the colours")
        shown = browser.run("return document.querySelector('.code code').textContent")
        self.assertEqual(shown, code)

    def test_thoughts_are_folded_away(self):
        self.page.ask("?")
        self.page.answer({"reasoning": "let me "}, {"reasoning": "see"}, {"token": "42"})
        self.page.end()
        folded = browser.part("playground-thinking")
        self.assertFalse(browser.all("playground-thought")[0].is_displayed())
        folded.find_element("tag name", "summary").click()
        browser.reads("playground-thought", "let me see")
        self.assertEqual(self.texts("playground-answer-text"), ["42"])

    def test_an_answer_tells_whose_it_is_and_how_it_ended(self):
        self.page.ask("?")
        self.page.answer({"token": "a"}, {"token": "b"})
        usage = {"inputTokens": 12, "outputTokens": 3456}
        self.page.end(finishReason="length", usage=usage, keyName="Work")
        browser.wait(lambda: self.page.states() == ["done"], "the end")
        facts = browser.part("playground-facts")
        self.assertRegex(facts.text, r"^First · stub-small · Work · \d+ ms$|^First · stub-small · Work · \d+\.\d s$")
        facts.find_element("tag name", "summary").click()
        for part in ("first token", "12 tokens in, 3,456 out"):
            self.assertIn(part, facts.text)
        browser.reads("playground-notes", "Cut off at the token limit.")

    def test_a_turn_is_copied_asked_again_edited_and_deleted(self):
        self.page.ask("one")
        self.page.say("first")
        browser.click("answer-copy")
        self.assertEqual(self.page.copied(), "first")
        self.page.ask("two")
        self.page.say("second")
        browser.click("question-edit", browser.all("playground-turn")[1])
        browser.fill("question-field", "two, said better")
        browser.click("question-resend")
        self.page.wait_asked(3)
        self.page.say("second, better")
        history = [turn["content"] for turn in self.page.asked()[-1]["history"]]
        self.assertEqual(history, ["one", "first"])
        browser.click("playground-more")
        browser.click("playground-copy")
        self.assertIn("**You**\n\ntwo, said better\n\n**First", self.page.copied())
        browser.click("question-delete", browser.all("playground-turn")[0])
        self.assertEqual(self.texts("playground-question"), ["two, said better"])
        browser.click("playground-clear")
        browser.click("confirm-yes")
        browser.wait(lambda: not browser.all("playground-turn"), "an empty conversation")

    def test_what_is_asked_again_goes_on_from_there_and_the_way_back_is_kept(self):
        for question, answer in (("one", "first"), ("two", "second")):
            self.page.ask(question)
            self.page.say(answer)
        browser.click("answer-again", browser.all("playground-turn")[0])
        self.page.wait_asked(3)
        self.assertNotIn("history", self.page.asked()[-1])
        self.page.say("first, better")
        self.assertEqual(self.texts("playground-answer-text"), ["first, better"])
        browser.reads("question-version", "2/2")
        browser.driver.refresh()
        browser.reads("question-version", "2/2")
        browser.click("question-earlier")
        browser.wait(lambda: self.texts("playground-answer-text") == ["first", "second"], "what was before")
        browser.reads("question-version", "1/2")

    def test_the_conversation_stays_in_the_tab_until_it_is_cleared(self):
        self.page.ask("one")
        self.page.answer({"reasoning": "hm"}, {"token": "**first**"})
        self.page.end(usage={"inputTokens": 12, "outputTokens": 3}, finishReason="length")
        browser.wait(lambda: self.page.states() == ["done"], "the end")
        before = browser.part("playground-turn").text
        browser.driver.get(f"{stack.base_url}{PROFILE}")
        browser.driver.back()
        browser.reads("playground-turn", before)
        self.page = Scripted(browser)
        self.page.ask("two")
        self.assertEqual([turn["content"] for turn in self.page.asked()[0]["history"]], ["one", "**first**"])
        self.page.answer({"token": "cut"})
        browser.wait(lambda: self.page.states()[-1] == "streaming", "the stream")
        browser.driver.refresh()
        browser.wait(lambda: self.page.states() == ["done", "stopped"], "the whole conversation")
        self.assertEqual(self.texts("playground-answer-text"), ["first", "cut"])
        browser.click("playground-clear")
        browser.click("confirm-yes")
        browser.driver.refresh()
        browser.part("playground-send")
        self.assertEqual(browser.all("playground-turn"), [])

    def test_another_person_finds_no_conversation_and_a_sign_out_ends_it(self):
        stored = "return Object.keys(sessionStorage).filter((key) => key.startsWith('conversation')).length"
        self.page.ask("one")
        self.page.say("first")
        self.assertEqual(browser.run(stored), 1)
        browser.visit(stack.newcomer("Bea"), PLAYGROUND)
        browser.part("playground-none")
        self.assertEqual((browser.all("playground-turn"), browser.run(stored)), ([], 0))
        browser.visit(self.client, PLAYGROUND)
        self.page = Scripted(browser)
        self.page.ask("one")
        self.page.say("first")
        browser.click("account")
        browser.click("sign-out")
        browser.part("login-email")
        self.assertEqual(browser.run(stored), 0)

    def test_leaving_asks_while_an_answer_arrives(self):
        asks = "return !dispatchEvent(new Event('beforeunload', { cancelable: true }))"
        self.page.ask("one")
        self.page.answer({"token": "first"})
        self.assertTrue(browser.run(asks))
        browser.press(Keys.ESCAPE)
        browser.wait(lambda: self.page.states() == ["stopped"], "the end")
        self.assertFalse(browser.run(asks))

    def test_an_example_is_written_into_the_box(self):
        example = browser.part("playground-prompt")
        words = example.text
        example.click()
        self.assertEqual((focused(browser), browser.value("playground-message")), ("playground-message", words))
        self.assertEqual(self.page.asked(), [])

    def test_the_last_question_is_edited_by_its_key(self):
        self.page.ask("one")
        self.page.say("first")
        browser.part("playground-message").send_keys(Keys.ARROW_UP)
        self.assertEqual((focused(browser), browser.value("question-field")), ("question-field", "one"))

    def test_what_cannot_be_sent_stays_in_the_box(self):
        long = "x" * 32_769
        field = browser.part("playground-message")
        browser.run("arguments[0].value = arguments[1]", field, long)
        field.send_keys(Keys.BACKSPACE)
        browser.reads("playground-counter", "32,768 of 32,768 characters")
        field.send_keys("xy", Keys.ENTER)
        browser.mentions("toast", "too long")
        self.assertEqual((len(browser.value("playground-message")), self.page.asked()), (32_770, []))

    def test_what_the_server_does_not_take_comes_back(self):
        browser.driver.refresh()
        browser.click("playground-options")
        browser.fill("playground-temperature", "9")
        browser.fill("playground-message", "hello")
        browser.click("playground-send")
        browser.wait(lambda: browser.value("playground-message") == "hello", "the message")
        browser.part("playground-temperature")
        self.assertEqual(browser.all("playground-turn"), [])
        browser.driver.get_log("browser")  # the refusal

    def test_a_system_prompt_from_before_a_reload_is_told(self):
        browser.click("playground-options")
        browser.fill("playground-system", "Only French.")
        browser.driver.refresh()
        browser.mentions("playground-options", "system prompt set")

    def test_the_box_stays_in_the_window(self):
        self.addCleanup(browser.command, "Emulation.clearDeviceMetricsOverride")
        browser.click("playground-compare")
        browser.fill("playground-message", "a line\n" * 30)
        browser.click("playground-options")
        outside = """return ['playground-send', 'playground-system'].map((id) => {
          const { top, bottom } = document.getElementById(id).getBoundingClientRect();
          return Math.max(0, -top) + Math.max(0, bottom - innerHeight);
        })"""
        for width, height in ((1280, 800), (1366, 768), (1280, 720), (375, 667)):
            size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
            browser.command("Emulation.setDeviceMetricsOverride", **size)
            with self.subTest(width=width, height=height):
                browser.wait(lambda: browser.run(outside) == [0, 0], "all of it in sight")
        small = "return [...document.querySelectorAll('.composer :is(input, select, textarea)')]"
        small += ".filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16).length"
        self.assertEqual(browser.run(small), 0)  # a phone would zoom

    def test_the_end_is_followed_until_one_scrolls_up(self):
        self.page.ask("one")
        self.page.answer({"token": "a line\n\n" * 100})
        left = "const log = arguments[0]; return log.scrollHeight - log.scrollTop - log.clientHeight"
        log = browser.part("playground-log")
        browser.wait(lambda: browser.part("playground-answer-text").text.count("a line") == 100, "all lines")
        browser.wait(lambda: browser.run(left, log) < 2, "the end")
        browser.run("arguments[0].scrollTop -= 300", log)
        browser.part("playground-jump")
        self.page.answer({"token": "a line\n\n" * 100})
        self.page.end()
        browser.wait(lambda: self.page.states() == ["done"], "the end of the answer")
        self.assertGreater(browser.run(left, log), 300)
        browser.click("playground-jump")
        browser.wait(lambda: browser.run(left, log) < 2, "the end")
        self.assertEqual(browser.shown("playground-jump"), [])

    def test_an_empty_answer_is_not_copied(self):
        self.page.ask("one")
        self.page.answer({"error": "It failed.", "code": "upstream_error"})
        browser.wait(lambda: self.page.states() == ["failed"], "the failure")
        self.assertEqual((browser.shown("answer-copy"), browser.shown("answer-again")), ([], []))
        browser.part("error-again")

    def test_a_long_answer_is_shortened_for_the_next_question(self):
        self.page.ask("one")
        self.page.say("x\x1b" + "€" * 40_000)
        self.page.ask("two")
        self.page.say("second")
        self.assertEqual(self.page.asked()[-1]["history"][1]["content"], "x" + "€" * 32_767)
        shortened = "An earlier answer was too long and was shortened for the model."
        self.assertIn(shortened, browser.all("playground-turn")[1].text)

    def test_what_was_chosen_last_is_chosen_again(self):
        choose_model(browser, "second")
        browser.driver.refresh()
        browser.reads("playground-model", "stub-large")

    def test_a_search_provider_needs_no_model(self):
        made = provider(self.client, stack.stub.url, kind="exa", name="Finder", models=())
        browser.driver.get(f"{stack.base_url}{PLAYGROUND}?provider={made}")
        browser.reads("playground-model", "Finder")
        self.assertTrue(browser.part("playground-send").is_enabled())

    def test_two_answer_side_by_side(self):
        browser.click("playground-compare")
        self.page.ask("which?")
        self.page.wait_asked(2)
        self.assertEqual([a["modelId"] for a in self.page.asked()], ["stub-small", "stub-large"])
        names = ["First · stub-small", "Second · stub-large"]
        browser.wait(lambda: self.texts("answer-who") == names, "whose each answer will be")
        for number, word in enumerate(("left", "right")):
            self.page.answer({"token": word}, number=number)
            self.page.end(number=number)
        browser.wait(lambda: self.page.states() == ["done", "done"], "both answers")
        self.assertNotIn("stub", browser.part("playground-facts").text)
        self.page.ask("and then?")
        self.page.wait_asked(4)
        spoken = [asked["history"][1]["content"] for asked in self.page.asked()[2:]]
        self.assertEqual(spoken, ["left", "right"])

    def test_a_comparison_outlives_a_reload(self):
        browser.click("playground-compare")
        browser.reads("playground-model-2", "stub-large")
        browser.driver.refresh()
        browser.reads("playground-model-2", "stub-large")
        browser.click("playground-compare")
        browser.driver.refresh()
        browser.reads("playground-model", "stub-small")
        self.assertEqual(browser.shown("playground-model-2"), [])

    def test_the_tab_tells_that_an_answer_arrives(self):
        icon = "return document.querySelector('link[rel=icon]').href.split('/').at(-1)"
        for now, step in (
            ("favicon.svg", lambda: self.page.ask("one")),
            ("favicon-busy.svg", lambda: self.page.say("here")),
            ("favicon.svg", lambda: None),
        ):
            browser.wait(lambda: browser.run(icon) == now, now)
            step()

    def test_the_focus_stays_and_enter_does_not_stop(self):
        browser.fill("playground-message", "one\n\n")
        self.page.wait_asked(1)
        self.page.answer({"token": "still "})
        browser.part("playground-message").send_keys("two\n")
        browser.mentions("toast", "stop it first.")
        self.assertEqual(self.page.states(), ["streaming"])
        self.page.say("here")
        self.assertEqual((focused(browser), browser.value("playground-message")), ("playground-message", "two"))
