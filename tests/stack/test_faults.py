"""A thousand faults of providers, side by side: each a clear error in bounded time, and the workers
that lived through them have no more threads, descriptors and memory than before."""

import contextlib
import os
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness.crowd import Crowd
from harness.ports import claim
from harness.scenes import ROUTE, ask, provider
from harness.stack import Stack

LIMITS = [("upstream-connect-timeout", 2), ("upstream-first-byte-timeout", 1)]
LIMITS += [("upstream-silence-timeout", 1), ("upstream-total-timeout", 2)]
LIMITS += [("upstream-test-timeout", 2)]
BOUND = 30.0  # seconds; the settings say 2, the rest is for a busy machine

UNREACHABLE = "unreachable"  # a port where nobody listens
BAD_CERTIFICATE = "bad certificate"
FAULTS = (
    "silent", "silent-after-1", "pings", "drip-100", "reset", "reset-after-1", "cut-after-1",
    "no-answer", "garbage", "garbage-json", "truncated-json", "html", "empty", "redirect",
    "endless-line", "endless-head", "huge", "error-in-stream-0", "error-in-stream-1",
    "status-500", "status-429", "context-too-long", UNREACHABLE, BAD_CERTIFICATE,
)  # fmt: skip
PEOPLE = 3  # each with a third of the faults
CALLS = 8  # at a time, a person
WAYS = ("check", "plain", "stream")
FEW, MANY = 200, 1000
IDLE = 30.0  # seconds after which a worker's threads leave
SPARE_DESCRIPTORS = 12  # eight connections to the store, two kept to providers, and two to be safe
SPARE_MEMORY = 0.25  # of what it was, for what an allocator keeps


def setUpModule():
    global stack, closed
    with contextlib.closing(claim(0)) as nobody:
        closed = nobody.port
    settings = [*LIMITS, ("egress-allow", f"127.0.0.1:{closed}")]
    stack = Stack(manage=1, execute=2, settings=settings, stub_tls=True).start()
    unittest.addModuleCleanup(stack.stop)


def base_url(fault):
    if fault == UNREACHABLE:
        return f"http://127.0.0.1:{closed}/v1"
    if fault == BAD_CERTIFICATE:
        return f"https://127.0.0.1:{stack.stub.tls_port}/v1"
    return f"{stack.stub.url}/{fault}/v1"


class Person:
    """Has some of the faults as providers, and calls them."""

    def __init__(self, number):
        self._client = stack.client(f"person-{number}@example.com")
        self._crowd = Crowd(CALLS, self._client)
        self._made = []
        for fault in FAULTS[number::PEOPLE]:
            made = provider(self._client, base_url(fault), name=fault)
            self._made += [(fault, made, way) for way in WAYS]

    def call(self, times):
        """[(fault, way, seconds, what was wrong with the error or "")] of that many calls."""
        items = [self._made[number % len(self._made)] for number in range(times)]
        return self._crowd.run(self._call, items)

    @staticmethod
    def _call(tab, item):
        fault, made, way = item
        began = time.monotonic()
        wrong = {"check": check, "plain": plain, "stream": streamed}[way](tab, made)
        return fault, way, time.monotonic() - began, wrong

    def close(self):
        self._crowd.close()


def is_clear(body):
    return bool(body.get("error")) and body.get("code") in ("upstream_error", "upstream_timeout")


def check(tab, made):
    answer = tab.post(f"{ROUTE}/{made}/test")
    good = answer.status == 200 and not answer.json()["ok"] and answer.json()["error"]
    return "" if good else answer.text


def plain(tab, made):
    answer = tab.post(f"{ROUTE}/playground", ask(made, "hello there"))
    return "" if answer.status in (502, 504) and is_clear(answer.json()) else answer.text


def streamed(tab, made):
    """A JSON error, or an event stream whose last frame is one."""
    with tab.stream(f"{ROUTE}/playground", ask(made, "hello there", stream=True)) as stream:
        if stream.status != 200:
            return "" if stream.status in (502, 504) else str(stream.status)
        frames = [frame for frame, _ in stream]
    return "" if frames and is_clear(frames[-1]) else str(frames[-1:])


class Usage:
    """What a worker has open and in use."""

    def __init__(self, pid):
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
        fields = dict(line.split(":", 1) for line in lines)
        self.threads = int(fields["Threads"])
        self.memory = int(fields["VmRSS"].split()[0])  # KiB
        self.descriptors = len(os.listdir(f"/proc/{pid}/fd"))

    def __repr__(self):
        return f"{self.threads} threads, {self.descriptors} descriptors, {self.memory} KiB"


class Flat(unittest.TestCase):
    def setUp(self):
        self.pids = stack.pools["execute"].pids()
        self.people = [Person(number) for number in range(PEOPLE)]

    def tearDown(self):
        for person in self.people:
            person.close()

    def usage(self):
        return {pid: Usage(pid) for pid in self.pids}

    def call(self, times):
        """Asserts that every call has the end it should have."""
        share = -(-times // PEOPLE)
        with ThreadPoolExecutor(PEOPLE) as threads:
            results = [r for p in threads.map(lambda p: p.call(share), self.people) for r in p]
        self.assertGreaterEqual(len(results), times)
        self.assertEqual([each for each in results if each[3]], [])
        self.assertLess(max(seconds for _, _, seconds, _ in results), BOUND)

    def at_rest(self):
        """Usage once the threads that have nothing to do have left: two stay."""
        deadline = time.monotonic() + IDLE + BOUND
        while time.monotonic() < deadline:
            usage = self.usage()
            if all(each.threads <= 2 for each in usage.values()):
                return usage
            time.sleep(0.25)
        raise AssertionError(f"Threads remain: {self.usage()}")

    def test_after_a_thousand_faults(self):
        fresh = self.usage()
        self.call(FEW)
        after_few = self.usage()
        self.call(MANY - FEW)
        after_many = self.usage()
        self.assertEqual(stack.pools["execute"].pids(), self.pids)  # nobody fell
        for pid in self.pids:
            grown = after_many[pid].memory / after_few[pid].memory - 1
            self.assertLess(grown, SPARE_MEMORY, (fresh, after_few, after_many))
        at_rest = self.at_rest()
        for pid in self.pids:
            more = at_rest[pid].descriptors - fresh[pid].descriptors
            self.assertLessEqual(more, SPARE_DESCRIPTORS, (fresh, at_rest))


if __name__ == "__main__":
    unittest.main()
