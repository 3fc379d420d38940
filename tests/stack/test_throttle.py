"""Wrong passwords slow down whoever tries them, an account's strangers and a client address, and
never keep the owner out; nobody learns from it which addresses are known."""

import json
import re
import statistics
import subprocess
import sys
import time
import unittest

from harness.client import FIELD
from harness.folders import REPOSITORY
from harness.stack import Stack

LOGIN = "/auth/login"
DEVICE = "__Host-usershell-device"
ADA, NOBODY = "ada@example.com", "nobody@example.com"
LONGEST_ACCOUNT, LONGEST_CLIENT = 60, 900
FLOOD = 10_000
NEVER_IN_THE_WAY = "UPDATE usershell.attempts SET failures = -1000000, blocked_until = '-infinity'"


def setUpModule():
    global stack
    stack = Stack(manage=2, execute=1).start()
    unittest.addModuleCleanup(stack.stop)
    stack.add_user(ADA, "Ada")


def sql(statement):
    return stack.postgres.psql("-c", statement).strip()


def addresses(network):
    """Loopback addresses that nobody else uses."""
    return (f"127.0.{network}.{last}" for last in range(1, 255))


def wrong(email, source=None, cookies=(), headers=None, password="not the password"):
    """One sign-in from a browser of its own."""
    client = stack.client(source=source)
    client.cookies |= dict(cookies)
    answer = client.form(LOGIN, {"email": email, "password": password}, headers=headers)
    client.close()
    return answer


def right(source=None, cookies=(), email=ADA):
    return wrong(email, source, cookies, password=stack.password(email))


class Throttle(unittest.TestCase):
    def setUp(self):
        sql("DELETE FROM usershell.attempts")

    def waits(self, tries, count):
        """The waits that the callables `tries` ran into, after the five that are free."""
        for _ in range(5):
            self.assertEqual(next(tries)().status, 200)
        waits = []
        for _ in range(count):
            sql("UPDATE usershell.attempts SET blocked_until = '-infinity'")
            self.assertEqual(next(tries)().status, 200)
            refused = next(tries)()
            # On a slow day the first waits are over before the next try.
            waits.append(int(refused.headers["retry-after"]) if refused.status == 429 else 0)
        return waits

    def assert_doubling(self, waits, longest):
        for number, wait in enumerate(waits):
            bound = min(2 ** (number + 1), longest)
            self.assertLessEqual(wait, bound, waits)
            if bound > 8:
                self.assertGreater(wait, bound // 2, waits)
        self.assertGreater(waits[-1], longest - 10, waits)


class Delay(Throttle):
    def test_grows_for_an_account_whatever_the_address_known_or_not(self):
        for network, email in ((10, ADA), (11, NOBODY)):
            source = addresses(network)
            tries = iter(lambda: lambda: wrong(email, next(source)), None)
            self.assert_doubling(self.waits(tries, 7), LONGEST_ACCOUNT)

    def test_grows_for_a_client_address_whatever_the_account(self):
        number = iter(range(100))
        tries = iter(lambda: lambda: wrong(f"n{next(number)}@example.com", "127.0.12.1"), None)
        self.assert_doubling(self.waits(tries, 11), LONGEST_CLIENT)
        self.assertEqual(right("127.0.12.1").status, 429)
        self.assertEqual(right("127.0.12.2").status, 302)

    def test_an_address_is_not_what_the_client_says(self):
        for number in range(5):
            wrong(f"n{number}@example.com", "127.0.13.1")
        sql("UPDATE usershell.attempts SET blocked_until = now() + interval '5 minutes'")
        for name in ("X-Forwarded-For", "X-Real-IP", "Forwarded", "Client-IP", "REMOTE_ADDR"):
            value = "for=192.0.2.7" if name == "Forwarded" else "192.0.2.7"
            answer = wrong("n9@example.com", "127.0.13.1", headers={name: value})
            self.assertEqual(answer.status, 429, name)

    def test_the_refusal_is_a_page_that_says_when_to_come_back(self):
        wrong(ADA, "127.0.14.1")
        sql("UPDATE usershell.attempts SET blocked_until = now() + interval '42 seconds'")
        for email in (f" {ADA} ", ADA.upper(), ADA):
            answer = wrong(email, "127.0.14.2", password=stack.password(ADA))
            self.assertEqual(answer.status, 429, email)
        self.assertIn(int(answer.headers["retry-after"]), range(20, 43))
        self.assertTrue(answer.headers["content-type"].startswith("text/html"))
        self.assertIn("Too many tries", answer.text)

    def test_a_good_sign_in_forgets_the_accounts_failures(self):
        source = addresses(15)
        for _ in range(3):
            for _ in range(4):
                self.assertEqual(wrong(ADA, next(source)).status, 200)
            self.assertEqual(right(next(source)).status, 302)

    def test_good_sign_ins_cost_their_address_nothing(self):
        for _ in range(8):
            self.assertEqual(right("127.0.16.1").status, 302)
        self.assertEqual(sql("SELECT count(*) FROM usershell.attempts"), "0")

    def test_an_account_of_ones_own_does_not_buy_more_guesses(self):
        stack.client("eve@example.com")
        statuses = []
        while 429 not in statuses and len(statuses) < 30:
            statuses += [wrong(f"n{n}@example.com", "127.0.17.1").status for n in range(4)]
            statuses.append(right("127.0.17.1", email="eve@example.com").status)
        self.assertIn(429, statuses)

    def test_the_password_on_the_profile_page_is_no_way_around(self):
        client = stack.client(ADA)
        fields = {"CurrentPassword": "wrong", "NewPassword": "a new password"}
        page = "/user/settings/profile"
        answers = [client.form(f"{page}/password", fields, page=page) for _ in range(15)]
        self.assertEqual([answer.status for answer in answers[:5]], [200] * 5)
        self.assertIn(429, [answer.status for answer in answers])


class Owner(Throttle):
    def besiege(self, network):
        for source, _ in zip(addresses(network), range(6)):
            wrong(ADA, source)
        sql("UPDATE usershell.attempts SET blocked_until = now() + interval '5 minutes'")

    def test_gets_in_from_a_browser_known_to_the_account(self):
        browser = stack.client(ADA)
        device = {DEVICE: browser.cookies[DEVICE]}
        self.besiege(20)
        self.assertEqual(right("127.0.21.1").status, 429)
        self.assertEqual(right("127.0.21.2", device).status, 302)
        self.assertEqual(right("127.0.20.1", device).status, 302)  # a stranger's address, too

    def test_no_other_cookie_helps(self):
        device = stack.client(ADA).cookies[DEVICE]
        other = stack.client("bea@example.com").cookies[DEVICE]
        self.besiege(22)
        name, _, mark = device.partition(".")
        flipped = ("B" if mark[0] == "A" else "A") + mark[1:]
        forged = [other, name, f"{name}.", f"{name}.{flipped}", f"x{device}", f"{name}..{mark}"]
        for cookie in forged:
            self.assertEqual(right("127.0.23.1", {DEVICE: cookie}).status, 429, cookie)

    def test_a_known_browser_has_a_growing_delay_of_its_own(self):
        device = {DEVICE: stack.client(ADA).cookies[DEVICE]}
        tries = iter(lambda: lambda: wrong(ADA, "127.0.24.1", device), None)
        self.assert_doubling(self.waits(tries, 7), LONGEST_ACCOUNT)
        self.assertEqual(right("127.0.24.2").status, 302)  # strangers are not told apart from it


class Answers(Throttle):
    @staticmethod
    def bare(answer, email):
        """What does not differ by chance."""
        token = rf'name="{FIELD}" +value="[^"]+"|verification-token" content="[^"]+"'
        text = re.sub(token, "", answer.text).replace(email, "ADDRESS")
        return answer.status, text, sorted(answer.headers)

    def test_look_the_same_for_an_address_that_nobody_has(self):
        known, unknown = wrong(ADA, "127.0.30.1"), wrong(NOBODY, "127.0.30.2")
        self.assertEqual(self.bare(known, ADA), self.bare(unknown, NOBODY))

    def medians(self, rounds=60):
        """Of the seconds that a wrong password takes for a known address and for an unknown one."""
        client = stack.client()
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        headers["RequestVerificationToken"] = client.token(LOGIN)
        seconds = {ADA: [], NOBODY: []}
        for turn in range(2 * rounds):
            for email in (ADA, NOBODY) if turn % 2 else (NOBODY, ADA):
                if turn == 1:  # all rows are there
                    sql(NEVER_IN_THE_WAY)
                began = time.monotonic()
                answer = client.request("POST", LOGIN, f"email={email}&password=x", headers)
                seconds[email].append(time.monotonic() - began)
                self.assertEqual(answer.status, 200)
        return [statistics.median(each[2:]) for each in seconds.values()]

    def test_take_as_long_for_an_address_that_nobody_has(self):
        for _ in range(3):  # another program may have had its moment
            known, unknown = self.medians()
            if abs(known - unknown) < 0.15 * max(known, unknown):
                return
        self.fail(f"known {known * 1000:.2f} ms, unknown {unknown * 1000:.2f} ms")


class ZFlood(Throttle):
    def flood(self, what, count):
        command = [sys.executable, "-B", "-m", "harness.flood", what]
        command += [stack.base_url, stack.certificate.ca, ADA, str(count)]
        flood = subprocess.Popen(command, cwd=REPOSITORY / "tests", stdout=subprocess.PIPE)
        self.addCleanup(flood.stdout.close)
        self.addCleanup(flood.kill)
        return flood

    def page_seconds(self, client, flood):
        """The median of a page's times beside the flood; and the flood's statuses."""
        seconds = []
        while flood.poll() is None:
            began = time.monotonic()
            self.assertEqual(client.get("/user/providers").status, 200)
            seconds.append(time.monotonic() - began)
        self.assertEqual(flood.returncode, 0)
        self.assertGreater(len(seconds), 10)
        return statistics.median(seconds), json.load(flood.stdout)

    def test_ten_thousand_guesses_keep_nobody_out_and_nothing_up(self):
        browser = stack.client(ADA)
        device = {DEVICE: browser.cookies[DEVICE]}
        usual, _ = self.page_seconds(browser, self.flood("visit", FLOOD // 5))
        began = time.monotonic()
        flood = self.flood("guess", FLOOD)
        while sql("SELECT count(*) FROM usershell.attempts WHERE failures >= 5") == "0":
            self.assertIsNone(flood.poll())
        owner = [right("127.0.40.1", device).status for _ in range(3)]
        beside, statuses = self.page_seconds(browser, flood)
        seconds = time.monotonic() - began
        times = f"a page took {beside * 1000:.1f} ms, beside harmless visits {usual * 1000:.1f} ms"
        print(f"{FLOOD} guesses in {seconds:.0f} s: {statuses}; {times}", file=sys.stderr)
        self.assertEqual(owner, [302] * 3)
        # Five are free; then one after 1, 2, 4 … 60 seconds.
        self.assertLessEqual(statuses["200"], 5 + 7 + seconds / LONGEST_ACCOUNT)
        self.assertEqual(statuses["200"] + statuses["429"], FLOOD)
        self.assertLess(beside, 5 * usual)


if __name__ == "__main__":
    unittest.main()
