"""Mail through a server that others wrote: STARTTLS and AUTH, outages of every kind, a courier that
is killed; every message arrives, none twice, and the database tells nobody what is in it."""

import email.utils
import os
import re
import signal
import subprocess
import time
import unittest

from harness.mail import FROM, USER, link_in
from harness.users import PROFILE, ask_for_address, mailed_link
from harness.stack import Stack

OURS = ["Content-Type", "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted"]
OURS += ["MIME-Version"]
SERVERS = ["X-Peer", "X-MailFrom", "X-RcptTo"]  # aiosmtpd's own


def setUpModule():
    global stack
    stack = Stack(manage=1, execute=2, mail=True).start()
    unittest.addModuleCleanup(stack.stop)


def sql(statement):
    return stack.postgres.psql("-c", statement).strip()


def queued(what="count(*)", where="state = 'queued'"):
    return sql(f"SELECT {what} FROM usershell.outbox WHERE {where}")


def queue(name):
    """A mail to that new person's new address, which is returned."""
    address = f"{name}.new@example.org"
    answer = ask_for_address(stack.client(f"{name}@example.com"), address)
    assert answer.status == 303, answer.text
    return address


class Mail(unittest.TestCase):
    def setUp(self):
        self.assertEqual(queued(where="true"), "0")
        self.addCleanup(sql, "DELETE FROM usershell.outbox")
        self.addCleanup(stack.mail.come_up)
        self.addCleanup(stack.mail.behave)
        stack.mail.attempts.clear()
        stack.mail.seen.clear()

    def wait(self, condition, what):
        stack.mail.wait_until(condition, what)

    def wait_for_tries(self, tries, count):
        """Until `count` mails have failed that often and are put off."""
        put_off = f"state = 'queued' AND attempts = {tries} AND next_attempt_at - now() < interval '100 s'"
        self.wait(lambda: queued(where=put_off) == str(count), f"{count} mails tried {tries} times")
        for wait in queued("extract(epoch FROM next_attempt_at - now())").split():
            self.assertLessEqual(float(wait), 10 * 2 ** (tries - 1))
            if tries > 1:  # it grows
                self.assertGreater(float(wait), 10 * 2 ** (tries - 2))

    def hurry(self):
        """The next try of what is put off (not of what is under way) comes now."""
        sql("UPDATE usershell.outbox SET next_attempt_at = now() WHERE state = 'queued' "
            "AND reason <> '' AND next_attempt_at - now() < interval '100 s'")

    def wait_until_sent(self):
        self.wait(lambda: queued() == "0", "an empty outbox")

    def assert_once(self, addresses):
        for address in addresses:
            self.assertEqual(len(stack.mail.messages(address)), 1, address)
        ids = [message["Message-ID"] for message in stack.mail.messages()]
        self.assertEqual(len(ids), len(set(ids)))


class Delivery(Mail):
    def test_with_starttls_and_auth(self):
        address = queue("ada")
        mailed_link(stack, address)
        for attempt in stack.mail.attempts:
            self.assertIn(attempt.tls, ("TLSv1.2", "TLSv1.3"))
            self.assertIn(attempt.mechanism, ("PLAIN", "LOGIN"))
            self.assertEqual((attempt.user, attempt.sender), (USER, FROM))
            self.assertEqual(attempt.recipient, address)
        self.assertEqual([attempt.step for attempt in stack.mail.attempts], ["RCPT", "DATA"])

    def test_every_kind_of_outage_loses_nothing_and_doubles_nothing(self):
        stack.mail.go_down()
        addresses = [queue(name) for name in ("bea", "cy", "di")]
        self.wait_for_tries(1, 3)
        self.assertEqual(set(queued("reason").splitlines()), {"the mail server can't be reached"})
        stack.mail.behave(rcpt="451 4.3.0 try again later")
        stack.mail.come_up()
        self.hurry()
        self.wait_for_tries(2, 3)
        self.assertTrue(all(line.startswith("451") for line in queued("reason").splitlines()))
        stack.mail.behave(data="452 4.2.2 no room")
        self.hurry()
        self.wait_for_tries(3, 3)
        stack.mail.behave(pause=1.5)
        self.hurry()
        self.wait_until_sent()
        stack.mail.behave()
        addresses.append(queue("eve"))
        self.wait_until_sent()
        self.assert_once(addresses)
        contents = [a.content for a in stack.mail.attempts if a.step == "DATA"]
        ids = [re.search(rb"^Message-ID: (\S+)", c, re.MULTILINE)[1] for c in contents]
        self.assertEqual(len(contents), 3 + 4)
        self.assertEqual(len(set(ids)), 4)  # the same on every try

    def test_a_refused_sign_in_is_the_operators_to_mend(self):
        password, stack.mail.password = stack.mail.password, "changed meanwhile"
        address = queue("fay")
        self.wait_for_tries(1, 1)
        self.assertIn("refused the sign-in", queued("reason"))
        self.assertNotIn(password, queued("reason"))
        stack.mail.password = password
        self.hurry()
        self.wait_until_sent()
        self.assert_once([address])

    def test_what_is_refused_for_good_is_given_up_and_shown(self):
        for name, refusal in [
            ("gus", {"rcpt": "550 5.1.1 no such user"}),
            ("hal", {"data": "554 5.7.1 not wanted"}),
        ]:
            stack.mail.behave(**refusal)
            address = queue(name)
            self.wait(lambda: queued(where="state = 'failed'") == "1", "a mail given up")
            self.assertEqual(queued("attempts, length(sealed)", "state = 'failed'"), "1|0")
            code = next(iter(refusal.values()))[:3]
            self.assertRegex(queued("reason", "state = 'failed'"), f"^{code}: ")
            shown = stack.ctl("mail")
            self.assertIn(f"{name}@example.com", shown)
            self.assertIn(code, shown)
            self.assertNotIn(address, shown)
            tried = len(stack.mail.attempts)
            stack.mail.behave()
            other = queue(f"after-{name}")
            stack.mail.wait_for(other)
            self.assertEqual(len(stack.mail.attempts), tried + 2)
            self.assertEqual(stack.mail.messages(address), [])
            sql("DELETE FROM usershell.outbox")


class Courier(Mail):
    def test_killed_on_its_way_it_leaves_the_mail_to_the_next(self):
        stack.mail.behave(pause=5)
        address = queue("ivy")
        self.wait(lambda: address in stack.mail.seen, "the conversation")
        pool = stack.pools["execute"]
        before = pool.pids()
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        pool.wait_ready(without=before)
        self.assertEqual(queued("attempts, reason"), "1|")
        stack.mail.behave()
        sql("UPDATE usershell.outbox SET next_attempt_at = now()")  # else after two minutes
        self.wait_until_sent()
        self.assert_once([address])

    def test_ended_gracefully_it_brings_its_mail_to_the_end(self):
        stack.mail.behave(pause=2)
        address = queue("joe")
        self.wait(lambda: address in stack.mail.seen, "the conversation")
        stack.pools["execute"].restart()
        self.wait_until_sent()
        self.assertEqual(stack.mail.seen, [address])
        self.assert_once([address])


class Message(Mail):
    def test_has_the_right_headers_and_parts(self):
        address = queue("kim")
        message = stack.mail.wait_for(address)
        self.assertEqual(message.keys(), OURS + SERVERS)
        self.assertEqual(message.defects, [])
        self.assertEqual(message["From"].addresses[0].addr_spec, FROM)
        self.assertEqual([to.addr_spec for to in message["To"].addresses], [address])
        self.assertEqual(message["Auto-Submitted"], "auto-generated")
        self.assertRegex(message["Message-ID"], r"^<[0-9a-f-]{36}@shell\.example>$")
        sent = email.utils.parsedate_to_datetime(message["Date"]).timestamp()
        self.assertLess(abs(sent - time.time()), 600)
        self.assertEqual(message.get_content_type(), "multipart/alternative")
        kinds = [(p.get_content_type(), p.get_content_charset()) for p in message.iter_parts()]
        self.assertEqual(kinds, [("text/plain", "utf-8"), ("text/html", "utf-8")])
        text = message.get_body(("plain",)).get_content()
        self.assertIn(f"\n\n{link_in(message)}\n\n", text)
        page = message.get_body(("html",)).get_content()
        self.assertIn(f'href="{link_in(message)}"'.replace("&", "&amp;"), page)
        raw = next(a.content for a in stack.mail.attempts if a.step == "DATA")
        body = raw.partition(b"\r\n\r\n")[2]
        self.assertTrue(all(len(line) <= 76 for line in body.split(b"\r\n")))
        self.assertNotRegex(raw.replace(b"\r\n", b""), rb"[\r\n\x80-\xff]")

    def test_nothing_typed_becomes_a_header_or_markup(self):
        old, new = "lea@example.com", "lëa'o+tag=x@bücher.example"
        client = stack.client(old)
        for name in ("Lea\r\nBcc: evil@example.org", "Lea\nSubject: x", "Lea\r\n\r\n<b>"):
            answer = client.form(PROFILE, {"DisplayName": name}, page=PROFILE)
            self.assertEqual(answer.status, 200)
        name = "Łeá <b>&\"' =?utf-8?q?x?= Bcc: evil@example.org"
        self.assertEqual(client.form(PROFILE, {"DisplayName": name}, page=PROFILE).status, 303)
        for address in (f"{new}\r\nBcc: evil@example.org", "a@example.org,b@example.org"):
            self.assertEqual(ask_for_address(client, address).status, 200)
        self.assertEqual(ask_for_address(client, new).status, 303)
        sent = "lëa'o+tag=x@xn--bcher-kva.example"
        client.get(mailed_link(stack, sent))
        notice = stack.mail.wait_for(old)
        self.assertEqual(notice.keys(), OURS + SERVERS)
        self.assertIn(f"Hello {name},", notice.get_body(("plain",)).get_content())
        page = notice.get_body(("html",)).get_content()
        self.assertIn("Łeá &lt;b&gt;&amp;&quot;&#39; =?utf-8", page)
        self.assertEqual({a.recipient for a in stack.mail.attempts}, {old, sent})

    def test_waits_sealed_in_the_store(self):
        stack.mail.go_down()
        address = queue("max")
        visitor = stack.client()
        visitor.form("/auth/forgot", {"email": "max@example.com"})
        visitor.form("/auth/forgot", {"email": "nobody-at-all@example.org"})
        self.wait(lambda: queued(where="kind <> 'none'") == "2", "two mails")
        dump = ["pg_dump", "--inserts", "-h", stack.postgres.host, "-U", "postgres", "usershell"]
        whole = subprocess.run(dump, check=True, capture_output=True).stdout
        outbox = subprocess.run([*dump, "-t", "usershell.outbox"], check=True, capture_output=True)
        stack.mail.come_up()
        sql("UPDATE usershell.outbox SET next_attempt_at = now() WHERE reason <> ''")
        links = [mailed_link(stack, to) for to in (address, "max@example.com")]
        secrets = [link.rpartition("token=")[2] for link in links] + ["nobody-at-all"]
        for data, found in ((outbox.stdout, [*secrets, address, "max"]), (whole, secrets)):
            self.assertIn(b"INSERT INTO", data)
            for secret in found:
                for form in (secret, secret.encode().hex()):
                    self.assertNotIn(form.encode(), data, secret)


if __name__ == "__main__":
    unittest.main()
