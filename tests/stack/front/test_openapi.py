"""Walks docs/openapi.yaml against the running service: every route, every documented status of every
route, through nginx, as two users. Fails on a route or a field of an answer that is in one and not
in the other, and on a documented status that nobody knows how to provoke."""

import contextlib
import unittest
from functools import partial

from harness.client import HEADER
from harness.scenes import ROUTE, access_token, ask
from harness.suite import shared_stack
from openapi import Description, routes_in_the_code
from recipes import ANY, FORM, JSON, MULTIPART, OWN, SILENT, TOOLS, TRIES, World, good

SETTINGS = [("catalogue-base-url", "tavily={stub}"), ("api", "true")]
BODY_TYPES = {"form": {FORM}, "multipart": {MULTIPART}, "none": set()}
BODY_TYPES |= dict.fromkeys(("json", "large_json", "json_with_images"), {JSON})
LATER = (429, 503, 504)  # these need the whole service in a state


def setUpModule():
    global stack, world, description
    description = Description()
    stack = shared_stack(settings=SETTINGS, manage=2, execute=2, mail=True)
    world = World(stack)


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
                self.assertEqual(operation.open, access == "open")
                self.assertEqual(operation.body_types, BODY_TYPES[body])
                self.assertEqual(401 in operation.responses, access in ("json", "call", "tool"))
                self.assertEqual(operation.is_of_tools, access == "tool")
                self.assertIn(302 if access == "page" else 503, operation.responses)
                self.assertIn(503, operation.responses)
                changes = operation.method != "GET" and not operation.is_of_tools
                self.assertEqual({400, 413, 415} <= set(operation.responses), operation.method != "GET")
                self.assertEqual(("header", HEADER) in operation.parameters, changes)

    def test_every_recipe_is_for_something_described(self):
        described = {(o.id, status) for o in description.operations for status in o.responses}
        self.assertLessEqual(set(OWN), described)
        limited = {o.id for o in description.operations if 429 in o.responses and not o.is_of_tools}
        calls = {o.id for o in description.operations if "calls" in o.tags}
        self.assertEqual(limited, calls | set(TRIES))


class Walked(unittest.TestCase):
    def setUp(self):
        world.renew()

    def assert_answer(self, operation, status, recipe):
        with self.subTest(operation=str(operation), status=status):
            description.check(operation, status, recipe(world, operation))

    def test_every_documented_status_and_field(self):
        for operation in description.operations:
            for status in set(operation.responses) - set(LATER):
                recipes = OWN.get((operation.id, status)) or (TOOLS if operation.is_of_tools else ANY).get(status)
                self.assertTrue(recipes, f"Nobody knows how to get {status} from {operation}.")
                for recipe in recipes:
                    self.assert_answer(operation, status, recipe)
                    world.renew()
        self.assertEqual(description.unseen_fields(), set())

    def test_other_methods(self):
        for path in {operation.path for operation in description.operations}:
            methods = {o.method for o in description.operations if o.path == path}
            allowed = methods | ({"HEAD"} if "GET" in methods else set())
            for method in {"GET", "POST", "PUT", "DELETE", "PATCH"} - methods:
                with self.subTest(method=method, path=path):
                    answer = world.owner.request(method, path.format(**world.ids))
                    self.assertEqual(answer.status, 405)
                    self.assertEqual(set(answer.headers["allow"].split(", ")), allowed)

    def test_too_many_calls(self):
        silent = world.at("silent-after-1")
        with contextlib.ExitStack() as streams:
            for _ in range(8):
                body = ask(silent, "hello", stream=True)
                stream = world.owner.stream(f"{ROUTE}/playground", body)
                self.assertIn("token", next(iter(streams.enter_context(stream)))[0])
            for operation in description.operations:
                if "calls" in operation.tags:
                    self.assert_answer(operation, 429, good)

    def test_too_many_tries(self):
        for operation in description.operations:
            if operation.id in TRIES:
                self.assert_answer(operation, 429, TRIES[operation.id])
        stack.sql("DELETE FROM usershell.attempts")
        stack.sql("DELETE FROM usershell.email_attempts")

    def test_a_token_has_made_its_requests(self):
        for operation in description.operations:
            if operation.is_of_tools:
                token = access_token(world.owner, RequestsAMinute="1")
                good(world, operation, token=token)
                self.assert_answer(operation, 429, partial(good, token=token))
        stack.sql("DELETE FROM usershell.access_tokens WHERE max_requests_a_minute = 1")  # a person may have 20

    def test_a_provider_falls_silent(self):
        with stack.configured(upstream_silence_timeout="1"):
            for operation in description.operations:
                if 504 in operation.responses:
                    self.assert_answer(operation, 504, SILENT)
                    world.renew()

    def test_while_the_store_is_down(self):
        stack.postgres.stop()
        self.addCleanup(stack.postgres.start)
        for operation in description.operations:
            self.assert_answer(operation, 503, good)
        # The page of an unknown path needs no session.
        self.assertEqual(world.owner.get("/user/unknown", {"Accept": "text/html"}).status, 404)
