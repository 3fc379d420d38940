"""Whoever closes the tab ends the call to the provider at once: nobody pays for unread tokens."""

import json
import socket
import ssl
import time
import unittest

from harness.scenes import ROUTE, ask, provider
from harness.stack import Stack

# Far below the 15 s of a sign of life and the 60 s of the silence limit, far above what it takes.
AT_ONCE = 2.0


def setUpModule():
    global stack, client
    stack = Stack(manage=1, execute=2).start()
    unittest.addModuleCleanup(stack.stop)
    client = stack.client("ada@example.com")


class Leaving(unittest.TestCase):
    def base(self, behaviour):
        made = provider(client, f"{stack.stub.url}/{behaviour}/v1", name=behaviour)
        self.addCleanup(client.call, "DELETE", f"{ROUTE}/{made}")
        return made

    def assert_ended_after(self, left, marker):
        """The stub saw its caller go within AT_ONCE of the moment ours went."""
        entry = stack.stub.wait_for(lambda e: e["ended"], marker=marker)
        self.assertEqual(entry["endedBy"], "peer")
        delay = entry["time"] + entry["ms"] / 1000 - left
        self.assertLess(delay, AT_ONCE)
        return entry

    def leave(self, path, body, marker, condition):
        """Sends a request by hand, closes once the stub's entry fulfils the condition."""
        data = json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Content-Length": len(data)}
        headers |= {"RequestVerificationToken": client.token(), "Host": "localhost"}
        headers["Cookie"] = "; ".join(f"{n}={v}" for n, v in client.cookies.items())
        head = f"POST {path} HTTP/1.1\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        context = ssl.create_default_context(cafile=stack.certificate.ca)
        address = ("localhost", stack.https_port)
        with socket.create_connection(address) as plain:
            with context.wrap_socket(plain, server_hostname="localhost") as tls:
                tls.sendall(head.encode() + b"\r\n" + data)
                stack.stub.wait_for(condition, marker=marker)
        return time.time()

    def test_in_mid_stream(self):
        made = self.base("slow-100")
        message = "mid-stream " + "word " * 200
        with client.stream(f"{ROUTE}/playground", ask(made, message, stream=True)) as stream:
            events = iter(stream)
            for _ in range(3):
                self.assertIn("token", next(events)[0])
        left = time.time()
        entry = self.assert_ended_after(left, "mid-stream")
        self.assertLess(entry["tokens"], 100)

    def test_while_the_provider_is_silent_in_mid_stream(self):
        made = self.base("silent-after-2")
        body = ask(made, "then-silent a b c", stream=True)
        with client.stream(f"{ROUTE}/playground", body) as stream:
            self.assertIn("token", next(iter(stream))[0])
            stack.stub.wait_for(lambda e: e["tokens"] == 2, marker="then-silent")
        entry = self.assert_ended_after(time.time(), "then-silent")
        self.assertEqual(entry["tokens"], 2)

    def test_before_the_provider_says_anything(self):
        made = self.base("silent")
        for stream in (True, False):
            marker = f"never-answered-{stream}"
            body = ask(made, marker, stream=stream)
            left = self.leave(f"{ROUTE}/playground", body, marker, lambda e: not e["ended"])
            self.assert_ended_after(left, marker)

    def test_a_plain_answer_under_way(self):
        made = self.base("drip-100")
        body = ask(made, "plain-drip " + "word " * 50)
        left = self.leave(f"{ROUTE}/playground", body, "plain-drip", lambda e: e["started"])
        self.assert_ended_after(left, "plain-drip")

    def test_the_slot_is_free_again(self):
        """Of 8 calls at a time a user may have, those whose callers left do not count."""
        made = self.base("silent")
        for number in range(12):
            marker = f"slot-{number}-"
            body = ask(made, marker, stream=True)
            left = self.leave(f"{ROUTE}/playground", body, marker, lambda e: not e["ended"])
            self.assert_ended_after(left, marker)


if __name__ == "__main__":
    unittest.main()
