"""Pictures of every state of the pages, at three widths, light and dark, in English and German:

    python3 -m browser.screenshots FOLDER [NAME …]     only the states of these names
"""

import base64
import functools
import sys
from pathlib import Path

from harness.browser import Browser
from harness.pictures import png
from harness.scenes import PROFILE, ROUTE, SECURITY, account, provider, rotating
from harness.stack import Stack

from browser.scripted import Scripted
from browser.visits import fill_a_provider

WIDTHS = (320, 768, 1440)
ANSWER = """A **list**, a table and a piece of code:

1. one, with [a link](https://example.org/page)
2. two

| Model | Price |
|---|---:|
| small | 0.10 |
| large | 2.50 |

```python
def hello(name):
    return f"Hello, {name}"
```
"""
# Name: the page, its language, what is clicked there one after the other, the part that is seen in the end.
STATES = {
    "manage": (ROUTE, "en", ["manage-provider"], "model-row"),
    "managed": (ROUTE, "en", ["manage-provider", "test-models"], "model-result"),
    "managed_german": (ROUTE, "de", ["manage-provider"], "model-row"),
    "tested": (ROUTE, "en", ["test-all"], "batch-failures"),
    "adding": (ROUTE, "en", ["create-provider", "provider-submit"], "provider-name-error"),
    "key": (ROUTE, "en", ["manage-provider", "add-account", "key-submit"], "key-dialog"),
    "models": (ROUTE, "en", ["manage-provider", "browse-models"], "available-model"),
    "model": (ROUTE, "en", ["manage-provider", "model-edit"], "model-name"),
    "profile": (PROFILE, "en", [], "profile-display-name"),
    "profile_german": (PROFILE, "de", [], "profile-display-name"),
    "security": (SECURITY, "en", [], "profile-new-email"),
    "security_german": (SECURITY, "de", [], "profile-new-email"),
    "sign_in": ("/auth/login", "en", [], "login-email"),
    "sign_in_german": ("/auth/login", "de", [], "login-email"),
    "nowhere": ("/user/nowhere", "en", [], "sign-out"),
}


class Gallery:
    """One person with three providers, and the browser that looks at their pages."""

    def __init__(self, stack, browser):
        self.stack, self.browser = stack, browser
        self.client = stack.newcomer("Ada")
        base = f"{stack.stub.url}/v1"
        rotating(self.client, base, ["sk-first-0123456789"], name="OpenAI", kind="openai")
        refused = provider(self.client, f"{stack.stub.url}/status-401/v1", name="Refused", kind="mistral")
        provider(self.client, base, name="Local server")
        account(self.client, refused, "sk-second-0123456789", name="second")

    def open(self, path=ROUTE, language="en"):
        self.browser.shown_as()
        self.browser.become(self.client if path.startswith("/user") else None)
        self.browser.command("Network.setCookie", url=self.client.base_url, name="language", value=language)
        self.browser.driver.get(f"{self.client.base_url}{path}")

    def cards(self):
        self.open()
        self.browser.part("provider-card")

    def _state(self, path, language, clicks, part):
        self.open(path, language)
        for each in clicks:
            self.browser.click(each)
        self.browser.part(part)

    def no_provider(self):
        self.browser.shown_as()
        self.browser.visit(self.stack.newcomer("Bea"))
        self.browser.part("provider-empty")

    def crowded(self):
        """As much as there can be, and names as long as they can be."""
        client = self.stack.newcomer()
        client.form(PROFILE, {"DisplayName": "Wilhelmine Friederike von und zu Hohenstein-Altenburg"}, page=PROFILE)
        base = f"{self.stack.stub.url}/v1"
        models = ["vendor/a-model-with-a-rather-long-name-2026-11-22-preview", *(f"stub-{n}" for n in range(19))]
        long = "The provider of the department for everything that nobody else wants to do " + "x" * 20
        first = provider(client, base, name=long, models=models)
        for number in range(9):
            account(client, first, f"sk-{number}-0123456789", name=f"Key number {number}")
        account(client, first, "sk-long-0123456789", name="K" * 60 + " of the second floor")
        for number in range(9):
            made = provider(client, f"{self.stack.stub.url}/{'path/' * 8}{number}/v1", name=f"Provider {number}")
            account(client, made, "sk-second-0123456789", name="second")
        self.browser.shown_as()
        self.browser.visit(client)
        self.browser.click("manage-provider")

    def signed_out(self):
        self.cards()
        self.browser.become(None)
        self.browser.click("test-provider")
        self.browser.part("sign-in-dialog")

    def cannot_load(self):
        self.cards()
        self.browser.offline(True)
        self.browser.click("test-provider")
        self.browser.part("test-outcome")
        self.browser.offline(False)

    def failed_answer(self):
        self.cards()
        self.browser.part("playground-provider").send_keys("Refused")
        self.browser.fill("playground-message", "What can you do?")
        self.browser.click("playground-send")
        self.browser.part("playground-remedy")

    def failed_check(self):
        self.no_provider()
        fill_a_provider(self.browser, f"{self.stack.stub.url}/v1", "key-refused-0123456789", name="Work")
        self.browser.click("provider-submit")
        self.browser.part("provider-keep")

    def keys(self):
        """The picture of the README: docs/providers.png."""
        client = self.stack.newcomer("Ada")
        base = f"{self.stack.stub.url}/v1"
        made = rotating(client, base, [], name="Mistral", kind="mistral")
        for name, key in (("old", "key-refused-0"), ("work", "sk-one-01"), ("private", "sk-two-02")):
            account(client, made, f"{key}123456789", name=name)
        client.post(f"{ROUTE}/{made}/test")
        provider(client, base, name="Anthropic", kind="anthropic")
        self.browser.shown_as()
        self.browser.visit(client)
        self.browser.click("manage-provider")
        self.browser.part("key-errors").find_element("css selector", "summary").click()
        page = Scripted(self.browser)
        page.ask("What can you do?")
        page.say(ANSWER)

    def conversation(self):
        self.cards()
        page = Scripted(self.browser)
        page.ask("What can you do?")
        page.answer({"reasoning": "Let me think."}, {"token": ANSWER})
        page.end(finishReason="length", usage={"inputTokens": 12, "outputTokens": 80})
        self.browser.wait(lambda: page.states() == ["done"], "the answer")

    def comparing(self):
        """README's second: docs/comparing.png."""
        self.cards()
        page = Scripted(self.browser)
        self.browser.click("playground-compare")
        self.browser.part("playground-provider-2").send_keys("Local")
        page.ask("What can you two do?")
        page.wait_asked(2)
        page.answer({"token": ANSWER}, number=0)
        page.answer({"token": "Much the same, in *other* words:\n\n> A list, a table, and "}, number=1)
        page.end(number=0)

    def cutting(self):
        self.open(PROFILE)
        path = self.stack.folder.sub("wide.png")
        path.write_bytes(png(400, 300))
        self.browser.part("avatar-file").send_keys(str(path))
        self.browser.part("crop")

    def picture(self, path):
        """Of the whole page; of the window where a dialog lies over it."""
        beyond = not self.browser.run("return document.querySelector('dialog[open]') !== null")
        words = {"captureBeyondViewport": beyond, "format": "png"}
        path.write_bytes(base64.b64decode(self.browser.command("Page.captureScreenshot", **words)["data"]))

    def take(self, folder, names):
        states = {name: functools.partial(self._state, *row) for name, row in STATES.items()}
        own = ("no_provider", "crowded", "signed_out", "cannot_load", "failed_answer", "failed_check", "keys",
               "conversation", "comparing", "cutting")  # fmt: skip
        states |= {name: getattr(self, name) for name in own}
        for name, show in states.items():
            if names and name not in names:
                continue
            show()
            for width in WIDTHS:
                for dark in (False, True):
                    self.browser.shown_as(width, dark)
                    look = "dark" if dark else "light"
                    self.picture(folder / f"{name}-{width}-{look}.png")


def main(folder, *names):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    settings = [("catalogue-base-url", "openai={stub}/v1")]
    with Stack(settings=settings, manage=2, execute=2, mail=True) as stack:
        browser = Browser()
        try:
            Gallery(stack, browser).take(folder, names)
        finally:
            browser.close()
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")


if __name__ == "__main__":
    main(*sys.argv[1:])
