"""Second factors as a person meets them: an authenticator app by the keyboard alone, recovery codes, and passkeys of the
browser's own virtual authenticator. What is refused: stack_sign_in and store_nouns."""

import unittest

from browser.visits import fill_a_provider, focused, sign_in, sign_out, stack_and_browser
from harness.firefox import Firefox
from harness.scenes import APP, ROUTE, SECURITY, App, add_app, id_of
from selenium.webdriver.common.keys import Keys

stack, browser = stack_and_browser()


def open_part(testid):
    browser.run("document.querySelector(`[data-testid=\"${arguments[0]}\"]`).open = true", testid)


def shown_codes():
    browser.part("recovery-codes")
    return browser.run("return document.querySelector('[data-testid=recovery-codes]').textContent").split()


class AnApp(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()

    def test_is_set_up_and_signs_in_by_the_keyboard_alone(self):
        browser.visit(self.client, APP)
        browser.part("app-secret")
        app = App(browser.driver.page_source)
        browser.run("document.querySelector('[data-testid=new-code]').focus()")
        browser.driver.switch_to.active_element.send_keys(app.code(), Keys.TAB, self.client.password, Keys.ENTER)
        codes = shown_codes()
        self.assertEqual(len(codes), 10)
        browser.click("codes-kept")
        browser.part("app")
        sign_out(browser)
        sign_in(browser, self.client.email, self.client.password)
        browser.part("factor-code")
        self.assertEqual(focused(browser), "factor-code")
        browser.driver.switch_to.active_element.send_keys("000000", Keys.ENTER)
        browser.mentions("login-error", "Wrong code.")
        browser.driver.switch_to.active_element.send_keys(codes[0], Keys.ENTER)
        browser.part("account")

    def test_the_secret_stays_the_same_after_a_wrong_code(self):
        browser.visit(self.client, APP)
        secret = browser.run("return document.querySelector('[data-testid=app-secret]').textContent")
        browser.fill("new-code", "000000")
        browser.fill("app-password", self.client.password)
        browser.click("app-submit")
        browser.mentions("new-code-error", "Wrong code.")
        self.assertEqual(browser.run("return document.querySelector('[data-testid=app-secret]').textContent"), secret)
        self.assertEqual(focused(browser), "new-code")

    def test_recovery_codes_are_copied_and_printed(self):
        browser.visit(self.client, APP)
        app = App(browser.driver.page_source)
        browser.fill("new-code", app.code())
        browser.fill("app-password", self.client.password)
        browser.click("app-submit")
        codes = shown_codes()
        browser.run("window.print = () => { window.printed = true; }; navigator.clipboard.writeText = async (t) => { window.copied = t; }")
        browser.click("copy-codes")
        browser.click("print-codes")
        self.assertEqual(browser.run("return window.copied").split(), codes)
        self.assertTrue(browser.run("return window.printed"))
        browser.driver.refresh()
        browser.part("codes-left")
        self.assertEqual(browser.all("recovery-codes"), [])

    def test_a_session_is_got_back_in_place(self):
        app, _ = add_app(self.client)
        browser.visit(self.client)
        fill_a_provider(browser, f"{stack.stub.url}/v1", "sk-typed-0123456789", name="Typed")
        stack.sql(f"DELETE FROM usershell.sessions WHERE owner_id = '{id_of(stack, self.client)}'")
        browser.press(Keys.ENTER)
        browser.fill("sign-in-password", f"{self.client.password}\n")
        browser.part("sign-in-code")
        browser.fill("sign-in-code", "000000\n")
        browser.mentions("sign-in-error", "Wrong code.")
        browser.fill("sign-in-code", f"{app.code()}\n")
        browser.reads("provider-title", "Typed")


class APasskey(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        browser.visit(self.client, ROUTE)
        browser.command("WebAuthn.enable")
        self.addCleanup(browser.command, "WebAuthn.disable")

    def device(self, verifies=True, synced=False):
        options = {
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": verifies,
            "isUserVerified": verifies, "automaticPresenceSimulation": True,
            "defaultBackupEligibility": synced, "defaultBackupState": synced,
        }  # fmt: skip
        self.key = browser.command("WebAuthn.addVirtualAuthenticator", options=options)["authenticatorId"]

    def away(self, is_away):
        """The device does not answer by itself, as it would while the page is only open."""
        browser.command("WebAuthn.setAutomaticPresenceSimulation", authenticatorId=self.key, enabled=not is_away)

    def add(self, code=None):
        browser.driver.get(f"{stack.base_url}{SECURITY}")
        browser.click("passkey-add")
        browser.fill("new-passkey-name", "My phone")
        browser.fill("passkey-password", self.client.password)
        if code:
            browser.fill("passkey-code", code)
        browser.click("passkey-submit")

    def test_signs_in_and_does_a_deed_without_the_password(self):
        self.device()
        self.add()
        self.assertEqual(len(shown_codes()), 10)
        browser.click("codes-kept")
        open_part("recovery-part")
        browser.click("recovery-passkey")
        self.assertEqual(len(shown_codes()), 10)
        self.away(True)
        sign_out(browser)
        browser.part("login-passkey")
        self.away(False)
        browser.click("login-passkey")
        browser.part("account")

    def test_is_offered_beside_the_address(self):
        self.device()
        self.add()
        shown_codes()
        sign_out(browser)
        browser.part("account")  # the device answers at once, where a person would choose

    def test_that_does_not_verify_is_a_second_factor_alone(self):
        self.device(verifies=False)
        self.add()
        shown_codes()
        self.away(True)
        sign_out(browser)
        sign_in(browser, self.client.email, self.client.password)
        browser.part("factor-passkey")
        self.away(False)
        browser.click("factor-passkey")
        browser.part("account")

    def test_that_is_synced_says_so_and_is_renamed_and_removed(self):
        self.device(synced=True)
        self.add()
        browser.click("codes-kept")
        browser.mentions("passkey", "synced")
        open_part("passkey-rename")
        browser.fill("passkey-name", "Blue\n")
        browser.mentions("passkey", "Blue")
        open_part("remove-part")
        browser.click("remove-key")
        browser.click("remove-passkey")
        browser.part("app-add")
        self.assertEqual(browser.all("passkey"), [])

    def test_is_made_once_though_the_password_was_wrong(self):
        self.device()
        browser.driver.get(f"{stack.base_url}{SECURITY}/passkey")
        browser.fill("passkey-password", "wrong")
        browser.click("passkey-submit")
        browser.mentions("passkey-password-error", "Wrong password.")
        browser.fill("passkey-password", f"{self.client.password}\n")
        shown_codes()
        found = browser.command("WebAuthn.getCredentials", authenticatorId=self.key)["credentials"]
        self.assertEqual(len(found), 1)

    def test_that_the_device_has_already_is_told(self):
        self.device()
        self.add()
        shown_codes()
        self.add(code="000000")
        browser.wait(lambda: "already has a passkey of yours" in browser.driver.page_source, "the sentence")

    def test_is_added_at_the_sign_in_where_the_policy_wants_one(self):
        self.addCleanup(stack.ctl, "policy", "second-factor", "optional")
        self.device()
        for policy in ("required", "passkey"):
            with self.subTest(policy=policy):
                stack.ctl("policy", "second-factor", "optional")
                self.client = stack.newcomer()
                stack.ctl("policy", "second-factor", policy)
                self.away(True)
                sign_out(browser)
                sign_in(browser, self.client.email, self.client.password)
                browser.part("enrol-passkey")
                self.assertEqual(focused(browser), "enrol-passkey")
                self.assertEqual(len(browser.all("qr")), policy == "required")
                self.away(False)
                browser.press(Keys.ENTER)
                self.assertEqual(len(shown_codes()), 10)
                browser.click("codes-kept")
                browser.part("account")

    def test_gets_an_ended_session_back_from_another_tab(self):
        self.device()
        self.add()
        browser.click("codes-kept")
        browser.driver.get(f"{stack.base_url}{ROUTE}")
        fill_a_provider(browser, f"{stack.stub.url}/v1", "sk-typed-0123456789", name="Typed")
        stack.sql(f"DELETE FROM usershell.sessions WHERE owner_id = '{id_of(stack, self.client)}'")
        browser.press(Keys.ENTER)
        (credential,) = browser.command("WebAuthn.getCredentials", authenticatorId=self.key)["credentials"]
        browser.fill("sign-in-password", f"{self.client.password}\n")
        browser.click("sign-in-elsewhere")
        here = browser.driver.current_window_handle
        browser.wait(lambda: len(browser.driver.window_handles) == 2, "the tab")
        browser.driver.switch_to.window(next(tab for tab in browser.driver.window_handles if tab != here))
        browser.part("login-passkey")
        browser.command("WebAuthn.enable")  # a tab has an authenticator of its own
        self.device()
        browser.command("WebAuthn.addCredential", authenticatorId=self.key, credential=credential)
        browser.click("login-passkey")
        browser.part("account")
        browser.driver.close()
        browser.driver.switch_to.window(here)
        browser.reads("provider-title", "Typed")


class InFirefox(unittest.TestCase):
    """Its own virtual authenticator, and its own getPublicKey()."""

    def test_a_passkey_is_made_and_signs_in(self):
        email, password = stack.new_person()
        firefox = Firefox()
        self.addCleanup(firefox.close)
        firefox.virtual_authenticator()
        firefox.open(f"{stack.base_url}{SECURITY}/passkey")
        firefox.part("login-email")
        firefox.press(email, Keys.TAB, password, Keys.ENTER)
        firefox.part("passkey-submit")
        firefox.run("document.querySelector('[data-testid=passkey-password]').focus()")
        firefox.press(password, Keys.ENTER)
        firefox.part("recovery-codes")
        firefox.run("document.querySelector('form[action=\"/auth/logout\"]').requestSubmit()")
        firefox.part("login-passkey")
        firefox.run("document.querySelector('[data-testid=login-passkey]').click()")
        firefox.part("account")
