"""Shared by the browser tests: a stack with a browser, forms filled in as a person does, a page driven by its keyboard alone,
in either browser, and a playground whose answers a test writes itself."""

import json
import re
import unittest

from harness.browser import Browser
from harness.suite import Later, shared_stack
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

# Errors that no visit may cause.
_FORBIDDEN = re.compile(r"Content Security Policy|Trusted ?(Type|HTML|Script)|Uncaught")


# From now on this device has no room for what has that text.
FULL = """const [refused] = arguments;
const real = IDBObjectStore.prototype.put;
IDBObjectStore.prototype.put = function (value) {
  if (JSON.stringify(value).includes(refused)) throw new DOMException('', 'QuotaExceededError');
  return real.call(this, value);
};"""


def _policy_was_kept(browser):
    broken = [each for each in browser.complaints() if _FORBIDDEN.search(each)]
    if broken:
        raise AssertionError(broken)


def _browser():
    """One for the tests of the module that runs; it ends with them."""
    browser = Browser()
    unittest.addModuleCleanup(browser.close)
    unittest.addModuleCleanup(_policy_was_kept, browser)
    return browser


def stack_and_browser():
    """For the tests of one module."""
    return Later(shared_stack, manage=2, execute=2, mail=True), Later(_browser)


def focused(browser):
    """The name of the part that has the focus."""
    return browser.run("return document.activeElement?.dataset.testid ?? null")


def prefer(browser, languages):
    """From now on it asks for pages in them, as Accept-Language names them."""
    browser.command("Network.enable")
    browser.command("Network.setExtraHTTPHeaders", headers={"Accept-Language": languages})


def sideways(browser):
    """By how many pixels the page, or an open dialog, is wider than its window."""
    return browser.run(
        "const places = [document.documentElement, ...document.querySelectorAll('dialog[open]')];"
        "return Math.max(...places.map((e) => e.scrollWidth - e.clientWidth))"
    )


def fail_a_check(browser, base_url):
    """In the dialog for a new provider, whose type is chosen: a key that is refused."""
    browser.fill("provider-name", "Third")
    browser.fill("provider-base-url", base_url)
    browser.fill("provider-api-key", "key-refused-0123456789")
    browser.click("provider-submit")
    browser.part("provider-keep")


def sign_in(browser, email, password):
    """By the sign-in page that is open."""
    browser.fill("login-email", email)
    browser.fill("login-password", password)
    browser.click("login-submit")


def choose(browser, testid, value):
    """A theme or a language, in the menu of the account."""
    if not browser.shown(testid):
        browser.click("account")
    Select(browser.part(testid)).select_by_value(value)


def choose_model(browser, words, lane=""):
    """The first that the playground's chooser finds by these words."""
    browser.click(f"playground-model{lane}")
    browser.fill("chooser-search", words)
    browser.click("chooser-option")


def sign_out(browser):
    """By the menu of the account."""
    if not browser.shown("sign-out"):
        browser.click("account")
    browser.click("sign-out")


def ask(browser, message):
    """Sends it in the playground; there is a place for its answer then."""
    before = len(browser.all("playground-answer"))
    browser.fill("playground-message", message)
    browser.click("playground-send")
    browser.wait(lambda: len(browser.all("playground-answer")) > before, "an answer's place")


def fill_a_provider(browser, base_url, key, name="Stub", kind="generic-compatible"):
    """Opens the dialog for a new one and fills it in, in either browser."""
    browser.click("create-provider")
    browser.click(f"type-{kind}")
    browser.fill("provider-name", name)
    browser.fill("provider-base-url", base_url)
    browser.fill("provider-api-key", key)


_MOST_STEPS = 60


class Keyboard:
    def __init__(self, browser):
        self._browser = browser
        self.press = browser.press

    def go_to(self, testid, back=False):
        """Steps on until that part has the focus."""
        for _ in range(_MOST_STEPS):
            if focused(self._browser) == testid:
                return
            self.press(Keys.TAB, shift=back)
        raise AssertionError(f"{testid} is not reached; {focused(self._browser)} has the focus.")

    def wait_at(self, testid):
        self._browser.wait(lambda: focused(self._browser) == testid, f"the focus on {testid}")

    def is_ready(self, testid):
        script = "return !document.querySelector(`[data-testid='${arguments[0]}']`).disabled"
        self._browser.wait(lambda: self._browser.run(script, testid), f"{testid} to be enabled")


def whole_visit(browser, base_url, email, password):
    """From the sign-in page that is open to an answer, and out again."""
    keyboard = Keyboard(browser)
    press, go_to = keyboard.press, keyboard.go_to
    keyboard.wait_at("login-email")
    press(email, Keys.TAB, password, Keys.ENTER)
    browser.part("create-provider")
    keyboard.is_ready("create-provider")
    go_to("create-provider")
    press(Keys.ENTER)
    keyboard.wait_at("type-search")
    press("compatible", Keys.ENTER)
    keyboard.wait_at("provider-name")
    press("Mine", Keys.TAB, base_url, Keys.TAB)
    go_to("provider-api-key")
    press("sk-keyboard-0123456789", Keys.ENTER)
    keyboard.wait_at("chat-provider")
    press(Keys.ENTER)
    keyboard.wait_at("playground-message")
    keyboard.is_ready("playground-send")
    press("$x$", Keys.ENTER)
    state = """return document.querySelector('[data-testid="playground-answer"]')?.dataset.state"""
    browser.wait(lambda: browser.run(state) == "done", "the answer")
    formula = "return document.querySelector('math')?.getBoundingClientRect().width"
    browser.wait(lambda: browser.run(formula), "its formula")
    keyboard.wait_at("playground-message")
    go_to("account", back=True)
    press(Keys.ENTER)
    go_to("sign-out")
    press(Keys.ENTER)
    browser.part("login-email")


_SCRIPT = """
const real = window.fetch;
window.asked = [];
window.answers = [];
window.fetch = (path, options) => {
  if (path !== '/user/providers/playground') return real(path, options);
  window.asked.push(JSON.parse(options.body));
  const body = new ReadableStream({
    start(controller) {
      window.answers.push(controller);
      options.signal.addEventListener('abort', () => controller.error(options.signal.reason));
    },
  });
  return Promise.resolve(new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }));
};
window.copied = [];
navigator.clipboard.writeText = (text) => Promise.resolve(window.copied.push(text));
"""


class Scripted:
    """Of the page that the browser shows now."""

    def __init__(self, browser):
        self._browser = browser
        browser.run(_SCRIPT)

    def ask(self, message):
        """Sends the message; its requests are asked() from then on."""
        count = len(self.asked())
        self._browser.fill("playground-message", message)
        self._browser.click("playground-send")
        self.wait_asked(count + 1)

    def asked(self):
        return self._browser.run("return window.asked")

    def wait_asked(self, count):
        self._browser.wait(lambda: len(self.asked()) >= count, f"{count} requests")

    def copied(self):
        return self._browser.run("return window.copied.at(-1)")

    def answer(self, *frames, number=-1):
        data = "".join(f"data: {json.dumps(frame)}\n\n" for frame in frames)
        script = "window.answers.at(arguments[0]).enqueue(new TextEncoder().encode(arguments[1]))"
        self._browser.run(script, number, data)

    def end(self, number=-1, **facts):
        self.answer({"done": True, "model": "stub-small", **facts}, number=number)
        self._browser.run("window.answers.at(arguments[0]).close()", number)

    def say(self, *tokens):
        """A whole answer to the newest request."""
        self.answer(*({"token": token} for token in tokens))
        self.end()
        self._browser.wait(lambda: self.states()[-1] == "done", "the end of the answer")

    def states(self):
        return [a.get_attribute("data-state") for a in self._browser.all("playground-answer")]
