"""Strangers at the sign-in page: do they get mail of others there, or keep others out?"""

import contextlib
import os
import signal
import threading

import book
from harness.processes import wait_until
from harness.scenes import mailed_link
from harness.suite import Later
from scene import Thief, the_scene

_SIGN_IN = "/auth/login"
_DEVICE = "__Host-usershell-device"
_KEPT = "half of the permits to hash a password are kept for known browsers"
_ONE_EACH = "a user has one kept permit at a time"
_ENDLESS = "$argon2id$v=19$m=8,t=4000000000,p=1$YWFhYWFhYWFhYWFhYWFhYQ$x"  # takes hours

scene, stack = Later(the_scene), Later(lambda: the_scene().stack)


def tries(browser, email, password="a wrong password"):
    """How a sign-in is answered."""
    return browser.form(_SIGN_IN, {"email": email, "password": password}).status


class Addresses(Thief):
    who = book.STRANGER

    def test_letters_of_another_case(self):
        """The other case of these letters is ASCII, in some orders of letters."""
        known = f"kiss-{scene.ada.email}"
        stack.ctl("user", "add", known, "--name", "Kim", stdin=f"{scene.ada.password}\n")
        others = [known.replace(letter, other, 1) for letter, other in (("k", "\u212a"), ("i", "\u0131"), ("i", "\u0130"), ("s", "\u017f"))]
        for email in (*others, known.upper()):
            self.assertEqual(stack.visitor().form("/auth/forgot", {"email": email}).status, 200)
        mailed_link(stack, known)
        stack.wait_for_mail()
        self.assertEqual([stack.mail.messages(email) for email in others], [[]] * len(others))
        self.stopped("have another person's link sent to an address that is theirs in capitals", "mail goes to the address that is stored")


class Flood(Thief):
    """Against the four permits of the worker to hash a password, by tries whose hashes do not end."""

    who = book.STRANGER

    def setUp(self):
        self.ada, self.bob, self.eve = (stack.newcomer(name) for name in ("Ada", "Bob", "Eve"))
        for browser in (self.ada, self.bob, self.eve):
            browser.form("/auth/logout", {}, page="/user/providers")
        # With rehashed_at it is no security event, and Eve's browser stays known.
        self.set_hash_of_eve(_ENDLESS)
        self.threads, self.over = [], threading.Event()
        self.addCleanup(self.end)

    def set_hash_of_eve(self, value):
        values = f"password_hash = '{value}', rehashed_at = clock_timestamp()"
        stack.sql(f"UPDATE usershell.users SET {values} WHERE normalized_email = '{self.eve.email}'")

    def end(self):
        """Those hashes end with their process alone."""
        self.set_hash_of_eve("")
        self.over.set()
        pids = stack.pools["auth"].pids()
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        stack.pools["auth"].wait_ready(without=pids)
        for thread in self.threads:
            thread.join()

    def flood(self, *browsers):
        """Each tries until it holds a permit. The list into which their answers go."""
        answers = []
        for tab in (browser.clone() for browser in browsers):
            self.threads.append(threading.Thread(target=self.hold, args=(tab, answers), daemon=True))
            self.threads[-1].start()
        return answers

    def hold(self, tab, answers):
        with contextlib.suppress(AssertionError, OSError):  # of the worker's end
            while not self.over.wait(0.05):
                answers.append(tries(tab, self.eve.email))

    def test_a_known_browser_gets_in(self):
        self.flood(*(stack.visitor() for _ in range(4)))
        bob = (self.bob.email, self.bob.password)  # right, so that no try of his counts
        wait_until(lambda: tries(stack.visitor(), *bob) == 503, "the permits for anybody are taken")
        more = self.flood(self.eve, self.eve)
        wait_until(lambda: 503 in more, "Eve's second try at a time is refused")
        for _ in range(3):
            self.assertEqual(tries(self.ada, self.ada.email, self.ada.password), 302)
            self.ada.form("/auth/logout", {}, page="/user/providers")
        self.stopped("keep people out by a flood of tries from many addresses", _KEPT)
        self.stopped("keep people out by a flood from a known browser of an account of their own", _ONE_EACH)
        good = self.ada.cookies[_DEVICE]
        name, _, proof = good.partition(".")
        for cookie in (self.eve.cookies[_DEVICE], f"{name}.{'A' * len(proof)}", name, f"{name}."):
            stranger = stack.visitor()
            stranger.cookies[_DEVICE] = cookie
            self.assertEqual(tries(stranger, self.ada.email, self.ada.password), 503, cookie)
        self.stopped(
            "take another's kept permit by a made-up cookie, or by one of an account of their own",
            "the cookie's proof is of one browser and one account, and of the auth ring",
        )

    def test_the_store_and_the_pages_are_left_alone(self):
        self.flood(*(stack.visitor() for _ in range(4)))
        bob = (self.bob.email, self.bob.password)
        wait_until(lambda: tries(stack.visitor(), *bob) == 503, "the permits for anybody are taken")
        log = stack.folder.log("postgres")
        before = log.stat().st_size
        for _ in range(20):
            answer = stack.visitor().form(_SIGN_IN, {"email": self.bob.email, "password": self.bob.password})
            self.assertEqual((answer.status, answer.headers["content-type"]), (503, "text/html; charset=utf-8"))
            self.assertEqual(answer.headers["retry-after"], "1")
            self.assertIn('name="email"', answer.text)
            self.assertEqual(stack.visitor().get(_SIGN_IN).status, 200)
        with log.open("rb") as lines:
            lines.seek(before)
            said = lines.read()
        for statement in (b"find_password", b"take_attempt", b"forgive_attempt"):
            self.assertNotIn(statement, said)
        self.stopped("keep the database busy by a flood of tries", "without a free permit a try asks it nothing")
