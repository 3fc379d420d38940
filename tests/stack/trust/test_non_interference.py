"""Two random keys, one upstream that says the same to both, with parts of the first in it: every answer,
where its frames are cut, every log line and every stored row are the same, byte for byte. All routes
that call a provider, all protocols, some cuts; every part of a key and every cut: unit_adapters."""

import random
import re
import string
import unittest

from common import trust_stack
from harness.scenes import ROUTE, account, ask, provider, remove_all
from harness.suite import Later

KINDS = ("generic-compatible", "anthropic", "google-gemini", "azure-openai", "ollama", "tavily")
PLAIN = "It did not like"
# Parts of an answer that differ between any two calls.
VARYING = (
    (rb'"latencyMs":\d+', b'"latencyMs":0'),
    (rb'"requestId":"[^"]+"', b'"requestId":""'),
    (rb'request_id="[^"]+"', b'request_id=""'),
    (rb'\b(ms|duration_ms|milliseconds)="\d+"', rb'\1="0"'),
    (rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*(Z|\+00)?", b"a time"),
    (rb"'\\x[0-9a-f]*'", b"some bytes"),
    (rb'"at": \d+', b'"at": 0'),
)
HEADERS = {"date", "x-request-id", "content-length", "etag"}

stack = Later(trust_stack)


def still(data):
    for pattern, same in VARYING:
        data = re.sub(pattern, same, data)
    return data


def keys():
    """Two that have nothing in common but their hint, which shows the first three and the last four
    characters of each."""
    chance = random.Random()
    middle = "".join(chance.choices(string.ascii_letters + string.digits, k=17))
    other = "".join(chance.choices(string.ascii_letters + string.digits, k=17))
    return f"sk-{middle}Zq7x", f"sk-{other}Zq7x"


def scripts(key):
    """What the upstream says, with every beginning and every end of the key."""
    beginnings = (key[:size] for size in range(8, len(key)))
    ends = (key[start:] for start in range(1, len(key) - 8))
    text = " ".join((PLAIN, *beginnings, *ends))
    for way in ("answer", "late", "long", "status", "refused", "limited", "unknown-model"):
        yield {"way": way, "text": text}
    for way, cut in (("answer", 150), ("answer", 400), ("late", 300), ("status", 90)):
        yield {"way": way, "text": text, "cut": cut}


class NonInterference(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        self.addCleanup(stack.stub.say)
        self.addCleanup(remove_all, self.client)
        self.keys = keys()
        first = self.keys[0]
        self.made = [
            provider(self.client, f"{stack.stub.url}/v1", first, kind, kind, (first[:-1],))
            for kind in KINDS
        ]
        self.account = account(self.client, self.made[0], first, "second")

    def seen(self, key):
        """All that may be seen while this key is the stored one, script by script."""
        paths = [f"{ROUTE}/{made}" for made in self.made]
        for path in (*paths, f"{paths[0]}/accounts/{self.account}"):
            self.assertEqual(self.client.post(f"{path}/apikey", {"apiKey": key}).status, 200)
        log = stack.folder.log("execute")
        for script in scripts(self.keys[0]):
            begin = log.stat().st_size
            stack.stub.say(**script)
            yield script, list(self.answers()), self.lines(log, begin)
        yield "the store", [self.rows()], []

    def answers(self):
        post, get = self.client.post, self.client.get
        for made in self.made:
            yield self.bare(post(f"{ROUTE}/{made}/test"))
            yield self.bare(post(f"{ROUTE}/playground", ask(made)))
            yield self.streamed(f"{ROUTE}/playground", ask(made, stream=True))
            yield self.bare(get(f"{ROUTE}/{made}/models/available"))
        yield self.bare(post(f"{ROUTE}/{self.made[0]}/accounts/{self.account}/test"))
        yield self.bare(post(f"{ROUTE}/test-batch"))
        # Its frames come in the order in which the providers answer.
        batch = self.streamed(f"{ROUTE}/test-batch", None, {"Accept": "text/event-stream"})
        yield (*batch[:2], sorted(batch[2].split(b"\n\n")))
        yield self.bare(get(f"{ROUTE}/list"))

    @staticmethod
    def bare(answer):
        headers = {name: value for name, value in answer.headers.items() if name not in HEADERS}
        return answer.status, headers, still(answer.body)

    def streamed(self, path, body, headers=None):
        with self.client.stream(path, body, headers) as stream:
            stream.body = stream.raw()
            return self.bare(stream)

    @staticmethod
    def lines(log, begin):
        """Of the log since then, in any order, as providers of a batch are called side by side."""
        return sorted(still(log.read_bytes()[begin:]).splitlines())

    @staticmethod
    def rows():
        dump = stack.dump("--data-only").splitlines()
        rows = {still(line) for line in dump if line.startswith(b"INSERT ")}
        # An event has an id of its own, and there is one more with each key that is entered.
        event = re.compile(rb"(INSERT INTO usershell\.events VALUES \('[0-9a-f-]+', )'[0-9a-f-]+'")
        return b"\n".join(sorted({event.sub(rb"\1an id", row) for row in rows}))

    def test_whatever_the_key_is(self):
        first, second = (list(self.seen(key)) for key in self.keys)
        for one, other in zip(first, second, strict=True):
            with self.subTest(script=one[0]):
                self.assertEqual(one, other)
        self.assertNotIn(PLAIN.encode(), first[-1][1][0])  # no word of a provider is stored
        for script, answers, _ in first[:-1]:
            with self.subTest(script=script):  # it is not the same for being nothing
                said = any(PLAIN.encode() in body for *_, body in answers if isinstance(body, bytes))
                self.assertTrue(said or "cut" in script)
