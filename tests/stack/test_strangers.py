"""Who may not: the second user gets 404 for the first one's ids, nobody without a session gets
anything, and the old key vault is gone for all."""

import unittest
import uuid

from harness.scenes import KEY, MODEL, ROUTE, ask, listed, provider
from harness.stack import Stack

MODEL_QUERY = f"?modelId={MODEL}"
# {p} is a provider's id, {a} an account's.
OWNED = [
    ("PUT", "/{p}", {"name": "Taken"}),
    ("DELETE", "/{p}", None),
    ("POST", "/{p}/apikey", {"apiKey": KEY}),
    ("POST", "/{p}/status", {"status": "inactive"}),
    ("GET", "/{p}/models/available", None),
    ("POST", "/{p}/models", {"modelId": "mine-now"}),
    ("POST", "/{p}/models/enabled" + MODEL_QUERY, {"isEnabled": False}),
    ("POST", "/{p}/models/capabilities" + MODEL_QUERY, {"capabilities": "vision"}),
    ("DELETE", "/{p}/models" + MODEL_QUERY, None),
    ("POST", "/{p}/accounts", {"name": "Mine", "apiKey": KEY}),
    ("PUT", "/{p}/accounts/{a}", {"name": "Taken"}),
    ("POST", "/{p}/accounts/{a}/apikey", {"apiKey": KEY}),
    ("POST", "/{p}/accounts/{a}/enabled", {"isEnabled": False}),
    ("POST", "/{p}/accounts/{a}/test", None),
    ("DELETE", "/{p}/accounts/{a}", None),
    ("POST", "/{p}/test", None),
]


def setUpModule():
    global stack, owner, other, made, account
    stack = Stack(manage=1, execute=1).start()
    unittest.addModuleCleanup(stack.stop)
    owner = stack.client("owner@example.com")
    other = stack.client("other@example.com")
    made = provider(owner, f"{stack.stub.url}/v1")
    answer = owner.post(f"{ROUTE}/{made}/accounts", {"name": "Second", "apiKey": KEY})
    account = answer.json()["id"]


def routes(provider_id, account_id):
    for method, path, body in OWNED:
        yield method, ROUTE + path.format(p=provider_id, a=account_id), body


class SecondUser(unittest.TestCase):
    def assert_unreachable(self, client, provider_id, account_id):
        for method, path, body in routes(provider_id, account_id):
            answer = client.call(method, path, body)
            self.assertEqual((answer.status, answer.code), (404, "not_found"), f"{method} {path}")
        for stream in (False, True):
            answer = client.post(f"{ROUTE}/playground", ask(provider_id, stream=stream))
            self.assertEqual((answer.status, answer.code), (404, "not_found"))

    def test_every_route_is_404_and_changes_nothing(self):
        before = listed(owner, made)
        stranger = stack.client("stranger@example.com")
        self.assert_unreachable(stranger, made, account)
        self.assertEqual(listed(owner, made), before)
        self.assertEqual(stranger.get(f"{ROUTE}/list").json(), {"providers": []})
        batch = stranger.post(f"{ROUTE}/test-batch").json()
        self.assertEqual((batch["results"], batch["total"]), ([], 0))

    def test_the_first_user_is_not_held_up(self):
        for method, path, body in routes(made, account):
            if method == "POST" and path.endswith(("/test", "/status")):
                self.assertEqual(owner.call(method, path, body).status, 200, path)
        owner.post(f"{ROUTE}/{made}/status", {"status": "active"})

    def test_ids_that_are_none(self):
        for nothing in (str(uuid.uuid4()), "1", "not-a-uuid", f"{made}0", "%20"):
            self.assert_unreachable(owner, nothing, nothing)

    def test_anothers_account_below_ones_own_provider(self):
        mine = provider(other, f"{stack.stub.url}/v1")
        for method, path, body in routes(mine, account):
            if "/accounts/" in path:
                self.assertEqual(other.call(method, path, body).status, 404, f"{method} {path}")


class Nobody(unittest.TestCase):
    def test_json_calls_are_401(self):
        nobody = stack.client()
        calls = list(routes(made, account))
        calls += [("GET", f"{ROUTE}/list", None), ("POST", f"{ROUTE}/create", {"name": "x"})]
        calls += [("POST", f"{ROUTE}/playground", ask(made)), ("POST", f"{ROUTE}/test-batch", None)]
        headers = {"RequestVerificationToken": "none"}
        for method, path, body in calls:
            answer = nobody.call(method, path, body, headers)
            self.assertEqual((answer.status, answer.code), (401, "not_signed_in"), path)

    def test_a_made_up_cookie_is_nobody(self):
        nobody = stack.client()
        nobody.cookies["__Host-usershell-session"] = owner.cookies["__Host-usershell-session"][::-1]
        self.assertEqual(nobody.get(f"{ROUTE}/list").status, 401)
        self.assertEqual(nobody.get(ROUTE).status, 302)

    def test_the_vault_is_gone(self):
        for client in (owner, stack.client()):
            for path in ("/user/vault", "/user/vault/", "/user/vault/keys/1?x=1"):
                for method in ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"):
                    answer = client.request(method, path)
                    self.assertEqual(answer.status, 404, f"{method} {path}")


if __name__ == "__main__":
    unittest.main()
