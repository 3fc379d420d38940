"""A page driven by its keyboard alone, in either browser."""

from browser.visits import focused
from selenium.webdriver.common.keys import Keys

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
    press("hello", Keys.ENTER)
    state = """return document.querySelector('[data-testid="playground-answer"]')?.dataset.state"""
    browser.wait(lambda: browser.run(state) == "done", "the answer")
    keyboard.wait_at("playground-message")
    go_to("account", back=True)
    press(Keys.ENTER)
    go_to("sign-out")
    press(Keys.ENTER)
    browser.part("login-email")
