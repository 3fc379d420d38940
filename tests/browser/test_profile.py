"""A person's own things in a browser: address (by a link in a real mail), picture, and a forgotten password. Names, and
what the forms answer: cases/profile.case, email.case, passwords.case."""

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

stack, browser = stack_and_browser()


class Person(unittest.TestCase):
    """One visit, step by step."""

    def test_visit(self):
        self.old, self.password = stack.new_person("Ada")
        self.show(PROFILE)
        sign_in(browser, self.old, self.password)
        browser.reads("current-email", self.old)
        self.security_page()
        self.change_the_address()
        self.a_picture()
        self.a_forgotten_password()
        self.assertEqual(browser.complaints(), [])

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
        self.assertIn("on Linux (this one)", session)
        self.assertNotIn("UTC", session)  # the reader's own time
        browser.mentions("event", "You signed in")
        self.fits()
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
        self.fits()
        browser.driver.get(link_in(stack.mail.wait_for(NEW)))
        browser.mentions("notice", "Your address has been changed.")
        browser.reads("current-email", NEW)

    def choose(self, name, content):
        path = stack.folder.sub(name)
        path.write_bytes(content)
        browser.part("avatar-file").send_keys(str(path))

    def a_picture(self):
        self.show(PROFILE)
        initials = self.size_of(".me img")
        self.choose("bad.png", pictures.png()[:20])
        browser.mentions("avatar-error", "damaged")
        self.choose("large.png", pictures.png_of_size(262_145))
        browser.part("crop")
        browser.click("avatar-submit")
        browser.mentions("notice", "Your picture has been saved.")
        self.show(PROFILE)  # without that word, which comes again
        self.choose("good.png", pictures.png(96, 64))
        browser.part("crop")
        browser.part("crop-zoom").send_keys(Keys.END)  # a quarter of the 64 pixels that fit
        browser.click("avatar-submit")
        browser.mentions("notice", "Your picture has been saved.")
        self.assertEqual([self.size_of(".me img"), self.size_of(".picture img")], [16, 16])
        browser.click("avatar-remove")
        browser.wait(lambda: not browser.all("avatar-remove"), "the button to go")
        self.assertEqual([self.size_of(".me img"), self.size_of(".picture img")], [initials] * 2)

    def a_forgotten_password(self):
        browser.click("sign-out")
        browser.click("forgot-link")
        browser.fill("forgot-email", NEW)
        browser.click("forgot-submit")
        browser.part("forgot-sent")
        browser.driver.get(link_in(stack.mail.wait_for(NEW, 2)))
        browser.fill("reset-password", "short")
        browser.click("reset-submit")
        browser.mentions("reset-error", "at least")
        self.fits()
        browser.fill("reset-password", FRESH)
        browser.click("reset-submit")
        browser.mentions("notice", "Your password has been set.")
        sign_in(browser, NEW, FRESH)
        browser.part("display-name")
