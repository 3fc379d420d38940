"""axe-core (npm) finds nothing in any state of the pages, light, dark or in forced colours. `./dev screenshots`
(lab/screenshots) walks the same states."""

import unittest

from browser.visits import Scripted, fail_a_check, sideways, sign_in
from harness import pictures
from harness.browser import Browser
from harness.npm import install, skip_without_npm
from harness.scenes import ACCESS, APP, PLAYGROUND, PROFILE, ROUTE, SECURITY, App, account, id_of, mailed_link, provider, rotating
from harness.suite import shared_stack
from selenium.webdriver.common.keys import Keys

AXE = "axe-core@4"
ANSWER = "# One\n\n- [a](https://example.org/)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx = 1\n```\n"
RUN = """
const done = arguments[0];
const said = (violation) => [violation.id, violation.nodes.map((node) => node.html)];
axe.run(document, { resultTypes: ['violations'] }).then((found) => done(found.violations.map(said)));
"""
BUSY = "document.querySelectorAll('button').forEach((b) => b.setAttribute('aria-busy', 'true'))"
LOOKS = {
    "light": {"prefers-color-scheme": "light"},
    "dark": {"prefers-color-scheme": "dark"},
    "forced": {"prefers-color-scheme": "dark", "forced-colors": "active"},
}
WIDTHS = (320, 768, 1440)


def setUpModule():
    global stack, browser, axe
    skip_without_npm()
    stack = shared_stack(manage=2, execute=2, mail=True)
    folder = stack.folder.sub("axe")
    install(folder, AXE)
    axe = (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    browser = Browser()
    unittest.addModuleCleanup(browser.close)


class Accessibility(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        first = provider(self.client, f"{stack.stub.url}/v1", name="First")
        account(self.client, first, "sk-account-0123456789", name="one")
        self.client.post(f"{ROUTE}/{first}/headers", {"name": "CF-Access-Client-Secret", "value": "0123456789"})
        provider(self.client, f"{stack.stub.url}/v1", name="Second")

    def visit(self, path=ROUTE):
        browser.visit(self.client, path)
        browser.run(f"{axe}; window.axe = axe")

    def arrived(self, part, what):
        """The state of another page, once it shows that part."""
        browser.part(part)
        browser.run(f"{axe}; window.axe = axe")
        self.check(what)

    def look(self, name):
        features = [{"name": n, "value": v} for n, v in LOOKS[name].items()]
        browser.command("Emulation.setEmulatedMedia", features=features)

    def check(self, what):
        """The state that the page is in, in every look; and no width scrolls sideways."""
        for name in LOOKS:
            self.look(name)
            with self.subTest(state=what, look=name):
                self.assertEqual(browser.driver.execute_async_script(RUN), [])
        for width in WIDTHS:
            browser.shown_as(width)
            with self.subTest(state=what, width=width):
                self.assertLessEqual(sideways(browser), 0)
        browser.shown_as(1440)

    def test_signing_in(self):
        browser.become(None)
        browser.driver.get(f"{stack.base_url}/auth/login")
        self.arrived("login-email", "sign-in")
        browser.click("account")
        self.check("theme and language")
        browser.press(Keys.ESCAPE)
        sign_in(browser, self.client.email, "not the password")
        self.arrived("login-error", "sign-in refused")
        browser.click("forgot-link")
        self.arrived("forgot-email", "forgot")
        browser.click("forgot-submit")
        self.arrived("forgot-sent", "link sent")
        browser.driver.get(stack.base_url + mailed_link(stack, self.client.email))
        self.arrived("reset-password", "reset")
        browser.fill("reset-password", "short")
        browser.click("reset-submit")
        self.arrived("reset-error", "reset refused")
        browser.driver.get(f"{stack.base_url}/auth/reset?token=used")
        self.arrived("stale-link", "stale link")

    def test_access(self):
        with stack.configured(api="true"):
            self.visit(ACCESS)
            browser.click("token-limits")
            browser.fill("token-name", "laptop")
            browser.fill("token-password", self.client.password)
            browser.click("token-submit")
            browser.part("new-token")
            browser.run(f"{axe}; window.axe = axe")
            browser.all("tool")[0].click()
            browser.click("token-limits")
            self.check("a new token")
            stack.sql("INSERT INTO usershell.usage SELECT owner_id, usershell.utc_day() - ago, id, gen_random_uuid(), 'm', 9, 1, 1, "
                      "1000 * (ago + 1), 50 FROM usershell.access_tokens, unnest(ARRAY[0, 3, 9, 29]) ago "
                      f"WHERE owner_id = '{id_of(stack, self.client)}'")  # fmt: skip
            browser.driver.get(f"{stack.base_url}{ACCESS}")
            self.arrived("usage-chart", "usage")
            browser.click("token-disable")
            self.arrived("token-off", "a token that is off")
            browser.click("token-enable")
            self.arrived("enable-submit", "the page of a token")

    def test_the_providers(self):
        self.visit()
        browser.part("provider-card")
        self.check("list")
        browser.click("test-provider")
        browser.part("test-outcome")
        browser.click("provider-menu")
        self.check("menu")
        browser.press(Keys.ESCAPE)
        browser.click("manage-provider")
        self.check("models")
        browser.click("tab-settings")
        self.check("settings")
        for tab, opener, dialog in (
            ("keys", "add-account", "key-dialog"), ("models", "browse-models", "available-dialog")
        ):
            browser.click(f"tab-{tab}")
            browser.click(opener)
            self.check(opener)
            browser.part(dialog).find_element("css selector", "[data-close]").click()
        browser.click("model-remove")
        browser.part("model-undo")
        self.check("a toast in a dialog")
        browser.click("sheet-close")
        browser.click("create-provider")
        self.check("types")
        browser.click("type-generic-compatible")
        browser.click("provider-submit")
        self.check("faults")
        fail_a_check(browser, f"{stack.stub.url}/v1")
        self.check("a failed check")

    def test_keys_that_rest_and_are_held_back(self):
        made = rotating(self.client, f"{stack.stub.url}/v1", ["key-refused-0123456789", "sk-good-01"])
        self.client.post(f"{ROUTE}/{made}/test")
        moved = provider(self.client, f"{stack.stub.url}/v1", name="Moved")
        self.client.post(f"{ROUTE}/{moved}/headers", {"name": "X-Tenant", "value": "acme"})
        self.client.call("PUT", f"{ROUTE}/{moved}", {"baseUrl": f"{stack.stub.url}/v2"})
        self.visit()
        browser.part("provider-card")
        browser.click("manage-provider")
        browser.click("tab-keys")
        browser.part("key-errors").find_element("css selector", "summary").click()
        self.check("keys")
        browser.click("sheet-close")
        browser.click("header-held-back")
        self.check("a header that is held back")
        self.visit(f"{PLAYGROUND}?provider={moved}")
        browser.fill("playground-message", "hello")
        browser.click("playground-send")
        browser.part("playground-remedy")
        self.check("a failed answer")

    def test_while_all_is_busy(self):
        self.visit()
        browser.part("provider-card")
        browser.run(BUSY)
        self.check("busy")

    def test_the_playground(self):
        failing = provider(self.client, f"{stack.stub.url}/status-401/v1", name="Failing", models=("third",))
        self.client.post(f"{ROUTE}/{failing}/test")
        self.visit(PLAYGROUND)
        page = Scripted(browser)
        browser.click("playground-compare")
        browser.click("compare-add")
        page.ask("how?")
        page.wait_asked(3)
        page.answer({"reasoning": "hm"}, {"token": ANSWER}, number=0)
        page.end(number=0, finishReason="length")
        self.check("one answers, two are awaited")
        browser.click("playground-model-2")
        self.check("models")
        browser.fill("chooser-search", "nosuch")
        self.check("no such model")
        browser.press(Keys.ESCAPE)
        for number in (1, 2):
            page.end(number=number)
        browser.click("question-edit")
        self.check("editing")
        browser.click("playground-more")
        self.check("what can be done with a conversation")
        browser.press(Keys.ESCAPE)
        browser.click("playground-conversations")
        self.check("conversations, an offer")
        browser.click("keep-yes")
        browser.part("conversation-row")
        self.check("conversations")
        browser.click("conversation-rename")
        self.check("a conversation is renamed")

    def test_code(self):
        with stack.configured(api="true"):
            self.visit(PLAYGROUND)
            page = Scripted(browser)
            page.ask("how?")
            page.say(ANSWER)
            browser.click("playground-more")
            browser.click("playground-code")
            browser.part("code-text")
            self.check("a message as code")

    def test_images(self):
        made = provider(self.client, f"{stack.stub.url}/v1", name="Sees")
        self.client.post(f"{ROUTE}/{made}/models/capabilities?modelId=stub-small", {"capabilities": "assistant,vision"})
        self.visit(f"{PLAYGROUND}?provider={made}")
        picture = stack.folder.sub("wide.png")
        picture.write_bytes(pictures.png(900, 300))
        for message in ("look", "again"):
            browser.part("playground-add-images")
            browser.all("playground-files")[0].send_keys(str(picture))
            browser.part("image-remove")
            self.check(f"an image to send, {message}")
            browser.fill("playground-message", message)
            browser.click("playground-send")
            browser.wait(lambda: not browser.shown("image-remove"), "the image to be sent")

    def test_the_profile(self):
        self.visit(PROFILE)
        self.check("profile")
        browser.click("account")
        self.check("menu of the account")
        browser.press(Keys.ESCAPE)
        picture = stack.folder.sub("good.png")
        picture.write_bytes(pictures.png(96, 64))
        browser.all("avatar-file")[0].send_keys(str(picture))
        browser.part("crop")
        self.check("a picture is cut")
        browser.click("avatar-submit")
        self.arrived("notice", "picture saved")
        browser.fill("profile-display-name", "x" * 121)
        browser.click("profile-name-submit")
        self.arrived("display-name-error", "name refused")

    def test_security(self):
        self.visit(SECURITY)
        self.check("security")
        browser.click("password-part")
        browser.fill("change-password", "not the password")
        browser.fill("password-new", "a long and quite new sentence")
        browser.click("password-submit")
        self.arrived("change-password-error", "password refused")
        browser.click("email-part")
        browser.fill("profile-new-email", f"new-{self.client.email}")
        browser.fill("email-password", self.client.password)
        browser.click("profile-email-submit")
        self.arrived("pending-email", "address pending")
        browser.fill("delete-email", "not@example.org")
        browser.fill("delete-password", "x")
        browser.click("delete-submit")
        self.arrived("delete-email-error", "deletion refused")
        self.visit("/user/nowhere")
        self.check("error page")

    def test_second_factors(self):
        self.visit(APP)
        self.check("app")
        app = App(browser.driver.page_source)
        browser.fill("new-code", "000000")
        browser.fill("app-password", self.client.password)
        browser.click("app-submit")
        self.arrived("new-code-error", "code of a new app refused")
        browser.fill("new-code", app.code())
        browser.fill("app-password", self.client.password)
        browser.click("app-submit")
        self.arrived("recovery-codes", "recovery codes")
        browser.click("codes-kept")
        browser.part("codes-left")
        browser.run("for (const part of document.querySelectorAll('#factor details')) part.open = true")
        self.arrived("remove-submit", "factors")
        browser.click("remove-app")
        browser.fill("remove-password", self.client.password)
        browser.fill("remove-code", "000000")
        browser.click("remove-submit")
        self.arrived("remove-code-error", "removal refused")
        self.visit(f"{SECURITY}/passkey")
        self.check("passkey")
        browser.become(None)
        browser.driver.get(f"{stack.base_url}/auth/login")
        sign_in(browser, self.client.email, self.client.password)
        self.arrived("factor-code", "second factor")
        browser.fill("factor-code", "000000\n")
        self.arrived("login-error", "second factor refused")
        self.addCleanup(stack.ctl, "policy", "second-factor", "optional")
        stack.ctl("policy", "second-factor", "passkey")
        browser.fill("factor-code", f"{app.code()}\n")
        self.arrived("enrol-passkey", "passkey wanted")
        stack.ctl("policy", "second-factor", "required")
        browser.driver.get(f"{stack.base_url}/auth/login")
        sign_in(browser, *stack.new_person())
        self.arrived("qr", "second factor wanted")
