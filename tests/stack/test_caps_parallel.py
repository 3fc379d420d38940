"""The caps hold however many create at once: 64 callers, 50 rounds, exactly 10, 20 and 10."""

import threading
import unittest
from collections import Counter

from harness.crowd import Crowd
from harness.scenes import KEY, ROUTE, listed, provider
from harness.stack import Stack

CALLERS = 64
ROUNDS = 50


def setUpModule():
    global stack, client
    stack = Stack(manage=4, execute=1).start()
    unittest.addModuleCleanup(stack.stop)
    client = stack.client("ada@example.com")


def clear(table):
    """By the store: the same as deleting one by one, and quick."""
    stack.postgres.psql(sql=f"DELETE FROM usershell.{table}")


class AtTheCap(unittest.TestCase):
    def setUp(self):
        clear("providers")

    def assert_exactly(self, cap, table, path, body, there):
        """`body` is a function of the caller's number; `there` lists what the service shows."""
        with Crowd(CALLERS, client) as crowd:
            for number in range(ROUNDS):
                start = threading.Barrier(CALLERS)

                def create(tab, caller, start=start):
                    start.wait()
                    answer = tab.post(path, body(caller))
                    return answer.status, answer.code

                answers = crowd.run(create, range(CALLERS))
                with self.subTest(round=number):
                    outcomes = Counter(answers)
                    refused = CALLERS - cap
                    self.assertEqual(outcomes, {(200, ""): cap, (400, "cap_reached"): refused})
                    self.assertEqual(len(there()), cap)
                clear(table)

    def test_ten_providers(self):
        def body(caller):
            return {"name": f"P {caller}", "baseUrl": f"{stack.stub.url}/v1", "apiKey": KEY}

        def there():
            return client.get(f"{ROUTE}/list").json()["providers"]

        self.assert_exactly(10, "providers", f"{ROUTE}/create", body, there)

    def test_twenty_models(self):
        made = provider(client, f"{stack.stub.url}/v1", models=())
        path = f"{ROUTE}/{made}/models"

        def there():
            return {row["modelId"] for row in listed(client, made)["models"]}

        self.assert_exactly(20, "models", path, lambda n: {"modelId": f"m-{n}"}, there)

    def test_ten_accounts(self):
        made = provider(client, f"{stack.stub.url}/v1")
        path = f"{ROUTE}/{made}/accounts"

        def body(caller):
            return {"name": f"A {caller}", "apiKey": f"{KEY}-{caller}"}

        def there():
            return {row["id"] for row in listed(client, made)["accounts"]}

        self.assert_exactly(10, "accounts", path, body, there)

    def test_one_more_at_a_time_is_told_why(self):
        made = [provider(client, f"{stack.stub.url}/v1", models=()) for _ in range(10)]
        for path, body, cap in (
            (f"{ROUTE}/create", {"name": "x", "baseUrl": stack.stub.url, "apiKey": KEY}, 10),
            (f"{ROUTE}/{made[0]}/models", {}, 20),
            (f"{ROUTE}/{made[0]}/accounts", {"name": "x", "apiKey": KEY}, 10),
        ):
            answer = None
            for number in range(cap + 1):
                more = {"modelId": f"m-{number}"} if path.endswith("/models") else {}
                answer = client.post(path, {**body, **more})
                if answer.status == 400:
                    break
            self.assertEqual(answer.code, "cap_reached")
            self.assertIn(str(cap), answer.json()["error"])
        client.call("DELETE", f"{ROUTE}/{made[-1]}")
        provider(client, stack.stub.url, models=())


if __name__ == "__main__":
    unittest.main()
