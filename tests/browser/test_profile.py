"""A person's own things in a browser: name, address (by a link in a real mail), picture, and a
forgotten password."""

import itertools
import unittest

from browser.visits import focused, sideways, sign_in, stack_and_browser
from harness import pictures
from harness.scenes import PROFILE, SECURITY
from harness.servers.mail import link_in
from selenium.webdriver.common.keys import Keys

NEW = "ada.augusta.king.countess.of.lovelace.born.byron@example.org"
FRESH = "a long and quite new sentence"
WIDE, NARROW = 1280, 360


def setUpModule():
    global stack, browser
    stack, browser = stack_and_browser()


class Person(unittest.TestCase):
    """One visit, step by step."""

    def test_visit(self):
        self.old, self.password = stack.new_person("Ada")
        self.taken = stack.new_person("Bea")[0]
        self.sign_in_and_look()
        self.change_the_name()
        self.errors_stand_by_their_fields()
        self.change_the_address()
        self.a_picture()
        self.a_forgotten_password()
        self.sign_out_everywhere()
        self.assertEqual(browser.complaints(), [])

    def sign_in(self, email, password):
        browser.driver.get(f"{stack.base_url}{PROFILE}")
        sign_in(browser, email, password)

    def sign_out(self):
        browser.click("sign-out")
        browser.part("login-email")

    def size_of(self, selector):
        """The natural width of a picture that has loaded; 0 of one that has not."""
        script = "const i = document.querySelector(arguments[0]);"
        script += "return i.complete && i.naturalWidth"
        return browser.wait(lambda: browser.driver.execute_script(script, selector), selector)

    def sign_in_and_look(self):
        self.sign_in(self.old, self.password)
        browser.reads("current-email", self.old)
        self.show(SECURITY)
        session = browser.part("session").text
        self.assertIn("on Linux (this one)", session)
        self.assertNotIn("UTC", session)  # the reader's own time
        browser.mentions("event", "You signed in")
        for width, dark in itertools.product((NARROW, WIDE), (True, False)):
            browser.shown_as(width, dark)
            self.assertEqual(sideways(browser), 0)

    def show(self, path):
        browser.driver.get(f"{stack.base_url}{path}")

    def change_the_name(self):
        self.show(PROFILE)
        browser.fill("profile-display-name", "x" * 121)
        browser.click("profile-name-submit")
        browser.mentions("display-name-error", "120 characters")
        browser.fill("profile-display-name", "  Ada Łovelace ")
        browser.click("profile-name-submit")
        browser.mentions("notice", "Your name has been saved.")
        browser.reads("display-name", "Ada Łovelace")
        browser.driver.refresh()
        self.assertEqual(browser.all("notice"), [])

    def errors_stand_by_their_fields(self):
        self.show(SECURITY)
        browser.fill("profile-new-email", self.taken)
        browser.click("profile-email-submit")
        browser.reads("new-email-error", "This address cannot be used.")
        self.assertEqual(browser.value("profile-new-email"), self.taken)
        browser.fill("password-current", "not the password")
        browser.fill("password-new", "short")
        browser.mentions("password-new-length", "Too short: 7 characters more.")
        browser.click("password-new-reveal")
        self.assertEqual(browser.part("password-new").get_attribute("type"), "text")
        browser.fill("password-new", FRESH)
        browser.mentions("password-new-length", "Long enough.")
        browser.click("password-submit")
        browser.mentions("password-current-error", "not your password")
        self.assertEqual(focused(browser), "password-current")

    def change_the_address(self):
        browser.fill("profile-new-email", NEW)
        browser.click("profile-email-submit")
        browser.mentions("pending-email", NEW)
        browser.reads("current-email", self.old)
        browser.shown_as(NARROW, dark=True)
        self.assertEqual(sideways(browser), 0)
        browser.shown_as()
        browser.driver.get(link_in(stack.mail.wait_for(NEW)))
        browser.mentions("notice", "Your address has been changed.")
        browser.reads("current-email", NEW)
        self.assertEqual(browser.all("pending-email"), [])
        self.show(PROFILE)
        browser.reads("current-email", NEW)

    def a_picture(self):
        initials = self.size_of(".me img")
        self.assertEqual(browser.all("avatar-remove"), [])
        files = {"good.png": pictures.png(96, 64), "large.png": pictures.png_of_size(262_145)}
        files["bad.png"] = pictures.png()[:20]
        for name, content in files.items():
            stack.folder.sub(name).write_bytes(content)
        chosen = browser.part("avatar-file")
        chosen.send_keys(str(stack.folder.sub("bad.png")))
        browser.mentions("avatar-error", "damaged")
        chosen.send_keys(str(stack.folder.sub("large.png")))
        browser.part("crop")
        browser.click("avatar-submit")
        browser.mentions("notice", "Your picture has been saved.")
        self.show(PROFILE)  # without that word, which comes again
        browser.part("avatar-file").send_keys(str(stack.folder.sub("good.png")))
        browser.part("crop")
        browser.part("crop-zoom").send_keys(Keys.END)  # a quarter of the 64 pixels that fit
        browser.click("avatar-submit")
        browser.mentions("notice", "Your picture has been saved.")
        self.assertEqual([self.size_of(".me img"), self.size_of(".picture img")], [16, 16])
        self.assertNotEqual(initials, 16)
        browser.click("avatar-remove")
        browser.wait(lambda: not browser.all("avatar-remove"), "the button to go")
        self.assertEqual([self.size_of(".me img"), self.size_of(".picture img")], [initials] * 2)

    def a_forgotten_password(self):
        self.sign_out()
        browser.click("forgot-link")
        browser.fill("forgot-email", NEW)
        browser.click("forgot-submit")
        browser.part("forgot-sent")
        browser.driver.get(link_in(stack.mail.wait_for(NEW, 2)))
        browser.fill("reset-password", "short")
        browser.click("reset-submit")
        browser.mentions("reset-error", "at least")
        browser.shown_as(NARROW, dark=True)
        self.assertEqual(sideways(browser), 0)
        browser.shown_as()
        browser.fill("reset-password", FRESH)
        browser.click("reset-submit")
        browser.mentions("notice", "Your password has been set.")
        self.sign_in(NEW, FRESH)
        browser.reads("display-name", "Ada Łovelace")

    def sign_out_everywhere(self):
        self.show(SECURITY)
        browser.click("sessions-end")
        browser.mentions("notice", "All your sessions have ended.")
        self.show(PROFILE)
        browser.part("login-email")
