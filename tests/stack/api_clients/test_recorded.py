"""Requests (recorded.txt) in the shape that Cursor, Cline, Continue and Zed give them, from their sources and documents,
with values of our own; and one whose bytes no writer of JSON would repeat. The provider gets each byte,
but for the model's name. All but the last have a token
for some models, without stored objects."""

import hashlib
import re
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from common import CLAUDE, MODEL, address, stub, trust

# {name: bytes} of recorded.txt: a line "== NAME" before each, and a line's end behind it.
_PARTS = re.split(rb"(?:^|\n)== (\w+)\n", (Path(__file__).parent / "recorded.txt").read_bytes()[:-1])
_RECORDED = {name.decode(): body for name, body in zip(_PARTS[1::2], _PARTS[2::2])}
CHAT, RESPONSES, MESSAGES = "/v1/chat/completions", "/v1/responses", "/v1/messages"
NODE = {"accept": "application/json", "user-agent": "OpenAI/JS 4.83.0", "x-stainless-lang": "js"}
BARE = {"content-type": "application/json"}
# {name: (route, headers, what its answer contains)}
REQUESTS = {
    "cursor_chat": (CHAT, BARE, "[DONE]"),
    "cline": (CHAT, NODE | {"http-referer": "https://cline.bot", "x-title": "Cline"}, "[DONE]"),
    "cline_reasoning": (CHAT, NODE, "[DONE]"),
    "continue_chat": (CHAT, NODE, "[DONE]"),
    "continue_autocomplete": ("/v1/completions", NODE, "[DONE]"),
    "continue_embeddings": ("/v1/embeddings", NODE, "0.5, -0.25"),
    "zed_chat": (CHAT, BARE, "[DONE]"),
    "zed_responses": (RESPONSES, BARE, "event: response.completed"),
    "zed_messages": (MESSAGES, BARE | {"anthropic-version": "2023-06-01"}, "event: message_stop"),
    "odd": (CHAT, BARE | {"content-type": "application/json; charset=utf-8"}, "echo: recorded odd"),
}


def post(at, route, body, headers):
    """(status, text) of that request, whose key is in the header of its protocol."""
    key = {"x-api-key": at["key"]} if route == MESSAGES else {"authorization": f"Bearer {at['key']}"}
    request = urllib.request.Request(at["base"] + route, body, {"content-type": "application/json", **headers, **key})
    try:
        with urllib.request.urlopen(request, timeout=60, context=trust()) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


class Recorded(unittest.TestCase):
    def sent(self, name, at, route, headers):
        """The bytes of that name, for the model at the address, and their answer."""
        body = _RECORDED[name]
        self.assertEqual(body.count(b'"MODEL"'), 1)
        model = at["claude" if route == MESSAGES else "model"]
        return body, *post(at, route, body.replace(b"MODEL", model.encode()), headers)

    def assert_arrived(self, body, entry):
        """The provider got those bytes, with the name by which it knows the model."""
        arrived = stub().body(entry)
        self.assertEqual(arrived, body.replace(b"MODEL", entry["model"].encode()))
        self.assertEqual(entry["sha256"], hashlib.sha256(arrived).hexdigest())

    def test_each_arrives_as_it_was_sent(self):
        for name, (route, headers, expected) in REQUESTS.items():
            with self.subTest(name=name):
                limits = {"StoredObjects": "true"} if name == "odd" else {"Models": f"open/{MODEL}\r\nclaude/{CLAUDE}"}
                at = address(f"key-of-{name}", **limits)
                body, status, text = self.sent(name, at, route, headers)
                self.assertEqual(status, 200, text)
                self.assertIn(expected, text)
                (entry,) = stub().journal(key=f"key-of-{name}")
                self.assertTrue(entry["path"].endswith(route.removeprefix("/v1")), entry["path"])
                self.assert_arrived(body, entry)

    def test_cursors_agent_takes_the_wrong_route(self):
        """It sends a response's body to chat; the provider refuses it, and says which member it lacks.
        A token without stored objects is told sooner."""
        self.assertIn("does not allow the member input.", self.sent("cursor_agent", address("key-cursor"), CHAT, BARE)[2])
        at = address("key-cursor-agent", StoredObjects="true")
        body, status, text = self.sent("cursor_agent", at, CHAT, BARE)
        self.assertEqual(status, 400)
        self.assertIn("Missing required parameter: 'messages'.", text)
        (entry,) = stub().journal(key="key-cursor-agent")
        self.assert_arrived(body, entry)
