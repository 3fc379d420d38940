"""No base URL leads to where it must not: refused when it is entered, and again when it is called.
Canaries at loopback ports count who got through. Names, and addresses beyond loopback, are in
test_egress_names.py."""

import os
import socket
import unittest
import unittest.mock

from harness.canary import Canary
from harness.scenes import KEY, ROUTE, ask, provider, remove_all
from harness.stack import Stack

FORBIDDEN = "The base URL leads to an address that may not be called from here."

# {p} is the canary's port. Every one is refused when it is entered.
HOSTILE = r"""
http://127.0.0.1:{p}/v1 http://127.0.0.2:{p} http://127.255.255.254:{p} http://127.1:{p}
http://127.0.1:{p} http://2130706433:{p} http://0x7f000001:{p} http://0x7f.1:{p}
http://0x7f.0x0.0x0.0x1:{p} http://0177.0.0.1:{p} http://017700000001:{p} http://127.0.0.01:{p}
http://127.0.0.1.:{p} http://127.0.0.1%00:{p} http://127.0.0.1%2f:{p} http://%31%32%37.0.0.1:{p}
http://①②⑦.⓪.⓪.①:{p} http://127。0。0。1:{p} http://１２７.0.0.1:{p} http://0:{p} http://0.0.0.0:{p}
http://0.1.2.3:{p} http://localhost:{p} http://LOCALHOST:{p} http://localhost.:{p}
http://provider.localhost:{p} http://ip6-localhost:{p} http://ｌocalhost:{p} http://loc%61lhost:{p}
https://localhost:{p} http://[::1]:{p} http://[0:0:0:0:0:0:0:1]:{p} http://[::]:{p}
http://[::ffff:127.0.0.1]:{p} http://[::ffff:7f00:1]:{p} http://[::127.0.0.1]:{p}
http://[0:0:0:0:0:ffff:127.0.0.1] http://[64:ff9b::127.0.0.1]:{p} http://[64:ff9b::7f00:1]:{p}
http://[64:ff9b:1::7f00:1]:{p} http://[2002:7f00:1::]:{p} http://[2001:0:7f00:1::1]:{p}
http://[fe80::1]:{p} http://[fe80::1%25lo]:{p} http://[::1%25lo]:{p} http://[fc00::1]:{p}
http://[fd00:ec2::254] http://[fec0::1]:{p} http://[ff02::1]:{p} http://[2001:db8::1]:{p}
http://[100::1]:{p} http://[3fff::1]:{p} http://[::1:{p} http://::1:{p} http://10.0.0.1:{p}
http://10.255.255.255:{p} http://100.64.0.1:{p} http://100.100.100.200
http://169.254.169.254/latest https://169.254.170.2 http://168.63.129.16 http://172.16.0.1:{p}
http://172.31.255.255:{p} http://192.0.0.192 http://192.0.2.1:{p} http://192.88.99.1:{p}
http://192.168.0.1:{p} http://192.168.255.255:{p} http://198.18.0.1:{p} http://198.51.100.1:{p}
http://203.0.113.1:{p} http://224.0.0.1:{p} http://239.255.255.255:{p} http://240.0.0.1:{p}
http://255.255.255.255:{p} http://metadata.google.internal http://metadata http://instance-data
http://host.docker.internal:{p} http://printer.local:{p} http://a.b.localhost:{p}
http://user@127.0.0.1:{p} http://user:word@127.0.0.1:{p} http://example.org@127.0.0.1:{p}
http://127.0.0.1:{p}@example.org http://127.0.0.1:{p}#@example.org
http://127.0.0.1:{p}?@example.org http://example.org\@127.0.0.1:{p} http:\\127.0.0.1:{p}
http:///127.0.0.1:{p} http:127.0.0.1:{p} //127.0.0.1:{p} 127.0.0.1:{p} ftp://127.0.0.1:{p}
gopher://127.0.0.1:{p}/_GET dict://127.0.0.1:{p}/d:word file:///etc/passwd ldap://127.0.0.1:{p}
unix:///run/postgresql http://example.org:22 http://example.org:25 http://example.org:0
http://example.org:99999 http://example.org:-1 http://127.0.0.1:0{p} http://example.org/../..//v1
http://example.org/%2e%2e/v1 http://example.org/%2f%2f127.0.0.1 http://. http://.. http://a..b
""".split()
# What split() would have taken apart.
HOSTILE += ["http://127.0.0.1\t:{p}", "http://127.0.0.1:{p} /", "http://exam\nple.org"]
HOSTILE += ["http://127.0.0.1\r\nHost: x:{p}", "http://\x00127.0.0.1:{p}"]
HOSTILE += ["http://\u200b127.0.0.1:{p}"]

# What a store could hold if everything before it failed.
STORED = ("http://127.0.0.1:{p}/v1", "http://127.0.0.2:{p}", "http://[::1]:{p}/v1")
STORED += ("http://0.0.0.0:{p}", "http://[::]:{p}", "http://[::ffff:127.0.0.1]:{p}")
STORED += ("http://localhost:{p}/v1", "https://127.0.0.1:{p}", "http://127.1:{p}")

PROXIES = ("http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")


def setUpModule():
    global stack, client, canary
    canary = Canary()
    unittest.addModuleCleanup(canary.close)
    # So that a key goes along to an address that was put into the store behind our back.
    settings = [("hold-keys-on-host-change", "false"), ("upstream-test-timeout", 10)]
    stack = Stack(manage=1, execute=2, settings=settings).start()
    unittest.addModuleCleanup(stack.stop)
    # A proxy from the environment would take the calls there.
    proxies = dict.fromkeys(PROXIES, f"http://127.0.0.1:{canary.port}")
    with unittest.mock.patch.dict(os.environ, proxies):
        stack.pools["execute"].restart()
    client = stack.client("ada@example.com")


class Case(unittest.TestCase):
    def setUp(self):
        remove_all(client)
        self.good = f"{stack.stub.url}/v1"

    def tearDown(self):
        self.assertEqual(canary.connections(), 0)

    def put_into_the_store(self, made, url):
        sql = "UPDATE usershell.providers SET base_url = :'url' WHERE id = :'id'"
        stack.postgres.psql("-v", f"url={url}", "-v", f"id={made}", sql=sql)


class Entered(Case):
    def test_there_are_enough_of_them(self):
        self.assertGreaterEqual(len(set(HOSTILE)), 80)

    def test_none_can_be_created_or_edited_in(self):
        made = provider(client, self.good)
        body = {"name": "Hostile", "apiKey": KEY}
        for template in HOSTILE:
            url = template.replace("{p}", str(canary.port))
            for method, path in (("POST", f"{ROUTE}/create"), ("PUT", f"{ROUTE}/{made}")):
                with self.subTest(url=url, method=method):
                    answer = client.call(method, path, {**body, "baseUrl": url})
                    self.assertEqual((answer.status, answer.code), (400, "invalid_field"))
                    self.assertEqual(answer.json()["field"], "baseUrl")
        providers = client.get(f"{ROUTE}/list").json()["providers"]
        self.assertEqual([(p["id"], p["baseUrl"]) for p in providers], [(made, self.good)])


class Called(Case):
    def test_none_is_called_even_if_it_is_in_the_store(self):
        made = provider(client, self.good)
        for template in STORED:
            url = template.format(p=canary.port)
            with self.subTest(url=url):
                self.put_into_the_store(made, url)
                errors = [client.post(f"{ROUTE}/{made}/test").json()["error"]]
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
        self.assertIn("redirect", client.post(f"{ROUTE}/{made}/test").json()["error"])
        self.assertIn(
            "redirect", client.get(f"{ROUTE}/{made}/models/available").json()["error"]
        )


class Allowed(Case):
    def test_the_operators_port_is_called_and_no_other_on_the_same_address(self):
        made = provider(client, self.good)
        self.assertTrue(client.post(f"{ROUTE}/{made}/test").json()["ok"])
        self.put_into_the_store(made, self.good.replace(str(stack.stub.port), str(canary.port)))
        answer = client.post(f"{ROUTE}/{made}/test").json()
        self.assertTrue(answer["error"].startswith(FORBIDDEN), answer)

    def test_a_kept_connection_opens_no_other_door(self):
        """Calls that go well in between do not soften the rule."""
        made = provider(client, self.good)
        for _ in range(4):
            self.put_into_the_store(made, self.good)
            self.assertTrue(client.post(f"{ROUTE}/{made}/test").json()["ok"])
            self.put_into_the_store(made, f"http://127.0.0.1:{canary.port}/v1")
            self.assertFalse(client.post(f"{ROUTE}/{made}/test").json()["ok"])


class TheCanary(unittest.TestCase):
    def test_sings(self):
        """What the other tests rely on: a connection would be counted."""
        for host in ("127.0.0.1", "::1"):
            socket.create_connection((host, canary.port)).close()
        self.assertEqual(canary.connections(), 2)


if __name__ == "__main__":
    unittest.main()
