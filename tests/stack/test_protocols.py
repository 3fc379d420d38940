"""Every provider type of the catalogue against the stub: check, plain answer, stream, model list.
Each speaks its own format at its own paths, and its key travels in its own header and nowhere
else."""

import html
import json
import re
import unittest

from harness.scenes import MODEL, ROUTE, ask, listed, provider, remove_all
from harness.stack import Stack

BEARER = ("authorization", "/chat/completions", "/models")
# {type: (where its base URL ends, header of the key, path of a chat, path of the model list)}
CHAT = {
    "openai": ("/openai/v1", *BEARER),
    "mistral": ("/mistral/v1", *BEARER),
    "groq": ("/groq/openai/v1", *BEARER),
    "deepseek": ("/deepseek", *BEARER),
    "xai": ("/xai/v1", *BEARER),
    "openrouter": ("/openrouter/api/v1", *BEARER),
    "together": ("/together/v1", *BEARER),
    "generic-compatible": ("/generic/v1", *BEARER),
    "ollama": ("/ollama", "authorization", "/v1/chat/completions", "/api/tags"),
    "anthropic": ("/anthropic/v1", "x-api-key", "/messages", "/models"),
    "google-gemini": (
        "/gemini/v1beta",
        "x-goog-api-key",
        f"/models/{MODEL}:generateContent",
        "/models",
    ),
    "azure-openai": (
        "/azure",
        "api-key",
        f"/openai/deployments/{MODEL}/chat/completions",
        "/openai/deployments",
    ),
}
# {type: (where its base URL ends, header of the key, path of a search)}
SEARCH = {
    "tavily": ("/tavily", "authorization", "/search"),
    "brave-search": ("/brave/res/v1", "x-subscription-token", "/web/search"),
    "exa": ("/exa", "x-api-key", "/search"),
    "serper": ("/serper", "x-api-key", "/search"),
    "jina-reader": ("", "authorization", "/"),
    "firecrawl": ("/firecrawl", "authorization", "/v2/search"),
}
# (type, base URL as somebody might enter it, path of a chat, path of the model list)
ENTERED = [
    ("anthropic", "/entered", "/entered/v1/messages", "/entered/v1/models"),
    (
        "google-gemini",
        "/entered",
        f"/entered/v1beta/models/{MODEL}:generateContent",
        "/entered/v1beta/models",
    ),
    ("ollama", "/entered/v1", "/entered/v1/chat/completions", "/entered/api/tags"),
    (
        "azure-openai",
        "/entered/openai",
        f"/entered/openai/deployments/{MODEL}/chat/completions",
        "/entered/openai/deployments",
    ),
    (
        "azure-openai",
        "/entered/openai/v1",
        "/entered/openai/v1/chat/completions",
        "/entered/openai/v1/models",
    ),
    ("generic-compatible", "", "/chat/completions", "/models"),
    ("generic-compatible", "/entered/v1/", "/entered/v1/chat/completions", "/entered/v1/models"),
]
MESSAGE = "grüß dich 你好"
OPTION = re.compile(r'<option value="([^"]+)" data-base-url="([^"]*)"')


def setUpModule():
    global stack, client
    ends = {kind: row[0] for kind, row in (CHAT | SEARCH).items()}
    settings = [("catalogue-base-url", f"{kind}={{stub}}{end}") for kind, end in ends.items()]
    stack = Stack(manage=1, execute=2, settings=settings).start()
    unittest.addModuleCleanup(stack.stop)
    client = stack.client("ada@example.com")


class Case(unittest.TestCase):
    number = 0

    def with_provider(self, kind, base_url, models=(MODEL,)):
        """The only provider, with a key that tells its calls apart: (id, key)."""
        remove_all(client)
        Case.number += 1
        key = f"key-{Case.number:04}-{kind}-0123456789"
        made = provider(client, base_url, key, kind, kind, models)
        return made, key

    def asked(self, key, header):
        """What the stub was asked with that key, which came in that header and nowhere else."""
        entries = stack.stub.journal(key=key)
        for entry in entries:
            self.assertEqual((entry["keyHeader"], entry["key"]), (header, key))
            others = {name: v for name, v in entry["headers"].items() if name != header}
            rest = json.dumps([entry["path"], entry["query"], entry["body"], others])
            self.assertNotIn(key, rest)
        return entries

    def assert_streams(self, made, message=MESSAGE):
        body = ask(made, message, stream=True)
        with client.stream(f"{ROUTE}/playground", body) as stream:
            self.assertEqual(stream.status, 200)
            frames = [frame for frame, _ in stream]
        tokens = [frame["token"] for frame in frames[:-1]]
        self.assertEqual("".join(tokens), f"echo: {message}")
        self.assertEqual(frames[-1], {"done": True, "model": MODEL})
        return tokens


class Catalogue(Case):
    def test_the_page_offers_every_type_with_the_operators_base_url(self):
        page = client.get(ROUTE).text
        offered = {kind: html.unescape(url) for kind, url in OPTION.findall(page)}
        expected = {kind: stack.stub.url + row[0] for kind, row in (CHAT | SEARCH).items()}
        self.assertEqual(offered, expected)

    def test_every_chat_type(self):
        for kind, (end, header, chat, models) in CHAT.items():
            with self.subTest(kind=kind):
                self.each_way(kind, end, header, chat, models)

    def each_way(self, kind, end, header, chat, models):
        made, key = self.with_provider(kind, stack.stub.url + end)
        check = client.post(f"{ROUTE}/{made}/test").json()
        self.assertEqual((check.get("ok"), check.get("model")), (True, MODEL), check)
        self.assertTrue(check["reply"].startswith("echo:"))
        answer = client.post(f"{ROUTE}/playground", ask(made, MESSAGE)).json()
        self.assertEqual((answer["content"], answer["model"]), (f"echo: {MESSAGE}", MODEL))
        self.assertGreater(len(self.assert_streams(made)), 1)
        self.assert_lists(made)
        entries = self.asked(key, header)
        streamed = chat.replace(":generateContent", ":streamGenerateContent")
        paths = [end + path for path in (chat, chat, streamed, models)]
        self.assertEqual([e["path"] for e in entries], paths)
        self.assertEqual([e["model"] for e in entries[:3]], [MODEL] * 3)
        self.assertEqual([e["stream"] for e in entries[:3]], [False, False, True])
        self.assertEqual([e["message"] for e in entries[1:3]], [MESSAGE] * 2)

    def assert_lists(self, made):
        body = client.get(f"{ROUTE}/{made}/models/available").json()
        self.assertNotIn("error", body)
        added = {row["modelId"]: row["added"] for row in body["models"]}
        self.assertEqual(
            added, {MODEL: True, "stub-large": False, "vendor/stub-with-slash": False}
        )
        self.assertEqual(list(added), sorted(added))

    def test_every_search_type(self):
        for kind, (end, header, path) in SEARCH.items():
            with self.subTest(kind=kind):
                made, key = self.with_provider(kind, "https://ignored.example.org", ())
                self.assertEqual(listed(client, made)["baseUrl"], stack.stub.url + end)
                check = client.post(f"{ROUTE}/{made}/test").json()
                self.assertTrue(check["ok"], check)
                self.assertTrue(check["reply"].startswith("1. "), check)
                answer = client.post(f"{ROUTE}/playground", ask(made, MESSAGE)).json()
                self.assertIn("https://example.org/1", answer["content"])
                body = ask(made, MESSAGE, stream=True)
                with client.stream(f"{ROUTE}/playground", body) as stream:
                    self.assertTrue(stream.headers["content-type"].startswith("text/event-stream"))
                    frames = [frame for frame, _ in stream]
                self.assertEqual(frames, [{"content": answer["content"]}])
                models = client.get(f"{ROUTE}/{made}/models/available").json()
                self.assertEqual(models["models"], [])
                self.assertIn("no model list", models["error"])
                entries = self.asked(key, header)
                self.assertEqual([e["path"] for e in entries], [end + path] * 3)
                self.assertEqual([e["message"] for e in entries], ["pong", MESSAGE, MESSAGE])


class BaseUrls(Case):
    def test_as_somebody_might_enter_them(self):
        for kind, end, chat, models in ENTERED:
            with self.subTest(kind=kind, end=end):
                made, key = self.with_provider(kind, stack.stub.url + end)
                answer = client.post(f"{ROUTE}/playground", ask(made, MESSAGE)).json()
                self.assertEqual(answer.get("content"), f"echo: {MESSAGE}", answer)
                self.assertNotIn("error", client.get(f"{ROUTE}/{made}/models/available").json())
                paths = [entry["path"] for entry in self.asked(key, CHAT[kind][1])]
                self.assertEqual(paths, [chat, models])


class Formats(Case):
    """What differs between the formats, beyond the paths."""

    KINDS = ("generic-compatible", "anthropic", "google-gemini", "azure-openai", "ollama")

    def test_streams_however_they_are_cut_and_filled(self):
        for kind in self.KINDS:
            for behaviour in ("crlf", "split", "keepalive", "empty-choices", "reasoning"):
                with self.subTest(kind=kind, behaviour=behaviour):
                    url = f"{stack.stub.url}/{behaviour}{CHAT[kind][0]}"
                    made, _ = self.with_provider(kind, url)
                    self.assert_streams(made)
    
    def test_a_stream_without_its_closing_mark(self):
        """A stop reason makes an answer whole; the mark alone is missing."""
        for kind in self.KINDS:
            with self.subTest(kind=kind):
                made, _ = self.with_provider(kind, f"{stack.stub.url}/no-done{CHAT[kind][0]}")
                self.assert_streams(made)

    def test_a_conversation(self):
        more = {"system": "Be brief.", "temperature": 0.5, "maxTokens": 77}
        more["history"] = [
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": "two"},
        ]
        for kind in self.KINDS:
            with self.subTest(kind=kind):
                made, key = self.with_provider(kind, stack.stub.url + CHAT[kind][0])
                answer = client.post(f"{ROUTE}/playground", ask(made, "three", **more))
                self.assertEqual(answer.status, 200, answer.text)
                sent = json.dumps(stack.stub.journal(key=key)[0]["body"])
                places = [sent.find(f'"{word}"') for word in ("one", "two", "three")]
                self.assertEqual(places, sorted(places))
                for word in ('"one"', '"Be brief."', "0.5", "77"):
                    self.assertIn(word, sent)


if __name__ == "__main__":
    unittest.main()
