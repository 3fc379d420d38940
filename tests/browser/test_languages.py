"""The pages in other languages: by the browser's wish, by the switch, and everywhere at once."""

import itertools
import unittest

from browser.visits import choose, fill_a_provider, prefer, sideways, sign_out, stack_and_browser
from harness.scenes import PROFILE, ROUTE, SECURITY, provider, rotating

REFUSED = "Der Anbieter hat den Schlüssel abgelehnt. Prüfen oder ersetzen Sie ihn."
WORDS = "return document.documentElement.lang + ' ' + document.querySelector('h1').textContent"


def setUpModule():
    global stack, browser
    stack, browser = stack_and_browser()
    browser.shown_as()  # at rest: a page that still scrolls moves what is clicked


class Languages(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        browser.become(None)
        prefer(browser, "en-GB,en;q=0.9")

    def tearDown(self):
        answers = " responded with a status of 40"  # refusals that the tests are about
        self.assertEqual([e for e in browser.complaints() if answers not in e], [])

    def shown(self, path):
        browser.visit(self.client, path)
        return browser.run(WORDS)

    def test_the_browser_says_which(self):
        for languages, words in (
            ("de-AT,de;q=0.9,en;q=0.8", "de Profil"),
            ("en;q=0.5,de;q=0.9", "de Profil"),
            ("fr-CA,en;q=0.2,de;q=0.1", "fr Profil"),
            ("es-MX,es;q=0.9", "es Perfil"),
            ("it,en;q=0.2,de;q=0.1", "en Profile"),
            ("de;q=0", "en Profile"),
            ("it", "en Profile"),
        ):
            prefer(browser, languages)
            self.assertEqual(self.shown(PROFILE), words, languages)

    def test_the_switch_is_kept_also_signed_out(self):
        self.assertEqual(self.shown(PROFILE), "en Profile")
        choose(browser, "language", "de")
        browser.wait(lambda: browser.run(WORDS) == "de Profil", "German")
        browser.click("account")
        self.assertEqual(browser.value("language"), "de")
        sign_out(browser)
        browser.part("login-email")
        self.assertEqual(browser.run(WORDS), "de Bei usershell anmelden")
        choose(browser, "language", "")
        browser.wait(lambda: browser.run(WORDS) == "en Sign in to usershell", "English")

    def test_scripts_forms_and_faults_alike(self):
        provider(self.client, f"{stack.stub.url}/status-401/v1", name="Nein")
        prefer(browser, "de")
        self.assertEqual(self.shown("/user/providers"), "de Anbieter")
        browser.click("test-provider")
        browser.mentions("test-outcome", REFUSED)
        browser.reads("provider-count", "1 von 10")
        fill_a_provider(browser, "https://example.org", "sk-0123456789", name="x" * 101)
        browser.click("provider-submit")
        browser.reads("provider-name-error", "Ein Name hat höchstens 100 Zeichen.")
        self.shown(PROFILE)
        browser.fill("profile-display-name", "x" * 121)
        browser.click("profile-name-submit")
        browser.reads("display-name-error", "Ein Name hat höchstens 120 Zeichen.")

    def test_words_for_what_a_model_can_do(self):
        made = provider(self.client, f"{stack.stub.url}/v1", name="Server")
        self.client.post(f"/user/providers/{made}/models/capabilities?modelId=stub-small", {"capabilities": "tools"})
        prefer(browser, "de")
        self.shown("/user/providers")
        browser.click("create-provider")
        browser.reads("type-generic-compatible", "OpenAI-kompatibler Endpunkt")
        browser.click("provider-cancel")
        browser.click("manage-provider")
        browser.reads("model-capabilities", "Werkzeuge")

    def test_longer_words_have_room_on_a_phone(self):
        made = rotating(self.client, f"{stack.stub.url}/v1", ["sk-rotating-0123456789"])
        self.client.post(f"{ROUTE}/{made}/test")
        browser.shown_as(320)
        self.addCleanup(browser.shown_as)
        for language, path in itertools.product(("es", "fr"), (PROFILE, SECURITY)):
            prefer(browser, language)
            self.shown(path)
            self.assertEqual(sideways(browser), 0, (language, path))
        prefer(browser, "de")
        self.shown(ROUTE)
        browser.click("manage-provider")
        browser.click("tab-keys")
        browser.part("key-use")
        self.assertEqual(sideways(browser), 0)

    def test_an_error_page_keeps_language_and_navigation(self):
        prefer(browser, "de")
        self.assertEqual(self.shown("/user/nowhere"), "de Hier ist nichts")
        browser.reads("display-name", "Ada")
        sign_out(browser)
        browser.part("login-email")
