"""A thief with an access token of Eve, for which the operator has turned on /v1."""

import collections
import contextlib
import json
import re
import socket
import ssl
from pathlib import Path

import book
from harness.client import together
from harness.envelope import access_token_of
from harness.processes import wait_until
from harness.scenes import ACCESS, KEY, MODEL, PROFILE, ROUTE, access_token, id_of, listed, provider
from harness.suite import Later
from scene import Thief, the_scene

CHAT = "/v1/chat/completions"

scene, stack = Later(the_scene), Later(lambda: the_scene().stack)


def was_refused(tls):
    """By usershell-execute: nginx closes a body that pauses for ten seconds without a word."""
    tls.setblocking(False)
    try:
        return b" 503 " in tls.recv(4096)
    except ssl.SSLWantReadError:
        return False


def times_of_threads():
    """The processor time that usershell-execute has taken, by the threads' names."""
    times = collections.Counter()
    for pid in stack.pools["execute"].pids():
        for thread in Path(f"/proc/{pid}/task").iterdir():
            name, time = (thread.joinpath(file).read_text(encoding="ascii") for file in ("comm", "schedstat"))
            times[name.strip()] += int(time.split()[0])
    return times


class Holder(Thief):
    """Eve's model by her token; a limited token has the chat alone."""

    who = book.TOKEN

    @classmethod
    def setUpClass(cls):
        cls.token = access_token(scene.eve)
        cls.model = f"{listed(scene.eve, scene.eves)['handle']}/{MODEL}"

    def ask(self, body, path=CHAT, token=None, **headers):
        body = body if isinstance(body, str) else json.dumps({"messages": [{"role": "user", "content": "hello"}], **body})
        headers = {"Authorization": f"Bearer {token or self.token}", "Content-Type": "application/json", **headers}
        return stack.visitor().request("POST", path, body, headers)

    def begin(self, body, token=None, sent=None, source="127.0.0.1", more="", coding=None):
        """The connection of a request with that body, of which `sent` has gone."""
        body = body if isinstance(body, bytes) else json.dumps({"messages": [{"role": "user", "content": "hello"}], **body}).encode()
        head = f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{coding or f'Content-Length: {len(body)}'}\r\n"
        context = ssl.create_default_context(cafile=stack.certificate.ca)
        plain = socket.create_connection(("127.0.0.1", stack.https_port), 30, (source, 0))
        tls = context.wrap_socket(plain, server_hostname="localhost")
        self.addCleanup(tls.close)
        head = f"{head}Authorization: Bearer {token or self.token}\r\n{more}\r\n".encode("latin-1")
        tls.sendall(head + (body if sent is None else sent))
        return tls

    def test_others_models(self):
        before = len(stack.stub.journal())
        handle = listed(scene.ada, scene.adas)["handle"]
        for name in (f"{handle}/{MODEL}", f"{scene.adas}/{MODEL}", f"{scene.ada_id}/{handle}/{MODEL}"):
            self.assertEqual(self.ask({"model": name}).status, 404)
        self.assertEqual(len(stack.stub.journal()), before)
        self.stopped("call a model of Ada's provider", "a name is looked up among the token's owner's providers")

    def test_pages(self):
        client, headers = stack.visitor(), {"Authorization": f"Bearer {self.token}", "x-api-key": self.token}
        for path in (ROUTE, f"{ROUTE}/list", PROFILE, ACCESS, f"{ACCESS}/usage.csv"):
            self.assertIn(client.get(path, headers).status, (302, 401), path)
        self.stopped("read a page, the list of providers or the usage", "pages take cookies alone")
        made = client.request("POST", ACCESS, f"Name=x&CurrentPassword={scene.eve.password}", headers)
        self.assertNotIn("new-token", made.text)
        self.stopped("make a token", "pages take cookies alone")

    def test_limits(self):
        other = provider(scene.eve, scene.base_url, KEY, name="Other", models=["stub-large"])
        self.addCleanup(scene.eve.call, "DELETE", f"{ROUTE}/{other}")
        limits = {"Models": self.model, "Routes.chat": "true", f"Providers.{scene.eves}": "true", "TokensADay": "1000000"}
        limited = access_token(scene.eve, **limits)
        self.assertEqual(self.ask({"model": self.model}, token=limited).status, 200)
        book.can(book.TOKEN, "call its owner's models within its limits, until it is revoked or ends")
        for body, path, status in (
            ({"model": "other/stub-large"}, CHAT, 404),
            ({"model": self.model, "input": "x"}, "/v1/responses", 403),
            ({"model": self.model, "models": ["other/stub-large"]}, CHAT, 400),
            ({"model": self.model, "FallBacks": ["stub-large"]}, CHAT, 400),
            ({"model": self.model, "tools": [{"type": "x", "model": "stub-large"}]}, CHAT, 400),
            ({"model": self.model, "previous_response_id": "resp_1"}, CHAT, 400),
            ({"model": self.model, "tools": [{"type": "openrouter:subagent", "parameters": {"model": "stub-large"}}]}, CHAT, 400),
            ({"model": self.model, "metadata": {"model": "stub-large"}}, CHAT, 400),
            ({"model": self.model, "providerOptions": {"gateway": {"models": ["stub-large"]}}}, CHAT, 400),
            ({"model": self.model, "user_config": {"model_list": []}}, CHAT, 400),
            ({"model": self.model, "extra_body": {"previous_response_id": "resp_1"}}, CHAT, 400),
            ({"model": self.model, "messages": [{"role": "assistant", "audio": {"id": "audio_1"}}]}, CHAT, 400),
        ):
            self.assertEqual(self.ask(body, path, limited).status, status, body)
        self.stopped("reach a model, a route or a stored object that the token does not have",
                     "its limits are checked in the statement that begins the call, and the body is held to lists of members")  # fmt: skip

    def test_stored_objects(self):
        said = {"role": "assistant", "content": "x"}
        for item in ('{"type":"item_reference","id":"msg_1"}', '{"type":"item\\u005freference","id":"msg_1"}', '{"id":"msg_1"}',
                     '{"id":"msg_1","role":"","content":[]}', '{"type":null,"id":"msg_1"}'):  # fmt: skip
            answer = self.ask(f'{{"model":"{self.model}","input":[{json.dumps(said)},{item}]}}', "/v1/responses")
            self.assertEqual(answer.status, 400, item)
            self.assertIn("Send it whole, with \u201cstore\u201d false, or make a token that may use stored objects", answer.json()["error"]["message"])
        self.stopped("have a provider add what it has stored, by an item that is not whole",
                     "an item is held to a list of types and their members, all compared decoded")  # fmt: skip

    def test_a_second_model(self):
        other = '"stub-large"'
        for second in (f'"model\\u0000":{other}', f'"model":{other}', f'"MODEL":{other}', f'"\\u006dodel":{other}', f'"mo\\u0064el":{other}'):
            for body in (f'{{"model":"{self.model}",{second},"messages":[]}}', f'{{{second},"model":"{self.model}","messages":[]}}'):
                self.assertEqual(self.ask(body).status, 400, body)
        for model in ('{"model":"x"}', '["x"]', "null", "1"):
            self.assertEqual(self.ask(f'{{"model":{model},"messages":[]}}').status, 400, model)
        self.stopped("name a second model in a spelling that another parser takes",
                     "one scanner over the raw bytes, which refuses every second one")  # fmt: skip

    def test_memory(self):
        """32 streams, each with an event that does not end: twice what one person may have."""
        made = provider(scene.eve, f"{stack.stub.url}/half-of-a-large-event-7900/v1", KEY, name="Large")
        self.addCleanup(scene.eve.call, "DELETE", f"{ROUTE}/{made}")
        body = {"model": f"{listed(scene.eve, made)['handle']}/{MODEL}", "stream": True}
        came = {self.begin(body): b"" for _ in range(32)}
        for tls in came:
            tls.settimeout(0.001)

        def end_some():
            for tls in came:
                with contextlib.suppress(TimeoutError):
                    came[tls] += tls.recv(4096)
            return any(b"too much memory" in text for text in came.values())

        wait_until(end_some, "a stream beyond the share to end")
        handle = listed(scene.ada, scene.adas)["handle"]
        self.assertEqual(self.ask({"model": f"{handle}/{MODEL}"}, token=access_token(scene.ada)).status, 200)
        self.stopped("keep so much memory by answers that others are refused",
                     "each byte is reserved in its user's share before it is kept")  # fmt: skip

    def test_announced_bodies(self):
        """Of four accounts: as many bodies as a process has room for, of each a little."""
        size, people = 32 * 1024 * 1024, [stack.newcomer() for _ in range(5)]
        for each in people:
            provider(each, scene.base_url, KEY, name="Small")
        token, *tokens = map(access_token, people)
        late = [self.begin(b" " * size, token, b'{"x":"' + b" " * 200_000, f"127.0.8.{number + 1}")
                for number in range(6) for token in tokens]  # fmt: skip
        wait_until(lambda: int(re.search(r"(?m)^usershell_calls_reserved_bytes (\d+)$", stack.pools["execute"].ask()[1])[1]) >= 24 * 64 * 1024,
                   "the bodies' beginnings")  # fmt: skip
        answer = self.ask({"model": f"small/{MODEL}", "user": "x" * 4_000_000}, token=token)
        self.assertEqual(answer.status, 200, answer.text)
        self.assertFalse(any(map(was_refused, late)))  # nobody had to go
        self.stopped("keep other people's calls out by bodies that are announced and do not come",
                     "memory is taken by what has come")  # fmt: skip

    def test_the_day(self):
        """400 tokens each, of a day of 1,000."""
        made = provider(scene.eve, f"{stack.stub.url}/silent-after-1/v1", KEY, name="Silent")
        self.addCleanup(scene.eve.call, "DELETE", f"{ROUTE}/{made}")
        body = {"model": f"{listed(scene.eve, made)['handle']}/{MODEL}", "stream": True, "max_tokens": 400}
        text = json.dumps({**body, "messages": [{"role": "user", "content": "hello"}]}).encode()
        limited, coding = access_token(scene.eve, TokensADay="1000"), "Transfer-Encoding: chunked"
        calls = [self.begin(text, limited, b"%x\r\n%s\r\n0\r\n\r\n" % (len(text), text), coding=coding) for _ in range(8)]
        begun = sum(b" 200 " in tls.recv(4096).partition(b"\r\n")[0] for tls in calls)
        self.assertIn(begun, (1, 2))
        for tls in calls:
            tls.close()
        self.stopped("use a day's tokens many times over by calls at once, with bodies of unknown length",
                     "what a call may take is reserved under a lock of its token")  # fmt: skip

    def test_pages_of_much_usage(self):
        client = stack.newcomer()
        token = access_token(client)
        row = ("SELECT u.id, usershell.utc_day() - n % 400, t.id, gen_random_uuid(), 'm', 1, 0, 0, 1, 1 FROM generate_series(1, 120000) n, "
               f"usershell.users u JOIN usershell.access_tokens t ON t.owner_id = u.id WHERE u.email = '{client.email}'")  # fmt: skip
        stack.sql(f"INSERT INTO usershell.usage {row}")
        tabs = [client.clone() for _ in range(8)]
        shown = together(*(lambda tab=tab: tab.get(ACCESS).status for tab in tabs),
                         *(lambda: stack.visitor().get("/auth/login").status for _ in range(4)))  # fmt: skip
        self.assertEqual((set(shown[:8]) - {503}, shown[8:]), ({200}, [200] * 4))
        self.assertEqual(client.get(f"{ACCESS}/usage.csv").status, 200)
        self.assertEqual(self.ask({"model": "none"}, token=token).status, 404)
        self.stopped("make the page of usage fail, and with it the sign-in page, by more than a hundred thousand rows",
                     "the newest 50,000 are read, in the order of their key")  # fmt: skip

    def test_headers(self):
        body = {"model": self.model, "messages": [{"role": "user", "content": "smuggled"}]}
        for value in ("a\x01b", "a\x0bX-Api-Key: b", "a\rX-Api-Key: b", "ä\x7f"):
            answer = self.begin(body, more=f"Anthropic-Beta: {value}\r\n").recv(4096)
            self.assertIn(b" 400 ", answer.partition(b"\r\n")[0])
        self.assertEqual(stack.stub.journal(marker="smuggled"), [])
        self.stopped("smuggle a header to the provider by a control character", "headers that go on are visible ASCII")

    def test_key_in_an_answer(self):
        for behaviour in ("key-in-status-401", "key-in-error-0", "key-in-error-1", "headers",
                          *(f"key-in-answer-{form}" for form in range(7))):  # fmt: skip
            made = provider(scene.eve, f"{stack.stub.url}/{behaviour}/v1", KEY, name=behaviour)
            for stream in (False, True):
                answer = self.ask({"model": f"{listed(scene.eve, made)['handle']}/{MODEL}", "stream": stream})
                self.assertNotIn(KEY, answer.text + str(answer.headers))
                self.assertNotIn("Bad key " + KEY[:4], answer.text)
                if behaviour != "headers":
                    self.assertIn("error", answer.text)
                self.assertNotIn("127.0.0.1", answer.text)  # the provider's host
            scene.eve.call("DELETE", f"{ROUTE}/{made}")
        self.stopped("read the key that a provider repeats in an error or a header",
                     "a failure is our sentence, and headers are an allow-list")  # fmt: skip

    def test_numbers(self):
        """A provider tells of more tokens than a number has room for."""
        client = stack.newcomer()
        provider(client, scene.base_url, KEY, name="Plain")
        token, limited = access_token(client), access_token(client, TokensADay="1000000000")
        ended = f"SELECT count(id) FROM usershell.calls WHERE owner_id = '{id_of(stack, client)}'"
        for number in (2**31, 2**63, 2**64, 10**30):
            made = provider(client, f"{stack.stub.url}/cached-{number}/v1", KEY, name=f"Of {number}")
            model = f"{listed(client, made)['handle']}/{MODEL}"
            for more in ({}, {"stream": True, "stream_options": {"include_usage": True}}):
                self.assertEqual(self.ask({"model": model, **more}, token=token).status, 200)
                wait_until(lambda: stack.sql(ended) == "0", "the call's end in the store")
        self.assertEqual([self.ask({"model": model}, token=limited).status for _ in range(2)], [200, 402])
        self.assertEqual(self.ask({"model": f"plain/{MODEL}"}, token=token).status, 200)
        self.assertEqual([client.get(path).status for path in (ACCESS, f"{ACCESS}/usage.csv")], [200, 200])
        book.stopped(book.PROVIDER, "keep a call's place, and break its owner's page, by tokens beyond 64 bits",
                     "a provider's numbers are held to bounds where they are read")  # fmt: skip

    def test_large_events(self):
        """Who parses them: each thread has a clock of its own. Without the work on an event the threads for answers take nothing."""
        made = provider(scene.eve, f"{stack.stub.url}/large-event-7500/v1", KEY, name="Large events")
        self.addCleanup(scene.eve.call, "DELETE", f"{ROUTE}/{made}")
        before = times_of_threads()
        answer = self.ask({"model": f"{listed(scene.eve, made)['handle']}/{MODEL}", "stream": True})
        self.assertGreater(len(answer.body), 7500 * 1024)
        taken = {name: time - before.get(name, 0) for name, time in times_of_threads().items()}
        self.assertGreater(taken["answer"], taken["loop"] / 20)  # that moves the bytes
        book.stopped(book.PROVIDER, "have everybody wait while an event of 8 MiB is parsed", "other threads than the event loop parse large events")

    def test_after_its_end(self):
        client = stack.newcomer()
        provider(client, scene.base_url, KEY, name="Ends")
        token = access_token(client)
        self.assertEqual(self.ask({"model": MODEL}, token=token).status, 200)
        for word in ("disable", "enable"):
            stack.ctl("user", word, client.email)
        self.assertEqual(self.ask({"model": MODEL}, token=token).status, 401)
        self.stopped("go on after a security event of its owner", "the security stamp that the token carries")


class Others(Thief):
    def test_stranger(self):
        body = json.dumps({"model": MODEL, "messages": []})
        token = access_token(scene.eve)
        for client, path in ((scene.eve, CHAT), (stack.visitor(), f"{CHAT}?key={token}&api_key={token}&token={token}")):
            answer = client.request("POST", path, body, {"Content-Type": "application/json"})
            self.assertEqual(answer.status, 401)
        book.stopped(book.STRANGER, "call by a cookie, or by a token in the query", "a token in one of two headers alone")

    def test_session(self):
        client = stack.sign_in(scene.eve)
        self.addCleanup(client.close)
        fields = {"Name": "thief", "Days": "1", "RequestsAMinute": "60"}
        for more in ({}, {"CurrentPassword": ""}, {"CurrentPassword": "wrong"}):
            self.assertNotIn("new-token", client.form(ACCESS, fields | more).text)
        book.stopped(book.SESSION, "make an access token", "the password, in the same form")
        token = "0f8fad5b-d9cb-469f-a165-70867728950e"
        access_token(scene.eve, TokenId=token, RequestsAMinute="1")
        client = stack.sign_in(scene.eve)
        self.addCleanup(client.close)
        self.assertEqual(client.form(f"{ACCESS}/{token}/disable", {}, page=ACCESS).status, 303)
        row = f"SELECT row(t.*) FROM usershell.access_tokens t WHERE id = '{token}'"
        before = stack.sql(row)
        wider = {"Name": "n", "Life": "365", "RequestsAMinute": "6000", "LaterProviders": "true", "StoredObjects": "true"}
        selector = re.search(r'name="Selector" value="([\w-]+)"', client.get(f"{ACCESS}/{token}").text)[1]
        for path, fields in (("", wider), ("/renew", {"Selector": selector, "Overlap": "168"}), ("/enable", {})):
            self.assertIn("Enter your password.", client.form(f"{ACCESS}/{token}{path}", fields, page=ACCESS).text)
        self.assertEqual(stack.sql(row), before)
        book.stopped(book.SESSION, "widen, lengthen, renew or switch on an access token", "a proof, in the same form")

    def test_backup(self):
        access_token(scene.eve)
        row = stack.sql("SELECT encode(selector, 'hex') || ' ' || encode(verifier_hash, 'hex') FROM usershell.access_tokens LIMIT 1")
        selector, verifier_hash = (bytes.fromhex(part) for part in row.split())
        headers = {"Authorization": f"Bearer {access_token_of(selector, verifier_hash)}", "Content-Type": "application/json"}
        answer = stack.visitor().request("POST", CHAT, json.dumps({"model": MODEL, "messages": []}), headers)
        self.assertEqual(answer.status, 401)
        self.assertIn("not valid", answer.text)
        book.stopped(book.BACKUP, "make an access token of its row", "the row has a hash of what a program presents")
