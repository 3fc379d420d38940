"""The runner's own test: against a stand-in that always answers the same, it says yes to what is right
and no, naming file and line, to every kind of expectation that is wrong."""

import json
import unittest

from runner.case_file import CaseFailure, read_cases
from runner.script import Script
from runner.verdict import Reply

_HTML, _JSON = "text/html; charset=utf-8", "application/json; charset=utf-8"
_TOKEN = '<!doctype html><input name="__RequestVerificationToken" value="t0k3n">'
_SESSION = ("Set-Cookie", "__Host-usershell-session=secret-session-token; Path=/")
_ERROR = {"error": "No.", "code": "missing_field", "field": "name", "requestId": "r-1"}
_THING = {"id": "0f8fad5b-d9cb-469f-a165-70867728950e", "name": "Ada", "list": [1, {"b": None}]}
# path: (status, Content-Type, body)
_ANSWERS = {
    "/thing": (200, _JSON, json.dumps(_THING)),
    "/missing": (400, _JSON, json.dumps(_ERROR)),
    "/page-error": (404, _HTML, "<!doctype html><p>404, request r-1"),
    "/mislabelled": (200, _HTML, "{}"),
    "/cached": (200, _JSON, "{}"),
    "/nothing": (204, "", ""),
    "/user/providers": (200, _HTML, _TOKEN),
    "/auth/login": (200, _HTML, _TOKEN),
}


class StandIn:
    """Lets everybody sign in; answers /echo with the body."""

    def __init__(self):
        self.seen = []
        self.held = 0
        self.statements = []
        self.sql = self.statements.append

    def facts(self):
        return {"origin": "https://stand-in.example"}

    def new_person(self, name):
        return f"{name.lower()}@example.com", f"password-of-{name}"

    def hold_calls(self, _person, count):
        self.held += count

    def next_link(self, address):
        return f"/confirm?to={address}&token=t"

    def more_mail(self, address):
        return int(address == "pestered@example.com")

    def serve(self, method, target, headers, body, source):
        self.seen.append((method, target, dict((n.lower(), v) for n, v in headers), body, source))
        path = target.partition("?")[0]
        head = [
            ("X-Request-Id", "r-1"),
            ("Cache-Control", "public" if path == "/cached" else "no-store"),
        ]
        if (method, path) == ("POST", "/auth/login"):
            return Reply(302, [*head, ("Location", "/user/providers"), _SESSION], b"")
        status, kind, text = _ANSWERS.get(path, (200, _JSON, body))
        return Reply(status, [*head, ("Content-Type", kind)], text.encode())


# (the case without its title, the line at which it fails or None). The title is line 1.
RUNS = [
    ("GET /thing\n=> 200", None),
    ("GET /thing\n=> 201", 3),
    ("GET /thing => 200", None),
    ("GET /thing => 201", 2),
    ("POST /nothing {} > token x in header > X: y => 204", None),
    ('POST /echo {"a": [1, "b c"]} => 200\n{"a": [1, "b c"]}', None),
    ("GET /nothing\n=> 204\nis empty", None),
    ("GET /thing\n=> 200\nis empty", 4),
    ("GET /missing\n=> 400 missing_field name", None),
    ("GET /missing\n=> 400 missing_field", 3),
    ("GET /missing\n=> 400 missing_field names", 3),
    ("GET /missing\n=> 400 invalid_field name", 3),
    ("GET /thing\n=> 200 missing_field name", 3),
    ("GET /page-error\n=> 404 page", None),
    ("GET /missing\n=> 400 page", 3),
    ("POST /auth/login\n=> 302 /user/*", None),
    ("POST /auth/login\n=> 302 /elsewhere", 3),
    ("GET /thing\n=> 200 /user/providers", 3),
    ('GET /thing\n=> 200\n{"list": [1, {"b": null}], "name": "Ada", "id": "<uuid>"}', None),
    ('GET /thing\n=> 200\n{"name": "<text>",\n "list": ["<number>", "*"],\n ...\n}', None),
    ('GET /thing\n=> 200\n{"name": "Ada"}', 4),
    ('GET /thing\n=> 200\n{"name": "Bob", ...}', 4),
    ('GET /thing\n=> 200\n{"nickname": "*", ...}', 4),
    ('GET /thing\n=> 200\n{"list": [1], ...}', 4),
    ('GET /thing\n=> 200\n{"list": [true, "*"], ...}', 4),
    ('GET /thing\n=> 200\n{"list": [1, {}], ...}', 4),
    ('GET /thing\n=> 200\n{"name": "<uuid>", ...}', 4),
    ('GET /thing\n=> 200\n{"id": "<time>", ...}', 4),
    ('GET /thing\n=> 200\n{"id": "<number>", ...}', 4),
    ("GET /thing\n=> 200\n{no json}", 4),
    ("GET /page-error\n=> 404\n{...}", 4),
    ("GET /thing\n=> 200\n< Content-Type: application/json*\n< no Location", None),
    ("GET /thing\n=> 200\n< Content-Type: text/*", 4),
    ("GET /thing\n=> 200\n< Location: *", 4),
    ("GET /thing\n=> 200\n< no content-type", 4),
    ('GET /thing\n=> 200\ncontains "Ada"\nlacks Bob', None),
    ("GET /thing\n=> 200\ncontains Bob", 4),
    ("GET /thing\n=> 200\nlacks Ada", 4),
    ("GET /cached\n=> 200", 3),
    ("GET /mislabelled\n=> 200", 3),
    ('POST /echo\n{"apiKey": "sk-echoed"}\n=> 200', 4),
    ('POST /echo\n{"apiKey": "short"}\n=> 200', None),
    ('as ada\nPOST /echo\n{"was": "${ada.password}"}\n=> 200', 5),
    ('as ada\nPOST /echo\n{"cookie": "secret-session-token"}\n=> 200', 5),
    ("GET /thing\n=> 200\nsave n = json name\nkeep m = n\nsame n m", None),
    ("GET /thing\n=> 200\nsave n = json name\nkeep m = n\ndiffer n m", 6),
    ("GET /thing\n=> 200\nsave n = json nobody", 4),
    ("GET /thing\n=> 200\nsave n = token", 4),
    ("GET /thing\n=> 200\nsave n = header ETag", 4),
    ("GET /thing?${unknown}\n=> 200", 2),
    ("with p | s\n  thing | 200\n  nothing | 204\nGET /${p}\n=> ${s}", None),
    ("with p\n  thing\n  nothing\nGET /${p}\n=> 200", 6),
    ("with p = thing | nothing\nGET /${p} => 200", 3),
    ("mail a@b.example\nPOST ${link}\n{}\n=> 200\nGET /thing?${link.token}\n=> 200", None),
    ("unmailed pestered@example.com\nGET /thing\n=> 200", 2),
    ('as ada, nobody\nPOST /echo {"was": "secret-session-token"} => 200', 3),
    ("hold 8 calls\nGET /thing\n=> 200", 2),
    ("as ada\ngiven house h\nGET /thing\n=> 200", 3),
]
# Texts that are no case.
UNREADABLE = [
    "", "GET /thing\n=> 200", "--- x", "--- x\nas ada", "--- x\nGET /thing", "--- x\nFETCH /thing\n=> 200",
    "--- x\nGET /thing\n=> fine", "--- x\nGET /thing\n=> 200\nhas Ada", "--- x\nGET /a\n> nonsense\n=> 200",
    "--- x\nPOST /a\n> token in pocket\n=> 200", "--- x\nwith a | b\n  1\nGET /a\n=> 200",
    "--- x\nwith a\nGET /a\n=> 200", "--- x\nrepeat 0\nGET /a\n=> 200",
    "--- x\nGET /a\n=> 200\nsave a = body", "--- x\nGET /a\n=> 200\n--- y", "--- x\nGET /a {}\n=> 200",
    "--- x\nGET /a > nonsense => 200",
]  # fmt: skip


def run(text, site):
    settings, cases = read_cases("x.case", f"--- x\n{text}")
    assert not settings
    for case in cases:
        Script(site).run(case)


class Runner(unittest.TestCase):
    def test_says_yes_and_no(self):
        for text, line in RUNS:
            with self.subTest(text=text):
                if line is None:
                    run(text, StandIn())
                    continue
                with self.assertRaisesRegex(CaseFailure, f"^x.case:{line}: "):
                    run(text, StandIn())

    def test_reads_strictly(self):
        for text in UNREADABLE:
            with self.subTest(text=text), self.assertRaises(CaseFailure):
                read_cases("x.case", text)

    def test_where_the_token_travels(self):
        for knob, body, place in [
            ("", '{"a": 1}', lambda r: r[2].get("requestverificationtoken") == "t0k3n"),
            ("> token in header2\n", "{}", lambda r: r[2]["__requestverificationtoken"] == "t0k3n"),
            ("> token in json\n", "{}", lambda r: r[3] == '{"__RequestVerificationToken": "t0k3n"}'),
            ("> token x in json\n", '{"a": 1}', lambda r: r[3].endswith('Token": "x", "a": 1}')),
            ("> token in query\n", "{}", lambda r: r[1].endswith("?a&__RequestVerificationToken=t0k3n")),
            ("> no token\n", "{}", lambda r: "requestverificationtoken" not in r[2]),
            ("> token in form\n", "", lambda r: r[3] == "__RequestVerificationToken=t0k3n"),
        ]:  # fmt: skip
            site = StandIn()
            with self.subTest(knob=knob):
                expected = "=> 200" if body else "=> 404"
                try:
                    run(f"POST /echo?a\n{knob}{body}\n{expected}", site)
                except CaseFailure:  # the echo of a form is not JSON
                    self.assertEqual(body, "")
                self.assertTrue(place(site.seen[-1]), site.seen[-1])

    def test_people_and_variables(self):
        site = StandIn()
        run(
            "as ada\nhold 8 calls\nsql SELECT 1\nGET /thing\n> X: y\n> no cookie\n> from 192.0.2.7\n=> 200\n"
            'as nobody\nrepeat 3\nPOST /echo\n{"n": "${n} ${ab*2} ${hex:41}"}\n=> 200',
            site,
        )
        self.assertEqual((site.held, site.statements), (8, ["SELECT 1"]))
        hers = next(request for request in site.seen if request[1] == "/thing")
        self.assertEqual((hers[2], hers[4]), ({"x": "y"}, "192.0.2.7"))
        self.assertEqual(site.seen[-1][3], '{"n": "3 abab A"}')
        self.assertTrue(site.seen[-1][4].startswith("2001:db8:"))
