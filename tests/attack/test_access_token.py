"""A thief with an access token of Eve, for which the operator has turned on /v1."""

import contextlib
import json
import socket
import ssl

import book
from harness.envelope import access_token_of
from harness.processes import wait_until
from harness.scenes import ACCESS, KEY, MODEL, PROFILE, ROUTE, access_token, listed, provider
from harness.suite import Later
from scene import Thief, the_scene

CHAT = "/v1/chat/completions"

scene, stack = Later(the_scene), Later(lambda: the_scene().stack)


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
        context = ssl.create_default_context(cafile=stack.certificate.ca)
        made = provider(scene.eve, f"{stack.stub.url}/half-of-a-large-event-7900/v1", KEY, name="Large")
        self.addCleanup(scene.eve.call, "DELETE", f"{ROUTE}/{made}")
        words = [{"role": "user", "content": "hello"}]
        body = json.dumps({"model": f"{listed(scene.eve, made)['handle']}/{MODEL}", "messages": words, "stream": True})
        head = f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {len(body)}\r\n"
        came = {}
        for _ in range(32):
            plain = socket.create_connection(("127.0.0.1", stack.https_port), timeout=30)
            tls = context.wrap_socket(plain, server_hostname="localhost")
            self.addCleanup(tls.close)
            tls.sendall(f"{head}Authorization: Bearer {self.token}\r\n\r\n{body}".encode())
            tls.settimeout(0.001)
            came[tls] = b""

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

    def test_headers(self):
        context = ssl.create_default_context(cafile=stack.certificate.ca)
        body = json.dumps({"model": self.model, "messages": [{"role": "user", "content": "smuggled"}]})
        for value in ("a\x01b", "a\x0bX-Api-Key: b", "a\rX-Api-Key: b", "ä\x7f"):
            with socket.create_connection(("127.0.0.1", stack.https_port), timeout=30) as plain:
                with context.wrap_socket(plain, server_hostname="localhost") as tls:
                    head = f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {len(body)}\r\n"
                    head += f"Authorization: Bearer {self.token}\r\nAnthropic-Beta: {value}\r\n\r\n{body}"
                    tls.sendall(head.encode("latin-1"))
                    self.assertIn(b" 400 ", tls.recv(4096).partition(b"\r\n")[0])
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

    def test_backup(self):
        access_token(scene.eve)
        row = stack.sql("SELECT encode(selector, 'hex') || ' ' || encode(verifier_hash, 'hex') FROM usershell.access_tokens LIMIT 1")
        selector, verifier_hash = (bytes.fromhex(part) for part in row.split())
        headers = {"Authorization": f"Bearer {access_token_of(selector, verifier_hash)}", "Content-Type": "application/json"}
        answer = stack.visitor().request("POST", CHAT, json.dumps({"model": MODEL, "messages": []}), headers)
        self.assertEqual(answer.status, 401)
        self.assertIn("not valid", answer.text)
        book.stopped(book.BACKUP, "make an access token of its row", "the row has a hash of what a program presents")
