"""The main job: sign in, register a provider, add a model, test it, talk to it in both ways."""

import re
import unittest

from harness.scenes import KEY, MODEL, ROUTE, ask, listed, provider
from harness.stack import Stack

WORDS = [f"w{i}" for i in range(10)]
MESSAGE = " ".join(WORDS)
TEXT = f"echo: {MESSAGE}"


def setUpModule():
    global stack, client
    stack = Stack().start()
    unittest.addModuleCleanup(stack.stop)
    client = stack.client("ada@example.com")


class SignIn(unittest.TestCase):
    def test_page_without_session_leads_to_the_form_and_back(self):
        stranger = stack.client()
        answer = stranger.get(ROUTE)
        self.assertEqual(answer.status, 302)
        self.assertTrue(answer.headers["location"].startswith("/auth/login"))
        fields = {"email": "ada@example.com", "password": stack.password("ada@example.com")}
        answer = stranger.form("/auth/login", {**fields, "returnUrl": "/user/providers?x=1"})
        self.assertEqual(answer.status, 302)
        self.assertEqual(answer.headers["location"], "/user/providers?x=1")
        for elsewhere in ("https://evil.example/", "//evil.example", "/\\evil.example"):
            stranger = stack.client()
            answer = stranger.form("/auth/login", {**fields, "returnUrl": elsewhere})
            self.assertEqual(answer.headers["location"], ROUTE, elsewhere)

    def test_cookie_is_kept_from_scripts_and_other_sites(self):
        client = stack.client()
        fields = {"email": "ada@example.com", "password": stack.password("ada@example.com")}
        cookies = client.form("/auth/login", fields).set_cookies
        session = next(c for c in cookies if c.startswith("__Host-usershell-session="))
        for attribute in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/"):
            self.assertIn(attribute, session)
        self.assertNotIn("Domain", session)

    def test_wrong_password_and_unknown_address_look_the_same(self):
        pages = []
        for email in ("ada@example.com", "nobody@example.com"):
            answer = stack.client().form("/auth/login", {"email": email, "password": "wrong"})
            self.assertEqual(answer.status, 200)
            self.assertNotIn("__Host-usershell-session", "".join(answer.set_cookies))
            self.assertIn("login-error", answer.text)
            page = answer.text.replace(email, "")
            pages.append(re.sub(r'(value|content)="[\w-]{40,}"', "", page))
        self.assertEqual(*pages)

    def test_signing_out_ends_the_session(self):
        client = stack.client("ada@example.com")
        before = dict(client.cookies)
        answer = client.form("/auth/logout", {}, page=ROUTE)
        self.assertEqual((answer.status, answer.headers["location"]), (302, "/auth/login"))
        client.cookies = before
        self.assertEqual(client.get(f"{ROUTE}/list").status, 401)


class Providers(unittest.TestCase):
    def test_from_create_to_delete(self):
        answer = client.post(
            f"{ROUTE}/create",
            {
                "id": "chosen-by-me",
                "name": "  Mine  ",
                "baseUrl": f"{stack.stub.url}/v1/",
                "apiKey": KEY,
            },
        )
        self.assertEqual(answer.status, 200)
        made = answer.json()
        self.assertEqual(set(made), {"id", "name", "type"})
        self.assertEqual((made["name"], made["type"]), ("Mine", "generic-compatible"))
        self.assertNotEqual(made["id"], "chosen-by-me")
        shown = listed(client, made["id"])
        self.assertEqual((shown["hasKey"], shown["keyHint"]), (True, f"{KEY[:3]}…{KEY[-4:]}"))
        self.assertEqual((shown["status"], shown["healthStatus"]), ("active", "unknown"))
        self.assertEqual(shown["baseUrl"], f"{stack.stub.url}/v1")
        path = f"{ROUTE}/{made['id']}"
        answer = client.call("PUT", path, {"name": "Renamed"})
        self.assertEqual((answer.status, answer.json()["name"]), (200, "Renamed"))
        answer = client.post(f"{path}/status", {"status": "inactive"})
        self.assertEqual((answer.status, answer.json()["status"]), (200, "inactive"))
        answer = client.post(f"{path}/apikey", {"apiKey": "another-key-0123456789"})
        self.assertEqual((answer.status, answer.json()["keyHint"]), (200, "ano…6789"))
        self.assertEqual(client.call("DELETE", path).status, 204)
        self.assertIsNone(listed(client, made["id"]))

    def test_models(self):
        made = provider(client, f"{stack.stub.url}/v1", models=())
        self.addCleanup(client.call, "DELETE", f"{ROUTE}/{made}")
        path = f"{ROUTE}/{made}/models"
        self.assertEqual(
            client.post(path, {"modelId": "vendor/name"}).json(),
            {
                "modelId": "vendor/name",
                "displayName": "vendor/name",
                "capabilities": "generation,assistant",
                "isEnabled": True,
            },
        )
        query = "?modelId=vendor%2Fname"
        self.assertFalse(client.post(f"{path}/enabled{query}").json()["isEnabled"])
        answer = client.post(f"{path}/capabilities{query}", {"capabilities": "Vision, code,vision"})
        self.assertEqual(answer.json()["capabilities"], "vision,code")
        self.assertEqual(client.post(path, {"modelId": "vendor/name"}).code, "conflict")
        self.assertEqual(client.call("DELETE", f"{path}{query}").status, 204)
        self.assertEqual(listed(client, made)["models"], [])


class Execution(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.id = provider(client, f"{stack.stub.url}/v1")
        cls.slow = provider(client, f"{stack.stub.url}/slow-50/v1", name="Slow")

    def test_connectivity_check(self):
        result = client.post(f"{ROUTE}/{self.id}/test").json()
        self.assertEqual((result["ok"], result["model"]), (True, MODEL), result)
        self.assertTrue(result["reply"].startswith("echo:"))
        self.assertGreaterEqual(result["latencyMs"], 0)
        self.assertEqual(listed(client, self.id)["healthStatus"], "healthy")

    def test_plain_answer(self):
        answer = client.post(f"{ROUTE}/playground", ask(self.id, MESSAGE))
        self.assertEqual((answer.status, answer.json()["content"]), (200, TEXT))
        self.assertEqual(answer.json()["model"], MODEL)

    def test_the_key_and_the_words_reach_the_provider(self):
        marker = "sees-the-key"
        client.post(f"{ROUTE}/playground", ask(self.id, marker, system="Be brief.", maxTokens=77))
        entry = stack.stub.journal(marker=marker)[0]
        self.assertEqual((entry["key"], entry["keyHeader"]), (KEY, "authorization"))
        self.assertEqual(entry["body"]["messages"][0], {"role": "system", "content": "Be brief."})

    def test_tokens_arrive_one_by_one(self):
        with client.stream(f"{ROUTE}/playground", ask(self.slow, MESSAGE, stream=True)) as stream:
            self.assertEqual(stream.status, 200)
            self.assertTrue(stream.headers["content-type"].startswith("text/event-stream"))
            events = list(stream)
        frames = [frame for frame, _ in events]
        self.assertEqual("".join(f.get("token", "") for f in frames), TEXT)
        self.assertEqual(frames[-1], {"done": True, "model": MODEL})
        moments = [moment for frame, moment in events if "token" in frame]
        # The stub pauses 50 ms before each token; held back, they would all come at once.
        self.assertGreater(moments[-1] - moments[0], 0.05 * (len(WORDS) - 2))

    def test_models_of_the_provider(self):
        answer = client.get(f"{ROUTE}/{self.id}/models/available").json()
        self.assertNotIn("error", answer)
        ids = [model["modelId"] for model in answer["models"]]
        self.assertEqual(ids, sorted(ids))
        self.assertEqual({m["modelId"]: m["added"] for m in answer["models"]}[MODEL], True)


if __name__ == "__main__":
    unittest.main()
