"""A change of address over several requests: which of many simultaneous ones wins. The mails: unit_pages; what is logged:
unit_pipeline (dispatch), stack/front/test_front, tests/rules; the rest: cases/email.case."""

import unittest

from harness.crowd import Crowd, together
from harness.scenes import PROFILE, ask_for_address, start_change
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
