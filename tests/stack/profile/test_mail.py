"""Mail through a server that others wrote: STARTTLS and AUTH, outages of every kind, a sender that is killed; every
message arrives, none twice. Which of many changes of an address wins. Names and headers: unit_pages, unit_net; what the
database shows: attack/test_backup; what is logged: unit_pipeline (dispatch), stack/front/test_front; the rest:
cases/email.case."""

import json
import os
import re
import signal
import socket
import time
import unittest
import uuid

from harness.client import Crowd, together
from harness.envelope import Ring, seal
from harness.processes import end, finished, spawn, wait_until
from harness.scenes import PROFILE, ask_for_address, id_of, mailed_link, plant_mail, start_change
from harness.servers.mail import FROM, USER
from harness.suite import Later, shared_stack

stack = Later(shared_stack, manage=2, execute=2, mail=True)


def address_of(client):
    """The address that the profile page says one signs in with."""
    page = client.get(PROFILE).text
    return page.partition('data-testid="current-email">')[2].partition("<")[0]


class AtTheSameMoment(unittest.TestCase):
    def test_five_mails_an_hour_and_no_more(self):
        client = stack.newcomer()
        browsers = [stack.sign_in(client) for _ in range(8)]  # each is renewed by the password that it gives

        def ask(tab, number):
            status = 503  # no permit for a password was free
            while status == 503:
                status = ask_for_address(tab, f"{number}-{client.email}").status
            return status

        with Crowd(8, *browsers) as crowd:
            asked = crowd.run(ask, range(16))
        self.assertEqual(sorted(asked), [303] * 5 + [429] * 11)
        stack.wait_for_mail()
        mails = [len(stack.mail.messages(f"{number}-{client.email}")) for number in range(16)]
        self.assertEqual(sorted(mails), [0] * 11 + [1] * 5)

    def test_of_two_who_confirm_the_same_address_one_wins(self):
        clients = [stack.newcomer(), stack.newcomer("Bea")]
        wanted = f"wanted-{clients[0].email}"
        links = [start_change(stack, client, wanted) for client in clients]
        answers = together(*(lambda c=c, p=p: c.get(p) for c, p in zip(clients, links)))
        self.assertEqual(sorted(answer.status for answer in answers), [303, 409])
        addresses = [address_of(client) for client in clients]
        self.assertEqual(addresses.count(wanted), 1)
        self.assertEqual(answers[addresses.index(wanted)].status, 303)

    def test_the_same_link_works_once(self):
        client = stack.newcomer()
        new = f"new-{client.email}"
        link = start_change(stack, client, new)
        tabs = [client.clone() for _ in range(4)]
        statuses = [a.status for a in together(*(lambda tab=tab: tab.get(link) for tab in tabs))]
        self.assertEqual(statuses.count(303), 1)
        self.assertEqual(address_of(tabs[statuses.index(303)]), new)
        stack.wait_for_mail()
        self.assertEqual(len(stack.mail.messages(client.email)), 1)


# Put off after a try; what is under way is kept off others for longer.
PUT_OFF = "state = 'queued' AND next_attempt_at - now() < interval '100 s'"


def queued(what="count(*)", where="state = 'queued'"):
    return stack.sql(f"SELECT {what} FROM usershell.outbox WHERE {where}")


def queue():
    """A mail to a new person's new address, which is returned."""
    client = stack.newcomer()
    answer = ask_for_address(client, f"new-{client.email}")
    assert answer.status == 303, answer.text
    return f"new-{client.email}"


class Mail(unittest.TestCase):
    def setUp(self):
        stack.wait_for_mail()
        self.addCleanup(stack.sql, "DELETE FROM usershell.outbox")
        self.addCleanup(stack.mail.come_up)
        self.addCleanup(stack.mail.behave)
        stack.mail.attempts.clear()
        stack.mail.seen.clear()

    def wait_for_tries(self, tries, count):
        """Until `count` mails have failed that often, or once more where this takes long, and are put off,
        for a time that grows."""
        where = f"{PUT_OFF} AND attempts >= {tries}"
        wait_until(lambda: queued(where=where) == str(count), f"{count} mails tried {tries} times")
        for wait in queued("extract(epoch FROM next_attempt_at - now()) / 2 ^ (attempts - 1)", PUT_OFF).split():
            self.assertLessEqual(float(wait), 10)

    def hurry(self):
        """The next try of what is put off comes now."""
        stack.sql(f"UPDATE usershell.outbox SET next_attempt_at = now() WHERE reason <> '' AND {PUT_OFF}")

    def assert_once(self, addresses):
        stack.wait_for_mail()
        for address in addresses:
            self.assertEqual(len(stack.mail.messages(address)), 1, address)
        ids = [message["Message-ID"] for message in stack.mail.messages()]
        self.assertEqual(len(ids), len(set(ids)))


class Delivery(Mail):
    def test_with_starttls_and_auth(self):
        address = queue()
        mailed_link(stack, address)
        for attempt in stack.mail.attempts:
            self.assertIn(attempt.tls, ("TLSv1.2", "TLSv1.3"))
            self.assertIn(attempt.mechanism, ("PLAIN", "LOGIN"))
            self.assertEqual((attempt.user, attempt.sender), (USER, FROM))
            self.assertEqual(attempt.recipient, address)
        self.assertEqual([attempt.step for attempt in stack.mail.attempts], ["RCPT", "DATA"])

    def test_every_kind_of_outage_loses_nothing_and_doubles_nothing(self):
        stack.mail.go_down()
        addresses = [queue() for _ in range(3)]
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
        stack.mail.behave(pause=0.5)
        more = int(queued("sum(attempts)")) - 3 * 3  # none, unless this takes as long as a mail is put off
        self.hurry()
        stack.wait_for_mail()
        stack.mail.behave()
        self.assert_once([*addresses, queue()])
        contents = [a.content for a in stack.mail.attempts if a.step == "DATA"]
        ids = [re.search(rb"^Message-ID: (\S+)", c, re.MULTILINE)[1] for c in contents]
        self.assertIn(len(contents), range(3 + 4, 3 + 4 + more + 1))
        self.assertEqual(len(set(ids)), 4)  # the same on every try

    def test_what_is_refused_for_good_is_given_up_and_shown(self):
        for refusal in ({"rcpt": "550 5.1.1 no such user"}, {"data": "554 5.7.1 not wanted"}):
            stack.mail.behave(**refusal)
            address = queue()
            wait_until(lambda: queued(where="state = 'failed'") == "1", "a mail given up")
            self.assertEqual(queued("attempts, length(sealed)", "state = 'failed'"), "1|0")
            code = next(iter(refusal.values()))[:3]
            self.assertRegex(queued("reason", "state = 'failed'"), f"^{code}: ")
            shown = stack.ctl("mail")
            self.assertIn(address.removeprefix("new-"), shown)
            self.assertIn(code, shown)
            self.assertNotIn(address, shown)
            stack.mail.behave()
            self.assert_once([queue()])
            self.assertEqual(stack.mail.messages(address), [])
            stack.sql("DELETE FROM usershell.outbox")


class Sender(Mail):
    def test_killed_on_its_way_it_leaves_the_mail_to_the_next(self):
        stack.mail.behave(pause=2)
        address = queue()
        wait_until(lambda: address in stack.mail.seen, "the conversation")
        before = stack.mailer.pids()
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        stack.mailer.wait_ready(without=before)
        self.assertEqual(queued("attempts, reason"), "1|")
        stack.mail.behave()
        stack.sql("UPDATE usershell.outbox SET next_attempt_at = now()")  # else after two minutes
        self.assert_once([address])

    def test_ended_gracefully_it_brings_its_mail_to_the_end(self):
        stack.mail.behave(pause=1)
        address = queue()
        wait_until(lambda: address in stack.mail.seen, "the conversation")
        stack.mailer.restart()
        self.assert_once([address])
        self.assertEqual(stack.mail.seen, [address])

    def test_tells_the_watchdog_that_it_is_there(self):
        path = str(stack.folder.run / "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
            notices.bind(path)
            notices.settimeout(30)
            told = {"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "200000"}
            process = spawn(stack.pool_command("mail"), env=os.environ | told)
            self.addCleanup(end, process)
            self.assertEqual([notices.recv(4096) for _ in range(4)], [b"READY=1"] + 3 * [b"WATCHDOG=1"])
            process.send_signal(signal.SIGTERM)
            last = next(notice for notice in iter(lambda: notices.recv(4096), b"") if notice != b"WATCHDOG=1")
            self.assertEqual((last, process.wait(30)), (b"STOPPING=1", 0))

    def test_does_not_start_without_a_mail_server(self):
        ended = finished([*stack.pool_command("mail"), "--smtp-url", ""], timeout=30)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("The setting smtp-url is needed.", ended.stderr)


class Expired(Mail):
    """The other forged mails in the outbox: the attack suite."""

    def test_is_given_up(self):
        owner, mail = id_of(stack, stack.newcomer()), str(uuid.uuid4())
        auth, public = (Ring.load(stack.folder.sub("rings", name)) for name in ("auth.secret", "mail.public"))
        content = {"to": "eve@example.org", "subject": "Hello", "text": "Text.\n", "html": "<p>Text.</p>\n"}
        fields = [mail, str(int(time.time()) - 1), json.dumps(content)]
        plant_mail(stack, owner, mail, seal("mail", auth, public, owner, fields))
        wait_until(lambda: queued(where="state = 'failed'") == "1", "a mail given up")
        self.assertEqual(queued("reason, length(sealed)", "true"), "it could not be sent before its link ended|0")
        self.assertEqual(stack.mail.messages("eve@example.org"), [])
