"""Passkeys, as a browser's forms send them, and as a forger's would. The bytes come from another implementation
(harness/passkey.py). Each rule of the bytes: unit_auth; a real browser: browser/test_factors.py."""

import re
import unittest
import urllib.parse

from harness.passkey import BACKED_UP, ELIGIBLE, NEW, PRESENT, VERIFIED, Passkey, add_passkey, challenge_in
from harness.scenes import PROFILE, ROUTE, SECURITY, add_app, hidden_fields
from harness.suite import Later, shared_stack

REFUSED = "This passkey was not accepted."

stack = Later(shared_stack, manage=2, execute=2, mail=True)


def passkey(**options):
    return Passkey(stack.base_url, urllib.parse.urlsplit(stack.base_url).hostname, **options)


def with_passkey(**options):
    person, key = stack.newcomer(), passkey(**options)
    answer = add_passkey(person, key)
    assert "recovery-codes" in answer.text, answer.text
    return person, key


def login_challenge(visitor):
    return challenge_in(visitor.get("/auth/login").text, "login-passkey")


def shows(visitor, fields):
    return visitor.form("/auth/login", fields)


def is_in(visitor):
    return visitor.get(f"{ROUTE}/list").status == 200


class AtSignIn(unittest.TestCase):
    def test_each_algorithm_signs_in_without_a_password(self):
        for algorithm in (-7, -8, -257):
            with self.subTest(algorithm=algorithm):
                _, key = with_passkey(algorithm=algorithm)
                visitor = stack.visitor()
                answer = shows(visitor, {**key.show(login_challenge(visitor)), "returnUrl": PROFILE, "rememberMe": "true"})
                self.assertEqual((answer.status, answer.headers["location"]), (302, PROFILE))
                self.assertTrue(is_in(visitor))

    def test_a_forged_one_does_not(self):
        person, key = with_passkey()
        other = stack.visitor()
        forgeries = {
            "another origin": lambda c: key.show(c, origin="https://evil.example"),
            "another site's data": lambda c: key.show(c, rp_id="evil.example"),
            "not verified": lambda c: key.show(c, flags=PRESENT),
            "another browser's challenge": lambda c: key.show(login_challenge(other)),
            "a challenge that is made up": lambda c: key.show("A" * 75),
            "an unknown credential": lambda c: passkey().show(c),
            "another key": lambda c: {**passkey().show(c), "Credential": key.show(c)["Credential"]},
            "a deed's challenge": lambda c: key.show(challenge_in(person.get(SECURITY).text, "delete-passkey")),
        }
        for name, forge in forgeries.items():
            with self.subTest(forgery=name):
                visitor = stack.visitor()
                answer = shows(visitor, forge(login_challenge(visitor)))
                self.assertEqual(answer.status, 200)
                self.assertIn(REFUSED, answer.text)
                self.assertFalse(is_in(visitor))

    def test_a_challenge_is_good_once(self):
        _, key = with_passkey()
        visitor = stack.visitor()
        page = visitor.get("/auth/login").text
        token = re.search(r'name="__RequestVerificationToken" value="([^"]+)"', page)[1]
        cookies = dict(visitor.cookies)
        fields = {**key.show(challenge_in(page, "login-passkey")), "__RequestVerificationToken": token}
        self.assertEqual(shows(visitor, fields).status, 302)
        again = stack.visitor()
        again.cookies = cookies
        self.assertIn(REFUSED, shows(again, fields).text)
        self.assertFalse(is_in(again))

    def test_a_disabled_person_stays_out(self):
        person, key = with_passkey()
        stack.ctl("user", "disable", person.email)
        visitor = stack.visitor()
        self.assertIn(REFUSED, shows(visitor, key.show(login_challenge(visitor))).text)

    def test_a_counter_that_goes_back_is_a_copy_unless_the_passkey_is_synced(self):
        for flags, is_let_in in ((PRESENT | VERIFIED, False), (PRESENT | VERIFIED | ELIGIBLE | BACKED_UP, True)):
            with self.subTest(synced=is_let_in):
                person, key = with_passkey(flags=flags)
                for counter, let_in in ((5, True), (5, is_let_in), (1, is_let_in), (3, is_let_in), (0, is_let_in), (9, True)):
                    key.counter = counter
                    visitor = stack.visitor()
                    shows(visitor, key.show(login_challenge(visitor)))
                    self.assertEqual(is_in(visitor), let_in, counter)
                key.counter = 10
                self.assertIn("it may have been copied", stack.sign_in_with(person, key).get(SECURITY).text)


class Asked(unittest.TestCase):
    def test_by_the_pages_of_usershell_auth_alone_however_a_path_is_written(self):
        person = stack.newcomer()
        for path, may in (
            (SECURITY, True), ("/auth/login", True), (PROFILE, False), (ROUTE, False), (f"{SECURITY}/..%2fprofile", False),
            ("/user/settings/access%2f..%2fprofile", False), ("/auth/login%2f..%2f..%2fuser%2fproviders", False),
        ):  # fmt: skip
            policy = person.get(path).headers["permissions-policy"]
            self.assertIn(f"publickey-credentials-get={'(self)' if may else '()'}", policy, path)


class AsSecondFactor(unittest.TestCase):
    """Of a device that does not verify the person."""

    def setUp(self):
        self.person, self.key = with_passkey(flags=PRESENT)

    def begun(self):
        visitor = stack.visitor()
        answer = visitor.form("/auth/login", {"email": self.person.email, "password": self.person.password})
        return visitor, answer

    def test_after_the_password_it_signs_in(self):
        visitor, answer = self.begun()
        self.assertFalse(is_in(visitor))
        fields = {**hidden_fields(answer), **self.key.show(challenge_in(answer.text, "factor-passkey"))}
        self.assertEqual(visitor.form("/auth/factor", fields, page="/auth/login").status, 302)
        self.assertTrue(is_in(visitor))

    def test_another_persons_does_not(self):
        _, other = with_passkey(flags=PRESENT)
        visitor, answer = self.begun()
        fields = {**hidden_fields(answer), **other.show(challenge_in(answer.text, "factor-passkey"))}
        self.assertIn(REFUSED, visitor.form("/auth/factor", fields, page="/auth/login").text)
        self.assertFalse(is_in(visitor))


class ForDeeds(unittest.TestCase):
    def setUp(self):
        self.person, self.key = with_passkey()

    def delete(self, **fields):
        return self.person.form(f"{PROFILE}/delete", {"ConfirmEmail": self.person.email, **fields}, page=SECURITY)

    def test_a_verified_one_is_enough(self):
        challenge = challenge_in(self.person.get(SECURITY).text, "delete-passkey")
        self.assertEqual(self.delete(**self.key.show(challenge)).headers["location"], "/auth/login")

    def test_that_of_another_deed_is_not(self):
        challenge = challenge_in(self.person.get(SECURITY).text, "change-passkey")
        self.assertIn(REFUSED, self.delete(**self.key.show(challenge)).text)
        self.assertTrue(is_in(self.person))

    def test_that_of_another_session_is_not(self):
        other = stack.sign_in_with(self.person, self.key)
        challenge = challenge_in(other.get(SECURITY).text, "delete-passkey")
        self.assertIn(REFUSED, self.delete(**self.key.show(challenge)).text)

    def test_another_persons_is_not(self):
        _, key = with_passkey()
        challenge = challenge_in(self.person.get(SECURITY).text, "delete-passkey")
        self.assertIn(REFUSED, self.delete(**key.show(challenge)).text)

    def test_the_password_alone_is_not(self):
        self.assertIn("Enter a code.", self.delete(CurrentPassword=self.person.password).text)


class Required(unittest.TestCase):
    """By the operator's policy, at sign-in."""

    def setUp(self):
        self.person = stack.newcomer()
        self.addCleanup(stack.ctl, "policy", "second-factor", "optional")

    def begun(self, policy):
        stack.ctl("policy", "second-factor", policy)
        visitor = stack.visitor()
        return visitor, visitor.form("/auth/login", {"email": self.person.email, "password": self.person.password, "returnUrl": PROFILE})

    def makes(self, visitor, answer, **fields):
        """Its page's first form."""
        own = {name: value for name, value in hidden_fields(answer).items() if name != "Secret"}
        return visitor.form("/auth/factor", {**own, **passkey(flags=PRESENT).register(challenge_in(answer.text)), **fields}, page="/auth/login")

    def test_a_passkey_is_as_good_as_an_app(self):
        visitor, answer = self.begun("required")
        self.assertIn("app-secret", answer.text)
        answer = self.makes(visitor, answer)
        self.assertIn("recovery-codes", answer.text)
        self.assertTrue(is_in(visitor))
        self.assertIn("passkey-name", visitor.get(SECURITY).text)

    def test_where_a_passkey_is_wanted_no_app_is_offered_and_none_is_taken(self):
        visitor, answer = self.begun("passkey")
        self.assertNotIn("app-secret", answer.text)
        secret = {"Secret": "A" * 27, "Code": "123456"}
        refused = visitor.form("/auth/factor", {**hidden_fields(answer), **secret}, page="/auth/login")
        self.assertFalse(is_in(visitor), refused.text)
        for forged in ({"NewClientData": ""}, {"NewPublicKey": ""}, {"NewChallenge": challenge_in(self.begun("passkey")[1].text)}):
            with self.subTest(forged=forged):
                refused = self.makes(visitor, answer, **forged)
                self.assertIn("The passkey was not created.", refused.text)
                self.assertIn('name="NewClientData" value=""', refused.text, "else the script sends the same again")
                self.assertFalse(is_in(visitor))
        self.assertIn("recovery-codes", self.makes(visitor, answer).text)
        self.assertTrue(is_in(visitor))

    def test_who_has_an_app_shows_its_code_and_adds_a_passkey(self):
        app, _ = add_app(self.person)
        visitor, answer = self.begun("passkey")
        challenge = {**hidden_fields(answer), **passkey().register("AAAA")}
        self.assertIn("Enter a code.", visitor.form("/auth/factor", challenge, page="/auth/login").text)
        answer = visitor.form("/auth/factor", {**hidden_fields(answer), "Code": app.code()}, page="/auth/login")
        self.assertFalse(is_in(visitor))
        answer = self.makes(visitor, answer)
        self.assertEqual((answer.status, answer.headers["location"]), (302, PROFILE))
        self.assertTrue(is_in(visitor))

    def test_a_session_of_before_adds_one_and_does_nothing_else(self):
        with_app = stack.newcomer()
        add_app(with_app)
        stack.ctl("policy", "second-factor", "passkey")
        for person in (self.person, with_app):
            self.assertIn("Your administrator requires a passkey.", person.get(SECURITY).text)
        fields = {"ConfirmEmail": self.person.email, "CurrentPassword": self.person.password}
        self.assertIn("Set up a passkey first", self.person.form(f"{PROFILE}/delete", fields, page=SECURITY).text)
        self.assertIn("recovery-codes", add_passkey(self.person, passkey()).text)


class Kept(unittest.TestCase):
    def test_it_is_added_renamed_and_removed(self):
        person, key = with_passkey()
        page = person.get(SECURITY).text
        (key_id,) = set(re.findall(rf"{SECURITY}/passkeys/([0-9a-f-]+)", page))
        self.assertEqual(person.form(f"{SECURITY}/passkeys/{key_id}", {"Name": "Blue <key>"}, page=SECURITY).status, 303)
        self.assertIn("Blue &lt;key&gt;", person.get(SECURITY).text)
        challenge = challenge_in(person.get(SECURITY).text, "remove-passkey")
        answer = person.form(f"{SECURITY}/remove", {"Factor": key_id, **key.show(challenge)}, page=SECURITY)
        self.assertEqual(answer.status, 303)
        self.assertIn("passkey-add", person.get(SECURITY).text)
        self.assertTrue(is_in(stack.sign_in(person)))

    def test_a_forged_one_is_not_added(self):
        person, key, other = stack.newcomer(), passkey(), stack.newcomer()

        def challenge():
            return challenge_in(person.get(NEW).text)

        forgeries = {
            "another origin": key.register(challenge(), origin="https://evil.example"),
            "another session's challenge": key.register(challenge_in(other.get(NEW).text)),
        }
        for name, made in forgeries.items():
            with self.subTest(forgery=name):
                form = {"Name": "Key", "CurrentPassword": person.password, **made}
                self.assertIn("The passkey was not created.", person.form(NEW, form, page=SECURITY).text)
        self.assertIn("Wrong password.", add_passkey(person, key, CurrentPassword="wrong").text)
        self.assertEqual(stack.sql(f"SELECT count(*) FROM usershell.passkeys p JOIN usershell.users u ON u.id = p.owner_id WHERE u.email = '{person.email}'"), "0")

    def test_an_eleventh_is_not_added_nor_that_of_another_person(self):
        person, key = with_passkey()
        other = stack.newcomer()
        self.assertEqual(add_passkey(other, key).status, 302)

        def added():
            challenge = challenge_in(person.get(NEW).text, "passkey-passkey")
            return add_passkey(person, passkey(), CurrentPassword="", **key.show(challenge))

        for _ in range(9):
            self.assertEqual(added().status, 303)
        self.assertIn("You have ten passkeys.", added().text)
