"""The confirmation link of a change of address: what it does, once, for its user only; and every
way in which it does nothing."""

import threading
import unittest

from harness.mail import link_in
from harness.users import PROFILE, SESSION, ask_for_address, mailed_link, may_sign_in
from harness.users import start_change, with_query
from harness.stack import Stack


def setUpModule():
    global stack
    stack = Stack(manage=2, execute=4, mail=True).start()
    unittest.addModuleCleanup(stack.stop)


def sql(statement):
    return stack.postgres.psql("-c", statement).strip()


def address_of(client):
    """The address that the profile page says one signs in with."""
    page = client.get(PROFILE).text
    return page.partition('data-testid="current-email">')[2].partition("<")[0]


def together(*calls):
    """The callables' answers, begun at the same moment."""
    answers = [None] * len(calls)
    barrier = threading.Barrier(len(calls))

    def run(place, call):
        barrier.wait()
        answers[place] = call()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


class Confirm(unittest.TestCase):
    def assert_stale(self, answer, client=None, address=None):
        self.assertEqual(answer.status, 400)
        self.assertIn(answer.headers["x-request-id"], answer.text)
        self.assertEqual(answer.set_cookies, [])
        if client:
            self.assertEqual(address_of(client), address)

    def test_changes_the_address_and_ends_the_other_sessions(self):
        old, new = "ada@example.com", "Ada.New@example.org"
        client, elsewhere = stack.client(old), stack.client(old)
        link = start_change(stack, client, new)
        before = client.clone()
        answer = client.get(link)
        self.assertEqual((answer.status, answer.headers["location"]), (303, PROFILE))
        self.assertNotEqual(client.cookies[SESSION], before.cookies[SESSION])
        self.assertEqual([c.get(PROFILE).status for c in (before, elsewhere)], [302, 302])
        page = client.get(PROFILE).text
        self.assertIn("Your address has been changed.", page)
        self.assertNotIn("Waiting for", page)
        self.assertEqual(address_of(client), new)
        self.assertTrue(may_sign_in(stack, new.lower(), stack.password(old)))
        self.assertFalse(may_sign_in(stack, old, stack.password(old)))
        self.assert_stale(client.get(link), client, new)

    def test_the_old_address_is_told_afterwards_without_a_link(self):
        old, new = "bea@example.com", "bea.new@example.org"
        client = stack.client(old)
        link = start_change(stack, client, new)
        self.assertEqual(stack.mail.messages(old), [])
        client.get(link)
        notice = stack.mail.wait_for(old)
        self.assertEqual(notice["Subject"], "Your address has been changed")
        for part in ("plain", "html"):
            text = notice.get_body((part,)).get_content()
            self.assertIn(new, text)
            self.assertNotIn("href", text)
            self.assertNotIn("https://", text)
        self.assertEqual(len(stack.mail.messages(new)), 1)

    def test_needs_the_session_of_its_own_user(self):
        old, new = "cy@example.com", "cy.new@example.org"
        client = stack.client(old)
        link = start_change(stack, client, new)
        other = stack.client("other@example.com")
        self.assert_stale(other.get(link), other, "other@example.com")
        self.assertEqual(address_of(client), old)
        visitor = stack.client()
        answer = visitor.get(link)
        self.assertEqual(answer.status, 302)
        sign_in = answer.headers["location"]
        self.assertTrue(sign_in.startswith("/auth/login?returnUrl="))
        page = visitor.get(sign_in).text
        back = page.partition('name="returnUrl" value="')[2].partition('"')[0]
        fields = {"email": old, "password": stack.password(old)}
        fields["returnUrl"] = back.replace("&amp;", "&")
        answer = visitor.form("/auth/login", fields)
        self.assertEqual((answer.status, answer.headers["location"]), (302, link))
        self.assertEqual(visitor.get(link).status, 303)
        self.assertEqual(address_of(visitor), new)

    def test_superseded_expired_or_dropped_it_is_stale(self):
        old = "di@example.com"
        client = stack.client(old)
        first = start_change(stack, client, "di.one@example.org")
        second = start_change(stack, client, "di.one@example.org")  # "send again"
        self.assert_stale(client.get(first), client, old)
        sql("UPDATE usershell.email_changes SET expires_at = now()")
        self.assert_stale(client.get(second), client, old)
        third = start_change(stack, client, "di.two@example.org")
        self.assert_stale(client.get(second), client, old)
        client.form(f"{PROFILE}/email/cancel", {}, page=PROFILE)
        self.assert_stale(client.get(third), client, old)

    def test_with_any_parameter_changed_it_is_stale_and_not_used_up(self):
        old, new = "eve@example.com", "eve.new@example.org"
        client, other = stack.client(old), stack.client("fay@example.com")
        link = start_change(stack, client, new)
        others = start_change(stack, other, "fay.new@example.org")
        query = dict(pair.split("=") for pair in others.partition("?")[2].split("&"))
        token = with_query(link).rpartition("token=")[2]
        changes = [{name: None} for name in ("userId", "email", "token")]
        changes += [{name: ""} for name in ("userId", "email", "token")]
        changes += [{"token": query["token"]}, {"userId": query["userId"]}]
        changes += [{"email": "fay.new@example.org"}, {"email": "evil@example.org"}]
        changes += [{"token": token[:-1]}, {"token": token + "A"}, {"token": token.swapcase()}]
        changes += [{"userId": query["userId"], "token": query["token"]}]
        for change in changes:
            self.assert_stale(client.get(with_query(link, **change)), client, old)
        self.assert_stale(client.get(others), client, old)
        self.assertEqual(client.get(link).status, 303)

    def test_looking_ahead_uses_nothing_up(self):
        client = stack.client("gus@example.com")
        link = start_change(stack, client, "gus.new@example.org")
        looks = [("HEAD", {}), ("GET", {"Purpose": "prefetch"})]
        looks += [("GET", {"Sec-Purpose": how}) for how in ("prefetch", "prefetch;prerender")]
        for method, headers in looks:
            answer = client.request(method, link, headers=headers)
            self.assertLess(answer.status, 400)
            self.assertEqual((answer.body, answer.set_cookies), (b"", []))
            self.assertEqual(address_of(client), "gus@example.com")
        self.assertEqual(client.get(link).status, 303)

    def test_only_by_get(self):
        client = stack.client("hal@example.com")
        link = start_change(stack, client, "hal.new@example.org")
        answer = client.post(link)
        self.assertEqual((answer.status, answer.headers["allow"]), (405, "GET, HEAD"))

    def test_its_token_is_in_no_log(self):
        client = stack.client("ivy@example.com")
        link = start_change(stack, client, "ivy.new@example.org")
        token = link.rpartition("token=")[2]
        self.assertRegex(token, r"^[A-Za-z0-9_-]{43}$")
        stack.client().get(link)
        client.get(link)
        for path in stack.folder.sub("log").iterdir():
            self.assertNotIn(token.encode(), path.read_bytes(), path.name)


class Taken(unittest.TestCase):
    def test_meanwhile_is_409_and_changes_nothing(self):
        old, new = "joe@example.com", "joe.new@example.org"
        client = stack.client(old)
        link = start_change(stack, client, new)
        stack.add_user(new, "Quicker")
        answer = client.get(link)
        self.assertEqual(answer.status, 409)
        self.assertTrue(answer.headers["content-type"].startswith("text/html"))
        self.assertEqual(address_of(client), old)
        self.assertTrue(may_sign_in(stack, new, stack.password(new)))

    @staticmethod
    def own_link(client, paths):
        """Which of the links is that client's."""
        user = f"FROM usershell.users WHERE email = '{address_of(client)}'"
        number = sql(f"SELECT id {user}")
        return next(path for path in paths if f"userId={number}&" in path)

    def test_by_another_in_the_same_moment_one_wins(self):
        for number in range(4):
            new = f"wanted.{number}@example.org"
            clients = [stack.client(f"{name}{number}@example.com") for name in ("kim", "lea")]
            for client in clients:
                self.assertEqual(ask_for_address(client, new).status, 303)
            stack.mail.wait_for(new, 2)
            paths = [link_in(m).removeprefix(stack.base_url) for m in stack.mail.messages(new)]
            mine = [self.own_link(client, paths) for client in clients]
            answers = together(*(lambda c=c, p=p: c.get(p) for c, p in zip(clients, mine)))
            self.assertEqual(sorted(answer.status for answer in answers), [303, 409])
            addresses = [address_of(client) for client in clients]
            self.assertEqual(addresses.count(new), 1)
            self.assertEqual(answers[addresses.index(new)].status, 303)

    def test_the_same_link_twice_in_one_moment_works_once(self):
        client = stack.client("max@example.com")
        link = start_change(stack, client, "max.new@example.org")
        tabs = [client.clone() for _ in range(4)]
        answers = together(*(lambda tab=tab: tab.get(link) for tab in tabs))
        self.assertEqual([answer.status for answer in answers].count(303), 1)
        winner = tabs[[answer.status for answer in answers].index(303)]
        self.assertEqual(address_of(winner), "max.new@example.org")
        stack.mail.wait_for("max@example.com")
        self.assertEqual(len(stack.mail.messages("max@example.com")), 1)


class ZSetting(unittest.TestCase):
    """Last: it changes the settings."""

    def test_the_old_address_is_told_only_where_the_operator_wants_it(self):
        with open(stack.config, "a", encoding="utf-8") as config:
            config.write("notify-old-address = false\n")
        stack.pools["manage"].restart()
        client = stack.client("zoe@example.com")
        client.get(start_change(stack, client, "zoe.new@example.org"))
        self.assertEqual(address_of(client), "zoe.new@example.org")
        notices = "SELECT count(*) FROM usershell.outbox WHERE kind = 'email-changed'"
        self.assertEqual(sql(notices), "0")
        mailed_link(stack, "zoe.new@example.org")
        self.assertEqual(stack.mail.messages("zoe@example.com"), [])


if __name__ == "__main__":
    unittest.main()
