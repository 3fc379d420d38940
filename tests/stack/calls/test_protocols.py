"""Provider types of every protocol against the stub: check, plain answer, stream, model list. Each
speaks its own format at its own paths, and its key travels in its own header and nowhere else. What the
formats are in detail: unit_adapters."""

import itertools
import json
import unittest

from common import CHAT, SEARCH, calls_stack
from harness.scenes import MODEL, ROUTE, ask, frames_of, listed, provider, remove_all

MESSAGE = "grüß dich 你好"
numbers = itertools.count(1)


def setUpModule():
    global stack, client
    stack = calls_stack()
    client = stack.newcomer()


class Catalogue(unittest.TestCase):
    def with_provider(self, kind, base_url, models=(MODEL,)):
        """The only provider, with a key that tells its calls apart: (id, key)."""
        remove_all(client)
        key = f"key-{next(numbers):04}-{kind}-0123456789"
        return provider(client, base_url, key, kind, kind, models), key

    def asked(self, key, header):
        """What the stub was asked with that key, which came in that header and nowhere else."""
        entries = stack.stub.journal(key=key)
        for entry in entries:
            self.assertEqual((entry["keyHeader"], entry["key"]), (header, key))
            others = {name: v for name, v in entry["headers"].items() if name != header}
            rest = json.dumps([entry["path"], entry["query"], entry["body"], others])
            self.assertNotIn(key, rest)
        return entries

    def test_every_chat_protocol(self):
        for kind, row in CHAT.items():
            with self.subTest(kind=kind):
                self.each_way(kind, *row)

    def each_way(self, kind, end, header, chat, models):
        made, key = self.with_provider(kind, stack.stub.url + end)
        check = client.post(f"{ROUTE}/{made}/test").json()
        self.assertEqual((check.get("ok"), check.get("model")), (True, MODEL), check)
        answer = client.post(f"{ROUTE}/playground", ask(made, MESSAGE)).json()
        self.assertEqual((answer["content"], answer["model"]), (f"echo: {MESSAGE}", MODEL))
        _, frames = frames_of(client, ask(made, MESSAGE, stream=True))
        self.assertEqual("".join(f["token"] for f in frames[:-1]), f"echo: {MESSAGE}")
        self.assertGreater(len(frames), 2)
        self.assertEqual((frames[-1]["done"], frames[-1]["model"]), (True, MODEL))
        body = client.get(f"{ROUTE}/{made}/models/available").json()
        added = [(row["modelId"], row["added"]) for row in body["models"]]
        if models:
            rows = [("stub-large", False), (MODEL, True), ("vendor/stub-with-slash", False)]
            self.assertEqual((added, body.get("error")), (rows, None))
        else:
            self.assertIn("no model list", body["error"])
        entries = self.asked(key, header)
        streamed = chat.replace(":generateContent", ":streamGenerateContent")
        paths = [end + p for p in (chat, chat, streamed, models) if p]
        self.assertEqual([e["path"] for e in entries], paths)
        self.assertEqual([e["model"] for e in entries[:3]], [MODEL] * 3)
        self.assertEqual([e["stream"] for e in entries[:3]], [False, False, True])
        self.assertEqual([e["message"] for e in entries[1:3]], [MESSAGE] * 2)

    def test_the_word_for_no_key_is_sent_as_none_where_the_type_allows_it(self):
        for kind, sent in (("ollama", ""), ("vllm", ""), ("generic-compatible", ""), ("openai", "none")):
            with self.subTest(kind=kind):
                remove_all(client)
                base = f"{stack.stub.url}/keyless/{kind}{'' if kind == 'ollama' else '/v1'}"
                made = provider(client, base, "none", kind)
                self.assertTrue(client.post(f"{ROUTE}/{made}/test").json()["ok"])
                (entry,) = stack.stub.journal(path=f"/keyless/{kind}/")
                self.assertEqual(entry["key"] or "", sent)

    def test_every_search_type(self):
        for kind, (end, header, path) in SEARCH.items():
            with self.subTest(kind=kind):
                made, key = self.with_provider(kind, "https://ignored.example.org", ())
                self.assertEqual(listed(client, made)["baseUrl"], stack.stub.url + end)
                check = client.post(f"{ROUTE}/{made}/test").json()
                self.assertTrue(check["ok"], check)
                answer = client.post(f"{ROUTE}/playground", ask(made, MESSAGE)).json()
                self.assertIn("https://example.org/1", answer["content"])
                status, frames = frames_of(client, ask(made, MESSAGE, stream=True))
                self.assertEqual((status, frames), (200, [{"content": answer["content"]}]))
                models = client.get(f"{ROUTE}/{made}/models/available").json()
                self.assertEqual(models["models"], [])
                self.assertIn("no model list", models["error"])
                entries = self.asked(key, header)
                self.assertEqual([e["path"] for e in entries], [end + path] * 3)
                self.assertEqual([e["message"] for e in entries[1:]], [MESSAGE] * 2)
