"""Forgotten passwords: the mailed link sets a new one, once; nobody learns from the page which
addresses are known."""

import re
import statistics
import time
import unittest

from harness.client import FIELD
from harness.users import PROFILE, mailed_link, may_sign_in, start_change, with_query
from harness.stack import Stack

FORGOT, RESET = "/auth/forgot", "/auth/reset"
NOBODY = "nobody@example.com"
FRESH = "a wholly new password"
NEVER_IN_THE_WAY = "UPDATE usershell.attempts SET failures = -1000000, blocked_until = '-infinity'"


def setUpModule():
    global stack
    stack = Stack(manage=1, execute=2, mail=True).start()
    unittest.addModuleCleanup(stack.stop)


def sql(statement):
    return stack.postgres.psql("-c", statement).strip()


def ask(email):
    client = stack.client()
    answer = client.form(FORGOT, {"email": email})
    client.close()
    return answer


def send(link, password):
    """Fills in the form that the link leads to."""
    client = stack.client()
    token = link.rpartition("token=")[2]
    fields = {"token": token, "password": password}
    return client, client.form(RESET, fields, page=link)


def send_late(link, password):
    """The same without the form, which a stale link does not lead to."""
    fields = {"token": link.rpartition("token=")[2], "password": password}
    return stack.client().form(RESET, fields, page="/auth/login")


class Forgot(unittest.TestCase):
    def setUp(self):
        sql("DELETE FROM usershell.attempts")

    def link_for(self, email, count=1):
        stack.add_user(email, "Somebody")
        self.assertEqual(ask(email).status, 200)
        return mailed_link(stack, email, count)

    def assert_stale(self, link):
        answer = stack.client().get(link)
        self.assertEqual(answer.status, 400)
        self.assertIn("This link is not valid any more.", answer.text)
        self.assertEqual(answer.headers["referrer-policy"], "strict-origin")

    def test_the_link_sets_a_new_password_and_ends_all_sessions(self):
        email = "ada@example.com"
        link = self.link_for(email)
        self.assertRegex(link, r"^/auth/reset\?token=[A-Za-z0-9_-]{43}$")
        browser = stack.client(email)
        for short in ("", "seven77"):
            _, answer = send(link, short)
            self.assertEqual(answer.status, 200)
            self.assertRegex(answer.text, r'id="reset-error"[^>]*>[^<]+<')
        self.assertEqual(browser.get(PROFILE).status, 200)
        client, answer = send(link, FRESH)
        self.assertEqual((answer.status, answer.headers["location"]), (303, "/auth/login"))
        self.assertIn("__Host-usershell-device", client.cookies)  # a flood of guesses is not theirs
        self.assertIn("Your password has been set.", client.get("/auth/login").text)
        self.assertEqual(browser.get(PROFILE).status, 302)
        self.assertTrue(may_sign_in(stack, email, FRESH))
        self.assertFalse(may_sign_in(stack, email, stack.password(email)))
        self.assert_stale(link)

    def test_a_form_opened_before_it_was_used_does_nothing_after(self):
        email = "bea@example.com"
        link = self.link_for(email)
        self.assertEqual(send(link, FRESH)[1].status, 303)
        self.assertEqual(send_late(link, "a later password").status, 400)
        self.assertTrue(may_sign_in(stack, email, FRESH))

    def test_a_newer_one_an_hour_or_the_operator_ends_it(self):
        email = "cy@example.com"
        first = self.link_for(email)
        ask(email)
        second = mailed_link(stack, email, 2)
        self.assert_stale(first)
        self.assertEqual(stack.client().get(second).status, 200)
        sql("UPDATE usershell.password_resets SET expires_at = now()")
        self.assert_stale(second)
        ask(email)
        third = mailed_link(stack, email, 3)
        sql(f"UPDATE usershell.users SET is_disabled = true WHERE email = '{email}'")
        self.assert_stale(third)
        sent = len(stack.mail.messages())
        sql("DELETE FROM usershell.attempts")
        self.assertEqual(ask(email).status, 200)
        self.wait_until_empty()
        self.assertEqual(len(stack.mail.messages()), sent)

    def test_a_change_of_password_or_of_address_ends_it(self):
        email, new = "gus@example.com", "gus.new@example.org"
        link = self.link_for(email)
        client = stack.client(email)
        fields = {"CurrentPassword": stack.password(email), "NewPassword": FRESH}
        self.assertEqual(client.form(f"{PROFILE}/password", fields, page=PROFILE).status, 303)
        self.assert_stale(link)
        ask(email)
        link = mailed_link(stack, email, 2)
        self.assertEqual(client.get(start_change(stack, client, new)).status, 303)
        self.assert_stale(link)
        self.assertEqual(send_late(link, "a password of whoever reads the old mail").status, 400)

    def test_a_wrong_token_is_none(self):
        link = self.link_for("di@example.com")
        for token in (None, "", "x", "A" * 43, with_query(link).rpartition("=")[2].swapcase()):
            self.assert_stale(with_query(link, token=token))
        self.assertEqual(stack.client().get(link).status, 200)

    def test_is_slow_to_be_used_for_pestering(self):
        email = "eve@example.com"
        stack.add_user(email, "Eve")
        answers = [ask(email) for _ in range(6)]
        self.assertEqual([answer.status for answer in answers], [200] * 6)
        self.assertEqual({"forgot-sent" in answer.text for answer in answers}, {True})
        self.wait_until_empty()
        self.assertLessEqual(len(stack.mail.messages(email)), 4)
        self.assertGreaterEqual(len(stack.mail.messages(email)), 3)

    def wait_until_empty(self):
        empty = "SELECT count(*) = 0 FROM usershell.outbox"
        stack.mail.wait_until(lambda: sql(empty) == "t", "an empty outbox")


class Unknown(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.known = "fay@example.com"
        stack.add_user(cls.known, "Fay")

    def tearDown(self):
        stack.mail.come_up()

    @staticmethod
    def bare(answer, email):
        """What does not differ by chance."""
        token = rf'name="{FIELD}" +value="[^"]+"|verification-token" content="[^"]+"'
        text = re.sub(token, "", answer.text).replace(email, "ADDRESS")
        return answer.status, text, sorted(answer.headers)

    def test_gets_the_same_answer_and_no_mail(self):
        known, unknown = ask(self.known), ask(NOBODY)
        self.assertEqual(self.bare(known, self.known), self.bare(unknown, NOBODY))
        stack.mail.wait_for(self.known)
        self.assertEqual(stack.mail.messages(NOBODY), [])
        empty = "SELECT count(*) = 0 FROM usershell.outbox"
        stack.mail.wait_until(lambda: sql(empty) == "t", "an empty outbox")

    def test_only_what_is_an_address_is_sent(self):
        answer = ask('"><b>')
        self.assertRegex(answer.text, r'id="forgot-error"[^>]*>[^<]+<')
        self.assertIn("&quot;&gt;&lt;b&gt;", answer.text)

    def medians(self, rounds=80):
        client = stack.client()
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        headers["RequestVerificationToken"] = client.token(FORGOT)
        seconds = {self.known: [], NOBODY: []}
        for turn in range(2 * rounds):
            for email in (self.known, NOBODY) if turn % 2 else (NOBODY, self.known):
                if turn == 1:  # all rows are there
                    sql(NEVER_IN_THE_WAY)
                began = time.monotonic()
                answer = client.request("POST", FORGOT, f"email={email}", headers)
                seconds[email].append(time.monotonic() - began)
                self.assertIn("forgot-sent", answer.text)
        return [statistics.median(each[2:]) for each in seconds.values()]

    def test_takes_as_long(self):
        stack.mail.go_down()
        self.addCleanup(sql, "DELETE FROM usershell.outbox")
        for _ in range(3):  # another program may have had its moment
            known, unknown = self.medians()
            if abs(known - unknown) < 0.25 * max(known, unknown):
                return
        self.fail(f"known {known * 1000:.2f} ms, unknown {unknown * 1000:.2f} ms")


class ZSetting(unittest.TestCase):
    """Last: it changes the settings."""

    def test_is_there_only_where_the_operator_wants_it(self):
        self.assertIn('href="/auth/forgot"', stack.client().get("/auth/login").text)
        with open(stack.config, "a", encoding="utf-8") as config:
            config.write("forgot-password = false\n")
        stack.pools["manage"].restart()
        self.assertNotIn('href="/auth/forgot"', stack.client().get("/auth/login").text)
        self.assertEqual(stack.client().get(FORGOT).status, 404)
        answer = stack.client().form(FORGOT, {"email": NOBODY}, page="/auth/login")
        self.assertEqual(answer.status, 404)


if __name__ == "__main__":
    unittest.main()
