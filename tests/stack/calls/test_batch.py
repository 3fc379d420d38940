"""Tests of all providers at once: they run in parallel, and slow ones delay no other. The documents of
a batch: cases/calls.case."""

import unittest

from common import calls_stack
from harness.processes import wait_until
from harness.scenes import ROUTE, ask, provider

BATCH = f"{ROUTE}/test-batch"
STREAM = {"Accept": "text/event-stream"}
BAD_KEY = "key-refused-0123456789"


def setUpModule():
    global stack
    stack = calls_stack()


class Batch(unittest.TestCase):
    """Each test is a person of its own, with ten providers: the third and the eighth hang, the
    fifth refuses its key."""

    def setUp(self):
        self.client = stack.newcomer()
        self.place = f"/{self.client.email.partition('@')[0]}-"
        self.made = []
        for number in range(1, 11):
            url = f"{stack.stub.url}/{'silent' if number in (3, 8) else ''}{self.place}{number}/v1"
            more = {"key": BAD_KEY} if number == 5 else {}
            self.made.append(provider(self.client, url, name=f"Number {number}", **more))
        self.hanging = {self.made[2], self.made[7]}

    def seen(self):
        """{number of the provider: entry} of what the stub was asked in this test."""
        entries = stack.stub.journal(path=self.place)
        return {int(e["path"].split(self.place)[1].split("/")[0]): e for e in entries}

    def health(self):
        return [row["healthStatus"] for row in self.client.get(f"{ROUTE}/list").json()["providers"]]

    def assert_row(self, row):
        """One provider's result says what is true of it."""
        number = self.made.index(row["providerId"]) + 1
        self.assertEqual(row["name"], f"Number {number}")
        self.assertEqual(("reply" in row, "error" in row), (row["ok"], not row["ok"]))
        said = {3: "did not answer in time", 5: "refused the key", 8: "did not answer in time"}
        self.assertIn(said.get(number, "echo:"), row.get("error") or row["reply"])
        self.assertNotIn(BAD_KEY, str(row))

    def test_the_quick_ones_come_before_the_hanging_ones_end(self):
        with self.client.stream(BATCH, headers=STREAM) as stream:
            frames = (frame for frame, _ in stream)
            first = [next(frames) for _ in range(8)]
            waiting = {number for number, entry in self.seen().items() if not entry["ended"]}
            self.assertEqual(waiting, {3, 8})  # at the same time: they are side by side
            self.assertEqual(self.client.post(f"{ROUTE}/playground", ask(self.made[0])).status, 200)
            rest = list(frames)
        self.assertEqual({row["providerId"] for row in first}, set(self.made) - self.hanging)
        self.assertEqual({row["providerId"] for row in rest[:-1]}, self.hanging)
        self.assertEqual(rest[-1], {"done": True, "total": 10, "passed": 7, "failed": 3})
        for row in first + rest[:-1]:
            self.assert_row(row)
        health = ["unhealthy" if number in (3, 5, 8) else "healthy" for number in range(1, 11)]
        wait_until(lambda: self.health() == health, "the health of all ten")
