"""The largest request that there may be, and what is hardest to search for it: neither holds up the loop,
whose watch would end the process."""

import json
import unittest

from common import calls_stack
from harness.client import HEADER
from harness.scenes import ROUTE, ask, provider

MIB = 1024 * 1024
LONG = 32_768  # code points, in four bytes each
HARD = "a" * 4096  # every part of it begins as every other


def setUpModule():
    global stack, client
    stack = calls_stack()
    client = stack.newcomer()


def largest(provider_id, stream):
    """As good as a whole MiB of texts."""
    body = ask(provider_id, "\N{GRINNING FACE}" * LONG, stream=stream)
    body["system"] = "\N{GRINNING FACE}" * LONG
    turns = (
        {"role": role, "content": f"{number} " + "\N{GRINNING FACE}" * 1000}
        for number in range(1000)
        for role in ("user", "assistant")
    )
    body["history"] = []
    room = MIB - len(json.dumps(body, ensure_ascii=False).encode())
    for turn in turns:
        room -= len(json.dumps(turn, ensure_ascii=False).encode()) + 2
        if room < 0 and turn["role"] == "user":
            return body
        body["history"].append(turn)


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
