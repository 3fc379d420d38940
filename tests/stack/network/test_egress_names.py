"""No name leads to where it must not, whatever its name server says and however it changes its
mind. In a network where every address is this machine, so that canaries see what would leave it."""

import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from harness.folders import REPOSITORY
from harness.ports import Canary
from harness.processes import end, spawn, wait_until
from harness.scenes import KEY, ROUTE, ask, listed, plant_address, provider, remove_all, tested
from harness.servers import private_network
from harness.servers.private_network import NameServer
from harness.suite import shared_stack

UNREACHABLE = "The provider could not be reached."
PORT = 8080  # the canaries listen there, and at 80 and 443, at every address
OPEN = 8081  # the provider on the public internet listens there, and a canary on loopback
ALLOWED = 11434  # the operator's own
PUBLIC = "93.184.216.34"  # of the public internet, as far as the rule knows
PUBLIC_6 = "2606:2800:220:1::1"
OWN = ("93.184.216.77", "2606:2800:220:1::77")  # likewise, but given to this machine's interface
INSIDE = "10.77.1.2"

HOSTS = ("127.0.0.1 hosts-4.example.org", "::1 hosts-6.example.org")
HOSTS += ("169.254.169.254 hosts-cloud.example.org", f"{PUBLIC} hosts-two.example.org")
HOSTS += ("127.0.0.1 hosts-two.example.org",)

# One of each form; every range of addresses: unit_domain (address).
NAMES = {
    "loop.example.org": ["127.0.0.1"],
    "loop-6.example.org": ["::1"],
    "both-loops.example.org": ["::1", "127.0.0.1"],
    "nothing.example.org": ["0.0.0.0"],
    "nothing-6.example.org": ["::"],
    "cloud.example.org": ["169.254.169.254"],
    "cloud-6.example.org": ["fd00:ec2::254"],
    "private-10.example.org": ["10.0.0.1"],
    "mapped.example.org": ["::ffff:127.0.0.1"],
    "nat64.example.org": ["64:ff9b::7f00:1"],
    "unique-local.example.org": ["fc00::1"],
    # Nobody listens at the public ones, so the others are next.
    "mixed.example.org": ["93.184.216.35", "127.0.0.1"],
    "mixed-6.example.org": ["2606:2800:220:1::2", "::1"],
    "mixed-both.example.org": ["93.184.216.35", "::1"],
    "mixed-cloud.example.org": ["93.184.216.35", "169.254.169.254", "10.0.0.1"],
}


def literal(address):
    """In its canonical spelling: a key is bound to that."""
    if ":" not in address:
        return address
    return f"[{socket.inet_ntop(socket.AF_INET6, socket.inet_pton(socket.AF_INET6, address))}]"


PRIVATE = sorted({a for addresses in NAMES.values() for a in addresses if not a.startswith(("93.", "2606:"))})


def start_provider(log, host, port):
    command = [sys.executable, "-B", "-m", "provider_stub", "--host", host, "--port", port]
    process = spawn(command, log, stdout=subprocess.PIPE, cwd=REPOSITORY / "tests")
    unittest.addModuleCleanup(process.stdout.close)
    unittest.addModuleCleanup(end, process)
    assert process.stdout.readline(), f"No provider at {host}"


def setUpModule():
    global stack, client, names, canaries
    if reason := private_network.why_not():
        raise unittest.SkipTest(reason)
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    private_network.enter(folder.name, HOSTS)
    canaries = [Canary(port, ("0.0.0.0", "::")) for port in (PORT, 80, 443)]
    canaries.append(Canary(OPEN, ("127.0.0.1", "::1", INSIDE)))
    names = NameServer()
    for address in OWN:
        private_network.give(address)
    Path("/proc/sys/net/ipv6/ip_nonlocal_bind").write_text("1", encoding="ascii")
    for host, port in (*((host, OPEN) for host in (PUBLIC, PUBLIC_6, *OWN)), (INSIDE, ALLOWED)):
        start_provider(Path(folder.name, "providers.log"), host, port)
    for each in (names, *canaries):
        unittest.addModuleCleanup(each.close)
    settings = [("upstream-test-timeout", 20)]
    settings += [("egress-allow", f"ollama.example.org:{ALLOWED}")]
    settings += [("egress-allow", f"10.77.0.0/16:{ALLOWED}")]
    stack = shared_stack(manage=1, execute=1, settings=settings)
    client = stack.newcomer()


class Case(unittest.TestCase):
    def tearDown(self):
        self.assertEqual(sum(canary.connections() for canary in canaries), 0)

    def check_of(self, name, port=PORT):
        """The result of a check of a provider at that name."""
        remove_all(client)
        self.made = provider(client, f"http://{name}:{port}/v1")
        return tested(client, self.made)

    def setUp(self):
        remove_all(client)
        self.seen = self.logged()

    @staticmethod
    def logged():
        return stack.folder.log("execute").read_text(encoding="utf-8").count("address not allowed")

    def assert_forbidden(self, result):
        """The person is told no more than of a name that does not exist; the operator's log says it."""
        self.assertTrue(result.get("error", "").startswith(UNREACHABLE), result)
        self.seen += 1
        wait_until(lambda: self.logged() >= self.seen, "the log's line")


class Names(Case):
    def test_none_leads_inside(self):
        for name, addresses in NAMES.items():
            with self.subTest(name=name, addresses=addresses):
                names.point(name, *addresses)
                self.assert_forbidden(self.check_of(name))
                answer = client.post(f"{ROUTE}/playground", ask(self.made, "hello", stream=True))
                self.assertEqual((answer.status, answer.code), (502, "upstream_error"))
                self.assert_forbidden(answer.json())
                self.assert_forbidden(client.get(f"{ROUTE}/{self.made}/models/available").json())
                self.assertEqual(listed(client, self.made)["healthStatus"], "unhealthy")

    def test_none_leads_inside_at_the_usual_ports(self):
        for name in ("cloud.example.org", "mixed-cloud.example.org"):
            names.point(name, *NAMES[name])
            for url in (f"http://{name}", f"https://{name}"):
                with self.subTest(url=url):
                    remove_all(client)
                    self.assert_forbidden(tested(client, provider(client, url)))

    def test_none_of_the_hosts_file_leads_inside(self):
        for line in HOSTS:
            self.assert_forbidden(self.check_of(line.split()[1]))

    def test_one_that_does_not_exist_is_unreachable(self):
        self.assertTrue(self.check_of("no-such.example.org")["error"].startswith(UNREACHABLE))
        self.assertEqual(self.logged(), self.seen)

    def test_a_public_one_is_called_unless_it_is_this_machines_own(self):
        for number, address in enumerate((PUBLIC, PUBLIC_6, *OWN)):
            name = f"public-{number}.example.org"
            names.point(name, address)
            result = self.check_of(name, OPEN)
            if address in OWN:
                self.assert_forbidden(result)
            else:
                self.assertTrue(result["ok"])

    def test_public_first_then_loopback(self):
        for number, then in enumerate(("127.0.0.1", "::1", INSIDE)):
            with self.subTest(then=then):
                name = f"rebinding-{number}.example.org"
                names.point(name, PUBLIC, then=[then])
                self.assertTrue(self.check_of(name, OPEN)["ok"])
                # A new process has no answer of the name server's in mind, and no connection.
                stack.pools["execute"].restart()
                self.assert_forbidden(tested(client, self.made))

    def test_within_the_life_of_a_worker(self):
        """Whatever it remembers, it goes to the public address or nowhere."""
        names.point("fickle.example.org", PUBLIC, then=["127.0.0.1"])
        self.check_of("fickle.example.org", OPEN)
        for _ in range(10):
            result = tested(client, self.made)
            if not result["ok"]:
                self.assert_forbidden(result)

    def test_no_literal_is_called_even_if_it_is_in_the_store(self):
        names.point("first.example.org", PUBLIC)
        self.check_of("first.example.org", OPEN)
        for address in PRIVATE:
            with self.subTest(address=address):
                plant_address(stack, self.made, f"http://{literal(address)}:{PORT}/v1", KEY)
                self.assert_forbidden(tested(client, self.made))

    def test_the_operators_host_and_network_at_their_port_alone(self):
        names.point("ollama.example.org", INSIDE)
        names.point("other.example.org", INSIDE)
        for host in ("ollama.example.org", "other.example.org", INSIDE):
            with self.subTest(host=host):
                self.assertTrue(self.check_of(host, ALLOWED)["ok"])
        self.assert_forbidden(self.check_of("ollama.example.org", OPEN))
        names.point("outside.example.org", "10.78.0.1")
        self.assert_forbidden(self.check_of("outside.example.org", ALLOWED))
