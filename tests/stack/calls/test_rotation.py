"""Which key a call uses when several processes choose, and what failing keys do to later calls. The order
of keys: store_nouns; sentences, health and what another key may mend: unit_execute."""

import itertools
import unittest
from collections import Counter

from common import calls_stack
from harness.crowd import Crowd
from harness.scenes import ROUTE, ask, frames_of, listed, rotating

CALLS = 150
AT_A_TIME = 8  # as many as one person may have under way
THREE = ("key-one-0123456789", "key-two-0123456789", "key-three-012345678")


def setUpModule():
    global stack, client
    stack = calls_stack()
    client = stack.newcomer()


class Case(unittest.TestCase):
    """Each test has a base URL of its own, so that the stub's journal tells its calls apart."""

    def rotate(self, *keys, behaviour=""):
        self.place = f"{behaviour}/{self.id().rpartition('.')[2]}/"
        made = rotating(client, f"{stack.stub.url}{self.place}v1", keys)
        self.addCleanup(client.call, "DELETE", f"{ROUTE}/{made}")
        return made

    def used(self):
        """The keys that the stub was shown, in order."""
        return [entry["key"] for entry in stack.stub.journal(path=self.place)]

    def call(self, made, tab=None, **more):
        return (tab or client).post(f"{ROUTE}/playground", ask(made, "hello", **more))

    def assert_works(self, made, times=1):
        for _ in range(times):
            self.assertEqual(self.call(made).status, 200)


class InTurn(Case):
    def test_parallel_calls_use_each_key_as_often(self):
        made = self.rotate(*THREE)
        with Crowd(AT_A_TIME, client) as crowd:
            answers = crowd.run(lambda tab, _: self.call(made, tab).status, range(CALLS))
        self.assertEqual(set(answers), {200})
        self.assertEqual(Counter(self.used()), dict.fromkeys(THREE, CALLS // 3))


class WhatIsTold(Case):
    def facts(self, made):
        return client.get(f"{ROUTE}/{made}/keys").json()

    def next_in_turn(self, made):
        names = {row["id"]: row["name"] for row in listed(client, made)["accounts"]}
        return names.get(self.facts(made)["nextInTurn"])

    def test_the_key_said_to_be_next_answers_next(self):
        keys = (THREE[0], "key-refused-0123456789", THREE[2])
        made = self.rotate(*keys)
        for _ in range(2):
            self.assertIn(self.next_in_turn(made), keys)
            self.assert_works(made)
        for _ in range(5):
            following = self.next_in_turn(made)
            self.assertNotEqual(following, keys[1], "it is in cooldown")
            self.assertEqual(self.call(made).json()["key"], following)
        client.call("PUT", f"{ROUTE}/{made}", {"roundRobinAccounts": False})
        self.assertIsNone(self.next_in_turn(made))


class PassedOver(Case):
    def test_for_as_long_as_it_was_told_or_usual(self):
        for bad, seconds in (
            ("key-forbidden-0123456789", 300),
            ("key-limited-3600-0123456789", 3600),
            ("key-broke-01234", 30),
        ):
            with self.subTest(key=bad):
                made = self.rotate(bad, THREE[0])
                before = len(self.used())
                self.assert_works(made, 4)
                self.assertEqual(Counter(self.used()[before:]), {bad: 1, THREE[0]: 4})
                row = f"usershell.accounts WHERE provider_id = '{made}' AND name = '{bad}'"
                left = float(stack.sql(f"SELECT extract(epoch FROM cooldown_until - now()) FROM {row}"))
                self.assertTrue(seconds - 60 < left <= seconds, left)
                stack.sql(f"UPDATE usershell.accounts SET cooldown_until = now() WHERE provider_id = '{made}'")
                self.assert_works(made, 2)
                self.assertEqual(self.used()[before:].count(bad), 2)
                client.call("DELETE", f"{ROUTE}/{made}")


class Failover(Case):
    """Every key once before the first token, none after it, none where another cannot mend it."""

    def test_by_what_went_wrong(self):
        one, three = [THREE[0]], list(THREE)
        for behaviour, stream, tried in (
            ("/reset", False, three),
            ("/reset", True, three),
            ("/status-503", False, three),
            ("/error-in-stream-0", True, three),
            ("/reset-after-1", True, one),
            ("/error-in-stream-1", True, one),
            ("/unknown-model", False, one),
            ("/redirect", True, one),
        ):
            with self.subTest(behaviour=behaviour, stream=stream):
                made = self.rotate(*THREE, behaviour=behaviour)
                before = len(self.used())
                if behaviour.endswith("-1"):
                    _, frames = frames_of(client, ask(made, "hello", stream=True))
                    self.assertEqual(frames[0], {"token": "echo:"})
                    self.assertEqual(frames[-1]["code"], "upstream_error")
                else:
                    self.assertEqual(self.call(made, stream=stream).status, 502)
                # Asked again on a new connection where a kept one was dead is the same try.
                self.assertEqual([key for key, _ in itertools.groupby(self.used()[before:])], tried)
                client.call("DELETE", f"{ROUTE}/{made}")
