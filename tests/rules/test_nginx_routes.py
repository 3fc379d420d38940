"""nginx decides by path which program a request reaches: each route of both tables arrives at its own, and no
location is there for nothing."""

import re
import unittest

from harness.folders import REPOSITORY

_LOCATION = re.compile(r"^location (?:(=|~|\^~) )?(\S+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_ROUTE = re.compile(r"(?:open|page|json|call)\((?:services, )?(get|post|put|delete_), \"([^\"]+)\"")


def text(path):
    return (REPOSITORY / path).read_text(encoding="utf-8")


def routes(program):
    """(METHOD, path) of its table, a value in place of each parameter."""
    found = _ROUTE.findall(text(f"lib/{program}/routes.cpp"))
    return [(method.strip("_").upper(), re.sub(r"\{\w+\}", "a.b-1", path)) for method, path in found]


class Location:
    def __init__(self, kind, path, body):
        self.kind, self.path = kind, path
        program = re.search(r"include usershell/(auth|manage|execute)\.conf;", body)
        self.program = program[1] if program else None

    def matches(self, path):
        if self.kind == "=":
            return path == self.path
        return re.search(self.path, path) if self.kind == "~" else path.startswith(self.path)


def locations():
    return [Location(*found) for found in _LOCATION.findall(text("deploy/nginx/snippets/server.conf"))]


def chosen(path, among):
    """The location that nginx takes: an exact one, else the longest prefix if it is a `^~`, else the first
    regular expression, else that prefix."""
    matching = [location for location in among if location.matches(path)]
    exact = [location for location in matching if location.kind == "="]
    prefixes = [location for location in matching if location.kind in ("", "^~")]
    longest = max(prefixes, key=lambda location: len(location.path))
    expressions = [location for location in matching if location.kind == "~"]
    if exact:
        return exact[0]
    return expressions[0] if expressions and longest.kind != "^~" else longest


class Routes(unittest.TestCase):
    def test_each_arrives_at_its_program(self):
        for program, least in (("auth", 15), ("manage", 25), ("execute", 5)):
            table = routes(program)
            self.assertGreaterEqual(len(table), least)
            for method, path in table:
                with self.subTest(program=program, route=f"{method} {path}"):
                    self.assertEqual(chosen(path, locations()).program, program)

    def test_each_location_of_a_program_has_a_route(self):
        for location in locations():
            if location.program and location.path != "/":
                paths = [path for _, path in routes(location.program)]
                self.assertTrue(any(location.matches(path) for path in paths), location.path)

    def test_each_alternative_of_the_calls_has_a_route(self):
        calls = next(each for each in locations() if each.program == "execute" and each.kind == "~")
        head, alternatives = re.fullmatch(r"(.*?)\((.*)\)\$", calls.path).groups()
        paths = [path for _, path in routes("execute")]
        for alternative in alternatives.split("|"):
            self.assertTrue(any(re.search(f"{head}{alternative}$", p) for p in paths), alternative)

    def test_the_statuses_that_calls_may_answer_are_those_of_the_contract(self):
        listed = re.search(r"local statuses = \{(.*?)\}", text("deploy/nginx/snippets/execute.conf"), re.DOTALL)[1]
        codes = re.search(r"^\| Codes \|.*$", text("docs/contract.md"), re.MULTILINE)[0]
        self.assertEqual({*re.findall(r"\[(\d+)\] = 1", listed)}, {"200", *re.findall(r"` (\d{3})\b", codes)})

    def test_forms_that_anybody_can_send_have_a_limit_of_their_own(self):
        key = re.search(r'"~(\^POST \S+)"\s+\$usershell_client;', text("deploy/nginx/snippets/http.conf"))[1]
        open_routes = re.findall(r'open\(post, "([^"]+)"', text("lib/auth/routes.cpp"))
        self.assertEqual([p for p in open_routes if not re.search(key, f"POST {p}")], [])
