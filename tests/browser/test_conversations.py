"""Conversations that the browser keeps on this device: only for who said so, never for another person, gone when they
wish; and the last message as code, which the shell, Python and Node.js read as it was meant."""

import json
import subprocess
import unittest

from browser.visits import FULL, Scripted, focused, sideways, sign_in, sign_out, stack_and_browser
from harness.scenes import PLAYGROUND, PROFILE, SECURITY, provider
from selenium.webdriver.common.keys import Keys

KEPT = """const [user] = arguments;
return indexedDB.databases().then((all) => all.filter(({ name }) => name === `conversations ${user}`).length)"""
USER = "return document.querySelector('meta[name=user-id]').content"
CONTENTS = """const opening = indexedDB.open(`conversations ${arguments[0]}`);
return new Promise((resolve) => {
  opening.onsuccess = () => {
    opening.result.transaction('heads').objectStore('heads').count().onsuccess = ({ target }) => {
      opening.result.close();
      resolve(target.result);
    };
  };
});"""
# The list may be drawn again between a look and a click.
OPENS_SECOND = "document.querySelectorAll('[data-testid=conversation-row] [data-testid=conversation-open]')[1].click()"
TITLES = "return [...document.querySelectorAll('[data-testid=conversation-open] span')].map((each) => each.textContent)"
NO_DATABASE = "Object.defineProperty(window, 'indexedDB', { get() { throw new DOMException('', 'SecurityError'); } })"
TYPE = "const [field, text] = arguments; field.value = text; field.dispatchEvent(new Event('input', { bubbles: true }))"
TEXT = "it's \"quoted\" \\ and \\n, $HOME `id` $(id) %s\nJSON\n</script> 'EOF' !! 🙂 \u2028 é\ttab\u007f"

stack, browser = stack_and_browser()


def setUpModule():
    unittest.enterModuleContext(stack.configured(api="true"))


class Kept(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        provider(self.client, f"{stack.stub.url}/v1", name="First")
        self.open()

    def open(self):
        browser.visit(self.client, PLAYGROUND)
        self.page = Scripted(browser)
        self.user = browser.run(USER)
        browser.wait(browser.part("playground-model").is_enabled, "the page's script")

    def is_kept(self):
        """Whether the device has a database of this person."""
        return browser.run(KEPT, self.user) == 1

    def talk(self, question, answer="fine"):
        self.page.ask(question)
        self.page.say(answer)

    def keep(self, until_sign_out=False):
        browser.click("playground-conversations")
        if not until_sign_out:
            browser.click("keep-session")
        browser.click("keep-yes")
        browser.part("conversation-search")
        browser.press(Keys.ESCAPE)

    def titles(self):
        return browser.run(TITLES)

    def wait_titles(self, *titles):
        browser.wait(lambda: self.titles() == list(titles), str(titles))

    def list(self, *titles):
        """Opens the list until it shows these: what is kept is so a moment after it is drawn."""

        def shown():
            if not browser.shown("conversations"):
                browser.click("playground-conversations")
            if self.titles() == list(titles):
                return True
            browser.press(Keys.ESCAPE)
            return False

        browser.wait(shown, f"{titles} to be kept")

    def questions(self):
        return [part.text for part in browser.all("playground-question")]

    def two(self):
        self.keep()
        self.talk("how deep is the sea?", "very deep")
        browser.click("playground-clear")
        self.talk("why is it blue?", "the light")
        self.list("why is it blue?", "how deep is the sea?")

    def test_nothing_is_kept_without_a_yes(self):
        self.talk("one")
        loaded = "return performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1))"
        later = {"playground_later.js"}
        self.assertEqual(later & set(browser.run(loaded)), set())
        browser.click("playground-conversations")
        browser.part("keep-offer")
        self.assertEqual(focused(browser), "keep-yes")
        browser.press(Keys.ESCAPE)
        browser.reads("playground-kept", "Kept in this tab only")
        self.assertFalse(self.is_kept())
        self.assertEqual(focused(browser), "playground-conversations")

    def test_one_is_opened_again_after_the_tab(self):
        self.two()
        browser.run("sessionStorage.clear()")
        self.open()
        self.assertEqual(self.questions(), [])
        self.list("why is it blue?", "how deep is the sea?")
        browser.run(OPENS_SECOND)
        browser.reads("playground-answer-text", "very deep")
        self.assertEqual(focused(browser), "playground-message")
        self.talk("and the lake?")
        history = [each["content"] for each in self.page.asked()[-1]["history"]]
        self.assertEqual(history, ["how deep is the sea?", "very deep"])
        self.list("how deep is the sea?", "why is it blue?")

    def test_search_finds_titles_and_messages(self):
        self.two()
        for text, titles in (("SEA", ["how deep is the sea?"]), ("the light", ["why is it blue?"]), ("moon", [])):
            browser.fill("conversation-search", text)
            self.wait_titles(*titles)
        browser.reads("conversation-count", "Nothing found.")
        browser.fill("conversation-search", "very\n")
        browser.reads("playground-question", "how deep is the sea?")

    def test_one_is_renamed(self):
        self.two()
        browser.click("conversation-rename")
        browser.press("no", Keys.ESCAPE)
        self.assertEqual(focused(browser), "conversation-rename")
        browser.press(Keys.ENTER)
        browser.press("The sky", Keys.ENTER)
        self.wait_titles("The sky", "how deep is the sea?")
        self.assertEqual(focused(browser), "conversation-rename")
        browser.press(Keys.ESCAPE)
        self.talk("and at night?")
        self.list("The sky", "how deep is the sea?")

    def test_one_is_deleted_and_comes_back(self):
        self.two()
        browser.click("conversation-delete")
        self.wait_titles("how deep is the sea?")
        self.assertEqual((focused(browser), self.questions()), ("conversation-delete", []))
        browser.click("conversation-undo")
        self.wait_titles("why is it blue?", "how deep is the sea?")
        browser.wait(lambda: self.questions() == ["why is it blue?"], "the conversation")
        for titles in (["how deep is the sea?"], []):
            browser.click("conversation-delete")
            self.wait_titles(*titles)
        self.assertEqual(focused(browser), "conversation-search")
        self.open()
        browser.click("playground-conversations")
        browser.reads("conversation-count", "0 conversations")

    def test_another_person_sees_none(self):
        self.two()
        bea = stack.newcomer("Bea")
        browser.visit(bea, PLAYGROUND)
        browser.part("playground-none")
        self.assertEqual(browser.all("playground-turn"), [])
        browser.click("playground-conversations")
        browser.part("keep-offer")
        browser.click("keep-yes")
        browser.reads("conversation-count", "0 conversations")
        self.open()
        self.list("why is it blue?", "how deep is the sea?")

    def test_they_are_gone_at_sign_out_where_that_is_wished(self):
        self.keep(until_sign_out=True)
        browser.reads("playground-kept", "Kept on this device until you sign out")
        self.talk("how deep is the sea?")
        self.list("how deep is the sea?")
        browser.press(Keys.ESCAPE)
        self.assertTrue(self.is_kept())
        sign_out(browser)
        browser.part("login-email")
        self.assertFalse(self.is_kept())
        self.sign_in(self.client)
        browser.click("playground-conversations")
        browser.part("keep-offer")

    def test_and_at_one_whose_session_has_ended_before(self):
        self.keep(until_sign_out=True)
        self.talk("how deep is the sea?")
        self.list("how deep is the sea?")
        browser.press(Keys.ESCAPE)
        stack.sql(f"DELETE FROM usershell.sessions s USING usershell.users u WHERE u.id = s.owner_id AND u.email = '{self.client.email}'")
        sign_out(browser)
        browser.part("login-email")
        self.assertFalse(self.is_kept())

    def test_or_stay_whoever_signs_out(self):
        self.two()
        browser.press(Keys.ESCAPE)
        bea = stack.newcomer("Bea")
        provider(bea, f"{stack.stub.url}/v1")
        for person in (bea, self.client):
            sign_out(browser)
            browser.part("login-email")
            self.assertEqual((browser.run("return sessionStorage.length"), self.is_kept()), (0, True))
            self.sign_in(person)
            self.assertEqual(self.questions(), [])
        self.list("why is it blue?", "how deep is the sea?")

    def test_signing_out_everywhere_ends_this_person_s_alone(self):
        self.keep()
        bea = stack.newcomer("Bea")
        for ended, person in ((False, bea), (True, self.client)):
            browser.visit(person, SECURITY)
            browser.click("sessions-end")
            browser.part("login-email")
            self.assertEqual(self.is_kept(), not ended)

    def sign_in(self, person):
        """By the page that is open, and on to the playground."""
        sign_in(browser, person.email, person.password)
        browser.part("provider-card")
        browser.click("to-playground")
        browser.wait(lambda: browser.part("playground-model").is_enabled(), "the page's script")

    def test_or_when_another_person_is_there_without_it(self):
        self.keep(until_sign_out=True)
        self.talk("how deep is the sea?")
        self.list("how deep is the sea?")
        browser.visit(stack.newcomer("Bea"), PROFILE)
        browser.wait(lambda: not self.is_kept(), "the conversations to go")

    def test_who_wants_them_no_more_keeps_the_open_one_in_its_tab(self):
        self.two()
        browser.click("keep-end")
        browser.click("confirm-yes")
        browser.part("keep-offer")
        self.assertFalse(self.is_kept())
        browser.press(Keys.ESCAPE)
        browser.driver.refresh()
        browser.reads("playground-question", "why is it blue?")
        browser.click("playground-clear")
        browser.mentions("confirm-dialog", "It exists only in this tab.")

    def test_a_browser_that_keeps_nothing_says_so(self):
        self.talk("one")
        browser.run(NO_DATABASE)
        browser.click("playground-conversations")
        browser.click("keep-yes")
        browser.mentions("conversations-error", "as in a private window. The conversation stays in this tab.")
        browser.driver.refresh()
        self.assertEqual(self.questions(), ["one"])

    def test_a_part_of_the_page_that_does_not_come_is_told(self):
        browser.command("Network.enable")
        browser.command("Network.setCacheDisabled", cacheDisabled=True)
        self.addCleanup(browser.command, "Network.setCacheDisabled", cacheDisabled=False)
        browser.command("Network.setBlockedURLs", urls=["*/playground_later.js"])
        self.addCleanup(browser.command, "Network.setBlockedURLs", urls=[])
        browser.click("playground-conversations")
        browser.reads("toast", "This page has not loaded completely.")

    def test_a_full_device_says_so_and_the_tab_has_it(self):
        self.keep()
        browser.run(FULL, "too much")
        self.talk("this is too much")
        browser.mentions("toast", "There is no more room on this device.")
        self.assertEqual(browser.run(CONTENTS, self.user), 0)
        browser.driver.refresh()
        browser.reads("playground-question", "this is too much")
        self.list("this is too much")

    def test_two_tabs_lose_nothing_of_each_other(self):
        self.two()
        browser.press(Keys.ESCAPE)
        copy = browser.run("return { ...sessionStorage }")
        self.talk("here")
        self.list("why is it blue?", "how deep is the sea?")
        browser.press(Keys.ESCAPE)
        browser.driver.switch_to.new_window("tab")
        self.addCleanup(lambda: browser.driver.switch_to.window(browser.driver.window_handles[0]))
        self.addCleanup(browser.driver.close)
        browser.visit(self.client, PROFILE)
        browser.run("for (const [key, value] of Object.entries(arguments[0])) sessionStorage.setItem(key, value)", copy)
        self.open()
        self.assertEqual(self.questions(), ["why is it blue?"])
        self.talk("there")
        browser.mentions("toast", "changed in another tab")
        self.list("why is it blue?", "why is it blue?", "how deep is the sea?")
        browser.run(OPENS_SECOND)
        browser.wait(lambda: self.questions() == ["why is it blue?", "here"], "that of the other tab")

    def test_a_reload_while_an_answer_arrives(self):
        self.keep()
        self.page.ask("how deep?")
        self.page.answer({"token": "very"})
        browser.wait(lambda: self.page.states() == ["streaming"], "the stream")
        browser.driver.refresh()
        browser.reads("playground-answer-text", "very")
        browser.run("sessionStorage.clear()")
        self.open()
        self.list("how deep?")
        browser.click("conversation-open")
        browser.reads("playground-answer-text", "very")

    def test_a_file_of_it(self):
        folder = stack.folder.sub("downloads")
        folder.mkdir(exist_ok=True)
        browser.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
        self.talk("how deep is the sea?", "very **deep**")
        browser.click("playground-more")
        browser.click("playground-save")
        path = folder / "how-deep-is-the-sea.md"
        browser.wait(path.exists, "the file")
        text = "**You**\n\nhow deep is the sea?\n\n**First · stub-small**\n\nvery **deep**\n"
        self.assertEqual(path.read_text(encoding="utf-8"), text)
        self.assertEqual((focused(browser), browser.complaints()), ("playground-more", []))


class AsCode(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        provider(self.client, f"{stack.stub.url}/v1", name="First")

    def sent(self, stream):
        """Asks with every option; what /v1 should be sent for it."""
        browser.visit(self.client, PLAYGROUND)
        page = Scripted(browser)
        browser.click("playground-options")
        for name, value in (("temperature", "0.5"), ("max-tokens", "64")):
            browser.fill(f"playground-{name}", value)
        for name in ("system", "message"):
            browser.run(TYPE, browser.all(f"playground-{name}")[0], TEXT)
        if not stream:
            browser.click("playground-stream")
        browser.press(Keys.ESCAPE)
        browser.click("playground-send")
        page.wait_asked(1)
        body = page.asked()[0]
        messages = [{"role": "system", "content": body["system"]}, {"role": "user", "content": body["message"]}]
        options = {"temperature": 0.5, "max_tokens": 64} | ({"stream": True} if stream else {})
        return {"model": "first/stub-small", "messages": messages, **options}

    def codes(self):
        browser.click("playground-more")
        browser.click("playground-code")
        browser.part("code-text")
        texts = []
        for tab in browser.all("code-tab"):
            tab.click()
            texts.append(browser.run("return document.querySelector('[data-testid=code-text]').textContent"))
        return texts

    def test_it_says_what_was_sent_in_each_language(self):
        folder = stack.folder.sub("code")
        sdk = folder / "node_modules" / "openai"
        sdk.mkdir(parents=True, exist_ok=True)
        (sdk / "package.json").write_text('{"name": "openai", "type": "module", "main": "index.js"}')
        (sdk / "index.js").write_text(
            "export default class { constructor() { this.chat = { completions: { create(body) {"
            " console.log(JSON.stringify(body)); process.exit(0); } } }; } }"
        )
        (folder / "openai.py").write_text(
            "import json, sys\n\nclass OpenAI:\n    def __init__(self, **_): self.chat = self.completions = self\n"
            "    def create(self, **body): print(json.dumps(body)); sys.exit()\n"
        )
        (folder / "curl").write_text("#!/bin/sh\nexec cat\n")
        (folder / "curl").chmod(0o755)
        for stream in (True, False):
            wanted = self.sent(stream)
            for text, name, program in zip(
                self.codes(), ("a.sh", "a.py", "a.mjs"), ("/bin/bash", "/usr/bin/python3", "/usr/bin/node"), strict=True
            ):
                with self.subTest(program=program, stream=stream):
                    (folder / name).write_text(text, encoding="utf-8")
                    env = {"PATH": f"{folder}:/usr/bin:/bin", "PYTHONIOENCODING": "utf-8"}
                    said = subprocess.run([program, name], cwd=folder, env=env, capture_output=True, check=True)
                    self.assertEqual(json.loads(said.stdout), wanted)
            browser.press(Keys.ESCAPE)

    def test_a_provider_that_tools_cannot_call_and_a_small_window(self):
        made = provider(self.client, stack.stub.url, kind="exa", name="Exa", models=())
        browser.visit(self.client, f"{PLAYGROUND}?provider={made}")
        page = Scripted(browser)
        page.ask("one")
        page.say("first")
        browser.click("playground-more")
        browser.click("playground-code")
        browser.part("code-none")
        browser.shown_as(320)
        self.addCleanup(browser.command, "Emulation.clearDeviceMetricsOverride")
        self.assertEqual((sideways(browser), browser.shown("code-take")), (0, []))
