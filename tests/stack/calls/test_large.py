"""The largest request that there may be, and what is hardest to search for it: neither holds up the loop,
whose watch would end the process."""

import itertools
import json
import unittest

from common import calls_stack
from harness.client import HEADER
from harness.scenes import ROUTE, ask, provider
from harness.suite import Later

MIB = 1024 * 1024
LONG = 32_768  # code points, in four bytes each
HARD = "a" * 4096  # every part of it begins as every other

stack = Later(calls_stack)
client = Later(lambda: stack.newcomer())


def largest(provider_id, stream):
    """As good as a whole MiB of texts."""
    faces = "\N{GRINNING FACE}"
    body = ask(provider_id, faces * LONG, stream=stream, system=faces * LONG, history=[])
    roles = itertools.cycle(("user", "assistant"))
    while len(json.dumps(body, ensure_ascii=False).encode()) < MIB - 10_000:
        body["history"] += [{"role": next(roles), "content": faces * 1000} for _ in range(2)]
    return body


class Large(unittest.TestCase):
    def test_it_is_answered_and_refused_and_nothing_stands_still(self):
        made = provider(client, f"{stack.stub.url}/v1")
        self.addCleanup(stack.stub.say)
        before = stack.pools["execute"].pids()
        for stream in (False, True):
            text = json.dumps(largest(made, stream), ensure_ascii=False)
            headers = {"Content-Type": "application/json", HEADER: client.token()}
            for way, status in (("answer", 200), ("late", 200 if stream else 502), ("status", 502), ("long", 502)):
                stack.stub.say(way=way, text=HARD)
                with self.subTest(way=way, stream=stream):
                    answer = client.request("POST", f"{ROUTE}/playground", text.encode(), headers)
                    self.assertEqual(answer.status, status, answer.body[:300])
        self.assertEqual(stack.pools["execute"].pids(), before)
