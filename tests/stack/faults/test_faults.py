"""Each fault of a provider has one sentence, code and status for a check, a plain answer and a stream.
Each ends in bounded time, also many in parallel. Afterwards the workers have no more descriptors and
memory than before. The providers' own error formats: unit_adapters; health: unit_execute (report)."""

import os
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness.crowd import Crowd
from harness.sanitizers import patient, unless_sanitized
from harness.scenes import KEY, ROUTE, ask, frames_of, provider
from harness.suite import shared_stack

# Seconds: long enough for an answer that comes at once, on a machine that does much else.
TEST = 4
LIMITS = [("upstream-connect-timeout", 4), ("upstream-first-byte-timeout", 3)]
LIMITS += [("upstream-silence-timeout", 3), ("upstream-total-timeout", patient(4))]
LIMITS += [("upstream-test-timeout", TEST)]
BOUND = patient(30.0)  # seconds; the settings say 4, the rest is for a busy machine

REFUSED = "The provider refused the key. Check or replace it."
LIMITED = "The provider limits how often this key may call. Try again"
FAILED = "The provider had an error of its own. Try again later."
UNREACHABLE = "The provider could not be reached. Check the base URL."
TIMED_OUT = "The provider did not answer in time."
CERTIFICATE = "The provider's TLS certificate could not be verified. Check the base URL."
FOREIGN = "The answer is not in this provider type's protocol. Check the base URL and the"
TOO_LARGE = "The provider's answer was too large."
CUT_OFF = "The provider's answer broke off before it was complete."

# (first segment of the path or whole base URL, key, how the sentence begins)
AT_ONCE = [
    ("", "key-refused-0123456789", REFUSED),
    ("", "key-broke-0123456789", "The provider says that this key has no credit left."),
    ("", "key-limited-77-0123456789", f"{LIMITED} in 77 seconds."),
    ("unknown-model", KEY, "The provider does not know this model, or this key may not use it."),
    ("status-418", KEY, "The provider rejected the request."),
    ("status-500", KEY, FAILED),
    ("error-in-stream-0", KEY, FAILED),
    ("html", KEY, FOREIGN),
    ("garbage", KEY, FOREIGN),
    ("redirect", KEY, "The provider answered with a redirect (HTTP 302), and redirects are not followed."),
    ("endless-line", KEY, TOO_LARGE),
    ("endless-head", KEY, TOO_LARGE),
    ("reset", KEY, UNREACHABLE),
    ("silent", KEY, TIMED_OUT),
    ("pings", KEY, TIMED_OUT),
    ("drip-100", KEY, TIMED_OUT),
    ("http://{closed}/v1", KEY, UNREACHABLE),
    ("https://127.0.0.1:{tls_port}/v1", KEY, CERTIFICATE),
]
# The same for answers that begin well: plain, and after the first token of a stream.
LATER = [
    ("reset-after-1", KEY, CUT_OFF),
    ("cut-after-1", KEY, CUT_OFF),
    ("silent-after-1", KEY, TIMED_OUT),
    ("error-in-stream-1", KEY, FAILED),
    ("huge", KEY, TOO_LARGE),
]
PEOPLE = 4  # each with a share of the faults: a person has at most ten providers
CALLS = 8  # at a time, a person
WARM, MANY = 3, 6  # times that everything is tried
SPARE_DESCRIPTORS = 10  # eight connections to the store, and two to be safe
SPARE_MEMORY = 0.25  # of what it was, for what an allocator keeps


def setUpModule():
    global stack
    stack = shared_stack(manage=1, execute=2, settings=LIMITS, stub_tls=True)


def base_url(fault):
    if "://" in fault:
        return fault.format(closed=stack.closed, tls_port=stack.stub.tls_port)
    return f"{stack.stub.url}/{fault}/v1"


class Person:
    """Has some of the faults as providers, and meets each of them in every way at the same time."""

    def __init__(self, rows):
        self.client = stack.newcomer()
        self._crowd = Crowd(CALLS, self.client)
        self._items = []
        for row in rows:
            made = provider(self.client, base_url(row[0]), row[1], name="Faulty")
            self._items += [(work, made, row) for work in (check, plain, streamed)]

    def meet_all(self):
        """What was wrong with the answers, as lines."""
        return list(filter(None, self._crowd.run(self._meet, self._items)))

    @staticmethod
    def _meet(tab, item):
        work, made, row = item
        began = time.monotonic()
        wrong = work(tab, made, row)
        late = time.monotonic() - began > BOUND
        return f"{work.__name__} of {row}: {wrong or 'late'}" if wrong or late else ""

    def close(self):
        self._crowd.close()


def told(row, sentence, code="upstream_error"):
    """Is this the sentence and code of that row? What it is instead, else."""
    expected = "upstream_timeout" if row[2] == TIMED_OUT else "upstream_error"
    good = (sentence or "").startswith(row[2]) and len(sentence) < 500
    return "" if good and code in (expected, "") else f"{code}: {sentence}"


def check(tab, made, row):
    answer = tab.post(f"{ROUTE}/{made}/test")
    if answer.status != 200 or answer.json()["ok"]:
        return answer.text
    error = answer.json().get("error")
    if row[0] == "drip-100" and f" A test waits {TEST} seconds." not in error:
        return error
    wrong = told(row, error, "")
    return f"{wrong} with the key" if row[1] in answer.text else wrong


def plain(tab, made, row, stream=False):
    answer = tab.post(f"{ROUTE}/playground", ask(made, "hello there", stream))
    if answer.status != (504 if row[2] == TIMED_OUT else 502):
        return answer.text
    if "77 seconds" in row[2] and answer.headers.get("retry-after") != "77":
        return f"Retry-After: {answer.headers.get('retry-after')}"
    return told(row, answer.json()["error"], answer.code)


def streamed(tab, made, row):
    if row in AT_ONCE:
        return plain(tab, made, row, stream=True)
    status, frames = frames_of(tab, ask(made, "hello there", stream=True))
    if status != 200 or "token" not in frames[0]:
        return f"{status}: {frames[:1]}"
    return told(row, frames[-1].get("error"), frames[-1].get("code"))


class Usage:
    """What a worker has open and in use."""

    def __init__(self, pid):
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
        fields = dict(line.split(":", 1) for line in lines)
        self.memory = int(fields["VmRSS"].split()[0])  # KiB
        tcp = Path(f"/proc/{pid}/net/tcp").read_text(encoding="ascii").splitlines()[1:]
        inodes = {f"socket:[{line.split()[9]}]" for line in tcp}
        open_files = [os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()]
        self.kept = sum(name in inodes for name in open_files)  # connections to providers
        self.descriptors = len(open_files) - self.kept  # how many are kept is chance


class Faults(unittest.TestCase):
    def setUp(self):
        rows = AT_ONCE + LATER
        self.people = [Person(rows[number::PEOPLE]) for number in range(PEOPLE)]
        for person in self.people:
            self.addCleanup(person.close)

    def meet(self, times):
        for _ in range(times):
            with ThreadPoolExecutor(PEOPLE) as threads:
                wrong = [w for p in threads.map(Person.meet_all, self.people) for w in p]
            self.assertEqual(wrong, [])

    def test_each_is_told_clearly_and_leaves_nothing_behind(self):
        pids = stack.pools["execute"].pids()
        self.meet(WARM)
        before = {pid: Usage(pid) for pid in pids}
        self.meet(MANY)
        self.assertEqual(stack.pools["execute"].pids(), pids)  # nobody fell
        after = {pid: Usage(pid) for pid in pids}
        for pid in pids:
            self.assertLessEqual(after[pid].descriptors - before[pid].descriptors, SPARE_DESCRIPTORS)
            self.assertLessEqual(after[pid].kept, PEOPLE * CALLS)
        with self.subTest("memory"):
            self.assert_memory_stays(before.values(), after.values())

    @unless_sanitized("their runtimes keep freed memory for a while, and grow")
    def assert_memory_stays(self, before, after):
        # Together: how many of the calls, and so of the threads, each worker gets is chance.
        grown = sum(u.memory for u in after) / sum(u.memory for u in before) - 1
        self.assertLess(grown, SPARE_MEMORY)
