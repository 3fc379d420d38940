"""Access tokens through nginx: bytes that go on as they came, and what a token, its holder, a provider or a stranger
can't do. The members of a body, names of models and forms of errors: unit_execute, unit_adapters, unit_pipeline."""

import base64
import contextlib
import gzip
import hashlib
import http.client
import json
import re
import secrets
import signal
import socket
import ssl
import time
import unittest
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness.folders import REPOSITORY
from harness.pictures import png_of_size
from harness.processes import wait_until
from harness.sanitizers import unless_sanitized
from harness.scenes import ACCESS, ROUTE, access_token, ask, frames_of, provider, remove_all, rotating
from harness.suite import shared_stack

KEY = "sk-canary-0123456789abcdef"
CHAT, MESSAGES = "/v1/chat/completions", "/v1/messages"
CALLS = 140  # of the day; a multiple of the kinds of calls


def setUpModule():
    global stack
    stack = shared_stack(settings=[("api", "true"), ("max-memory", "256")], manage=1, execute=1)


def zstd_frame(data):
    """A frame of RFC 8878 with a window of 128 KiB, in blocks that are stored as they are."""
    blocks = [data[at : at + 2**17] for at in range(0, len(data), 2**17)]
    heads = [((len(block) << 3) + (block is blocks[-1])).to_bytes(3, "little") for block in blocks]
    return b"\x28\xb5\x2f\xfd\x00\x38" + b"".join(head + block for head, block in zip(heads, blocks))


class Api(unittest.TestCase):
    def setUp(self):
        self.person = stack.newcomer()
        self.token = access_token(self.person)
        self.made = 0

    def at(self, behaviour="", key=KEY, kind="generic-compatible", model="stub-small"):
        """Calls to a provider of that behaviour of the stand-in have this model."""
        path = f"{stack.stub.url}/{behaviour}/v1" if behaviour else f"{stack.stub.url}/v1"
        self.made += 1
        if self.made > 9:
            remove_all(self.person)
            self.made = 0
        provider(self.person, path, key, kind, f"p{self.made}", [model])
        return f"p{self.made}/{model}"

    def ask(self, model, path=CHAT, token=None, client=None, **members):
        body = members.pop("body", None)
        if body is None:
            body = json.dumps({"model": model, "messages": [{"role": "user", "content": "hello"}], "max_tokens": 9, **members})
        headers = {"Authorization": f"Bearer {token or self.token}", "Content-Type": "application/json"}
        return (client or stack.visitor()).request("POST", path, body, headers)

    def usage(self):
        """Calls, failures, estimates, input and output of the person's token."""
        rows = stack.sql(
            "SELECT sum(calls), sum(failures), sum(estimates), sum(input_tokens), sum(output_tokens) FROM usershell.usage u"
            f" JOIN usershell.users p ON p.id = u.owner_id WHERE p.email = '{self.person.email}'"
        )
        return rows.split("|")

    def test_nothing_but_the_model_changes(self):
        model, self.token = self.at(), access_token(self.person, StoredObjects="true")
        body = '{ "max_tokens":9, "x": [1.0e0, "\\u00e9"],\n"messages":[{"role":"user","content":"hello"}], "model" : "%s"}' % model
        for stream in ("false", "true"):
            sent = body.replace('"x"', f'"stream": {stream}, "x"')
            answer = self.ask(model, body=sent)
            self.assertEqual(answer.status, 200, answer.text)
            entry = stack.stub.journal(key=KEY)[-1]
            self.assertEqual(stack.stub.body(entry).decode(), sent.replace(model, "stub-small"))
        self.assertEqual(self.ask(model, token="ush_" + "0" * 66).status, 401)
        self.assertEqual(self.ask("no\nmodel").status, 404)

    def test_a_server_of_two_protocols_is_asked_in_each(self):
        for kind, path in (("vllm", MESSAGES), ("ollama", MESSAGES), ("openrouter", MESSAGES), ("deepseek", MESSAGES),
                           ("vllm", f"{MESSAGES}/count_tokens"), ("ollama", "/v1/responses"), ("openai", "/v1/responses/compact")):  # fmt: skip
            with self.subTest(kind=kind, path=path):
                members = {} if path.startswith(MESSAGES) else {"input": "hello", "messages": None, "max_tokens": None}
                answer = self.ask(self.at(kind=kind), path, **members)
                self.assertEqual(answer.status, 200, answer.text)
                sent = stack.stub.journal(key=KEY)[-1]
                self.assertTrue(sent["path"].endswith(path), sent["path"])
        refused = self.ask(self.at(kind="groq"), MESSAGES)
        self.assertEqual((refused.status, refused.json()["error"]["type"]), (400, "invalid_request_error"))

    def test_images_speech_and_rankings_go_on_as_they_came(self):
        model, plain = self.at(), {"messages": None, "max_tokens": None}
        image = self.ask(model, "/v1/images/generations", prompt="hello", **plain)
        self.assertEqual(base64.b64decode(image.json()["data"][0]["b64_json"]), b"echo: hello")
        ranked = self.ask(model, "/v1/rerank", query="q", documents=["a", "b"], **plain)
        self.assertEqual([each["index"] for each in ranked.json()["results"]], [1, 0])
        spoken = self.ask(model, "/v1/audio/speech", input="hello", voice="alloy", **plain)
        self.assertEqual(spoken.body, b"ID3\x04\x00" + bytes(range(256)) + b"hello")
        self.assertEqual(spoken.headers["content-type"], "audio/mpeg")
        self.assertEqual(spoken.headers["x-content-type-options"], "nosniff")
        wait_until(lambda: self.usage()[0] == "3", "three calls counted")
        self.assertEqual(self.usage()[1:3], ["0", "1"])  # of speech no tokens are told
        failed = self.ask(self.at("html"), "/v1/audio/speech", input="hello", **plain)
        self.assertEqual((failed.status, failed.headers["content-type"]), (502, "application/json; charset=utf-8"))
        limited = access_token(self.person, **{"Routes.chat": "true"})
        for path in ("/v1/images/generations", "/v1/audio/speech", "/v1/rerank"):
            self.assertEqual(self.ask(model, path, token=limited).status, 403)
        speaking = access_token(self.person, **{"Routes.speech": "true"})
        self.assertEqual(self.ask(model, "/v1/audio/speech", token=speaking, body=json.dumps({"model": model, "input": "x"})).status, 200)

    def test_own_headers_go_with_every_request_and_a_tools_do_not(self):
        url, value = f"{stack.stub.url}/v1", "of acme corp 7f3a"
        kinds = {"all": "generic-compatible", "both": "vllm", "claude": "anthropic"}
        made = [provider(self.person, url, KEY, kind, name, ["stub-small"]) for name, kind in kinds.items()]
        for each in made:
            for name in ("X-Tenant", "User-Agent"):
                self.assertEqual(self.person.post(f"{ROUTE}/{each}/headers", {"name": name, "value": value}).status, 200)
        before = len(stack.stub.journal(key=KEY))
        turns = {"messages": [{"role": "user", "content": "hello"}], "max_tokens": 9}
        for name, path, members in (
            ("all", CHAT, turns), ("all", "/v1/completions", {"prompt": "hello"}), ("all", "/v1/embeddings", {"input": "hello"}),
            ("all", "/v1/responses", {"input": "hello"}), ("all", "/v1/images/generations", {"prompt": "hello"}),
            ("all", "/v1/audio/speech", {"input": "hello", "voice": "alloy"}),
            ("all", "/v1/rerank", {"query": "q", "documents": ["a"]}),
            ("both", MESSAGES, turns), ("both", f"{MESSAGES}/count_tokens", turns), ("claude", MESSAGES, turns),
        ):  # fmt: skip
            headers = {"Authorization": f"Bearer {self.token}", "X-Tenant": "a tool's", "User-Agent": "a tool's"}
            body = json.dumps({"model": f"stub-small@{name}", **members})
            self.assertEqual(stack.visitor().request("POST", path, body, headers).status, 200, path)
        for each in made:
            self.assertTrue(self.person.post(f"{ROUTE}/{each}/test").json()["ok"])
            self.assertTrue(self.person.get(f"{ROUTE}/{each}/models/available").json()["models"])
            self.assertEqual(self.person.post(f"{ROUTE}/playground", ask(each, "hello")).status, 200)
            self.assertEqual(frames_of(self.person, ask(each, "hello", stream=True))[0], 200)
        sent = [entry["headers"] for entry in stack.stub.journal(key=KEY)[before:]]
        self.assertGreaterEqual(len(sent), 22)
        self.assertEqual({(each.get("x-tenant"), each.get("user-agent")) for each in sent}, {(value, value)})

    def test_an_answer_with_the_value_of_a_header_in_it_ends(self):
        made = provider(self.person, f"{stack.stub.url}/v1", KEY, "vllm", "echo", ["stub-small"])
        self.person.post(f"{ROUTE}/{made}/headers", {"name": "X-Tenant", "value": "acme 7f3a"})
        for stream in (False, True):
            for content, told in (("of acme 7f3b", True), ("of acme 7f3a.", False)):
                turns = [{"role": "user", "content": content}]
                answer = self.ask("stub-small@echo", messages=turns, max_tokens=None, stream=stream)
                self.assertEqual("acme 7f3a" in answer.text, False)
                self.assertEqual("a header of the call" in answer.text, not told, answer.text)

    def test_a_pressed_body_arrives_as_it_was_before(self):
        model = self.at()
        for filling in ("", secrets.token_hex(60_000)):  # with the head, and late
            body = json.dumps({"model": model, "messages": [{"role": "user", "content": f"hello{filling}"}]})
            for coding, press in (("gzip", gzip.compress), ("deflate", zlib.compress), ("zstd", zstd_frame)):
                headers = {"Authorization": f"Bearer {self.token}", "Content-Encoding": coding}
                answer = stack.visitor().request("POST", CHAT, press(body.encode()), headers)
                self.assertEqual(answer.status, 200, answer.text)
                entry = stack.stub.journal(key=KEY)[-1]
                self.assertEqual(stack.stub.body(entry).decode(), body.replace(model, "stub-small"))
                self.assertNotIn("content-encoding", entry["headers"])
        refused = stack.visitor().request("POST", CHAT, body.encode(), {**headers, "Content-Encoding": "br"})
        self.assertEqual((refused.status, refused.headers["accept-encoding"]), (415, "gzip, deflate, zstd"))
        self.assertIn("Content-Encoding", refused.json()["error"]["message"])
        broken = stack.visitor().request("POST", CHAT, body.encode(), headers)
        self.assertEqual((broken.status, broken.json()["error"]["code"]), (400, "malformed_json"))

    def test_limits_of_use_are_told_beside_an_error_and_to_pages(self):
        for behaviour, kind, path, name in (("status-429", "generic-compatible", CHAT, "x-ratelimit-limit-tokens"),
                                            ("status-400", "anthropic", MESSAGES, "anthropic-ratelimit-tokens-limit")):  # fmt: skip
            answer = self.ask(self.at(behaviour, kind=kind), path)
            self.assertGreaterEqual(answer.status, 400)
            self.assertRegex(answer.headers[name], r"^\d+$")
            readable = answer.headers["access-control-expose-headers"].split(", ")
            self.assertLessEqual({name, "retry-after", "x-should-retry", "request-id"}, set(readable))
        source = (REPOSITORY / "lib/adapters/reading/relay_reader.cpp").read_text(encoding="utf-8")
        names = re.findall(r'"((?:x|anthropic)-ratelimit-[a-z-]+)"', source)
        self.assertEqual(sorted(n for n in readable if "ratelimit" in n), sorted(names))

    def test_usage_equals_the_books_of_the_provider(self):
        key = "sk-books-" + hashlib.sha256(self.token.encode()).hexdigest()[:20]
        model = self.at(key=key)
        claude = self.at(key=key, kind="anthropic", model="stub-large")
        for stream in (False, True):
            members = {"stream_options": {"include_usage": True}} if stream else {}
            self.assertEqual(self.ask(model, stream=stream, **members).status, 200)
            self.assertEqual(self.ask(claude, MESSAGES, stream=stream).status, 200)
        books = stack.stub.books(key)
        expected = [str(sum(row[what] for row in books)) for what in ("calls", "failures", "input", "output")]
        wait_until(lambda: self.usage()[0] == "4", "four calls counted")
        calls, failures, estimates, taken, made = self.usage()
        self.assertEqual([calls, failures, taken, made], expected)
        self.assertEqual(estimates, "0")

    def test_calls_of_the_page_are_counted_beside(self):
        key = "sk-page-" + hashlib.sha256(self.token.encode()).hexdigest()[:20]
        self.at(key=key)
        (row,) = self.person.get("/user/providers/list").json()["providers"]
        for stream in (False, True):
            frames_of(self.person, ask(row["id"], stream=stream))
        self.person.post(f"/user/providers/{row['id']}/test")
        (books,) = stack.stub.books(key)
        wait_until(lambda: self.usage()[0] == "3", "three calls counted")
        self.assertEqual(self.usage(), ["3", "0", "0", str(books["input"]), str(books["output"])])
        self.assertIn("Playground and tests", self.person.get(ACCESS).text)

    def test_a_day_of_mixed_calls(self):
        """It is exact. Of a killed worker the calls under way may be missing."""
        key = "sk-day-" + hashlib.sha256(self.token.encode()).hexdigest()[:20]
        chat, claude = self.at(key=key), self.at(key=key, kind="anthropic")
        failing = self.at("status-500", key=key)
        told = {"stream": True, "stream_options": {"include_usage": True}}
        kinds = [(chat, CHAT, {}), (chat, CHAT, told), (claude, MESSAGES, {}), (claude, MESSAGES, {"stream": True}),
                 (chat, "/v1/embeddings", {"input": "hello", "messages": None, "max_tokens": None}), (claude, f"{MESSAGES}/count_tokens", {}), (failing, CHAT, {})]

        def one(number):
            client = clients[number % len(clients)].clone()
            model, path, members = kinds[number % len(kinds)]
            with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(client):
                self.ask(model, path, client=client, **members)

        def totals():
            rows = stack.stub.books(key)
            return [sum(row[name] for row in rows) for name in ("calls", "failures", "input", "output")]

        clients = [stack.visitor() for _ in range(max(8, CALLS // 30))]
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(one, range(CALLS)))
            expected = totals()
            self.assertEqual(expected[0], CALLS // len(kinds) * (len(kinds) - 1))
            wait_until(lambda: self.usage()[0] == str(expected[0]), "all counted")
            calls, failures, _, taken, made = map(int, self.usage())
            self.assertEqual([calls, failures, taken, made], expected)
            for _ in range(3):
                rest = [threads.submit(one, number) for number in range(CALLS)]
                wait_until(lambda: sum(each.done() for each in rest) > CALLS // 2, "half of them")
                stack.pools["execute"].signal(signal.SIGKILL)
                for each in rest:
                    each.result()
        wait_until(lambda: 0 <= totals()[0] - int(self.usage()[0]) <= 3 * 8, "all but a few counted")

    def test_no_byte_of_a_failure_is_relayed(self):
        """In whatever place a provider repeats its key."""
        for behaviour in ("key-in-status-401", "key-in-status-500", "key-in-error-0", "key-in-error-1", "headers", "html",
                          "redirect", "script", "half-event-3", "cut-event-3"):
            model = self.at(behaviour)
            for stream in (True,) if "event" in behaviour else (False, True):
                with self.subTest(behaviour=behaviour, stream=stream):
                    answer = self.ask(model, stream=stream)
                    self.assertNotIn(KEY, answer.text + str(answer.headers))
                    self.assertNotIn("set-cookie", answer.headers)
                    self.assertEqual(answer.headers["x-content-type-options"], "nosniff")
                    kinds = ("application/json; charset=utf-8", "text/event-stream; charset=utf-8")
                    self.assertIn(answer.headers["content-type"], kinds)
                    if behaviour != "headers" and not behaviour.startswith(("half", "cut")):
                        self.assertIn('"error"', answer.text)

    def test_a_token_opens_its_own_owners_models_alone(self):
        model = self.at()
        other = stack.newcomer()
        self.assertEqual(self.ask(model, token=access_token(other)).status, 404)
        limited = access_token(self.person, **{"Routes.messages": "true"})
        self.assertEqual(self.ask(model, token=limited).status, 403)
        slow = access_token(self.person, RequestsAMinute="1")
        self.assertEqual([self.ask(model, token=slow).status for _ in range(2)], [200, 429])
        spent = access_token(self.person, TokensADay="1", **{"Routes.chat": "true"})
        refused = self.ask(model, token=spent)
        self.assertEqual((refused.status, refused.json()["error"]["code"]), (402, "insufficient_quota"))
        self.assertEqual(refused.headers["x-should-retry"], "false")
        self.assertNotIn("retry-after", refused.headers)
        self.assertIn("more tokens than this access token has a day", refused.text)
        headers = {"Authorization": f"Bearer {spent}"}
        self.assertEqual(stack.visitor().get("/v1/models", headers).status, 200)
        self.assertEqual(self.ask(model, path=f"{CHAT}?token={self.token}", token="none").status, 401)

    def test_a_page_of_any_site_may_call_it_without_cookies(self):
        asked = {"Origin": "https://app.example", "Access-Control-Request-Headers": "authorization, x-stainless-os"}
        for path in (CHAT, "/v1/models"):
            answer = stack.visitor().request("OPTIONS", path, headers=asked)
            self.assertEqual(answer.status, 204)
            self.assertEqual(answer.headers["access-control-allow-headers"], asked["Access-Control-Request-Headers"])
            self.assertEqual(answer.headers["access-control-allow-methods"], "GET, POST")
        for last in (answer, self.ask(self.at()), self.ask("x", token="none")):
            told = [pair for pair in last.pairs if pair[0].lower() in ("access-control-allow-origin", "access-control-allow-credentials")]
            self.assertEqual(told, [("Access-Control-Allow-Origin", "*")])
        self.assertEqual(stack.visitor().request("OPTIONS", "/v1/unknown", headers=asked).status, 204)

    def test_a_slip_of_a_tool_gets_the_right_route_in_its_own_form(self):
        for path, right, form in (("/v1/v1/chat/completions", CHAT, "param"), ("/chat/completions", CHAT, "param"),
                                  (f"{CHAT}/", CHAT, "param"), ("/v1/v1/messages", MESSAGES, "request_id"),
                                  ("/openai/v1/chat/completions", CHAT, "param"), ("/v1beta/models", "/v1/models", "param"),
                                  ("/anthropic/v1/messages", MESSAGES, "request_id"),
                                  ("//v1/models", "/v1/models", "param"), ("/v1/unknown", "/v1/unknown", "param")):
            with self.subTest(path=path):
                answer = self.ask("x", path, body=json.dumps({"messages": "x" * 20_000}))
                self.assertEqual((answer.status, answer.headers.get("access-control-allow-origin")), (404, "*"), answer.text)
                self.assertIn(right, answer.json()["error"]["message"])
                self.assertIn(f'"{form}"', answer.text)
        self.assertEqual(self.ask("x", "/v1/v1/responses", body="{}").status, 400)

    def test_a_second_key_is_sent_no_idempotency_key(self):
        keys = "sk-refused-idempotent-1", "sk-second-idempotent-2"
        rotating(self.person, f"{stack.stub.url}/v1", keys, name="rotating", models=["stub-small"])
        body = json.dumps({"model": "rotating/stub-small", "messages": [{"role": "user", "content": "hello"}]})
        headers = {"Authorization": f"Bearer {self.token}", "Idempotency-Key": "one-order"}
        answer = stack.visitor().request("POST", CHAT, body, headers)
        self.assertEqual(answer.status, 200, answer.text)
        sent = [stack.stub.journal(key=key)[-1]["headers"].get("idempotency-key") for key in keys]
        self.assertEqual(sent, ["one-order", None])

    def test_a_larger_body_is_refused_in_the_words_of_the_api(self):
        connection = self.connect(self.head(34 * 2**20))
        answer = self.read_until(connection, b'"request_id"')
        for part in (b" 413 ", b"application/json", b'"error":{"type":"request_too_large"'):
            self.assertIn(part, answer)

    def test_a_web_socket_is_not_found(self):
        """Codex would ask five times again after 405."""
        headers = {"Authorization": f"Bearer {self.token}", "Connection": "Upgrade", "Upgrade": "websocket"}
        self.assertEqual(stack.visitor().get("/v1/responses", headers).status, 404)

    def test_a_caller_who_leaves_is_counted_by_an_estimate(self):
        model = self.at("silent-after-1")
        words = {"role": "user", "content": "hello, how are you today"}
        body = json.dumps({"model": model, "messages": [words], "stream": True})
        connection = self.connect(self.head(len(body)) + body)
        self.assertIn(b"data: ", self.read_until(connection, b"data: "))
        connection.close()
        wait_until(lambda: self.usage()[:3] == ["1", "1", "1"], "the call counted")

    def test_a_stream_that_is_silent_is_kept_open(self):
        """By a comment or Anthropic's ping, some 15 seconds after the last event."""
        streams = []
        for kind, path in (("generic-compatible", CHAT), ("anthropic", MESSAGES)):
            words = [{"role": "user", "content": "hello"}]
            body = json.dumps({"model": self.at("silent", kind=kind), "messages": words, "stream": True, "max_tokens": 9})
            streams.append(self.connect(self.head(len(body), path=path) + body))
        for each, sent in zip(streams, (b"\n: keep-alive\n", b'event: ping\ndata: {"type": "ping"}\n\n')):
            self.assertIn(sent, self.read_until(each, sent))
            each.close()

    def test_a_further_call_waits_for_a_slot(self):
        model, good = self.at("silent-after-1"), self.at()
        body = json.dumps({"model": model, "messages": [{"role": "user", "content": "hello"}], "stream": True})
        streams = [self.connect(self.head(len(body)) + body) for _ in range(32)]
        for each in streams:
            self.assertIn(b"data: ", self.read_until(each, b"data: "))
        refused = self.ask(good)  # after ten seconds
        self.assertEqual((refused.status, refused.json()["error"]["code"]), (429, "rate_limited"))
        self.assertIn("32 calls under way", refused.text)
        with ThreadPoolExecutor(1) as threads:
            late = threads.submit(self.ask, good)
            streams[0].close()
            self.assertEqual(late.result().status, 200)

    def test_memory_is_for_bodies_with_a_token(self):
        """Of 256 MiB an eighth is one person's. It is taken by what has come, and not by what was announced."""
        size = 32 * 1024 * 1024
        self.at()
        announced = [self.connect(self.head(size) + "{") for _ in range(20)]
        first = self.connect(self.head(size) + "{" + " " * (size * 5 // 8))
        wait_until(lambda: self.reserved() > size // 2, "a part of the first body")
        second = self.connect(self.head(size))
        with contextlib.suppress(OSError):  # it may be refused before all has been sent
            second.sendall(b" " * (size * 5 // 8))
        self.assertIn(b" 503 ", self.read_until(second, b"\r\n"))
        self.assertEqual(self.ask("none").status, 404)  # a small body needs none
        others = [self.connect(self.head(size, "ush_" + "0" * 66) + "{" * 100_000) for _ in range(20)]
        for each in others:
            self.assertIn(b" 401 ", self.read_until(each, b"\r\n"))
            each.close()
        for each in (first, second, *announced):
            each.close()
        wait_until(lambda: self.reserved() == 0, "all given back")

    @unless_sanitized("their runtimes keep freed memory for a while")
    def test_slow_bodies_of_others_keep_no_large_body_out(self):
        """Of four people, who have nearly all of the 128 MiB for bodies. The largest loses one that arrives for longest."""
        size, people = 32 * 1024 * 1024, [stack.newcomer() for _ in range(4)]
        for each in people:
            provider(each, f"{stack.stub.url}/v1", KEY, models=["stub-small"])
        tokens = list(map(access_token, people))
        for part, before in ((24, "most"), (30, "all")):
            slow = [self.connect(self.head(size, token) + "{" + " " * (part * 1024 * 1024)) for token in tokens]
            slow += [self.connect(self.head(size, token) + "{") for token in tokens for _ in range(4)]
            wait_until(lambda: self.reserved() > 4 * (part - 1) * 1024 * 1024, f"{before} of the memory to be taken")
            answer = self.ask(self.at(), user="x" * (9 * 1024 * 1024))
            self.assertEqual(answer.status, 200, answer.text)
            for each in slow:
                each.close()
            wait_until(lambda: self.reserved() == 0, "all given back")

    def test_large_bodies_of_the_page_share_that_memory(self):
        """Three bytes for each of a body of 9 MiB: of 32 MiB, no second one meanwhile. Small ones need none."""
        for behaviour in ("silent", ""):
            self.at(behaviour, model="sees")
        ids = [row["id"] for row in self.person.get("/user/providers/list").json()["providers"]]
        for each in ids:
            self.person.post(f"{ROUTE}/{each}/models/capabilities?modelId=sees", {"capabilities": "assistant,vision"})
        images = [{"type": "image/png", "data": base64.b64encode(png_of_size(3_500_000)).decode()}] * 2
        first = self.person.send(f"{ROUTE}/playground", ask(ids[0], "first-of-the-page", images=images))
        stack.stub.wait_for(lambda e: not e["ended"], marker="first-of-the-page")
        refused = self.person.post(f"{ROUTE}/playground", ask(ids[1], images=images))
        self.assertEqual((refused.status, refused.code), (503, "unavailable"), refused.text)
        self.assertEqual(self.person.post(f"{ROUTE}/playground", ask(ids[1])).status, 200)
        first.close()
        wait_until(lambda: self.person.post(f"{ROUTE}/playground", ask(ids[1], images=images)).status == 200, "room again")

    @unless_sanitized("their runtimes keep freed memory for a while")
    def test_a_hundred_large_bodies(self):
        """Of five people. Each has a part, and half of the memory is for all of them."""
        size, answers = 32 * 1024 * 1024, []
        tokens = [access_token(stack.newcomer()) for _ in range(5)]
        body = b'{"x":"' + b"a" * (size - 8) + b'"}'

        def send(number):
            connection, piece, answer = self.connect(self.head(size, tokens[number % 5]), f"127.0.7.{number + 1}"), 128 * 1024, b""
            for at in range(0, size, piece):
                connection.sendall(body[at:at + piece])
                connection.settimeout(0.001)
                with contextlib.suppress(TimeoutError):
                    answer = connection.recv(4096)
                connection.settimeout(30)
                if answer:
                    break
            answers.append((answer or self.read_until(connection, b"\r\n")).split()[1])

        with ThreadPoolExecutor(100) as threads:
            senders = threads.map(send, range(100))
            wait_until(lambda: b"503" in answers, "a refusal")
            self.assertEqual(self.ask("none").status, 404)
            list(senders)
        self.assertLessEqual(set(answers), {b"503", b"400"})
        answers.clear()
        send(0)
        self.assertEqual(answers, [b"400"])  # room again
        for pid in stack.pools["execute"].pids():
            lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
            peak = dict(line.split(":", 1) for line in lines)["VmHWM"]
            self.assertLess(int(peak.split()[0]), 256 * 1024)

    @staticmethod
    def reserved():
        text = stack.pools["execute"].ask()[1]
        return int(text.split("\nusershell_calls_reserved_bytes ")[1].split("\n")[0])

    def head(self, size, token=None, path=CHAT):
        return (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {token or self.token}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {size}\r\n\r\n")

    def connect(self, text, source="127.0.0.1"):
        context = ssl.create_default_context(cafile=stack.certificate.ca)
        plain = socket.create_connection(("127.0.0.1", stack.https_port), 30, (source, 0))
        connection = context.wrap_socket(plain, server_hostname="localhost")
        self.addCleanup(connection.close)
        connection.sendall(text.encode())
        return connection

    @staticmethod
    def read_until(connection, part):
        text, end = b"", time.monotonic() + 30
        while part not in text and time.monotonic() < end:
            piece = connection.recv(4096)
            if not piece:
                break
            text += piece
        return text
