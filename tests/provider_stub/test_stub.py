"""The stub's own test, of what others lean on. What each format says: stack/calls/test_protocols.py, by every type."""

import contextlib
import http.client
import json
import socket
import ssl
import subprocess
import sys
import time
import unittest
from pathlib import Path

MESSAGE = "alpha beta gämma"
TEXT = "echo: alpha beta gämma"
OPENAI = {"model": "m", "messages": [{"role": "user", "content": MESSAGE}]}


def setUpModule():
    global stub, facts
    stub = subprocess.Popen(
        [sys.executable, "-B", "-m", "provider_stub", "--tls-port", "0"],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).resolve().parents[1],
    )
    facts = json.loads(stub.stdout.readline())


def tearDownModule():
    stub.terminate()
    stub.stdout.close()
    assert stub.wait(10) == 0


def call(method, path, body=None, key="good", **headers):
    """(status, headers, bytes) of one call on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", facts["port"], timeout=10)
    headers.setdefault("Authorization", f"Bearer {key}")
    with contextlib.closing(connection):
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        with connection.getresponse() as response:
            return response.status, dict(response.getheaders()), response.read()


def chat(prefix, stream=True, key="good", **extra):
    body = {**OPENAI, "stream": stream, **extra}
    return call("POST", f"{prefix}/v1/chat/completions", body, key)


def events(data):
    lines = data.decode().replace("\r\n", "\n").split("\n")
    return [line[6:] for line in lines if line.startswith("data: ")]


def openai_text(data):
    parsed = [json.loads(e) for e in events(data) if e != "[DONE]"]
    choices = [p["choices"][0] for p in parsed if p.get("choices")]
    return "".join(c["delta"].get("content", "") for c in choices)


def journal(marker="", path=""):
    return json.loads(call("GET", f"/_journal?marker={marker}&path={path}")[2])


class Keys(unittest.TestCase):
    def test_each_is_answered_by_its_text(self):
        expected = {"refused": 401, "forbidden": 403, "broke": 429, "limited-7": 429, "limited": 429}
        for key, status in expected.items():
            got, headers, data = chat("", key=key)
            self.assertEqual((got, "error" in json.loads(data)), (status, True), key)
            self.assertEqual(headers.get("Retry-After"), "7" if "7" in key else None)


class Behaviours(unittest.TestCase):
    def test_streams_that_end_well(self):
        for name in ("slow-5", "drip-0", "empty-choices", "reasoning"):
            status, _, data = chat(f"/{name}")
            self.assertEqual((status, openai_text(data), events(data)[-1]), (200, TEXT, "[DONE]"), name)

    def test_answers_that_are_no_help(self):
        expected = {"status-503": 503, "unknown-model": 404, "context-too-long": 400}
        expected |= {"content-filter": 400, "html": 200, "redirect": 302, "empty": 200, "rant": 418}
        for name, status in expected.items():
            self.assertEqual(chat(f"/{name}")[0], status, name)
        self.assertIn("error", events(chat("/error-in-stream")[2])[-1])

    def test_redirects(self):
        path = "/v1/chat/completions"
        self.assertEqual(chat("/redirect")[1]["Location"], path)
        self.assertEqual(chat("/redirect-99")[1]["Location"], f"http://127.0.0.1:99{path}")

    def test_reasoning_with_few_tokens_says_nothing(self):
        choice = json.loads(chat("/reasoning", stream=False, max_tokens=5)[2])["choices"][0]
        self.assertEqual((choice["message"]["content"], choice["finish_reason"]), ("", "length"))

    def test_connections_that_break(self):
        for name, error in (
            ("reset", ConnectionResetError), ("reset-after-1", ConnectionResetError),
            ("cut-after-2", http.client.IncompleteRead), ("garbage", http.client.BadStatusLine),
            ("no-answer", http.client.RemoteDisconnected), ("endless-head", http.client.HTTPException),
        ):  # fmt: skip
            with self.assertRaises(error, msg=name):
                chat(f"/{name}")

    def test_huge(self):
        self.assertGreater(len(chat("/huge-3")[2]), 3 * 1024 * 1024 - 100_000)
        self.assertEqual(len(json.loads(chat("/huge-3", stream=False)[2])["padding"]), 3 << 20)

    def test_tls_with_a_certificate_nobody_trusts(self):
        with socket.create_connection(("127.0.0.1", facts["tls_port"])) as plain:
            with self.assertRaises(ssl.SSLCertVerificationError):
                ssl.create_default_context().wrap_socket(plain, server_hostname="localhost")


class Scripts(unittest.TestCase):
    def test_the_same_is_said_to_everybody(self):
        self.addCleanup(call, "POST", "/_script", {})
        call("POST", "/_script", {"way": "refused", "text": "No."})
        self.assertEqual(chat("", key="one")[::2], chat("/slow", key="limited")[::2])
        call("POST", "/_script", {"way": "late", "text": "A longer text."})
        self.assertIn("A longer text.", events(chat("")[2])[-1])
        call("POST", "/_script", {"way": "answer", "text": "A longer text.", "cut": 40})
        with self.assertRaises(http.client.IncompleteRead):
            chat("")


class Record(unittest.TestCase):
    def test_who_asked_what(self):
        call("POST", "/v1/messages", {**OPENAI, "messages": [{"role": "user", "content": "who-1"}]},
             **{"x-api-key": "k-1", "Authorization": ""})  # fmt: skip
        entry = journal("who-1")[0]
        self.assertEqual((entry["model"], entry["message"]), ("m", "who-1"))
        self.assertEqual((entry["ended"], entry["endedBy"]), (True, "us"))

    def leave_after(self, name, marker, wait_for_bytes):
        body = {**OPENAI, "stream": True, "messages": [{"role": "user", "content": marker}]}
        data = json.dumps(body).encode()
        head = f"POST /{name}/v1/chat/completions HTTP/1.1\r\nContent-Length: {len(data)}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", facts["port"])) as caller:
            caller.sendall(head.encode() + data)
            if wait_for_bytes:
                caller.recv(200)
            while not journal(marker):
                time.sleep(0.005)
            self.assertFalse(journal(marker)[0]["ended"])
        deadline = time.monotonic() + 5
        while not journal(marker)[0]["ended"] and time.monotonic() < deadline:
            time.sleep(0.005)
        self.assertEqual(journal(marker)[0]["endedBy"], "peer")

    def test_notices_who_leaves(self):
        for name in ("silent", "silent-after-2", "slow-3000", "endless-line", "pings"):
            self.leave_after(name, f"left-{name}", name != "silent")
        self.assertEqual(journal("left-silent-after-2")[0]["tokens"], 2)
