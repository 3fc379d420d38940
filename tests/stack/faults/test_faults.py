"""Each fault of a provider has one sentence, code and status for a check, a plain answer and a stream.
Each ends in bounded time, also many in parallel. Afterwards the workers have no more descriptors and
memory than before. The providers' own error formats: unit_adapters; health: unit_execute (report)."""

import os
import time
import unittest
from pathlib import Path

from harness.client import Crowd, together
from harness.sanitizers import patient, unless_sanitized
from harness.scenes import KEY, ROUTE, ask, frames_of, provider
from harness.suite import Later, shared_stack

# Seconds: long enough for an answer that comes at once, on a machine that does much else.
TEST = 4
LIMITS = [("upstream-connect-timeout", 4)]
# The whole time is below the ten seconds after which a silent stream gets a comment, and so a 200.
LIMITS += [("upstream-silence-timeout", 3), ("upstream-total-timeout", min(patient(4), 8))]
LIMITS += [("upstream-test-timeout", TEST)]
BOUND = patient(30.0)  # seconds; the settings say 4, the rest is for a busy machine

REFUSED = "The provider refused the key. Check or replace it."
LIMITED = "The provider limits how often this key may call. Try again"
FAILED = "The provider had an internal error. Try again later."
UNREACHABLE = "The provider could not be reached. Check the base URL."
TIMED_OUT = "The provider did not answer in time."
CERTIFICATE = "The provider’s TLS certificate could not be verified. Check the base URL."
FOREIGN = "This doesn’t look like an API of this type. Check the base URL"
TOO_LARGE = "The provider’s answer was too large."
CUT_OFF = "The provider’s answer broke off before it was complete."

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

stack = Later(shared_stack, manage=1, execute=2, settings=LIMITS, stub_tls=True)


def base_url(fault):
    if "://" in fault:
        return fault.format(closed=stack.closed, tls_port=stack.stub.tls_port)
    return f"{stack.stub.url}{'/' if fault else ''}{fault}/v1"


def check(tab, made, row):
    """(what the answer is but for its sentence, what it should be, its sentence)"""
    answer = tab.post(f"{ROUTE}/{made}/test")
    told = answer.json()
    waits = row[0] != "drip-100" or f" A test waits {TEST} seconds." in told["error"]
    return (answer.status, told["ok"], row[1] in answer.text, waits), (200, False, False, True), told["error"]


def code_of(row):
    return "upstream_timeout" if row[2] == TIMED_OUT else "upstream_error"


def plain(tab, made, row, stream=False):
    answer = tab.post(f"{ROUTE}/playground", ask(made, "hello there", stream))
    wanted = (504 if row[2] == TIMED_OUT else 502, code_of(row), "77" if "77 seconds" in row[2] else None)
    return (answer.status, answer.code, answer.headers.get("retry-after")), wanted, answer.json()["error"]


def streamed(tab, made, row):
    if row in AT_ONCE:
        return plain(tab, made, row, stream=True)
    status, frames = frames_of(tab, ask(made, "hello there", stream=True))
    last = frames[-1]
    return (status, "token" in frames[0], last.get("code")), (200, True, code_of(row)), last.get("error", "")


def meet(tab, item):
    """What was wrong with an answer; None when all is well."""
    way, made, row = item
    began = time.monotonic()
    found, wanted, sentence = way(tab, made, row)
    good = found == wanted and sentence.startswith(row[2]) and len(sentence) < 500
    return None if good and time.monotonic() - began < BOUND else (way.__name__, row, found, sentence)


class Usage:
    """What a worker has open and in use."""

    def __init__(self, pid):
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
        self.memory = int(dict(line.split(":", 1) for line in lines)["VmRSS"].split()[0])  # KiB
        tcp = Path(f"/proc/{pid}/net/tcp").read_text(encoding="ascii").splitlines()[1:]
        inodes = {f"socket:[{line.split()[9]}]" for line in tcp}
        open_files = [os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()]
        self.kept = sum(name in inodes for name in open_files)  # connections to providers
        self.descriptors = len(open_files) - self.kept  # how many are kept is chance


class Faults(unittest.TestCase):
    def test_each_is_told_clearly_and_leaves_nothing_behind(self):
        clients = [stack.newcomer() for _ in range(PEOPLE)]
        items = []
        for number, row in enumerate(AT_ONCE + LATER):
            owner = number % PEOPLE
            made = provider(clients[owner], base_url(row[0]), row[1], name="Faulty")
            items += [(owner, (way, made, row)) for way in (check, plain, streamed)]
        crowds = [self.enterContext(Crowd(CALLS, client)) for client in clients]

        def meet_all(times):
            for _ in range(times):
                shares = [[item for owner, item in items if owner == number] for number in range(PEOPLE)]
                told = together(*(lambda c=c, s=s: c.run(meet, s) for c, s in zip(crowds, shares)))
                self.assertEqual([wrong for each in told for wrong in each if wrong], [])

        pids = stack.pools["execute"].pids()
        meet_all(WARM)
        before = [Usage(pid) for pid in pids]
        meet_all(MANY)
        self.assertEqual(stack.pools["execute"].pids(), pids)  # nobody fell
        after = [Usage(pid) for pid in pids]
        for then, now in zip(before, after):
            self.assertLessEqual(now.descriptors - then.descriptors, SPARE_DESCRIPTORS)
            self.assertLessEqual(now.kept, PEOPLE * CALLS)
        with self.subTest("memory"):
            self.assert_memory_stays(before, after)

    @unless_sanitized("their runtimes keep freed memory for a while, and grow")
    def assert_memory_stays(self, before, after):
        # Together: how many of the calls, and so of the threads, each worker gets is chance.
        grown = sum(u.memory for u in after) / sum(u.memory for u in before) - 1
        self.assertLess(grown, SPARE_MEMORY)
