"""A key that would be noticed anywhere is used in every way, then searched for: in every answer,
every log, the configuration, the database's dump. Only the stub's own record may have it."""

import subprocess
import unittest

from harness.scenes import ROUTE, ask, listed, provider
from harness.stack import Stack

CANARY = "canary-4b1c7e90f2a83d56"
PASSWORD = "canary-password-77aa01"


def setUpModule():
    global stack
    stack = Stack(manage=1, execute=1).start()
    unittest.addModuleCleanup(stack.stop)


class Recorder:
    """The client, keeping the bytes of every answer."""

    def __init__(self, client):
        self._client = client
        self.seen = []

    def __getattr__(self, name):
        method = getattr(self._client, name)

        def recorded(*arguments, **options):
            answer = method(*arguments, **options)
            self.seen.append(answer.body + repr(answer.headers).encode())
            return answer

        return recorded


def use_everywhere(client):
    """Every route that takes a key or calls with one, with good ends and bad ones."""
    for number, (behaviour, key) in enumerate(
        [("", CANARY), ("/html", CANARY), ("/reset", CANARY), ("", f"{CANARY}-refused")]
    ):
        url = f"{stack.stub.url}{behaviour}/v1"
        made = provider(client, url, key, name=f"Canary {number}")
        path = f"{ROUTE}/{made}"
        client.post(f"{path}/test")
        client.get(f"{path}/models/available")
        client.post(f"{ROUTE}/playground", ask(made))
        client.post(f"{path}/accounts", {"name": "extra", "apiKey": key})
        account = listed(client, made)["accounts"][0]["id"]
        client.post(f"{path}/accounts/{account}/test")
        client.post(f"{path}/accounts/{account}/apikey", {"apiKey": key})
        client.post(f"{path}/apikey", {"apiKey": key})
    client.post(f"{ROUTE}/create", {"name": "", "baseUrl": "x", "apiKey": CANARY})
    client.post(f"{ROUTE}/create", {"name": "x", "baseUrl": "x", "apiKey": f"{CANARY} {CANARY}"})
    client.post(f"{ROUTE}/test-batch")
    client.get(f"{ROUTE}/list")
    client.get(ROUTE)


class Canary(unittest.TestCase):
    def test_is_found_nowhere_but_at_the_provider(self):
        stack.add_user("ada@example.com", "Ada", PASSWORD)
        client = Recorder(stack.client("ada@example.com"))
        use_everywhere(client)
        self.assertGreater(len(stack.stub.journal(key=CANARY)), 10)
        self.assertGreater(len(client.seen), 30)
        for answer in client.seen:
            self.assert_clean(answer, "an answer")
        for path in [*stack.folder.sub("log").iterdir(), stack.config]:
            self.assert_clean(path.read_bytes(), path.name)
        self.assertIn(b"/user/providers", stack.folder.log("manage").read_bytes())
        dump = subprocess.run(
            ["pg_dump", "--inserts", "-h", stack.postgres.host, "-U", "postgres", "usershell"],
            check=True,
            capture_output=True,
        ).stdout
        self.assertIn(b"Canary 3", dump)
        self.assert_clean(dump, "the dump")

    def assert_clean(self, data, where):
        for secret in (CANARY, PASSWORD):
            for form in (secret.encode(), secret.encode().hex().encode()):
                self.assertNotIn(form, data, where)


if __name__ == "__main__":
    unittest.main()
