"""Testing all providers at once: side by side, in list order, the slow ones in nobody's way."""

import time
import unittest

from harness.scenes import MODEL, ROUTE, ask, listed, provider
from harness.stack import Stack

TIMEOUT = 5  # seconds a check may take: far more than the quick ones need
BATCH = f"{ROUTE}/test-batch"
STREAM = {"Accept": "text/event-stream"}
BAD_KEY = "key-refused-0123456789"


def setUpModule():
    global stack
    stack = Stack(manage=1, execute=2, settings=[("upstream-test-timeout", TIMEOUT)]).start()
    unittest.addModuleCleanup(stack.stop)


class Case(unittest.TestCase):
    """Each test is a person of its own, with ten providers: the third and the eighth hang, the
    fifth refuses its key."""

    def setUp(self):
        name = self.id().rpartition(".")[2].replace("_", "-")
        self.client = stack.client(f"{name}@example.com")
        self.made = []
        for number in range(1, 11):
            hangs = number in (3, 8)
            url = f"{stack.stub.url}/{'silent/' if hangs else ''}{name}-{number}/v1"
            more = {"key": BAD_KEY} if number == 5 else {}
            self.made.append(provider(self.client, url, name=f"Number {number}", **more))
        self.hanging = {self.made[2], self.made[7]}
        self.refused = self.made[4]
        self.place = f"/{name}-"

    def seen(self):
        """{number of the provider: entry} of what the stub was asked in this test."""
        entries = stack.stub.journal(path=self.place)
        return {int(e["path"].split(self.place)[1].split("/")[0]): e for e in entries}

    def assert_row(self, row):
        """One provider's result says what is true of it."""
        number = self.made.index(row["providerId"]) + 1
        self.assertEqual(row["name"], f"Number {number}")
        self.assertGreaterEqual(row["latencyMs"], 0)
        if row["providerId"] in self.hanging:
            self.assertFalse(row["ok"])
            self.assertIn("did not answer in time", row["error"])
        elif row["providerId"] == self.refused:
            self.assertFalse(row["ok"])
            self.assertIn("refused the key", row["error"])
            self.assertNotIn(BAD_KEY, row["error"])
        else:
            self.assertTrue(row["ok"], row)
            self.assertTrue(row["reply"].startswith("echo:"))
        self.assertEqual("reply" in row, row["ok"])
        self.assertEqual("error" in row, not row["ok"])


class Document(Case):
    def test_list_order_totals_and_time(self):
        began = time.monotonic()
        single = self.client.post(f"{ROUTE}/{self.made[2]}/test")
        one_alone = time.monotonic() - began
        self.assertFalse(single.json()["ok"])
        began = time.monotonic()
        answer = self.client.post(BATCH)
        together = time.monotonic() - began
        self.assertEqual(answer.status, 200)
        body = answer.json()
        self.assertEqual(set(body), {"results", "total", "passed", "failed"})
        self.assertEqual([row["providerId"] for row in body["results"]], self.made)
        self.assertEqual((body["total"], body["passed"], body["failed"]), (10, 7, 3))
        for row in body["results"]:
            self.assert_row(row)
        # One after the other the two that hang would take twice as long as one alone.
        self.assertGreaterEqual(one_alone, TIMEOUT)
        self.assertLess(together, one_alone * 1.5)
        self.assert_health()

    def assert_health(self):
        for position, made in enumerate(self.made):
            row = listed(self.client, made)
            bad = made in self.hanging or made == self.refused
            self.assertEqual(row["healthStatus"], "unhealthy" if bad else "healthy", position)
            self.assertEqual(bool(row["healthMessage"]), bad)
            self.assertIsNotNone(row["healthCheckedAt"])

    def test_inactive_providers_are_left_out(self):
        for made in (self.made[2], self.made[7], self.made[0]):
            self.client.post(f"{ROUTE}/{made}/status", {"status": "inactive"})
        body = self.client.post(BATCH).json()
        left = [made for made in self.made[1:] if made not in self.hanging]
        self.assertEqual([row["providerId"] for row in body["results"]], left)
        self.assertEqual((body["total"], body["passed"], body["failed"]), (7, 6, 1))
        self.assertEqual(sorted(self.seen()), [2, 4, 5, 6, 7, 9, 10])

    def test_without_an_enabled_model_it_is_a_failure_that_says_so(self):
        for made in self.hanging:
            self.client.call("DELETE", f"{ROUTE}/{made}")
        self.client.post(f"{ROUTE}/{self.made[0]}/models/enabled?modelId={MODEL}")
        body = self.client.post(BATCH).json()
        self.assertEqual((body["total"], body["passed"], body["failed"]), (8, 6, 2))
        self.assertIn("no enabled model", body["results"][0]["error"])

    def test_nobodys_providers_are_an_empty_batch(self):
        for made in self.made:
            self.client.call("DELETE", f"{ROUTE}/{made}")
        empty = {"results": [], "total": 0, "passed": 0, "failed": 0}
        self.assertEqual(self.client.post(BATCH).json(), empty)


class EventStream(Case):
    def test_the_quick_ones_come_before_the_hanging_ones_end(self):
        quick = set(self.made) - self.hanging
        with self.client.stream(BATCH, headers=STREAM) as stream:
            self.assertEqual(stream.status, 200)
            self.assertTrue(stream.headers["content-type"].startswith("text/event-stream"))
            frames = (frame for frame, _ in stream)
            first = [next(frames) for _ in quick]
            self.assertEqual({row["providerId"] for row in first}, quick)
            waiting = {number for number, entry in self.seen().items() if not entry["ended"]}
            self.assertEqual(waiting, {3, 8})
            rest = list(frames)
        self.assertEqual({row["providerId"] for row in rest[:-1]}, self.hanging)
        self.assertEqual(rest[-1], {"done": True, "total": 10, "passed": 7, "failed": 3})
        for row in first + rest[:-1]:
            self.assert_row(row)

    def test_other_calls_go_on_meanwhile(self):
        with self.client.stream(BATCH, headers=STREAM) as stream:
            next(iter(stream))
            answer = self.client.post(f"{ROUTE}/playground", ask(self.made[0]))
            self.assertEqual(answer.status, 200)
            self.assertFalse(self.seen()[3]["ended"])

    def test_leaving_ends_the_calls(self):
        with self.client.stream(BATCH, headers=STREAM) as stream:
            frames = (frame for frame, _ in stream)
            for _ in range(8):
                next(frames)
        for number in (3, 8):
            entry = stack.stub.wait_for(lambda e: e["ended"], path=f"{self.place}{number}/")
            self.assertEqual(entry["endedBy"], "peer")

    def test_an_empty_batch_is_its_totals(self):
        for made in self.made:
            self.client.call("DELETE", f"{ROUTE}/{made}")
        with self.client.stream(BATCH, headers=STREAM) as stream:
            frames = [frame for frame, _ in stream]
        self.assertEqual(frames, [{"done": True, "total": 0, "passed": 0, "failed": 0}])


if __name__ == "__main__":
    unittest.main()
