"""Which key a call uses when several processes choose, and what failing keys do to later calls. The order of keys and
how long one is in cooldown: store_nouns; sentences, health and what another key may mend: unit_execute."""

import itertools
import unittest
from collections import Counter

from common import calls_stack
from harness.crowd import Crowd
from harness.scenes import ROUTE, ask, frames_of, listed, rotating
from harness.suite import Later

CALLS = 150
AT_A_TIME = 8  # as many as one person may have under way
THREE = ("key-one-0123456789", "key-two-0123456789", "key-three-012345678")

stack = Later(calls_stack)
client = Later(lambda: stack.newcomer())


class Rotation(unittest.TestCase):
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

    def test_parallel_calls_use_each_key_as_often(self):
        made = self.rotate(*THREE)
        with Crowd(AT_A_TIME, client) as crowd:
            answers = crowd.run(lambda tab, _: self.call(made, tab).status, range(CALLS))
        self.assertEqual(set(answers), {200})
        self.assertEqual(Counter(self.used()), dict.fromkeys(THREE, CALLS // 3))

    def next_in_turn(self, made):
        names = {row["id"]: row["name"] for row in listed(client, made)["accounts"]}
        return names.get(client.get(f"{ROUTE}/{made}/keys").json()["nextInTurn"])

    def test_the_key_said_to_be_next_answers_next(self):
        keys = (THREE[0], "key-refused-0123456789", THREE[2])
        made = self.rotate(*keys)
        for _ in range(2):
            self.assertIn(self.next_in_turn(made), keys)
            self.assertEqual(self.call(made).status, 200)
        for _ in range(5):
            following = self.next_in_turn(made)
            self.assertNotEqual(following, keys[1], "it is in cooldown")
            self.assertEqual(self.call(made).json()["keyName"], following)
        client.call("PUT", f"{ROUTE}/{made}", {"roundRobinAccounts": False})
        self.assertIsNone(self.next_in_turn(made))

    def test_every_key_once_before_the_first_token_none_after_it_none_where_another_cannot_mend_it(self):
        for behaviour, stream, tried in (
            ("/reset", False, THREE),
            ("/status-503", False, THREE),
            ("/error-in-stream-0", True, THREE),
            ("/reset-after-1", True, THREE[:1]),
            ("/unknown-model", False, THREE[:1]),
            ("/redirect", True, THREE),
        ):
            with self.subTest(behaviour=behaviour, stream=stream):
                made = self.rotate(*THREE, behaviour=behaviour)
                if behaviour == "/reset-after-1":
                    _, frames = frames_of(client, ask(made, "hello", stream=True))
                    self.assertEqual((frames[0], frames[-1]["code"]), ({"token": "echo:"}, "upstream_error"))
                else:
                    self.assertEqual(self.call(made, stream=stream).status, 502)
                # Asked again on a new connection where a kept one was dead is the same try.
                self.assertEqual([key for key, _ in itertools.groupby(self.used())], list(tried))
