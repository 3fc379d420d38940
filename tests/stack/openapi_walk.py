"""Walks docs/openapi.yaml against the running service: every route, every documented status of every
route, through nginx, as two users. Fails on a route or a field of an answer that is in one and not
in the other, and on a documented status that nobody knows how to provoke."""

import contextlib
import unittest

from harness.client import HEADER
from harness.scenes import ROUTE, ask
from harness.stack import Stack
from openapi_description import Description, Mismatch, Schemas, routes_in_the_code, rows_of
from openapi_recipes import ANY, FORM, MULTIPART, OWN, TRIES, World, good

SETTINGS = [("upstream-first-byte-timeout", "2"), ("catalogue-base-url", "tavily={stub}")]
BODY_TYPES = {"json": {"application/json"}, "form": {FORM}, "multipart": {MULTIPART}, "none": set()}
LATER = (429, 503)  # these need the whole service in a state: tests 4, 5 and 6


def setUpModule():
    global stack, world, description
    description = Description()
    stack = Stack(settings=SETTINGS, manage=2, execute=2, mail=True).start()
    unittest.addModuleCleanup(stack.stop)
    world = World(stack)
    unittest.addModuleCleanup(world.close)


class Described(unittest.TestCase):
    """The description and the code, side by side."""

    def test_the_same_routes(self):
        code = {f"{method.upper()} {path}" for method, path in routes_in_the_code()}
        self.assertEqual({str(o) for o in description.operations}, code)

    def test_the_same_kinds_of_routes(self):
        rows = routes_in_the_code()
        for operation in description.operations:
            with self.subTest(operation=str(operation)):
                access, body = rows[operation.method.lower(), operation.path]
                self.assertEqual(str(operation) in description.open, access == "open")
                self.assertEqual(operation.body_types, BODY_TYPES[body])
                self.assertEqual(401 in operation.responses, access == "json")
                self.assertIn(302 if access == "page" else 503, operation.responses)
                self.assertIn(503, operation.responses)
                changes = operation.method != "GET"
                self.assertEqual({400, 413, 415} <= set(operation.responses), changes)
                self.assertEqual(("header", HEADER) in operation.parameters, changes)

    def test_names_are_unique(self):
        names = [operation.id for operation in description.operations]
        self.assertEqual(len(names), len(set(names)))

    def test_every_recipe_is_for_something_described(self):
        described = {(o.id, status) for o in description.operations for status in o.responses}
        self.assertLessEqual(set(OWN), described)
        limited = {o.id for o in description.operations if 429 in o.responses}
        calls = {o.id for o in description.operations if "calls" in o.tags}
        self.assertEqual(limited, calls | set(TRIES))


class Walked(unittest.TestCase):
    """In this order: the later tests leave the service in a state."""

    def assert_answer(self, operation, status, recipe):
        with self.subTest(operation=str(operation), status=status):
            description.check(operation, status, recipe(world, operation))

    def test_1_every_documented_status(self):
        for operation in description.operations:
            for status in operation.responses:
                if status in LATER:
                    continue
                recipes = OWN.get((operation.id, status)) or ANY.get(status)
                self.assertTrue(recipes, f"Nobody knows how to get {status} from {operation}.")
                for recipe in recipes:
                    self.assert_answer(operation, status, recipe)
                    world.renew()

    def test_2_every_documented_field(self):
        self.assertEqual(description.unseen_fields(), set())

    def test_3_other_methods(self):
        for path in {operation.path for operation in description.operations}:
            methods = {o.method for o in description.operations if o.path == path}
            allowed = methods | ({"HEAD"} if "GET" in methods else set())
            for method in {"GET", "POST", "PUT", "DELETE", "PATCH"} - methods:
                with self.subTest(method=method, path=path):
                    answer = world.owner.request(method, path.format(**world.ids))
                    self.assertEqual(answer.status, 405)
                    self.assertEqual(set(answer.headers["allow"].split(", ")), allowed)

    def test_4_too_many_calls(self):
        silent = world.at("silent-after-1")
        with contextlib.ExitStack() as streams:
            for _ in range(8):
                body = ask(silent, "hello", stream=True)
                stream = world.owner.stream(f"{ROUTE}/playground", body)
                self.assertIn("token", next(iter(streams.enter_context(stream)))[0])
            for operation in description.operations:
                if "calls" in operation.tags:
                    self.assert_answer(operation, 429, good)

    def test_5_too_many_tries(self):
        for operation in description.operations:
            if operation.id in TRIES:
                self.assert_answer(operation, 429, TRIES[operation.id])

    def test_6_the_store_is_down(self):
        stack.postgres.stop()
        for operation in description.operations:
            self.assert_answer(operation, 503, good)


class Checker(unittest.TestCase):
    """The checker can say no."""

    SCHEMA = {
        "type": "object",
        "required": ["id"],
        "additionalProperties": False,
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "at": {"type": ["string", "null"], "format": "date-time"},
            "count": {"type": "integer", "minimum": 0},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "list": {"type": "array", "maxItems": 1, "items": {"type": "boolean"}},
            "either": {"oneOf": [{"type": "string", "minLength": 1}, {"type": "number"}]},
        },
    }
    ID = "0f8fad5b-d9cb-469f-a165-70867728950e"

    def test_yes(self):
        for more in (
            {},
            {"at": None},
            {"at": "2026-01-01T00:00:00.123Z", "count": 0, "kind": "b"},
            {"list": [], "either": 1.5},
            {"list": [True], "either": "x"},
        ):
            Schemas({}).check(self.SCHEMA, {"id": self.ID, **more})

    def test_no(self):
        for value in (
            [],
            {},
            {"id": 1},
            {"id": self.ID.upper()},
            {"id": self.ID, "other": 1},
            {"id": self.ID, "at": "yesterday"},
            {"id": self.ID, "count": -1},
            {"id": self.ID, "count": True},
            {"id": self.ID, "count": 1.5},
            {"id": self.ID, "kind": "c"},
            {"id": self.ID, "list": [1]},
            {"id": self.ID, "list": [True, False]},
            {"id": self.ID, "either": ""},
            {"id": self.ID, "either": None},
        ):
            with self.subTest(value=value), self.assertRaises(Mismatch):
                Schemas({}).check(self.SCHEMA, value)

    def test_words_it_does_not_know(self):
        with self.assertRaises(Mismatch):
            Schemas({}).check({"type": "string", "pattern": "x"}, "x")

    def test_rows_it_cannot_read(self):
        table = "\nRoutes a_routes(Wing& wing) {{\n    return {{\n        {}\n    }};\n}}\n"
        row = "{get, \"/a\", Access::json, Body::none, by(a)},"
        self.assertEqual(rows_of(table.format(row)), {("get", "/a"): ("json", "none")})
        for bad in ("{get, path, Access::json, Body::none, by(a)},", "more_rows(),", row[:-4]):
            with self.subTest(row=bad), self.assertRaises(Mismatch):
                rows_of(table.format(bad))


if __name__ == "__main__":
    unittest.main()
