"""Calls to providers of many callers at once: tests of all providers, tabs that are closed, keys that several processes
choose, and the largest requests. Documents of a batch: cases/calls.case; the order of keys and how long one is in cooldown:
store_nouns; sentences, health and what another key may mend: unit_execute."""

import base64
import contextlib
import hashlib
import itertools
import json
import time
import unittest
from collections import Counter

from harness.client import HEADER, Crowd
from harness.pictures import jpeg, png, png_of_size
from harness.processes import wait_until
from harness.scenes import ROUTE, ask, frames_of, listed, provider, rotating
from harness.suite import Later, shared_stack


def calls_stack():
    return shared_stack(manage=1, execute=4, settings=[("upstream-test-timeout", 5)])


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
            sent = lambda: stack.stub.journal(path="/batch-")  # noqa: E731
            wait_until(lambda: sum(not entry["ended"] for entry in sent()) == 2, "both that hang, side by side")
            self.assertEqual({entry["message"] for entry in sent()}, {"ping"})  # one word
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


# Half of the 15 s after which a keep-alive comment would notice the closed connection.
AT_ONCE = 7.5

stack = Later(calls_stack)
client = Later(lambda: stack.newcomer())


class Leaving(unittest.TestCase):
    def base(self, behaviour):
        made = provider(client, f"{stack.stub.url}/{behaviour}/v1", name=behaviour)
        self.addCleanup(client.call, "DELETE", f"{ROUTE}/{made}")
        return made

    def assert_ended_after(self, left, marker):
        """The stub saw its caller go within AT_ONCE of the moment ours went."""
        entry = stack.stub.wait_for(lambda e: e["ended"], 30.0, marker=marker)
        self.assertEqual(entry["endedBy"], "peer")
        self.assertLess(entry["time"] + entry["ms"] / 1000 - left, AT_ONCE)
        return entry

    def test_in_mid_stream(self):
        for behaviour in ("slow-100", "silent-after-3"):
            body = ask(self.base(behaviour), f"mid-stream-{behaviour} " + "word " * 200, stream=True)
            with client.stream(f"{ROUTE}/playground", body) as stream:
                events = iter(stream)
                for _ in range(3):  # they are here while the provider has not ended
                    self.assertIn("token", next(events)[0])
                self.assertFalse(stack.stub.journal(marker=f"mid-stream-{behaviour}")[0]["ended"])
            entry = self.assert_ended_after(time.time(), f"mid-stream-{behaviour}")
            self.assertLess(entry["tokens"], 200)

    def test_before_the_provider_says_anything_and_the_slot_is_free_again(self):
        """Of 8 calls at a time a user may have, those whose callers left do not count."""
        made = self.base("silent")
        for number in range(12):
            marker = f"never-answered-{number}-"
            with contextlib.closing(client.send(f"{ROUTE}/playground", ask(made, marker, stream=number % 2 == 0))):
                stack.stub.wait_for(lambda e: not e["ended"], marker=marker)
            self.assert_ended_after(time.time(), marker)


CALLS = 150
AT_A_TIME = 8  # as many as one person may have under way
THREE = ("key-one-0123456789", "key-two-0123456789", "key-three-012345678")


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


MIB = 1024 * 1024
LONG = 32_768  # code points, in four bytes each
HARD = "a" * 4096  # every part of it begins as every other


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

    def tearDown(self):
        """A call with a large body begins twice. It has one slot, which is free once it is answered or refused."""
        wait_until(lambda: stack.sql("SELECT count(*) FROM usershell.calls WHERE expires_at > now()") == "0", "all slots free", timeout=20)

    def ask(self, *images, by=client, **more):
        return by.post(f"{ROUTE}/playground", ask(self.made, "look", images=images, **more))

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
