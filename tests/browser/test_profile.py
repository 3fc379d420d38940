"""A person's own things in a browser: address (by a link in a real mail), picture, a forgotten password, export and import.
Names, and what the forms answer: cases/profile.case, email.case, passwords.case; deletion: own_data.case."""

import itertools
import json
import unittest

from browser.visits import focused, sideways, sign_in, sign_out, stack_and_browser
from harness import pictures
from harness.scenes import PROFILE, ROUTE, SECURITY, listed, mailed_link, provider
from selenium.webdriver.common.keys import Keys

NEW = "ada.augusta.king.countess.of.lovelace.born.byron@example.org"
FRESH = "a long and quite new sentence"
WIDE, NARROW = 1280, 360

stack, browser = stack_and_browser()


class Person(unittest.TestCase):
    """One visit, step by step."""

    def test_visit(self):
        self.old, self.password = stack.new_person("Ada")
        browser.become(None)
        browser.complaints()  # those of earlier tests
        self.show(PROFILE)
        sign_in(browser, self.old, self.password)
        browser.reads("current-email", self.old)
        self.security_page()
        self.change_the_address()
        self.a_picture()
        self.a_forgotten_password()
        self.assertEqual(browser.complaints(), [])
        self.a_used_link()

    def show(self, path):
        browser.driver.get(f"{stack.base_url}{path}")

    def fits(self):
        """No width scrolls sideways, light or dark."""
        for width, dark in itertools.product((NARROW, WIDE), (True, False)):
            browser.shown_as(width, dark)
            self.assertLessEqual(sideways(browser), 0)

    def size_of(self, selector):
        """The natural width of a picture that has loaded; 0 of one that has not."""
        script = "const i = document.querySelector(arguments[0]); return i.complete && i.naturalWidth"
        return browser.wait(lambda: browser.run(script, selector), selector)

    def security_page(self):
        self.show(SECURITY)
        session = browser.part("session").text
        self.assertIn("on Linux This device", session)
        self.assertNotIn("UTC", session)  # the reader's own time
        browser.mentions("event", "You signed in")
        self.fits()
        browser.click("password-part")
        browser.fill("change-password", "not the password")
        browser.fill("password-new", "short")
        browser.mentions("password-new-length", "Too short: 7 characters more.")
        browser.click("password-new-reveal")
        self.assertEqual(browser.part("password-new").get_attribute("type"), "text")
        browser.fill("password-new", FRESH)
        browser.mentions("password-new-length", "Long enough.")
        browser.click("password-submit")
        browser.reads("change-password-error", "Wrong password.")
        self.assertEqual(focused(browser), "change-password")

    def change_the_address(self):
        browser.click("email-part")
        browser.fill("profile-new-email", NEW)
        browser.fill("email-password", self.password)
        browser.click("profile-email-submit")
        browser.mentions("pending-email", NEW)
        self.fits()
        browser.driver.get(stack.base_url + mailed_link(stack, NEW))
        self.told("email", "Your address has been changed.")
        browser.reads("current-email", NEW)

    def told(self, section, words):
        """In that part of the page, which is in view."""
        browser.mentions("notice", words)
        place = "const n = arguments[0], top = n.getBoundingClientRect().top; return [n.closest('section').id, top]"
        self.assertEqual(browser.run(place, browser.part("notice"))[0], section)
        browser.wait(lambda: 0 <= browser.run(place, browser.part("notice"))[1] < 900, "the notice in view")

    def choose(self, name, content):
        path = stack.folder.sub(name)
        path.write_bytes(content)
        browser.all("avatar-file")[0].send_keys(str(path))

    def a_picture(self):
        self.show(PROFILE)
        initials = self.size_of(".account img")
        self.assertEqual(browser.shown("avatar-submit"), [])
        self.choose("bad.png", pictures.png()[:20])
        browser.mentions("avatar-error", "damaged")
        self.assertEqual(browser.shown("avatar-submit"), [])
        self.choose("large.png", pictures.png_of_size(262_145))
        browser.part("crop")
        browser.click("avatar-cancel")
        browser.wait(lambda: not browser.shown("crop"), "the picture to be dropped")
        self.choose("large.png", pictures.png_of_size(262_145))
        browser.click("avatar-submit")
        self.told("name", "Your picture has been saved.")
        self.show(PROFILE)  # without that word, which comes again
        self.choose("good.png", pictures.png(96, 64))
        browser.part("crop")
        browser.part("crop-zoom").send_keys(Keys.END)  # a quarter of the 64 pixels that fit
        browser.click("avatar-submit")
        browser.mentions("notice", "Your picture has been saved.")
        self.assertEqual([self.size_of(".account img"), self.size_of(".picture img")], [16, 16])
        browser.click("avatar-remove")
        browser.click("confirm-yes")
        browser.wait(lambda: not browser.all("avatar-remove"), "the button to go")
        self.assertEqual([self.size_of(".account img"), self.size_of(".picture img")], [initials] * 2)

    def a_forgotten_password(self):
        sign_out(browser)
        browser.reads("notice", "You are signed out.")
        sign_in(browser, NEW, "not the password")
        browser.reads("login-error", "Wrong e-mail or password.")
        self.assertEqual([browser.value("login-email"), focused(browser)], [NEW, "login-password"])
        browser.click("forgot-link")
        browser.part("forgot-email")
        self.assertEqual(browser.value("forgot-email"), NEW)
        browser.click("forgot-submit")
        browser.mentions("forgot-sent", f"account for {NEW}, we have sent it a link. It works once, for one hour.")
        self.assertEqual(browser.all("forgot-email"), [])
        self.link = stack.base_url + mailed_link(stack, NEW, 2)
        browser.driver.get(self.link)
        browser.fill("reset-password", "short")
        browser.click("reset-submit")
        browser.mentions("reset-error", "at least")
        self.fits()
        browser.fill("reset-password", FRESH)
        browser.click("reset-submit")
        browser.mentions("notice", "Your password has been set.")
        self.assertEqual([browser.value("login-email"), focused(browser)], [NEW, "login-password"])
        browser.fill("login-password", FRESH)
        browser.click("login-submit")
        browser.part("display-name")

    def a_used_link(self):
        browser.driver.get(self.link)
        browser.complaints()  # of its status
        browser.click("new-link")
        browser.part("forgot-email")


class Frame(unittest.TestCase):
    """What every page has around it."""

    def setUp(self):
        self.client = stack.newcomer()

    def test_the_face_is_ours(self):
        browser.visit(self.client, PROFILE)
        script = "const done = arguments[0]; document.fonts.load('1em Inter').then((f) => done(f.map((each) => each.status)))"
        self.assertEqual(browser.driver.execute_async_script(script), ["loaded"])
        family = "return getComputedStyle(document.body).fontFamily"
        self.assertTrue(browser.run(family).startswith("Inter,"))

    def test_the_bar_begins_and_ends_where_the_page_does(self):
        edges = """const of = (s) => document.querySelector(s).getBoundingClientRect();
            return [of('.brand').left - of(arguments[0]).left, of('.account .icon').right - of(arguments[0]).right]"""
        self.addCleanup(browser.shown_as)
        for width in (1280, 2560):
            browser.shown_as(width)
            browser.visit(self.client, ROUTE)
            browser.part("provider-list")
            for apart in browser.run(edges, ".page-providers"):
                self.assertLess(abs(apart), 3, width)

    def test_the_menu_opens_by_keyboard_and_closes_by_escape(self):
        browser.visit(self.client, ROUTE)
        browser.part("account")
        self.assertEqual(browser.shown("theme"), [])
        browser.part("account").send_keys(Keys.ENTER)
        browser.part("theme")
        browser.press(Keys.ESCAPE)
        browser.wait(lambda: not browser.shown("theme"), "the menu to close")
        self.assertEqual(focused(browser), "account")

    def test_a_telephone_need_not_enlarge_a_field(self):
        browser.shown_as(375)
        self.addCleanup(browser.shown_as)
        browser.visit(self.client, PROFILE)
        size = "return getComputedStyle(arguments[0]).fontSize"
        self.assertEqual(browser.run(size, browser.part("profile-display-name")), "16px")


class OwnData(unittest.TestCase):
    def setUp(self):
        browser.shown_as()  # at rest: a page that still scrolls moves what is clicked

    def choose(self, content):
        path = stack.folder.sub("import.json")
        path.write_text(content, encoding="utf-8")
        browser.part("import-file").send_keys(str(path))

    def bring(self, content, answer):
        """Imports that file; the page says so."""
        self.choose(content)
        browser.click("import")
        browser.mentions("import-result", answer)

    def test_a_file_comes_back(self):
        first = stack.newcomer()
        provider(first, f"{stack.stub.url}/v1", name="Mine")
        file = first.get(f"{PROFILE}/export").json()
        client = stack.newcomer()
        browser.visit(client, PROFILE)
        for content in ("nonsense", "[]", '{"a": 1}'):
            self.bring(content, "not a file")
        bad = {"providers": [*file["providers"], {"name": "N", "type": "exa", "models": [{}]}]}
        self.bring(json.dumps(bad), "Provider 2, model 1:")
        self.bring(json.dumps(file), "1 provider, 1 model")
        found = client.get("/user/providers/list").json()["providers"]
        self.assertEqual([each["name"] for each in found], ["Mine"])
        self.assertFalse(listed(client, found[0]["id"])["hasKey"])
        self.choose(json.dumps(file))
        browser.click("import")
        browser.mentions("confirm-dialog", "You already have Mine.")
        browser.click("confirm-yes")
        browser.mentions("import-result", "1 provider, 1 model")
        found = client.get("/user/providers/list").json()["providers"]
        self.assertEqual([each["name"] for each in found], ["Mine", "Mine 2"])
