"""Asking for another address: what is refused and how, how often one may ask, and the password that
an old sign-in has to give again."""

import concurrent.futures
import html
import unittest

from harness.users import PROFILE, ask_for_address, may_sign_in, start_change
from harness.stack import Stack

UNUSABLE = "This address cannot be used."
TAKEN = "taken@example.com"


def setUpModule():
    global stack
    stack = Stack(manage=2, execute=2, mail=True).start()
    unittest.addModuleCleanup(stack.stop)
    stack.add_user(TAKEN, "Taken")


def sql(statement):
    return stack.postgres.psql("-c", statement).strip()


def of(email):
    return f"owner_id = (SELECT id FROM usershell.users WHERE email = '{email}')"


def count(table, email):
    return int(sql(f"SELECT count(*) FROM usershell.{table} WHERE {of(email)}"))


def error_of(answer, name="new-email"):
    """The message beside that field."""
    before, _, after = answer.text.partition(f'id="{name}-error"')
    return html.unescape(after.partition(">")[2].partition("<")[0])


class Asking(unittest.TestCase):
    def test_a_good_address_is_pending_until_confirmed(self):
        ada, new = "ada@example.com", "ada.new@example.org"
        client = stack.client(ada)
        start_change(stack, client, new)
        page = client.get(PROFILE).text
        self.assertIn("We have sent a link to the new address.", page)
        self.assertIn(f"Waiting for <strong>{new}</strong>", page)
        self.assertIn(f'data-testid="current-email">{ada}<', page)
        self.assertFalse(may_sign_in(stack, new, stack.password(ada)))
        self.assertTrue(may_sign_in(stack, ada, stack.password(ada)))
        self.assertEqual([m for m in stack.mail.messages() if ada in m["X-RcptTo"]], [])
        self.assertEqual(len(stack.mail.messages(new)), 1)

    def test_it_can_be_dropped(self):
        client = stack.client("bea@example.com")
        start_change(stack, client, "bea.new@example.org")
        answer = client.form(f"{PROFILE}/email/cancel", {}, page=PROFILE)
        self.assertEqual((answer.status, answer.headers["location"]), (303, PROFILE))
        self.assertEqual(count("email_changes", "bea@example.com"), 0)
        self.assertNotIn("Waiting for", client.get(PROFILE).text)

    def test_a_new_one_takes_its_place(self):
        client = stack.client("cy@example.com")
        for address in ("cy.one@example.org", "cy.two@example.org"):
            start_change(stack, client, address)
        self.assertEqual(count("email_changes", "cy@example.com"), 1)
        self.assertIn("cy.two@example.org", client.get(PROFILE).text)
        self.assertNotIn("cy.one@example.org", client.get(PROFILE).text)

    def test_an_expired_one_is_not_shown(self):
        client = stack.client("di@example.com")
        start_change(stack, client, "di.new@example.org")
        sql(f"UPDATE usershell.email_changes SET expires_at = now() WHERE {of('di@example.com')}")
        self.assertNotIn("Waiting for", client.get(PROFILE).text)


class Refused(unittest.TestCase):
    def test_what_is_no_address_is_told_beside_its_field(self):
        client = stack.client("eve@example.com")
        table = ["", "   ", "eve", "eve@", "@example.com", "a@b@example.com", "a b@example.com"]
        table += ['"quoted"@example.com', "eve@localhost", "eve@exa_mple.com", "eve@example..com"]
        table += [f"{'e' * 65}@example.com", f"eve@{'x' * 64}.com", f"e@{'abc.' * 63}com"]
        table += ["eve@example.com\r\nBcc: x@example.com", "eve@192.0.2.1", "<eve@example.com>"]
        table += ['"><script>alert(1)</script>@example.com', "eve@exam\tple.com"]
        table += [".eve@example.com"]
        for address in table:
            answer = ask_for_address(client, address)
            self.assertEqual(answer.status, 200, address)
            self.assertTrue(error_of(answer), address)
            typed = html.escape(address.strip().partition("\r")[0].partition("\t")[0])
            self.assertIn(typed, html.escape(html.unescape(answer.text)), address)
            self.assertNotIn("<script>alert", answer.text)
        self.assertEqual(count("email_changes", "eve@example.com"), 0)
        self.assertEqual(count("email_attempts", "eve@example.com"), 0)

    def test_one_in_use_is_told_neutrally_and_logged(self):
        mine = "fay@example.com"
        client = stack.client(mine)
        stack.add_user("info@münchen.example", "Munich")
        stack.add_user("off@example.com", "Off")
        sql("UPDATE usershell.users SET is_disabled = true WHERE email = 'off@example.com'")
        table = [TAKEN, TAKEN.upper(), f"  {TAKEN} ", mine, "Fay@EXAMPLE.com", "off@example.com"]
        table += ["info@xn--mnchen-3ya.example", "Info@MÜNCHEN.example"]
        for address in table:
            answer = ask_for_address(client, address)
            self.assertEqual((answer.status, error_of(answer)), (200, UNUSABLE), address)
            self.assertIn(f'value="{address}"', answer.text)
        self.assertEqual(count("email_changes", mine), 0)
        self.assertEqual(count("outbox", mine), 0)
        log = stack.folder.log("manage").read_text(encoding="utf-8")
        me = sql(f"SELECT id FROM usershell.users WHERE email = '{mine}'")
        events = [line for line in log.splitlines() if "address change refused: in use" in line]
        self.assertEqual(sum(me in line for line in events), len(table))
        self.assertNotIn(TAKEN, log)


class Limits(unittest.TestCase):
    def assert_too_many(self, answer):
        self.assertEqual(answer.status, 429)
        self.assertGreater(int(answer.headers["retry-after"]), 0)
        self.assertTrue(answer.headers["content-type"].startswith("text/html"))

    def test_ten_tries_an_hour(self):
        mine = "gus@example.com"
        client = stack.client(mine)
        for _ in range(10):
            self.assertEqual(ask_for_address(client, TAKEN).status, 200)
        self.assert_too_many(ask_for_address(client, TAKEN))
        self.assert_too_many(ask_for_address(client, "gus.free@example.org"))
        self.assertEqual(count("outbox", mine), 0)
        hour = "attempted_at = attempted_at - interval '1 hour'"
        sql(f"UPDATE usershell.email_attempts SET {hour} WHERE {of(mine)}")
        self.assertEqual(ask_for_address(client, TAKEN).status, 200)

    def test_five_mails_an_hour_in_parallel_too(self):
        mine = "hal@example.com"
        client = stack.client(mine)

        def ask(number):
            mine = client.clone()
            answer = ask_for_address(mine, f"hal.{number}@example.org")
            mine.close()
            return answer

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(ask, range(16)))
        self.assertEqual(sorted(a.status for a in answers), [303] * 5 + [429] * 11)
        self.assert_too_many(next(a for a in answers if a.status == 429))
        self.assertEqual(count("email_changes", mine), 1)
        self.assertEqual(count("email_attempts", mine), 5)
        numbers = [f"hal.{number}@example.org" for number in range(16)]
        stack.mail.wait_until(lambda: count("outbox", mine) == 0, "an empty outbox")
        self.assertEqual(sum(len(stack.mail.messages(to)) for to in numbers), 5)

    def test_others_are_not_held_up(self):
        client = stack.client("ivy@example.com")
        self.assertEqual(ask_for_address(client, "ivy.new@example.org").status, 303)


class RecentSignIn(unittest.TestCase):
    """The session's row is aged, not the clock."""

    def aged(self, email):
        client = stack.client(email)
        past = "signed_in_at = now() - interval '31 minutes'"
        sql(f"UPDATE usershell.sessions SET {past} WHERE {of(email)}")
        return client

    def test_an_old_one_asks_for_the_password(self):
        mine, new = "joe@example.com", "joe.new@example.org"
        client = self.aged(mine)
        self.assertNotIn("email-password", client.get(PROFILE).text)
        answer = ask_for_address(client, new)
        self.assertEqual(answer.status, 200)
        self.assertTrue(error_of(answer, "email-password"))
        self.assertIn(f'value="{new}"', answer.text)
        answer = ask_for_address(client, new, CurrentPassword="wrong")
        self.assertEqual(answer.status, 200)
        self.assertEqual(error_of(answer, "email-password"), "That is not your password.")
        self.assertEqual(count("email_changes", mine), 0)
        answer = ask_for_address(client, new, CurrentPassword=stack.password(mine))
        self.assertEqual(answer.status, 303)
        self.assertEqual(ask_for_address(client, "joe.two@example.org").status, 303)

    def test_it_is_this_sessions_own(self):
        client = self.aged("kim@example.com")
        stack.client("kim@example.com")
        answer = ask_for_address(client, "kim.new@example.org")
        self.assertTrue(error_of(answer, "email-password"))

    def test_guessing_is_slowed_down(self):
        client = self.aged("lea@example.com")
        statuses = []
        while 429 not in statuses and len(statuses) < 15:
            answer = ask_for_address(client, "lea.new@example.org", CurrentPassword="guess")
            statuses.append(answer.status)
        self.assertEqual(statuses[:5], [200] * 5)
        self.assertEqual(statuses[-1], 429)


if __name__ == "__main__":
    unittest.main()
