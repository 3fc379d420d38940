"""Nothing typed is lost: not by a session that ended, a stale token, a reload, Escape or a lost network;
and nothing that one person typed is ever sent as another."""

import unittest

from browser.visits import fill_a_provider, sign_in, stack_and_browser
from harness.scenes import PROFILE, SECURITY, provider
from selenium.webdriver.common.keys import Keys

LOSE_AN_ANSWER = """
const real = window.fetch;
window.fetch = async (path, options) => {
  const answer = await real(path, options);
  if (!path.endsWith('/create')) return answer;
  window.fetch = real;
  throw new TypeError('lost');
};"""
KEY = "sk-typed-0123456789abcdef"
BLOCK = "UPDATE usershell.attempts SET blocked_until = now() + interval '{}' WHERE failures >= 5"

stack, browser = stack_and_browser()


def providers(client):
    return [each["name"] for each in client.get("/user/providers/list").json()["providers"]]


def end_sessions(client):
    stack.sign_in(client).form(f"{PROFILE}/sessions/end", {}, page=SECURITY)


class NothingLost(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()

    def fill_a_provider(self):
        browser.visit(self.client)
        fill_a_provider(browser, f"{stack.stub.url}/v1", KEY, name="Typed")

    def sign_in_here(self, client):
        browser.fill("sign-in-email", client.email)
        browser.fill("sign-in-password", client.password)
        browser.click("sign-in-submit")

    def test_the_same_person_goes_on_after_a_session_that_ended(self):
        self.fill_a_provider()
        end_sessions(self.client)
        browser.click("provider-submit")
        browser.fill("sign-in-password", "not the password")
        browser.click("sign-in-submit")
        browser.mentions("sign-in-error", "Wrong e-mail or password.")
        self.sign_in_here(self.client)
        browser.reads("provider-title", "Typed")
        self.assertEqual(providers(stack.sign_in(self.client)), ["Typed"])

    def test_a_repeat_after_a_lost_answer_makes_no_second(self):
        self.fill_a_provider()
        browser.run(LOSE_AN_ANSWER)
        browser.click("provider-submit")
        browser.mentions("provider-form-error", "cannot be reached")
        browser.click("provider-submit")
        browser.reads("provider-title", "Typed")
        self.assertEqual(providers(self.client), ["Typed"])

    def test_another_person_gets_nothing_of_it(self):
        self.fill_a_provider()
        other = stack.newcomer("Bea")
        end_sessions(self.client)
        browser.click("provider-submit")
        self.sign_in_here(other)
        self.assert_wiped_for(other)

    def test_nor_who_signed_in_in_another_window(self):
        self.fill_a_provider()
        other = stack.newcomer("Bea")
        browser.become(other)
        browser.click("provider-submit")
        self.assert_wiped_for(other)

    def assert_wiped_for(self, other):
        browser.reads("display-name", "Bea")
        browser.part("provider-empty")
        browser.click("create-provider")
        browser.click("type-generic-compatible")
        self.assertEqual([browser.value("provider-name"), browser.value("provider-api-key")], ["", ""])
        for client in (other, stack.sign_in(self.client)):
            self.assertEqual(providers(client), [])

    def test_a_refused_token_is_fetched_anew(self):
        self.fill_a_provider()
        browser.run("document.querySelector('meta[name=request-verification-token]').content = 'x'")
        browser.click("provider-submit")
        browser.reads("provider-title", "Typed")

    def test_cancelling_the_sign_in_keeps_the_form(self):
        self.fill_a_provider()
        end_sessions(self.client)
        browser.click("provider-submit")
        browser.click("sign-in-cancel")
        browser.mentions("provider-form-error", "You are signed out")
        self.assertEqual([browser.value("provider-name"), browser.value("provider-api-key")], ["Typed", KEY])

    def test_drafts_survive_a_reload_and_keys_are_none(self):
        provider(self.client, f"{stack.stub.url}/v1", models=())
        self.fill_a_provider()
        stored = browser.run("return JSON.stringify(sessionStorage)")
        self.assertIn("Typed", stored)
        self.assertNotIn(KEY, stored)
        browser.driver.refresh()
        browser.click("manage-provider")
        browser.fill("add-model-id", "half-a-mod")
        browser.driver.refresh()
        browser.click("manage-provider")
        self.assertEqual(browser.value("add-model-id"), "half-a-mod")
        browser.click("sheet-close")
        browser.click("create-provider")
        self.assertEqual([browser.value("provider-name"), browser.value("provider-api-key")], ["Typed", ""])

    def test_a_filled_dialog_asks_before_it_closes(self):
        self.fill_a_provider()
        for close, go_on in (
            (lambda: browser.part("provider-name").send_keys(Keys.ESCAPE), True),
            (lambda: browser.part("provider-name").send_keys(Keys.ESCAPE), True),
            (lambda: browser.click("provider-cancel"), True),
            (lambda: browser.part("provider-name").send_keys(Keys.ESCAPE), False),
        ):
            close()
            browser.click("confirm-no" if go_on else "confirm-yes")
            self.assertEqual(bool(browser.shown("provider-dialog")), go_on)
        browser.click("create-provider")
        browser.click("type-generic-compatible")
        self.assertEqual(browser.value("provider-name"), "")
        browser.part("provider-name").send_keys(Keys.ESCAPE)
        self.assertEqual(browser.shown("provider-dialog"), [])

    def test_a_throttled_sign_in_keeps_the_form_and_counts_down(self):
        for _ in range(5):
            stack.visitor().form("/auth/login", {"email": self.client.email, "password": "x"})
        stack.sql(BLOCK.format("50 seconds"))
        browser.become(None)
        browser.driver.get(f"{stack.base_url}/auth/login")
        sign_in(browser, self.client.email, self.client.password)
        browser.mentions("login-submit", "Wait ")
        self.assertFalse(browser.part("login-submit").is_enabled())
        self.assertEqual(browser.value("login-email"), self.client.email)
        stack.sql(BLOCK.format("-1 second"))
        browser.run("const now = performance.now(); performance.now = () => now + 60000")
        browser.reads("login-submit", "Sign in")
        browser.fill("login-password", self.client.password)
        browser.click("login-submit")
        browser.part("create-provider")

    def test_the_profile_and_the_security_page_keep_their_fields(self):
        browser.visit(self.client, SECURITY)
        browser.fill("profile-new-email", "half@an.addre")
        browser.driver.get(f"{stack.base_url}{PROFILE}")
        browser.fill("profile-display-name", "Ada the Second")
        # A page that passes itself off as another program's gets no token of that one.
        browser.run("document.querySelector('.page-profile').classList.add('page-security')")
        end_sessions(self.client)
        browser.click("profile-name-submit")
        self.sign_in_here(self.client)
        browser.part("notice")
        self.assertEqual(browser.value("profile-display-name"), "Ada the Second")
        browser.driver.get(f"{stack.base_url}{SECURITY}")
        self.assertEqual(browser.value("profile-new-email"), "half@an.addre")
        browser.fill("profile-new-email", f"whole-{self.client.email}")
        browser.fill("profile-email-password", self.client.password)
        end_sessions(self.client)
        browser.click("profile-email-submit")
        self.sign_in_here(self.client)
        browser.mentions("pending-email", f"whole-{self.client.email}")

    def test_offline_is_told_and_over(self):
        self.fill_a_provider()
        browser.offline(True)
        self.addCleanup(browser.offline, False)
        dialog = browser.part("provider-dialog")
        browser.mentions("toast", "offline", dialog)
        browser.click("provider-submit")
        browser.mentions("provider-form-error", "offline")
        browser.offline(False)
        browser.mentions("toast", "back", dialog)
        browser.click("provider-submit")
        browser.reads("provider-title", "Typed")
