"""Which key a call uses when several processes choose, and what failing keys do to health and to later
calls. The order of keys, which of them count and what another key may mend: unit_execute; counting:
store_concurrency."""

import itertools
import signal
import unittest
from collections import Counter

from common import calls_stack
from harness.crowd import Crowd
from harness.scenes import MODEL, ROUTE, account, ask, frames_of, listed, rotating, tested

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

    def accounts(self, made):
        """{key: (health, message)}; the accounts are named like their keys."""
        rows = listed(client, made)["accounts"]
        return {row["name"]: (row["healthStatus"], row["healthMessage"]) for row in rows}

    def seconds_left(self, made, key):
        """For how long that account is passed over."""
        row = f"usershell.accounts WHERE provider_id = '{made}' AND name = '{key}'"
        return float(stack.sql(f"SELECT extract(epoch FROM cooldown_until - now()) FROM {row}"))


class InTurn(Case):
    def test_parallel_calls_use_each_key_as_often(self):
        made = self.rotate(*THREE)
        with Crowd(AT_A_TIME, client) as crowd:
            answers = crowd.run(lambda tab, _: self.call(made, tab).status, range(CALLS))
        self.assertEqual(set(answers), {200})
        self.assertEqual(Counter(self.used()), dict.fromkeys(THREE, CALLS // 3))
        self.assertEqual(set(self.accounts(made).values()), {("healthy", "")})

    def test_every_process_goes_on_where_another_left_off_by_priority(self):
        made = self.rotate()
        for key, priority in zip(THREE, (30, 10, 20)):
            account(client, made, key, priority=priority)
        pool = stack.pools["execute"]
        workers = pool.pids()
        for worker in workers:
            others = [pid for pid in workers if pid != worker]
            pool.signal(signal.SIGSTOP, others)
            try:
                self.assert_works(made)
            finally:
                pool.signal(signal.SIGCONT, others)
        one, two, three = THREE
        self.assertEqual((len(workers), self.used()), (4, [two, three, one, two]))

    def test_a_list_of_models_takes_no_turn_and_changes_no_health(self):
        made = self.rotate(*THREE)
        for key in THREE:
            models = client.get(f"{ROUTE}/{made}/models/available").json()
            self.assertGreater(len(models["models"]), 0)
            self.assertEqual(self.used()[-1], key)
            self.assertEqual(self.accounts(made)[key], ("unknown", ""))
            self.assertEqual(self.call(made).json()["key"], key)
            self.assertEqual(self.used()[-1], key)


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

    def test_a_test_says_whose_key_it_used_and_a_failure_is_kept(self):
        made = self.rotate("key-refused-0123456789")
        refused = listed(client, made)["accounts"][0]
        first = tested(client, made)
        self.assertEqual((first["ok"], first["key"]), (False, refused["name"]))
        tested(client, made)
        account(client, made, THREE[0])
        self.assertEqual(tested(client, made)["key"], THREE[0])
        (error,) = self.facts(made)["errors"]
        self.assertEqual((error["accountId"], error["message"]), (refused["id"], first["error"].split(" The call was for ")[0]))
        accounts = listed(client, made)["accounts"]
        self.assertEqual(["cooldownUntil" in row for row in accounts], [True, False])
        client.post(f"{ROUTE}/{made}/accounts/{refused['id']}/apikey", {"apiKey": THREE[1]})
        self.assertEqual(self.facts(made)["errors"], [])


class PassedOver(Case):
    def test_one_refused_key_fails_no_call(self):
        keys = (THREE[0], "key-refused-0123456789", THREE[2])
        made = self.rotate(*keys)
        with Crowd(AT_A_TIME, client) as crowd:
            answers = crowd.run(lambda tab, _: self.call(made, tab).status, range(60))
        self.assertEqual(set(answers), {200})
        self.assertEqual(listed(client, made)["healthStatus"], "degraded")
        health, reason = self.accounts(made)[keys[1]]
        self.assertEqual(health, "unhealthy")
        self.assertIn("The provider refused the key. Check or replace it.", reason)
        self.assertNotIn(keys[1], reason)
        for key in (keys[0], keys[2]):
            self.assertEqual(self.accounts(made)[key], ("healthy", ""))

    def test_for_as_long_as_it_was_told_or_usual(self):
        for bad, seconds, reason in (
            ("key-forbidden-0123456789", 300, ""),
            ("key-limited-3600-0123456789", 3600, "Try again in 60 minutes."),
            ("key-limited-0123456789", 30, "limits"),
            ("key-broke-01234", 30, "no credit"),
        ):
            with self.subTest(key=bad):
                made = self.rotate(bad, THREE[0])
                before = len(self.used())
                self.assert_works(made, 4)
                self.assertEqual(Counter(self.used()[before:]), {bad: 1, THREE[0]: 4})
                left = self.seconds_left(made, bad)
                self.assertTrue(seconds - 60 < left <= seconds, left)
                self.assertIn(reason, self.accounts(made)[bad][1])
                stack.sql(f"UPDATE usershell.accounts SET cooldown_until = now() WHERE provider_id = '{made}'")
                self.assert_works(made, 2)
                self.assertEqual(self.used()[before:].count(bad), 2)
                client.call("DELETE", f"{ROUTE}/{made}")

    def test_all_refused_fails_and_tries_them_again_as_there_is_no_choice(self):
        keys = ("key-refused-0123456789", "key-limited-900-012345", "key-forbidden-0123456")
        said = dict(zip(keys, ("was refused", "is rate limited", "may not make this call")))
        made = self.rotate(*keys)
        for sent in (list(keys), [keys[1], keys[2], keys[0]]):
            before = len(self.used())
            answer = self.call(made)
            self.assertEqual((answer.status, answer.code), (502, "upstream_error"))
            self.assertEqual(answer.headers["retry-after"], "900")
            self.assertEqual(self.used()[before:], sent)
            why = ", ".join(f"“{key}” {said[key]}" for key in sent)
            told = f"3 keys were tried and none worked: {why}. Try again in 15 minutes."
            self.assertEqual(answer.json()["error"], f"{told} The call was for “{MODEL}” at 127.0.0.1.")
        self.assertEqual(listed(client, made)["healthStatus"], "unhealthy")
        self.assertEqual({health for health, _ in self.accounts(made).values()}, {"unhealthy"})
        first = listed(client, made)["accounts"][0]["id"]
        client.post(f"{ROUTE}/{made}/accounts/{first}/apikey", {"apiKey": THREE[0]})
        self.assert_works(made)  # a new key is tried at once
        self.assertEqual(self.used()[-1], THREE[0])


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
