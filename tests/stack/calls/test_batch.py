"""Tests of all providers at once: they run in parallel, and slow ones delay no other. The documents of
a batch: cases/calls.case; who leaves one: test_caller_gone."""

import unittest

from common import calls_stack
from harness.processes import wait_until
from harness.scenes import ROUTE, ask, provider

BAD_KEY = "key-refused-0123456789"
HANGING = {3, 8}  # of ten
FAILING = HANGING | {5}  # that one refuses its key


class Batch(unittest.TestCase):
    def test_the_quick_ones_come_before_the_hanging_ones_end(self):
        stack = calls_stack()
        client = stack.newcomer()
        made = {}
        for number in range(1, 11):
            url = f"{stack.stub.url}{'/silent' if number in HANGING else ''}/batch-{number}/v1"
            key = BAD_KEY if number == 5 else "key-good-0123456789"
            made[provider(client, url, key, name=f"Number {number}")] = number
        with client.stream(f"{ROUTE}/test-batch", headers={"Accept": "text/event-stream"}) as stream:
            frames = (frame for frame, _ in stream)
            first = [next(frames) for _ in range(8)]
            sent = stack.stub.journal(path="/batch-")
            self.assertEqual({entry["message"] for entry in sent}, {"ping"})  # one word
            waiting = [entry for entry in sent if not entry["ended"]]
            self.assertEqual(len(waiting), 2)  # at the same time: they are side by side
            self.assertEqual(client.post(f"{ROUTE}/playground", ask(next(iter(made)))).status, 200)
            rest = list(frames)
        self.assertEqual({made[row["providerId"]] for row in first}, set(made.values()) - HANGING)
        self.assertEqual({made[row["providerId"]] for row in rest[:-1]}, HANGING)
        self.assertEqual(rest[-1], {"done": True, "total": 10, "passed": 7, "failed": 3})
        for row in first + rest[:-1]:
            number = made[row["providerId"]]
            self.assertEqual((row["name"], row["ok"]), (f"Number {number}", number not in FAILING))
            self.assertNotIn(BAD_KEY, str(row))

        def health():
            rows = client.get(f"{ROUTE}/list").json()["providers"]
            return {made[row["id"]] for row in rows if row["healthStatus"] == "unhealthy"}

        wait_until(lambda: health() == FAILING, "the health of all ten")
