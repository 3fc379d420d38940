"""A second factor, by the forms of its pages and by another implementation of the codes (oathtool). The database's refusals:
store_nouns and the attack suite; the pages in a browser: browser/test_factors.py."""

import unittest

from harness.processes import wait_until
from harness.scenes import ACCESS, APP, PROFILE, ROUTE, SECURITY, App, access_token, add_app, hidden_fields, id_of
from harness.suite import Later, shared_stack

WRONG = "Wrong code."

stack = Later(shared_stack, manage=2, execute=2, mail=True)


def setUpModule():
    unittest.enterModuleContext(stack.configured(api="true"))


def begun(person, **fields):
    """A browser whose password was right, and what it has to send back."""
    visitor = stack.visitor()
    answer = visitor.form("/auth/login", {"email": person.email, "password": person.password, **fields})
    assert answer.status == 200, answer.status
    return visitor, hidden_fields(answer)


def sends(visitor, fields, code):
    return visitor.form("/auth/factor", {**fields, "Code": code}, page="/auth/login")


def is_in(visitor):
    return visitor.get(f"{ROUTE}/list").status == 200


class AtSignIn(unittest.TestCase):
    def setUp(self):
        self.person = stack.newcomer()
        self.app, self.recovery = add_app(self.person)

    def test_the_password_alone_gives_no_session(self):
        visitor, fields = begun(self.person)
        self.assertFalse(is_in(visitor))
        for path in (f"{ROUTE}/list", SECURITY, "/auth/factor"):
            self.assertIn(visitor.get(path).status, (302, 401), path)
        self.assertEqual(set(fields), {"user", "signIn", "returnUrl"})

    def test_a_code_does_and_is_good_once(self):
        visitor, fields = begun(self.person, returnUrl="/user/playground", rememberMe="true")
        code = self.app.code()
        answer = sends(visitor, fields, f"{code[:3]} {code[3:]}")
        self.assertEqual((answer.status, answer.headers["location"]), (302, "/user/playground"))
        self.assertTrue(any("Max-Age" in cookie for cookie in answer.set_cookies))
        self.assertTrue(is_in(visitor))
        again, fields = begun(self.person)
        self.assertIn(WRONG, sends(again, fields, code).text)
        self.assertFalse(is_in(again))

    def test_a_recovery_code_does_and_is_good_once(self):
        for typed, is_right in ((self.recovery[0].upper().replace("-", " "), True), (self.recovery[0], False)):
            visitor, fields = begun(self.person)
            sends(visitor, fields, typed)
            self.assertEqual(is_in(visitor), is_right)
        self.assertIn("Recovery codes left: 9", stack.sign_in_by(self.person, self.app).get(SECURITY).text)

    def test_what_is_no_code_is_wrong(self):
        visitor, fields = begun(self.person)
        for typed in ("12345", "1234567", "abcdef", "\u0661\u0662\u0663\u0664\u0665\u0666", "a" * 24, "0" * 3000, "'; --"):
            with self.subTest(typed=typed[:30]):
                self.assertIn(WRONG, sends(visitor, fields, typed).text)
        self.assertIn("Enter a code.", sends(visitor, fields, " ").text)
        self.assertEqual(sends(visitor, fields, self.app.code()).status, 302)

    def test_another_browser_has_nothing_of_it(self):
        _, fields = begun(self.person)
        other = stack.visitor()
        self.assertIn("That took more than five minutes.", sends(other, fields, self.app.code()).text)
        for lacks in ("user", "signIn"):
            answer = sends(other, {**fields, lacks: "x"}, "123456")
            self.assertEqual(answer.status, 404)

    def test_ten_wrong_codes_wait_and_a_recovery_code_still_helps(self):
        visitor, fields = begun(self.person)
        texts = [sends(visitor, fields, f"{n:06}").text for n in range(12)]
        self.assertIn("Too many wrong codes.", texts[-1])
        self.assertIn("Too many wrong codes.", sends(visitor, fields, self.app.code()).text)
        self.assertEqual(sends(visitor, fields, self.recovery[1]).status, 302)
        self.assertEqual(visitor.get(SECURITY).text.count("entered ten wrong codes in an hour"), 1)

    def test_the_person_sees_who_tried_and_what_was_used(self):
        visitor, fields = begun(self.person)
        sends(visitor, fields, "000000")
        sends(visitor, fields, self.recovery[2])
        page = visitor.get(SECURITY).text
        self.assertIn("Someone who knows the password entered a wrong code", page)
        self.assertIn("A recovery code was used", page)
        wait_until(lambda: len(stack.mail.messages(self.person.email)) >= 2, "mails of both changes")


class ForDeeds(unittest.TestCase):
    """Each form that takes the password takes a code, too."""

    def setUp(self):
        self.person = stack.newcomer()
        self.token = "0f8fad5b-d9cb-469f-a165-70867728950e"
        access_token(self.person, TokenId=self.token)
        self.app, self.recovery = add_app(self.person)

    def forms(self):
        new = f"new-{self.person.email}"
        yield f"{PROFILE}/email", SECURITY, {"NewEmail": new}, "email"
        yield f"{PROFILE}/email", SECURITY, {"NewEmail": new, "Again": "true"}, "pending"
        limits = {"Name": "t", "Days": "1", "RequestsAMinute": "60", "LaterProviders": "true"}
        yield ACCESS, ACCESS, limits, "token"
        yield f"{ACCESS}/{self.token}", ACCESS, limits, "limits"
        yield APP, SECURITY, {"Secret": App(self.person.get(APP).text).field, "NewCode": "000000"}, "app"
        yield f"{SECURITY}/recovery", SECURITY, {}, "recovery"
        yield f"{SECURITY}/remove", SECURITY, {"Factor": "app"}, "remove"
        yield f"{PROFILE}/password", SECURITY, {"NewPassword": "quite a new sentence 7"}, "change"
        yield f"{PROFILE}/delete", SECURITY, {"ConfirmEmail": self.person.email}, "delete"

    def send(self, path, page, fields, **more):
        return self.person.form(path, {**fields, "CurrentPassword": self.person.password, **more}, page=page)

    def test_the_password_alone_does_none(self):
        for path, page, fields, name in self.forms():
            with self.subTest(form=name):
                for code, said in ({}, "Enter a code."), ({"Code": "000000"}, WRONG), ({"Code": self.recovery[0] + "a"}, WRONG):
                    answer = self.send(path, page, fields, **code)
                    self.assertEqual(answer.status, 200)
                    if name != "pending":  # which is drawn for a change that waits
                        self.assertIn(f'data-testid="{name}-code-error">{said}', answer.text)
        self.assertTrue(is_in(self.person))
        self.assertEqual(stack.sql(f"SELECT count(*) FROM usershell.recovery_codes WHERE owner_id = '{id_of(stack, self.person)}'"), "10")

    def test_with_a_code_each_is_done(self):
        for number, (path, page, fields, name) in enumerate(self.forms()):
            if name in ("pending", "app", "recovery", "remove"):
                continue
            with self.subTest(form=name):
                answer = self.send(path, page, fields, Code=self.recovery[number])
                self.assertNotIn("-error\">W", answer.text)
                self.person.password = fields.get("NewPassword", self.person.password)
        self.assertEqual(stack.sql(f"SELECT count(*) FROM usershell.users WHERE email = '{self.person.email}'"), "0")

    def test_the_app_moves_to_another_phone(self):
        other = stack.sign_in_by(self.person, self.app)
        phone = App(self.person.get(APP).text)
        form = {"Secret": phone.field, "NewCode": phone.code(), "EndOthers": "true"}
        self.assertEqual(self.send(APP, SECURITY, form, Code=self.recovery[0]).status, 303)
        self.assertFalse(is_in(other))
        self.assertTrue(is_in(self.person))
        visitor, fields = begun(self.person)
        self.assertIn(WRONG, sends(visitor, fields, self.app.code()).text)
        self.assertEqual(sends(visitor, fields, phone.code()).status, 302)

    def test_without_the_app_the_password_is_enough(self):
        other = stack.sign_in_by(self.person, self.app)
        self.assertEqual(self.send(f"{SECURITY}/remove", SECURITY, {"Factor": "app"}, Code=self.recovery[0]).status, 303)
        self.assertFalse(is_in(other))
        self.assertTrue(is_in(self.person))
        self.assertTrue(is_in(stack.sign_in(self.person)))


class Required(unittest.TestCase):
    """By the operator's policy."""

    def setUp(self):
        stack.sql("UPDATE usershell.policy SET second_factor = 'required'")
        self.addCleanup(stack.sql, "UPDATE usershell.policy SET second_factor = 'optional'")

    def test_who_has_none_adds_one_at_sign_in(self):
        email, password = stack.new_person()
        visitor = stack.visitor()
        answer = visitor.form("/auth/login", {"email": email, "password": password, "returnUrl": PROFILE})
        app, fields = App(answer.text), hidden_fields(answer)
        self.assertIn(WRONG, sends(visitor, fields, "000000").text)
        self.assertFalse(is_in(visitor))
        answer = sends(visitor, fields, app.code())
        self.assertIn("recovery-codes", answer.text)
        self.assertIn(f'href="{PROFILE}"', answer.text)
        self.assertTrue(is_in(visitor))
