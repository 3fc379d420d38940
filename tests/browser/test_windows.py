"""Small windows, touch, paper and the system's own colours; and Back."""

import unittest

from browser.visits import Scripted, focused, stack_and_browser
from harness.scenes import PLAYGROUND, ROUTE, account, provider
from selenium.webdriver.common.keys import Keys

BELOW = """return [...document.querySelectorAll(arguments[0])].map((part) =>
  Math.max(0, Math.ceil(part.getBoundingClientRect().bottom - innerHeight)))"""
COVERED = """const [a, b] = [...arguments].map((part) => part.getBoundingClientRect());
return Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));"""

stack, browser = stack_and_browser()


def window(width, height):
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.command("Emulation.setDeviceMetricsOverride", **size)


def media(kind="", **features):
    named = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
    browser.command("Emulation.setEmulatedMedia", media=kind, features=named)


class Windows(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        self.provider = provider(self.client, f"{stack.stub.url}/v1", name="First")
        provider(self.client, f"{stack.stub.url}/v1", name="Second")
        self.addCleanup(browser.command, "Emulation.clearDeviceMetricsOverride")
        self.addCleanup(media)

    def talk(self, *answers):
        browser.visit(self.client, PLAYGROUND)
        page = Scripted(browser)
        for answer in answers:
            page.ask("?")
            page.say(answer)
        return page

    def test_enter_starts_a_line_where_there_is_no_shift(self):
        touch = {"enabled": True, "maxTouchPoints": 1}
        browser.command("Emulation.setTouchEmulationEnabled", **touch)
        self.addCleanup(browser.command, "Emulation.setTouchEmulationEnabled", enabled=False)
        window(375, 667)
        page = self.talk()
        browser.part("playground-message").send_keys("one", Keys.ENTER, "two")
        self.assertEqual((browser.value("playground-message"), page.asked()), ("one\ntwo", []))
        browser.click("playground-send")
        page.wait_asked(1)

    def test_the_foot_of_a_dialog_leaves_room_for_its_fields(self):
        window(320, 256)
        browser.visit(self.client)
        browser.click("create-provider")
        browser.click("type-generic-compatible")
        browser.fill("provider-name", "Third")
        foot = browser.part("provider-dialog").find_element("css selector", ".dialog-foot")
        browser.run("arguments[0].focus()", browser.part("provider-api-key"))
        self.assertEqual(browser.run(COVERED, browser.part("provider-api-key"), foot), 0)

    def test_send_is_in_sight(self):
        browser.visit(self.client, PLAYGROUND)
        for width, height in ((740, 360), (568, 320), (375, 667)):
            window(width, height)
            browser.driver.refresh()
            browser.part("playground-message")
            self.assertEqual(browser.run(BELOW, "#playground-send"), [0], (width, height))
            top = "return document.getElementById('playground-log').scrollTop"
            self.assertEqual((browser.run(top), browser.shown("playground-jump")), (0, []), "its top is seen")

    def test_the_toast_is_above_the_box(self):
        self.talk("first")
        browser.fill("playground-message", "x" * 3000)
        browser.click("question-delete")
        browser.part("question-undo")
        box = browser.driver.find_element("css selector", ".box > textarea")
        self.assertEqual(browser.run(COVERED, browser.part("toast"), box), 0)
        colours = "return [...arguments].map((part) => getComputedStyle(part).color)"
        self.assertEqual(len(set(browser.run(colours, browser.part("toast"), browser.part("question-undo")))), 1)

    def test_a_line_is_no_wider_after_a_comparison(self):
        window(1440, 900)
        page = self.talk("long " * 400)
        browser.click("playground-compare")
        page.ask("?")
        page.wait_asked(3)
        for number in (-1, -2):
            page.answer({"token": "x"}, number=number)
            page.end(number=number)
        width = "return document.querySelector('.answer').getBoundingClientRect().width"
        browser.wait(lambda: browser.run(width) <= 770, "a measure of 48 rem")

    def test_a_conversation_is_printed_whole(self):
        self.talk("a line\n\n" * 100)
        media("print")
        whole = """const log = document.getElementById('playground-log');
          return [log.clientHeight >= log.scrollHeight, document.documentElement.scrollHeight > 2 * innerHeight]"""
        self.assertEqual(browser.run(whole), [True, True])
        for part in ("playground-message", "account", "playground-clear", "answer-copy"):
            self.assertEqual(browser.shown(part), [], part)

    def test_the_bar_says_where_one_is(self):
        current = "return [...document.querySelectorAll('header nav [aria-current=page]')].map((a) => a.pathname)"
        for path in (ROUTE, PLAYGROUND, "/user/settings/profile"):
            browser.visit(self.client, path)
            self.assertEqual(browser.run(current), [path])
        media(forced_colors="active")
        line = "return [...document.querySelectorAll('nav [aria-current]')].map((a) => getComputedStyle(a).textDecorationLine)"
        self.assertEqual(set(browser.run(line)), {"underline"})

    def test_colours_of_the_system(self):
        self.talk("```sh\nls\n```\n")
        media(forced_colors="active")
        border = "return getComputedStyle(document.querySelector('.code code')).borderTopWidth"
        self.assertEqual(browser.run(border), "0px")
        outline = "return getComputedStyle(document.querySelector('.box')).outlineStyle"
        browser.run("document.getElementById('playground-log').focus()")
        self.assertEqual(browser.run(outline), "none")
        browser.run("document.getElementById('playground-message').focus()")
        self.assertEqual(browser.run(outline), "solid")
        browser.visit(self.client)
        browser.click("manage-provider")
        lines = """const line = (tab) => getComputedStyle(tab).borderBottomColor;
          return [...document.querySelectorAll('[role=tab]')].filter((tab) => line(tab) !== getComputedStyle(tab.closest('dialog')).backgroundColor).length"""
        self.assertEqual(browser.run(lines), 1)

    def test_each_turn_has_headings_with_the_names_that_were_chosen(self):
        named = f"{ROUTE}/{self.provider}/models/name?modelId=stub-small"
        self.client.post(named, {"displayName": "Small"})
        self.talk("first")
        headings = "return [...document.querySelectorAll('.turn h3')].map((each) => each.textContent)"
        self.assertEqual(browser.run(headings), ["You", "First · Small"])
        browser.mentions("playground-facts", "First · Small")

    def test_back_closes_what_is_uppermost_and_a_reload_opens_nothing(self):
        browser.visit(self.client)
        browser.click("manage-provider")
        browser.click("tab-keys")
        browser.click("add-account")
        browser.driver.back()
        browser.wait(lambda: not browser.shown("key-dialog"), "the dialog to close")
        browser.part("provider-sheet")
        browser.driver.back()
        browser.wait(lambda: not browser.shown("provider-sheet"), "the sheet to close")
        browser.click("manage-provider")
        browser.click("sheet-close")
        browser.visit(self.client, PLAYGROUND)
        browser.visit(self.client, f"{ROUTE}#provider-{self.provider}")
        browser.part("provider-sheet")
        browser.driver.refresh()
        browser.part("provider-card")
        self.assertEqual(browser.shown("provider-sheet"), [])


class Told(unittest.TestCase):
    """What a person has to know to go on."""

    def setUp(self):
        self.client = stack.newcomer()
        self.provider = provider(self.client, f"{stack.stub.url}/v1", name="First")

    def test_a_provider_without_a_key_leads_to_its_keys(self):
        stack.sql(f"UPDATE usershell.providers SET sealed_key = NULL WHERE id = '{self.provider}'")
        browser.visit(self.client)
        browser.click("no-key")
        browser.part("replace-key")
        browser.visit(self.client, f"{PLAYGROUND}?provider={self.provider}")
        browser.fill("playground-message", "hello\n")
        browser.reads("playground-remedy", "Open its keys")
        browser.complaints()  # of the refusal's status

    def test_a_card_in_a_test_of_all_has_one_word(self):
        slow = provider(self.client, f"{stack.stub.url}/slow/v1", name="Slow")
        browser.visit(self.client)
        browser.part("provider-card")
        browser.run("""window.seen = new Set(); new MutationObserver(() => {
          for (const card of document.querySelectorAll('[data-provider-id]')) if (card.querySelector('[data-ok=true]'))
            window.seen.add(card.querySelector('[data-health]')?.dataset.health);
        }).observe(document.body, { subtree: true, childList: true, attributes: true })""")
        browser.click("test-all")
        browser.wait(lambda: browser.part("test-all").get_attribute("aria-busy") is None, "the end")
        self.assertEqual(browser.run("return [...window.seen]"), ["healthy"], slow)

    def test_lists_that_are_full_say_so(self):
        most = int(browser_most(self.client))
        for number in range(most - 1):
            self.client.post(f"{ROUTE}/{self.provider}/models", {"modelId": f"m{number}"})
        browser.visit(self.client)
        browser.click("manage-provider")
        browser.reads("no-model", f"No room: {most} of {most}. Remove one first.")
        browser.click("browse-models")
        browser.mentions("available-add-chosen", "No room")

    def test_types_are_found_by_their_models(self):
        browser.visit(self.client)
        browser.click("create-provider")
        for word, kind in (("claude", "anthropic"), ("grok", "xai"), ("kimi", "moonshot")):
            browser.fill("type-search", word)
            browser.part(f"type-{kind}")

    def test_an_address_that_is_not_theirs_is_not_what_they_are_sent_to(self):
        with stack.configured(catalogue_base_url="tavily=http://127.0.0.1:1"):
            made = provider(self.client, "", kind="tavily", models=())
            said = self.client.post(f"{ROUTE}/{made}/test").json()["error"]
        self.assertIn("127.0.0.1 can’t be reached from this server. Try again later.", said)

    def test_keys_that_were_added_are_told_beside_one_that_was_not(self):
        account(self.client, self.provider, "sk-one-0123456789", name="one")
        browser.visit(self.client)
        browser.click("manage-provider")
        browser.click("tab-keys")
        browser.click("add-account")
        browser.fill("keys-value", "sk-two-0123456789\nwith space 0123")
        browser.click("key-submit")
        browser.mentions("keys-value-error", "1 key added.")
        self.assertEqual(focused(browser), "keys-value")


def browser_most(client):
    browser.visit(client)
    return browser.run("return document.getElementById('providers-page').dataset.maxModels")
