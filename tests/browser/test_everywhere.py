"""Rules of every page: Enter in a form does its deed. A button that takes something away asks or has an Undo. No action drops
the focus to the page's body, by mouse or by keyboard."""

import re
import unittest

from browser.visits import Keyboard, Scripted, fail_a_check, fill_a_provider, stack_and_browser
from harness import pictures
from harness.scenes import ACCESS, APP, PLAYGROUND, PROFILE, ROUTE, SECURITY, access_token, account, provider
from selenium.webdriver.common.keys import Keys

# Each form that has a field for a line of text is shown alone, and the button is noted by which it is sent.
FORMS = """
window.sent = null;
addEventListener('submit', (event) => {
  event.preventDefault();
  event.stopImmediatePropagation();
  window.sent = event.submitter;
}, true);
const line = 'input:not([type]), ' + ['text', 'email', 'password', 'number', 'url'].map((t) => `input[type=${t}]`).join();
window.forms = [...document.forms].filter((form) => form.querySelector(line));
window.ready = (form) => {
  for (const other of document.querySelectorAll('dialog[open]')) if (!other.contains(form)) other.close();
  if (!form.closest('dialog')?.open) form.closest('dialog')?.showModal();
  for (let at = form; at; at = at.parentElement) { at.hidden = false; if (at.matches('details')) at.open = true; }
  for (const part of form.querySelectorAll('[hidden]:not([type=hidden])')) part.hidden = false;
  for (const part of form.querySelectorAll('details')) part.open = true;
  for (const field of form.elements) field.disabled = false;
  form.noValidate = true;
  const field = [...form.querySelectorAll(line)].find((each) => !each.readOnly && each.checkVisibility());
  field.focus();
  return document.activeElement === field;
};
return window.forms.length;
"""
# The deed: the form's main button, or its only one.
DEED = """
const form = window.forms[arguments[0]];
const ways = [...form.querySelectorAll('button:not([type=button])')];
return [window.sent, form.querySelector('.primary') ?? ways[0]].map((each) => each?.ariaLabel ?? each?.textContent.trim() ?? 'nothing');
"""
TAKES = re.compile(r"delete|remove|revoke|clear")
FOUND = """return [...document.querySelectorAll('button[data-testid]')].map((each) => each.dataset.testid)"""
AT_BODY = "return document.activeElement === document.body || document.activeElement === null"

stack, browser = stack_and_browser()


def setUpModule():
    unittest.enterModuleContext(stack.configured(api="true"))


def page_with_everything(client):
    """A provider with models, a key, a header and a picture of its owner."""
    made = provider(client, f"{stack.stub.url}/v1", name="First", models=("stub-small", "stub-large"))
    account(client, made, "sk-one-0123456789", name="one")
    client.post(f"{ROUTE}/{made}/headers", {"name": "X-Tenant", "value": "acme"})


def open_sheet(client):
    browser.visit(client)
    browser.click("manage-provider")
    for tab in ("keys", "settings", "models"):
        browser.click(f"tab-{tab}")


def open_token(client):
    """The page of a token that is off."""
    token = "0f8fad5b-d9cb-469f-a165-70867728950e"
    access_token(client, TokenId=token)
    client.form(f"{ACCESS}/{token}/disable", {}, page=SECURITY)
    browser.visit(client, f"{ACCESS}/{token}")


def talk(client):
    """Two questions in the playground, and their answers."""
    browser.visit(client, PLAYGROUND)
    page = Scripted(browser)
    for word in ("one", "two"):
        page.ask(word)
        page.say(word)
    return page


class EveryForm(unittest.TestCase):
    def test_enter_does_the_deed(self):
        client = stack.newcomer()
        page_with_everything(client)
        walked = 0
        for path, prepare in (
            (ROUTE, open_sheet),
            (PLAYGROUND, None), (PROFILE, None), (SECURITY, None), (ACCESS, None), ("token", open_token), (APP, None), (f"{SECURITY}/passkey", None),
            ("/auth/login", None), ("/auth/forgot", None),
        ):  # fmt: skip
            if prepare:
                prepare(client)
            else:
                browser.become(None if path.startswith("/auth") else client)
                browser.driver.get(f"{stack.base_url}{path}")
            for number in range(browser.run(FORMS)):
                with self.subTest(path=path, form=number):
                    self.assertTrue(browser.run("window.sent = null; return window.ready(window.forms[arguments[0]])", number))
                    browser.press(Keys.ENTER)
                    sent, deed = browser.run(DEED, number)
                    self.assertEqual(sent, deed)
                    walked += 1
        self.assertGreater(walked, 12)

    def test_a_session_is_got_back_by_enter(self):
        client = stack.newcomer()
        browser.visit(client)
        fill_a_provider(browser, f"{stack.stub.url}/v1", "sk-typed-0123456789", name="Typed")
        stack.sign_in(client).form(f"{PROFILE}/sessions/end", {}, page=SECURITY)
        browser.press(Keys.ENTER)
        browser.fill("sign-in-password", f"{client.password}\n")
        browser.reads("provider-title", "Typed")


class WhatTakesAway(unittest.TestCase):
    """Every button whose name says so is in the table, with how it is reached."""

    def setUp(self):
        self.client = stack.newcomer()
        page_with_everything(self.client)

    def sheet(self, tab):
        open_sheet(self.client)
        browser.click(f"tab-{tab}")

    def menu(self):
        browser.visit(self.client)
        browser.click("provider-menu")

    def kept(self):
        talk(self.client)
        browser.click("playground-conversations")
        browser.click("keep-yes")
        browser.part("conversation-row")

    def failed_check(self):
        browser.visit(self.client)
        browser.click("create-provider")
        browser.click("type-generic-compatible")
        fail_a_check(browser, f"{stack.stub.url}/v1")

    def token(self):
        browser.visit(self.client, ACCESS)
        browser.fill("token-name", "laptop")
        browser.fill("token-password", self.client.password)
        browser.click("token-submit")
        browser.part("new-token")

    def picture(self):
        browser.visit(self.client, PROFILE)
        path = stack.folder.sub("good.png")
        path.write_bytes(pictures.png(96, 64))
        browser.all("avatar-file")[0].send_keys(str(path))
        browser.click("avatar-submit")
        browser.part("notice")

    def deletion(self):
        browser.visit(self.client, SECURITY)

    def test_it_asks_or_has_an_undo(self):
        ways = {
            "menu-delete": self.menu,
            "delete-provider": lambda: self.sheet("settings"),
            "header-remove": lambda: self.sheet("settings"),
            "model-remove": lambda: self.sheet("models"),
            "account-delete": lambda: self.sheet("keys"),
            "provider-remove": self.failed_check,
            "question-delete": lambda: talk(self.client),
            "playground-clear": lambda: talk(self.client),
            "conversation-delete": self.kept,
            "avatar-remove": self.picture,
            "delete-submit": self.deletion,  # for the address and the password
            "token-revoke": self.token,  # last: it begins another session
        }
        found = set()
        for testid, reach in ways.items():
            with self.subTest(button=testid):
                reach()
                found |= set(browser.run(FOUND))
                if testid == "delete-submit":
                    self.assertTrue(browser.part("delete-password").get_attribute("required"))
                    continue
                browser.click(testid)
                undo = "return document.querySelector('#confirm-dialog[open], #toast button') !== null"
                browser.wait(lambda: browser.run(undo), "a question or an Undo")
        self.assertEqual({name for name in found if TAKES.search(name)}, set(ways))

    def test_a_question_comes_back_with_its_versions_where_it_was(self):
        page = talk(self.client)
        browser.click("answer-again", browser.all("playground-turn")[0])
        page.wait_asked(3)
        page.say("one, better")
        browser.click("question-earlier")
        browser.click("question-delete")
        browser.mentions("toast", "1 other version")
        texts = lambda: [part.text for part in browser.all("playground-question")]  # noqa: E731
        self.assertEqual(texts(), ["two"])
        page.ask("three")
        page.say("three")
        browser.click("question-undo")
        browser.wait(lambda: texts() == ["one", "two", "three"], "all of them, in their order")
        browser.reads("question-version", "1/2")
        browser.driver.refresh()
        browser.wait(lambda: texts() == ["one", "two", "three"], "what is kept")


class TheFocus(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        page_with_everything(self.client)

    def act(self, testid, by_key):
        """Presses a button that has to be reached, and looks where the focus is once the page has drawn."""
        part = browser.part(testid)
        browser.wait(part.is_enabled, f"{testid} to be enabled")
        if by_key:
            browser.run("arguments[0].focus()", part)
            browser.press(Keys.ENTER)
        else:
            part.click()
        self.stays(testid)

    def stays(self, what):
        browser.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        self.assertFalse(browser.run(AT_BODY), f"{what} drops the focus")

    def test_in_the_playground(self):
        for by_key in (False, True):
            with self.subTest(by_key=by_key):
                page = talk(self.client)
                self.act("question-edit", by_key)
                browser.press(Keys.ESCAPE)
                self.stays("Escape")
                self.act("question-edit", by_key)
                browser.part("playground-turn").find_element("css selector", ".editing button").click()
                self.stays("Cancel")
                browser.part("playground-message").send_keys(Keys.ARROW_UP)
                browser.press(Keys.ESCAPE)
                Keyboard(browser).wait_at("playground-message")
                self.act("answer-again", by_key)
                page.wait_asked(3)
                page.say("one, better")
                self.stays("the answer")
                self.act("question-earlier", by_key)
                self.act("question-later", by_key)
                self.act("question-edit", by_key)
                self.act("question-resend", by_key)
                page.wait_asked(4)
                self.act("playground-stop", by_key)
                self.act("question-delete", by_key)
                self.act("question-undo", by_key)
                self.act("playground-more", by_key)
                self.act("playground-copy", by_key)
                self.act("playground-clear", by_key)
                self.act("confirm-yes", by_key)
                self.act("playground-prompt", by_key)
                browser.fill("playground-message", "")
                for _ in ("on", "off"):
                    self.act("playground-compare", by_key)

    def test_among_the_providers(self):
        for by_key in (False, True):
            with self.subTest(by_key=by_key):
                browser.visit(self.client)
                for testid in (
                    "test-provider", "manage-provider", "tab-models", "model-edit", "capabilities-submit", "model-remove",
                    "model-undo", "tab-keys", "account-test", "account-edit", "key-submit", "tab-settings", "sheet-close",
                    "provider-menu", "menu-status", "provider-menu", "menu-status", "test-all",
                ):  # fmt: skip
                    self.act(testid, by_key)
                browser.wait(lambda: browser.part("test-all").get_attribute("aria-busy") is None, "the end")
                self.stays("the end of all tests")
