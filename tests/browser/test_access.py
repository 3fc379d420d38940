"""Access tokens in a browser: one is made, copied, shown once, used and renewed; a provider gets another handle."""

import unittest

from browser.visits import sideways, stack_and_browser
from harness.scenes import ACCESS, ROUTE, access_token, id_of, listed, provider
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

COPIES = "window.copied = []; navigator.clipboard.writeText = (text) => Promise.resolve(window.copied.push(text))"


def setUpModule():
    global stack, browser
    stack, browser = stack_and_browser()
    unittest.enterModuleContext(stack.configured(api="true"))


class Access(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        self.provider = provider(self.client, f"{stack.stub.url}/v1", name="Work")

    def test_a_token_is_copied_and_gone_after_a_reload(self):
        browser.visit(self.client, ACCESS)
        browser.fill("token-name", "laptop")
        browser.fill("token-password", "wrong")
        browser.click("token-submit")
        browser.mentions("token-password-error", "Wrong password.")
        self.assertEqual([browser.value("token-name"), browser.value("token-password")], ["laptop", ""])
        browser.fill("token-password", self.client.password)
        browser.click("token-submit")
        token = browser.part("new-token").text
        browser.run(COPIES)
        browser.click("copy-token")
        browser.reads("copy-token", "Copied.")
        self.assertEqual(browser.run("return window.copied"), [token])
        texts = browser.run("return [...document.querySelectorAll('.tools details')].map((e) => e.textContent)")
        self.assertEqual([text for text in texts if token not in text or stack.base_url not in text], [])
        self.assertGreaterEqual(len(texts), 9)
        browser.shown_as(360, dark=True)
        self.assertEqual(sideways(browser), 0)
        browser.shown_as()
        browser.driver.refresh()
        browser.part("token")
        self.assertEqual([len(browser.all("new-token")), len(browser.all("token"))], [0, 1])
        browser.click("token-revoke")
        browser.click("confirm-no")
        browser.click("token-revoke")
        browser.click("confirm-yes")
        browser.part("no-token")
        self.assertEqual(browser.complaints(), [])

    def test_the_address_and_the_settings_stand_without_a_token(self):
        browser.visit(self.client, ACCESS)
        browser.run(COPIES)
        browser.click("copy-address")
        browser.reads("copy-address", "Copied.")
        self.assertEqual(browser.run("return window.copied"), [f"{stack.base_url}/v1"])
        texts = browser.run("return [...document.querySelectorAll('.tools details')].map((e) => e.textContent)")
        self.assertEqual([text for text in texts if "YOUR_TOKEN" not in text or stack.base_url not in text], [])

    def test_the_first_call_is_seen_without_a_reload(self):
        browser.visit(self.client, ACCESS)
        browser.fill("token-name", "laptop")
        browser.fill("token-password", f"{self.client.password}\n")
        browser.mentions("token-seen", "Waiting for the first call")
        stack.sql("INSERT INTO usershell.token_uses SELECT owner_id, id, now(), '192.0.0.0/16' FROM usershell.access_tokens "
                  f"WHERE owner_id = '{id_of(stack, self.client)}'")  # fmt: skip
        browser.mentions("token-seen", "from 192.0.0.0/16")

    def test_a_life_is_chosen_and_its_end_is_shown(self):
        browser.visit(self.client, ACCESS)
        end = browser.part("token-ends").get_attribute("datetime")
        self.assertFalse(browser.shown("token-days"))
        Select(browser.part("token-life")).select_by_value("7")
        self.assertLess(browser.part("token-ends").get_attribute("datetime"), end)
        Select(browser.part("token-life")).select_by_value("own")
        browser.fill("token-days", "300")
        self.assertGreater(browser.part("token-ends").get_attribute("datetime"), end)

    def test_a_token_is_renewed(self):
        old = access_token(self.client)
        browser.visit(self.client, ACCESS)
        browser.click("token-change")
        browser.fill("renew-password", f"{self.client.password}\n")
        self.assertNotEqual(browser.part("new-token").text, old)
        self.assertIn(old[:12], browser.part("token-old").text)
        self.assertEqual(browser.complaints(), [])

    def models(self):
        """The boxes that are seen, by their text: whether each is ticked."""
        seen = [box for box in browser.all("token-model") if box.is_displayed()]
        return {box.text: box.find_element(By.TAG_NAME, "input").is_selected() for box in seen}

    def tick(self, text):
        next(box for box in browser.all("token-model") if box.text.startswith(text)).click()

    def test_models_are_ticked_and_one_that_is_gone_is_marked(self):
        ids = [f"model-{number:02}" for number in range(13)]
        many = provider(self.client, f"{stack.stub.url}/v1", name="Many", models=ids)
        browser.visit(self.client, ACCESS)
        browser.click("token-limits")
        self.assertEqual(len(self.models()), 14)
        self.tick("stub-small")
        browser.fill("token-model-search", "MODEL-07")
        self.assertEqual(self.models(), {"model-07": False})
        self.tick("model-07")
        browser.fill("token-name", "laptop")
        browser.fill("token-password", f"{self.client.password}\n")
        browser.part("new-token")
        self.assertIn("model-07@many", browser.part("token").text)
        stack.sign_in(self.client).post(f"{ROUTE}/{many}/models/enabled?modelId=model-07", {"isEnabled": False})
        browser.click("token-change")
        ticked = [text for text, is_ticked in self.models().items() if is_ticked]
        self.assertEqual(ticked, ["model-07@many\nswitched off or removed", "stub-small"])
        self.tick("model-07")
        self.tick("model-03")
        browser.fill("limits-password", f"{self.client.password}\n")
        browser.reads("notice", "The access token is changed.")
        self.assertIn("models: stub-small@work, model-03@many", browser.part("token").text)

    def change_a_handle(self):
        """When the password was last given a while ago."""
        browser.visit(self.client, ROUTE)
        stack.sql("UPDATE usershell.sessions SET signed_in_at = now() - interval '6 minutes' "
                  f"WHERE owner_id = '{id_of(stack, self.client)}'")  # fmt: skip
        browser.click("manage-provider")
        browser.click("tab-settings")
        browser.fill("provider-handle", "office")
        browser.click("settings-save")
        browser.mentions("sign-in-dialog", "Your tools follow this change")

    def test_a_change_that_tools_follow_asks_for_the_password(self):
        self.change_a_handle()
        browser.fill("sign-in-password", "wrong")
        browser.click("sign-in-submit")
        browser.mentions("sign-in-error", "Wrong e-mail or password.")
        browser.fill("sign-in-password", self.client.password)
        browser.click("sign-in-submit")
        made = f"SELECT handle FROM usershell.providers WHERE id = '{self.provider}'"
        browser.wait(lambda: stack.sql(made) == "office", "the new handle")
        browser.complaints()  # of the refusal's status

    def test_it_leads_to_the_sign_in_where_the_policy_wants_another_factor(self):
        self.addCleanup(stack.ctl, "policy", "second-factor", "optional")
        stack.ctl("policy", "second-factor", "required")
        self.change_a_handle()
        browser.fill("sign-in-password", f"{self.client.password}\n")
        browser.part("login-email")
        browser.complaints()  # of the refusal's status

    def test_the_settings_of_a_provider_change_its_handle(self):
        browser.visit(self.client, ROUTE)
        browser.click("manage-provider")
        browser.click("tab-settings")
        self.assertEqual(browser.value("provider-handle"), "work")
        browser.fill("provider-handle", "Work!")
        browser.click("settings-save")
        browser.mentions("provider-handle-error", "small letters")
        browser.fill("provider-handle", "office")
        browser.click("settings-save")
        browser.wait(lambda: listed(self.client, self.provider)["handle"] == "office", "the new handle")
