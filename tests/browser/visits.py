"""Shared by the browser tests: a stack with a browser, and forms filled in as a person does."""

import re
import unittest

from harness.browser import Browser
from harness.suite import Later, shared_stack
from selenium.webdriver.support.ui import Select

# Errors that no visit may cause.
_FORBIDDEN = re.compile(r"Content Security Policy|Trusted ?(Type|HTML|Script)|Uncaught")


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
