"""The largest request that there may be, and what is hardest to search for it: neither holds up the loop,
whose watch would end the process."""

import base64
import hashlib
import itertools
import json
import unittest

from common import calls_stack
from harness.client import HEADER
from harness.pictures import jpeg, png, png_of_size
from harness.scenes import ROUTE, ask, frames_of, provider
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


def image(content, kind="image/png"):
    return {"type": kind, "data": base64.b64encode(content).decode()}


def told(content, kind="image/png"):
    """What the stub says of an image."""
    return f"{kind} {len(content)} {hashlib.sha256(content).hexdigest()}"


class Images(unittest.TestCase):
    """In messages, as large as they may be."""

    @classmethod
    def setUpClass(cls):
        cls.made = provider(client, f"{stack.stub.url}/v1", name="Sees", models=("stub-small", "stub-large"))
        sees = client.post(f"{ROUTE}/{cls.made}/models/capabilities?modelId=stub-small", {"capabilities": "assistant,vision"})
        assert sees.status == 200, sees.text
        cls.addClassCleanup(client.call, "DELETE", f"{ROUTE}/{cls.made}")

    def ask(self, *images, by=client, headers=None, **more):
        return by.post(f"{ROUTE}/playground", ask(self.made, "look", images=images, **more), headers)

    def test_they_arrive_as_they_were_sent(self):
        large, small = png_of_size(5 * MIB - 10), jpeg()
        past = [{"role": "user", "content": "a", "images": [image(png())]}, {"role": "assistant", "content": "b"}]
        for sent in ([small], [large, small], [large] * 3 + [small]):
            answer = self.ask(*(image(each, "image/jpeg" if each == small else "image/png") for each in sent), history=past)
            with self.subTest(bytes=sum(map(len, sent))):
                said = " ".join(told(each, "image/jpeg" if each == small else "image/png") for each in sent)
                self.assertEqual((answer.status, answer.json()["content"]), (200, f"echo: look {said}"))

    def test_a_large_one_passes_the_checks_of_all(self):
        large = image(png_of_size(3 * MIB))
        cases = [
            ((401, "not_signed_in"), {"by": stack.visitor(), "headers": {HEADER: "x"}}),
            ((400, "antiforgery_invalid"), {"headers": {HEADER: "x"}}),
            ((415, "unsupported_media_type"), {"headers": {"Content-Type": "text/plain"}}),
            ((400, "invalid_field"), {"modelId": "stub-large"}),
            ((413, "body_too_large"), {"history": [{"role": "user", "content": "a" * 30_000}] * 40}),
        ]
        for (status, code), how in cases:
            answer = self.ask(large, **how)
            with self.subTest(code=code):
                self.assertEqual((answer.status, answer.code), (status, code), answer.text)
                self.assertTrue(answer.json()["requestId"])
        self.assertEqual(self.ask(*[large] * 5).json()["field"], "images")
        stranger = self.ask(large, by=stack.newcomer())
        self.assertEqual((stranger.status, stranger.code), (404, "not_found"))
        for size in (28 * MIB + 1, 29 * MIB):  # the program's own limit, and nginx's
            answer = client.post(f"{ROUTE}/playground", {"x": "x" * (size - len('{"x": ""}'))})
            self.assertEqual((answer.status, answer.code), (413, "body_too_large"))

    def test_an_answer_is_streamed(self):
        large = png_of_size(2 * MIB)
        status, frames = frames_of(client, ask(self.made, "look", stream=True, images=[image(large)]))
        self.assertEqual(status, 200)
        self.assertEqual("".join(frame.get("token", "") for frame in frames), f"echo: look {told(large)}")
        self.assertTrue(frames[-1]["done"])
