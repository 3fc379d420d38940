"""Anti-forgery: every way a token may come in, and every way in which it is refused."""

import unittest
import urllib.parse

from harness.client import FIELD, HEADER
from harness.scenes import ROUTE, provider
from harness.stack import Stack

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
NO_TOKEN = {HEADER: None}


def setUpModule():
    global stack, client, path
    stack = Stack(manage=2, execute=1).start()
    unittest.addModuleCleanup(stack.stop)
    client = stack.client("ada@example.com")
    path = f"{ROUTE}/{provider(client, f'{stack.stub.url}/v1')}/status"


class Accepted(unittest.TestCase):
    def test_in_either_header_or_in_the_body(self):
        token = client.token()
        active = {"status": "active"}
        for headers, body in [
            ({HEADER: token}, active),
            ({HEADER: None, FIELD: token}, active),
            (NO_TOKEN, {**active, FIELD: token}),
        ]:
            self.assertEqual(client.post(path, body, headers).status, 200, headers)

    def test_by_the_other_wing_too(self):
        test = path.replace("/status", "/test")
        self.assertEqual(client.post(test, None, {HEADER: client.token()}).status, 200)
        answer = client.post(test, None, NO_TOKEN)
        self.assertEqual((answer.status, answer.code), (400, "antiforgery_invalid"))

    def test_every_page_shows_other_bytes_and_all_work(self):
        tokens = [client.token() for _ in range(3)]
        self.assertEqual(len(set(tokens)), 3)
        for token in tokens:
            self.assertEqual(client.post(path, {"status": "active"}, {HEADER: token}).status, 200)

    def test_from_the_same_origin(self):
        for headers in ({"Origin": stack.base_url}, {"Sec-Fetch-Site": "same-origin"}):
            self.assertEqual(client.post(path, {"status": "active"}, headers).status, 200)


class Refused(unittest.TestCase):
    def assert_refused(self, headers, body=None, where=None):
        answer = client.post(where or path, body or {"status": "inactive"}, headers)
        self.assertEqual((answer.status, answer.code), (400, "antiforgery_invalid"), headers)

    def test_missing_wrong_or_in_the_query(self):
        token = client.token()
        self.assert_refused(NO_TOKEN)
        self.assert_refused({HEADER: ""})
        self.assert_refused({HEADER: "nonsense"})
        self.assert_refused({HEADER: token[:-4] + ("AAAA" if token[-4:] != "AAAA" else "BBBB")})
        self.assert_refused({HEADER: token[: len(token) // 2]})
        query = urllib.parse.urlencode({FIELD: token, HEADER: token})
        self.assert_refused(NO_TOKEN, where=f"{path}?{query}")

    def test_of_somebody_else_or_of_the_sign_in_page(self):
        other = stack.client("other@example.com")
        self.assert_refused({HEADER: other.token()})
        self.assert_refused({HEADER: stack.client().token("/auth/login")})

    def test_of_a_session_that_is_over(self):
        mine = stack.client("ada@example.com")
        old = mine.token()
        mine.form("/auth/logout", {}, page=ROUTE)
        mine.sign_in("ada@example.com", stack.password("ada@example.com"))
        answer = mine.post(path, {"status": "inactive"}, {HEADER: old})
        self.assertEqual((answer.status, answer.code), (400, "antiforgery_invalid"))

    def test_from_another_site(self):
        self.assert_refused({"Origin": "https://evil.example"})
        self.assert_refused({"Origin": "null"})
        self.assert_refused({"Sec-Fetch-Site": "cross-site"})

    def test_put_and_delete_alike(self):
        bare = path.removesuffix("/status")
        for method in ("PUT", "DELETE"):
            answer = client.call(method, bare, {"name": "x"}, NO_TOKEN)
            self.assertEqual((answer.status, answer.code), (400, "antiforgery_invalid"), method)

    def test_signing_in_and_out(self):
        fields = {"email": "ada@example.com", "password": stack.password("ada@example.com")}
        answer = stack.client().request("POST", "/auth/login", urllib.parse.urlencode(fields), FORM)
        self.assertEqual(answer.status, 400)
        self.assertTrue(answer.headers["content-type"].startswith("text/html"))
        self.assertEqual(client.request("POST", "/auth/logout", "", FORM).status, 400)
        self.assertEqual(client.get(f"{ROUTE}/list").status, 200)

    def test_nothing_was_changed_by_all_that(self):
        providers = client.get(f"{ROUTE}/list").json()["providers"]
        self.assertEqual([p["status"] for p in providers], ["active"])


if __name__ == "__main__":
    unittest.main()
