"""Sessions: lifetimes, the fresh cookie after a change of name or password, sign-out everywhere,
the sweeping of what has expired, and a password's hash made anew when its cost rises."""

import re
import time
import unittest
import urllib.parse

from harness.client import FIELD
from harness.scenes import ROUTE
from harness.stack import Stack

PROFILE = "/user/settings/profile"
COOKIE = "__Host-usershell-session"
IDLE, ABSOLUTE = 7200, 36000
ADA, BEA = "ada@example.com", "bea@example.com"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def setUpModule():
    global stack
    lives = [("session-idle", IDLE), ("session-absolute", ABSOLUTE)]
    stack = Stack(manage=2, execute=1, settings=lives).start()
    unittest.addModuleCleanup(stack.stop)


def sql(statement):
    return stack.postgres.psql("-c", statement).strip()


def signed_in(client):
    return client.get(f"{ROUTE}/list").status == 200


def session_line(answer):
    """The Set-Cookie line of the session, split at its semicolons."""
    line = next(line for line in answer.set_cookies if line.startswith(f"{COOKIE}="))
    return [part.strip() for part in line.split(";")]


class Cookie(unittest.TestCase):
    def sign_in(self, **fields):
        stack.client(ADA)
        client = stack.client()
        fields = {"email": ADA, "password": stack.password(ADA), **fields}
        return client.form("/auth/login", fields)

    def test_has_256_bits_and_the_strictest_attributes(self):
        pair, *attributes = session_line(self.sign_in())
        self.assertRegex(pair, rf"^{COOKIE}=[A-Za-z0-9_-]{{43}}$")
        self.assertEqual(sorted(attributes), ["HttpOnly", "Path=/", "SameSite=Lax", "Secure"])

    def test_stays_for_the_absolute_lifetime_when_remembered(self):
        self.assertIn(f"Max-Age={ABSOLUTE}", session_line(self.sign_in(rememberMe="true")))

    def test_only_its_hash_is_stored(self):
        token = session_line(self.sign_in())[0].partition("=")[2]
        dump = sql("SELECT * FROM usershell.sessions")
        self.assertIn("\\x", dump)
        for form in (token, token.encode().hex()):
            self.assertNotIn(form, dump)


class NameChange(unittest.TestCase):
    def test_gives_a_fresh_cookie_and_keeps_other_tabs_working(self):
        client = stack.client(ADA)
        before = client.clone()
        token = client.token(PROFILE)
        answer = client.form(PROFILE, {"DisplayName": "\u2003Ada Ⅱ \u00a0"}, page=PROFILE)
        self.assertEqual((answer.status, answer.headers["location"]), (303, PROFILE))
        self.assertNotEqual(client.cookies[COOKIE], before.cookies[COOKIE])
        self.assertFalse(signed_in(before))
        page = client.get(PROFILE)
        self.assertIn(">Ada Ⅱ</span>", page.text)
        self.assertIn("Your name has been saved.", page.text)
        self.assertNotIn("Your name has been saved.", client.get(PROFILE).text)
        body = urllib.parse.urlencode({FIELD: token, "DisplayName": "Ada"})
        self.assertEqual(client.request("POST", PROFILE, body, FORM).status, 303)

    def test_keeps_how_long_the_cookie_stays(self):
        for remember, stays in (("true", True), ("", False)):
            client = stack.client()
            fields = {"email": ADA, "password": stack.password(ADA), "rememberMe": remember}
            client.form("/auth/login", fields)
            answer = client.form(PROFILE, {"DisplayName": "Ada"}, page=PROFILE)
            line = session_line(answer)
            self.assertEqual(any(part.startswith("Max-Age") for part in line), stays, line)

    def test_that_is_refused_keeps_what_was_typed_and_the_session(self):
        client = stack.client(ADA)
        before = client.cookies[COOKIE]
        for name in ("", " \u3000 ", "x" * 121, "a\tb", "a\x7fb", "a\x85b", "a\u2028b"):
            answer = client.form(PROFILE, {"DisplayName": name}, page=PROFILE)
            self.assertEqual(answer.status, 200, repr(name))
            self.assertIn('id="display-name-error"', answer.text, repr(name))
        self.assertIn("x" * 121, client.form(PROFILE, {"DisplayName": "x" * 121}, PROFILE).text)
        self.assertEqual(client.form(PROFILE, {"DisplayName": "a\x07b"}, PROFILE).status, 400)
        self.assertEqual(client.cookies[COOKIE], before)
        answer = client.form(PROFILE, {"DisplayName": "\U0001f600" * 120}, page=PROFILE)
        self.assertEqual(answer.status, 303)


class Lifetimes(unittest.TestCase):
    """The session's row is aged, not the clock."""

    def setUp(self):
        self.client = stack.client(BEA)
        where = f"WHERE owner_id = (SELECT id FROM usershell.users WHERE email = '{BEA}')"
        sql(f"DELETE FROM usershell.sessions {where}")
        self.client.sign_in(BEA, stack.password(BEA))
        self.where = where

    def seconds(self, what):
        return float(sql(f"SELECT extract(epoch FROM {what}) FROM usershell.sessions {self.where}"))

    def age(self, **columns):
        sets = ", ".join(f"{name} = now() + interval '{by}'" for name, by in columns.items())
        sql(f"UPDATE usershell.sessions SET {sets} {self.where}")

    def test_are_the_operators(self):
        self.assertEqual(self.seconds("max_expires_at - created_at"), ABSOLUTE)
        self.assertEqual(self.seconds("expires_at - created_at"), IDLE)

    def test_use_renews_the_idle_time(self):
        self.age(last_seen_at="-2 minutes", expires_at="5 minutes")
        self.assertTrue(signed_in(self.client))
        self.assertGreater(self.seconds("expires_at - now()"), IDLE - 600)

    def test_but_never_beyond_the_absolute_end(self):
        self.age(last_seen_at="-2 minutes", expires_at="5 minutes", max_expires_at="10 minutes")
        self.assertTrue(signed_in(self.client))
        self.assertEqual(self.seconds("max_expires_at - expires_at"), 0)

    def test_a_lapsed_session_is_none(self):
        self.age(expires_at="-1 second")
        self.assertEqual(self.client.get(f"{ROUTE}/list").code, "not_signed_in")
        self.assertEqual(self.client.get(PROFILE).status, 302)

    def test_a_session_of_somebody_disabled_is_none(self):
        sql(f"UPDATE usershell.users SET is_disabled = true WHERE email = '{BEA}'")
        self.assertFalse(signed_in(self.client))
        sql(f"UPDATE usershell.users SET is_disabled = false WHERE email = '{BEA}'")
        self.assertTrue(signed_in(self.client))

    def test_what_has_expired_is_swept(self):
        self.age(expires_at="-1 second")
        kept = stack.client(ADA)
        stack.pools["manage"].restart()  # each worker sweeps when it starts
        deadline = time.monotonic() + 30
        while sql(f"SELECT count(*) FROM usershell.sessions {self.where}") != "0":
            self.assertLess(time.monotonic(), deadline, "never swept")
            time.sleep(0.05)
        self.assertTrue(signed_in(kept))


class Ends(unittest.TestCase):
    def test_sign_out_everywhere(self):
        here, there, other = stack.client(ADA), stack.client(ADA), stack.client(BEA)
        answer = here.form(f"{PROFILE}/sessions/end", {}, page=PROFILE)
        self.assertEqual((answer.status, answer.headers["location"]), (303, "/auth/login"))
        self.assertNotIn(COOKIE, here.cookies)
        self.assertIn("All your sessions have ended.", here.get("/auth/login").text)
        self.assertFalse(signed_in(there))
        self.assertTrue(signed_in(other))

    def test_a_new_sign_in_takes_the_place_of_the_browsers_old_one(self):
        client = stack.client(ADA)
        old = client.clone()
        visitor = stack.client()
        page = visitor.token("/auth/login")
        visitor.cookies[COOKIE] = client.cookies[COOKIE]
        self.assertEqual(visitor.get("/auth/login").status, 302)  # signed in already
        fields = {"email": ADA, "password": stack.password(ADA)}
        body = urllib.parse.urlencode({FIELD: page, **fields})
        self.assertEqual(visitor.request("POST", "/auth/login", body, FORM).status, 302)
        self.assertFalse(signed_in(old))
        self.assertTrue(signed_in(visitor))

    def test_a_change_of_password_ends_the_others(self):
        email, fresh = "cy@example.com", "a wholly new password"
        here, there = stack.client(email), stack.client(email)
        before, token = here.clone(), here.token(PROFILE)
        wrong = {"CurrentPassword": "not it", "NewPassword": fresh}
        answer = here.form(f"{PROFILE}/password", wrong, page=PROFILE)
        self.assertEqual(answer.status, 200)
        self.assertRegex(answer.text, r'id="current-password-error"[^>]*>[^<]+<')
        for short in ("", "seven77"):
            fields = {"CurrentPassword": stack.password(email), "NewPassword": short}
            answer = here.form(f"{PROFILE}/password", fields, page=PROFILE)
            self.assertRegex(answer.text, r'id="new-password-error"[^>]*>[^<]+<')
        self.assertTrue(signed_in(there))
        fields = {"CurrentPassword": stack.password(email), "NewPassword": fresh}
        answer = here.form(f"{PROFILE}/password", fields, page=PROFILE)
        self.assertEqual(answer.status, 303)
        self.assertTrue(signed_in(here))
        self.assertEqual([signed_in(there), signed_in(before)], [False, False])
        answer = here.post(f"{ROUTE}/create", {}, {"RequestVerificationToken": token})
        self.assertEqual(answer.code, "antiforgery_invalid")
        old = {"email": email, "password": stack.password(email)}
        self.assertEqual(stack.client().form("/auth/login", old).status, 200)
        stack.client().sign_in(email, fresh)


class ZCost(unittest.TestCase):
    """Last: it changes the settings."""

    def set_cost(self, passes):
        text = stack.config.read_text(encoding="utf-8")
        text = re.sub(r"password-opslimit = \d+", f"password-opslimit = {passes}", text)
        stack.config.write_text(text, encoding="utf-8")
        stack.pools["manage"].restart()

    def stored(self):
        return sql(f"SELECT password_hash FROM usershell.users WHERE email = '{ADA}'")

    def test_a_risen_cost_makes_the_hash_anew_at_the_next_sign_in(self):
        stack.client(ADA)
        first = self.stored()
        self.assertIn(",t=1,", first)
        self.set_cost(3)
        self.assertEqual(self.stored(), first)
        stack.client(ADA)
        second = self.stored()
        self.assertIn(",t=3,", second)
        stack.client(ADA)
        self.assertEqual(self.stored(), second)
        self.set_cost(1)
        stack.client(ADA)
        self.assertEqual(self.stored(), second)


if __name__ == "__main__":
    unittest.main()
