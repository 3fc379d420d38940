"""The runner says no to what is wrong, else no case would prove anything."""

import json
import unittest

from runner.script import Script
from runner.verdict import CaseFailure, Reply

_HEAD = [("X-Request-Id", "r-1"), ("Cache-Control", "no-store"), ("Content-Type", "application/json; charset=utf-8")]
_THING = {"id": "0f8fad5b-d9cb-469f-a165-70867728950e", "name": "Ada", "list": [1, {"b": None}]}
_SESSION = ("Set-Cookie", "__Host-usershell-session=secret-session-token; Path=/")


class StandIn:
    """Answers /thing with a thing, and everything else with the body; a visit starts a session."""

    @staticmethod
    def facts():
        return {}

    def serve(self, _method, target, _headers, body, _source):
        text = json.dumps(_THING) if target == "/thing" else body.partition("&__Request")[0]
        head = _HEAD[:1] if target == "/cached" else _HEAD
        return Reply(200, [*head, _SESSION], text.encode())


GOOD = [
    'GET /thing => 200\n{"list": [1, "*"], "name": "Ada", "id": "<uuid>"}\nlacks Bob\n< no Location',
    'GET /thing\n=> 200\n{"name": "<text>", "more": "<none>",\n ...\n}\nsave n = json name\nkeep m = n\nsame n m',
]
BAD = [
    "GET /thing => 201", "GET /thing => 200 missing_field name", "GET /thing => 200 page", "GET /thing => 200 /x",
    'GET /thing => 200\n{"name": "Ada"}', 'GET /thing => 200\n{"name": "Bob", ...}',
    'GET /thing => 200\n{"x": "*", ...}',
    'GET /thing => 200\n{"list": [1], ...}', 'GET /thing => 200\n{"list": [true, "*"], ...}',
    'GET /thing => 200\n{"id": "<time>", ...}', 'GET /thing => 200\n{"name": "<none>", ...}',
    "GET /thing => 200\n< Content-Type: text/*", "GET /thing => 200\n< no content-type", "GET /thing => 200\nis empty",
    "GET /thing => 200\ncontains Bob", "GET /thing => 200\nlacks Ada", "GET /thing => 200\nsave t = token",
    'POST /echo {"apiKey": "sk-echoed"} > token t => 200', 'POST /echo {"a": "secret-session-token"} > token t => 200',
    "GET /cached => 200", "with s = 200 | 204\nGET /thing => ${s}", "GET /thing?${unknown} => 200", "nonsense",
    "GET /thing => 200\nsave n = json name\nkeep m = n\ndiffer n m", "GET /thing => 200\nhas Ada",
]  # fmt: skip


def run(text):
    Script(StandIn()).run([("x.case:1", line) for line in text.split("\n")])


class Runner(unittest.TestCase):
    def test_says_yes_and_no(self):
        for text in GOOD:
            run(text)
        for text in BAD:
            with self.subTest(text=text), self.assertRaisesRegex(CaseFailure, "^x.case:1: "):
                run(text)
