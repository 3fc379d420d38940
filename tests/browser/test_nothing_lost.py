"""Nothing typed is lost: not by a session that ended, a stale token, a reload, Escape, a lost network or a second window; and
nothing that one person typed is ever sent as another. Messages stand where the person looks, in plain words."""

import unittest

from browser.visits import choose, fill_a_provider, focused, sign_in, sign_out, stack_and_browser
from harness.scenes import PROFILE, ROUTE, SECURITY, account, listed, provider
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
        browser.click("email-part")
        browser.fill("profile-new-email", "half@an.addre")
        browser.driver.get(f"{stack.base_url}{PROFILE}")
        browser.fill("profile-display-name", "Ada the Second")
        # A page that passes itself off as another program's gets no token of that one, by its look or by another address.
        browser.run("document.querySelector('.page-profile').classList.add('page-security')")
        asked = """
            const [path, done] = arguments;
            history.replaceState(null, '', path);
            const asked = [];
            window.fetch = (where) => { asked.push(where); return Promise.reject(new Error('no answer')); };
            import('/assets/v-0/common.js').then((again) => again.restoreSession()).catch(() => {}).then(() => done(asked));
        """
        self.assertEqual(browser.driver.execute_async_script(asked, SECURITY), [PROFILE])
        browser.driver.get(f"{stack.base_url}{PROFILE}")
        browser.fill("profile-display-name", "Ada the Second")
        end_sessions(self.client)
        browser.click("profile-name-submit")
        self.sign_in_here(self.client)
        browser.part("notice")
        self.assertEqual(browser.value("profile-display-name"), "Ada the Second")
        browser.driver.get(f"{stack.base_url}{SECURITY}")
        self.assertEqual(browser.value("profile-new-email"), "half@an.addre")
        browser.fill("profile-new-email", f"whole-{self.client.email}")
        browser.fill("email-password", self.client.password)
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


class TwoWindows(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        self.provider = provider(self.client, f"{stack.stub.url}/v1", name="Before")
        browser.visit(self.client)

    def edit(self):
        browser.click("manage-provider")
        browser.click("tab-settings")
        browser.part("provider-name")

    def elsewhere(self, **fields):
        self.client.call("PUT", f"{ROUTE}/{self.provider}", fields)

    def stored(self):
        found = listed(self.client, self.provider)
        return found["name"], found["baseUrl"]

    def test_only_what_was_changed_is_sent(self):
        self.edit()
        self.elsewhere(baseUrl=f"{stack.stub.url}/v2")
        browser.fill("provider-name", "Mine")
        browser.click("settings-save")
        browser.reads("provider-title", "Mine")
        self.assertEqual(self.stored(), ("Mine", f"{stack.stub.url}/v2"))

    def test_a_conflict_is_told_with_both_values(self):
        self.edit()
        self.elsewhere(name="Theirs")
        browser.fill("provider-name", "Mine")
        browser.click("settings-save")
        browser.mentions("provider-name-error", "“Theirs”")
        self.assertEqual(browser.part("provider-name").get_attribute("value"), "Mine")
        self.assertEqual(self.stored()[0], "Theirs")
        browser.click("settings-save")
        browser.reads("provider-title", "Mine")
        self.assertEqual(self.stored()[0], "Mine")

    def test_what_was_deleted_elsewhere_is_told(self):
        browser.part("provider-card")
        self.client.call("DELETE", f"{ROUTE}/{self.provider}")
        browser.click("test-provider")
        browser.reads("toast", "This provider was deleted in another window.")
        browser.part("provider-empty")

    def test_the_list_is_fresh_on_return(self):
        self.elsewhere(name="Theirs")
        browser.run("document.dispatchEvent(new Event('visibilitychange'))")
        browser.reads("provider-title", "Theirs")

    def test_the_colours_chosen_are_kept(self):
        colour = "return getComputedStyle(document.body).backgroundColor"
        browser.shown_as(dark=False)
        light = browser.run(colour)
        choose(browser, "theme", "dark")
        dark = browser.run(colour)
        self.assertNotEqual(light, dark)
        browser.driver.refresh()
        self.assertEqual(browser.run(colour), dark)
        browser.shown_as(dark=True)
        for choice, expected in (("light", light), ("", dark)):
            choose(browser, "theme", choice)
            self.assertEqual(browser.run(colour), expected)
        choose(browser, "theme", "light")
        sign_out(browser)
        browser.part("login-email")
        self.assertEqual(browser.run(colour), light)
        browser.shown_as()


class Messages(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()

    def test_all_faults_of_a_form_are_told_at_once(self):
        browser.visit(self.client)
        browser.click("create-provider")
        browser.click("type-azure-openai")
        browser.fill("provider-name", "")
        browser.click("provider-submit")
        for testid, words in (
            ("provider-name-error", "Enter a name."),
            ("provider-base-url-error", "Enter the address of its API."),
            ("provider-api-key-error", "Enter the key."),
        ):
            browser.reads(testid, words)
        self.assertEqual(focused(browser), "provider-name")

    def test_a_failure_is_told_in_the_dialog_that_is_open(self):
        provider_id = provider(self.client, f"{stack.stub.url}/v1", models=())
        browser.visit(self.client)
        browser.click("manage-provider")
        browser.click("browse-models")
        browser.click("available-choose")
        self.client.call("DELETE", f"{ROUTE}/{provider_id}")
        browser.click("available-add-chosen")
        news = "This provider was deleted in another window."
        browser.reads("toast", news, browser.part("available-dialog"))

    def test_what_is_gone_elsewhere_goes_here_and_is_named(self):
        first = provider(self.client, f"{stack.stub.url}/v1", name="First")
        key = account(self.client, first, "sk-account-0123456789", name="one")
        second = provider(self.client, f"{stack.stub.url}/v1", name="Second")
        browser.visit(self.client)
        browser.part("provider-card")
        browser.click("manage-provider")
        for tab, path, testid, words, left in (
            ("keys", f"{first}/accounts/{key}", "account-test", "This key was deleted", "account-row"),
            ("models", f"{first}/models?modelId=stub-small", "model-remove", "This model was removed", "model-row"),
        ):
            browser.click(f"tab-{tab}")
            self.client.call("DELETE", f"{ROUTE}/{path}")
            browser.click(testid)
            browser.mentions("toast", words)
            self.assertEqual(browser.shown(left), [])
        browser.click("sheet-close")
        self.client.call("DELETE", f"{ROUTE}/{second}")
        browser.click("test-provider", browser.all("provider-card")[1])
        browser.wait(lambda: len(browser.all("provider-card")) == 1, "the card to go")

    def test_a_failed_call_leads_to_what_mends_it(self):
        provider(self.client, f"{stack.stub.url}/status-401/v1")
        browser.visit(self.client)
        browser.click("chat-provider")
        browser.fill("playground-message", "hello")
        browser.click("playground-send")
        browser.reads("playground-remedy", "Check the keys")
        browser.click("playground-remedy")
        browser.part("replace-key")

    def test_a_script_that_does_not_load_is_told(self):
        browser.become(self.client)
        browser.command("Network.enable")
        browser.command("Network.setCacheDisabled", cacheDisabled=True)
        self.addCleanup(browser.command, "Network.setCacheDisabled", cacheDisabled=False)
        browser.command("Network.setBlockedURLs", urls=["*/common.js"])
        self.addCleanup(browser.command, "Network.setBlockedURLs", urls=[])
        browser.driver.get(f"{stack.base_url}{ROUTE}")
        link = browser.part("late").find_element("tag name", "a")
        browser.command("Network.setBlockedURLs", urls=[])
        link.click()
        browser.part("provider-empty")
        self.assertEqual(browser.all("late"), [])
