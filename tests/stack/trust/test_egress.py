"""No base URL leads to where it must not, even if it is in the store: canaries at loopback ports count
who got through. What is refused when it is entered: unit_base (base_url, address). Names, and
addresses beyond loopback: network/test_egress_names.py. Model ids that lead elsewhere: attack/test_database.py."""

import os
import socket
import unittest
import unittest.mock

from common import trust_stack
from harness.canary import Canary
from harness.planted import plant_address
from harness.scenes import KEY, ROUTE, ask, provider, remove_all, tested

FORBIDDEN = "The provider could not be reached."  # attack/test_providers.py: as when nobody is there

# Addresses that could be stored if every earlier check failed.
STORED = ("http://127.0.0.1:{p}/v1", "http://127.0.0.2:{p}", "http://[::1]:{p}/v1")
STORED += ("http://0.0.0.0:{p}", "http://[::]:{p}", "http://[::ffff:127.0.0.1]:{p}")
STORED += ("http://localhost:{p}/v1", "https://127.0.0.1:{p}", "http://127.1:{p}")

PROXIES = ("http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")


def setUpModule():
    global stack, client, canary
    canary = Canary()
    unittest.addModuleCleanup(canary.close)
    stack = trust_stack()
    # A proxy from the environment would take the calls there.
    proxies = dict.fromkeys(PROXIES, f"http://127.0.0.1:{canary.port}")
    unittest.enterModuleContext(unittest.mock.patch.dict(os.environ, proxies))
    for pool in stack.pools.values():
        pool.restart()
    client = stack.newcomer()


class Case(unittest.TestCase):
    def setUp(self):
        remove_all(client)
        self.good = f"{stack.stub.url}/v1"

    def tearDown(self):
        self.assertEqual(canary.connections(), 0)


class Called(Case):
    def test_none_is_called_even_if_it_is_in_the_store(self):
        made = provider(client, self.good)
        for template in STORED:
            url = template.format(p=canary.port)
            with self.subTest(url=url):
                plant_address(stack, made, url, KEY)
                errors = [tested(client, made)["error"]]
                errors.append(client.get(f"{ROUTE}/{made}/models/available").json()["error"])
                for stream in (False, True):
                    answer = client.post(f"{ROUTE}/playground", ask(made, "hello", stream))
                    self.assertIn(answer.status, (400, 502))
                    errors.append(answer.json()["error"])
                expected = FORBIDDEN
                if url == f"http://127.1:{canary.port}":
                    expected = "A host that ends in a number must be a whole IPv4 address"
                for error in errors:
                    self.assertTrue(error.startswith(expected), error)
        self.assertEqual(client.post(f"{ROUTE}/test-batch").json()["failed"], 1)

    def test_a_redirect_leads_nowhere(self):
        made = provider(client, f"{stack.stub.url}/redirect-{canary.port}/v1")
        self.assertIn("redirect", tested(client, made)["error"])
        self.assertIn("redirect", client.get(f"{ROUTE}/{made}/models/available").json()["error"])


class Allowed(Case):
    def test_a_kept_connection_opens_no_other_door(self):
        """Calls that go well in between do not soften the rule."""
        made = provider(client, self.good)
        for _ in range(4):
            for port, good in ((stack.stub.port, True), (canary.port, False)):
                plant_address(stack, made, f"http://127.0.0.1:{port}/v1", KEY)
                self.assertEqual(tested(client, made)["ok"], good)


class TheCanary(unittest.TestCase):
    def test_sings(self):
        """What the other tests rely on: a connection would be counted."""
        for host in ("127.0.0.1", "::1"):
            socket.create_connection((host, canary.port)).close()
        self.assertEqual(canary.connections(), 2)
