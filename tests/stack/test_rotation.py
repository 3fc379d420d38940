"""Which key a call uses: accounts in turn, the failing one passed over, four processes together."""

import itertools
import signal
import unittest
from collections import Counter

from harness.crowd import Crowd
from harness.scenes import KEY, ROUTE, account, ask, listed, rotating
from harness.stack import Stack

CALLS = 300
AT_A_TIME = 8  # as many as one person may have under way
THREE = ("key-one-0123456789", "key-two-0123456789", "key-three-012345678")
NOT_EVERY_KEY = "It answers, but not every key of this provider is usable."


def setUpModule():
    global stack, client
    stack = Stack(manage=1, execute=4).start()
    unittest.addModuleCleanup(stack.stop)
    client = stack.client("ada@example.com")


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
            answer = self.call(made)
            self.assertEqual(answer.status, 200, answer.text)

    def assert_fails(self, made, sentence):
        answer = self.call(made)
        self.assertEqual((answer.status, answer.code), (502, "upstream_error"), answer.text)
        self.assertIn(sentence, answer.json()["error"])

    def accounts(self, made):
        """{key: (health, message)}; the accounts are named like their keys."""
        rows = listed(client, made)["accounts"]
        return {row["name"]: (row["healthStatus"], row["healthMessage"]) for row in rows}

    def health(self, made):
        row = listed(client, made)
        return row["healthStatus"], row["healthMessage"]

    def seconds_left(self, key):
        """For how long that account is passed over."""
        sql = "SELECT extract(epoch FROM cooling_until - now()) FROM usershell.accounts"
        return float(stack.postgres.psql("-v", f"name={key}", sql=f"{sql} WHERE name = :'name'"))

    def let_time_pass(self, key):
        sql = "UPDATE usershell.accounts SET cooling_until = now() WHERE name = :'name'"
        stack.postgres.psql("-v", f"name={key}", sql=sql)


class InTurn(Case):
    def test_300_parallel_calls_use_each_key_100_times(self):
        made = self.rotate(*THREE)
        with Crowd(AT_A_TIME, client) as crowd:
            answers = crowd.run(lambda tab, _: self.call(made, tab).status, range(CALLS))
        self.assertEqual(set(answers), {200})
        counts = Counter(self.used())
        self.assertEqual(set(counts), set(THREE))
        self.assertEqual(sum(counts.values()), CALLS)
        for key in THREE:
            self.assertAlmostEqual(counts[key], CALLS / len(THREE), delta=1)
        self.assertEqual(self.health(made), ("healthy", ""))
        self.assertEqual(set(self.accounts(made).values()), {("healthy", "")})

    def test_every_process_goes_on_where_another_left_off(self):
        made = self.rotate(*THREE)
        pool = stack.pools["execute"]
        workers = pool.pids()
        for worker in workers:
            others = [pid for pid in workers if pid != worker]
            pool.signal(signal.SIGSTOP, others)
            try:
                self.assert_works(made)
            finally:
                pool.signal(signal.SIGCONT, others)
        self.assertEqual((len(workers), self.used()), (4, [*THREE, THREE[0]]))

    def test_the_first_calls_go_by_priority(self):
        made = self.rotate()
        for key, priority in zip(THREE, (30, 10, 20)):
            account(client, made, key, priority=priority)
        self.assert_works(made, 4)
        one, two, three = THREE
        self.assertEqual(self.used(), [two, three, one, two])

    def test_checks_and_lists_take_their_turn_like_calls(self):
        made = self.rotate(*THREE)
        self.assertTrue(client.post(f"{ROUTE}/{made}/test").json()["ok"])
        self.assertNotIn("error", client.get(f"{ROUTE}/{made}/models/available").json())
        self.assert_works(made)
        self.assertEqual(self.used(), list(THREE))

    def test_an_accounts_own_test_uses_its_key_alone(self):
        made = self.rotate(*THREE)
        second = listed(client, made)["accounts"][1]["id"]
        self.assertTrue(client.post(f"{ROUTE}/{made}/accounts/{second}/test").json()["ok"])
        self.assertEqual(self.used(), [THREE[1]])


class PassedOver(Case):
    def test_one_refused_key_fails_no_call(self):
        keys = (THREE[0], "key-refused-0123456789", THREE[2])
        made = self.rotate(*keys)
        with Crowd(AT_A_TIME, client) as crowd:
            answers = crowd.run(lambda tab, _: self.call(made, tab).status, range(60))
        self.assertEqual(set(answers), {200})
        self.assertEqual(self.health(made), ("degraded", NOT_EVERY_KEY))
        health, reason = self.accounts(made)[keys[1]]
        self.assertEqual(health, "unhealthy")
        self.assertIn("The provider refused the key. Check or replace it.", reason)
        self.assertNotIn(keys[1], reason)
        for key in (keys[0], keys[2]):
            self.assertEqual(self.accounts(made)[key], ("healthy", ""))

    def test_a_refused_key_rests_for_five_minutes(self):
        bad = "key-forbidden-0123456789"
        made = self.rotate(bad, THREE[0])
        self.assert_works(made, 10)
        self.assertEqual(self.used().count(bad), 1)
        self.assertEqual(self.used().count(THREE[0]), 10)
        self.assertAlmostEqual(self.seconds_left(bad), 300, delta=60)
        self.let_time_pass(bad)
        self.assert_works(made, 2)
        self.assertEqual(self.used().count(bad), 2)

    def test_a_rate_limited_key_rests_as_long_as_it_was_told(self):
        bad = "key-limited-3600-0123456789"
        made = self.rotate(bad, THREE[0])
        self.assert_works(made, 10)
        self.assertEqual(self.used().count(bad), 1)
        self.assertAlmostEqual(self.seconds_left(bad), 3600, delta=60)
        self.assertIn("Try again in 60 minutes.", self.accounts(made)[bad][1])
        self.let_time_pass(bad)
        self.assert_works(made, 2)
        self.assertEqual(self.used().count(bad), 2)

    def test_a_key_that_was_told_no_time_rests_for_half_a_minute(self):
        for bad, reason in (("key-limited-0123456789", "limits"), ("key-broke-01234", "no credit")):
            with self.subTest(key=bad):
                made = self.rotate(bad, THREE[0])
                self.assert_works(made)
                self.assertTrue(0 < self.seconds_left(bad) <= 30, self.seconds_left(bad))
                self.assertIn(reason, self.accounts(made)[bad][1])

    def test_all_refused_fails_with_the_last_reason(self):
        keys = ("key-refused-0123456789", "key-limited-900-012345", "key-forbidden-0123456")
        made = self.rotate(*keys)
        self.assert_fails(made, "This key may not be used for that.")
        self.assertEqual(self.used(), list(keys))
        health, message = self.health(made)
        self.assertEqual(health, "unhealthy")
        self.assertIn("This key may not be used for that.", message)
        self.assertEqual({h for h, _ in self.accounts(made).values()}, {"unhealthy"})
        # All of them rest now, so the next call has no choice but to try them again, once each.
        self.assert_fails(made, "Incorrect API key provided")
        self.assertEqual(self.used()[3:], [keys[1], keys[2], keys[0]])

    def test_a_new_key_is_tried_at_once(self):
        made = self.rotate("key-refused-0123456789")
        self.assert_fails(made, "Incorrect API key provided")
        path = f"{ROUTE}/{made}/accounts/{listed(client, made)['accounts'][0]['id']}"
        renewed = client.post(f"{path}/apikey", {"apiKey": THREE[0]}).json()
        self.assertEqual((renewed["healthStatus"], renewed["healthMessage"]), ("unknown", ""))
        self.assert_works(made)
        self.assertEqual(self.health(made), ("healthy", ""))


class Chosen(Case):
    def switch(self, made, position, enabled):
        row = listed(client, made)["accounts"][position]["id"]
        answer = client.post(f"{ROUTE}/{made}/accounts/{row}/enabled", {"isEnabled": enabled})
        self.assertEqual((answer.status, answer.json()["isEnabled"]), (200, enabled))

    def test_a_disabled_account_is_not_used(self):
        made = self.rotate(*THREE)
        self.switch(made, 1, False)
        self.assert_works(made, 6)
        self.assertEqual(Counter(self.used()), {THREE[0]: 3, THREE[2]: 3})
        self.switch(made, 1, True)
        self.assert_works(made, 3)
        self.assertIn(THREE[1], self.used())

    def test_with_none_enabled_the_providers_own_key_is_used(self):
        made = self.rotate(*THREE)
        for position in range(3):
            self.switch(made, position, False)
        self.assert_works(made, 2)
        self.assertEqual(self.used(), [KEY, KEY])

    def test_without_rotation_the_providers_own_key_is_used(self):
        made = self.rotate(*THREE)
        client.call("PUT", f"{ROUTE}/{made}", {"roundRobinAccounts": False})
        self.assert_works(made, 3)
        self.assertEqual(self.used(), [KEY] * 3)


class Failover(Case):
    def test_ends_with_the_first_token(self):
        for behaviour in ("/reset-after-1", "/error-in-stream-1", "/cut-after-1"):
            with self.subTest(behaviour=behaviour):
                made = self.rotate(*THREE, behaviour=behaviour)
                body = ask(made, "hello", stream=True)
                with client.stream(f"{ROUTE}/playground", body) as stream:
                    frames = [frame for frame, _ in stream]
                self.assertEqual(frames[0], {"token": "echo:"})
                self.assertEqual(frames[-1]["code"], "upstream_error")
                self.assertEqual(self.used(), [THREE[0]])

    def test_goes_through_every_key_once_before_the_first_token(self):
        for behaviour in ("/reset", "/status-500", "/status-503", "/error-in-stream-0"):
            for stream in (False, True):
                with self.subTest(behaviour=behaviour, stream=stream):
                    made = self.rotate(*THREE, behaviour=behaviour)
                    before = len(self.used())
                    answer = self.call(made, stream=stream)
                    self.assertEqual(answer.status, 502, answer.text)
                    # Asked again on a new connection where a kept one was dead is the same try.
                    tries = [key for key, _ in itertools.groupby(self.used()[before:])]
                    self.assertEqual(tries, list(THREE))
                    client.call("DELETE", f"{ROUTE}/{made}")

    def test_is_not_for_what_another_key_cannot_mend(self):
        for behaviour in ("/unknown-model", "/context-too-long", "/html", "/redirect"):
            with self.subTest(behaviour=behaviour):
                made = self.rotate(*THREE, behaviour=behaviour)
                self.assertEqual(self.call(made).status, 502)
                self.assertEqual(self.used(), [THREE[0]])


if __name__ == "__main__":
    unittest.main()
