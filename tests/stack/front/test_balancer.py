"""nginx behind HAProxy, by the command of docs/operations.md: clients keep their addresses, and only the balancer
says whose."""

import contextlib
import re
import socket
import ssl
import subprocess
import unittest

from harness.client import Client
from harness.folders import REPOSITORY
from harness.ports import bound
from harness.processes import end, spawn, wait_until
from harness.stack import Stack

CONFIGURATION = """
defaults
    mode tcp
    timeout connect 5s
    timeout client 60s
    timeout server 60s
frontend https
    bind 127.0.0.1:{port}
    default_backend machines
backend machines
    server one 127.0.0.1:{nginx} send-proxy-v2 check check-send-proxy
"""


def setUpModule():
    global stack, balancer_port, nginx_port
    stack = unittest.enterModuleContext(Stack(auth=1, manage=1, execute=1, limits=True))
    nginx_port = int(stack.base_url.rpartition(":")[2])
    set_by_the_manual(stack.folder.sub("nginx") / "site.conf")
    stack.nginx.reload()
    with contextlib.closing(bound()) as free:
        balancer_port = free.getsockname()[1]
    file = stack.folder.sub("haproxy.cfg")
    file.write_text(CONFIGURATION.format(port=balancer_port, nginx=nginx_port))
    log = stack.folder.log("haproxy")
    haproxy = spawn(["/usr/sbin/haproxy", "-db", "-f", file], log)
    unittest.addModuleCleanup(end, haproxy)
    wait_until(lambda: ask("127.0.0.1") == 200, "HAProxy", process=haproxy, log=log)


def set_by_the_manual(site):
    manual = (REPOSITORY / "docs" / "operations.md").read_text(encoding="utf-8")
    command = re.search(r"^sed -i -e 's/\^# set_real_ip_from.*?/usershell$", manual, re.M | re.S)[0]
    command = command.replace("192.0.2.30", "127.0.0.1").replace("443 ssl", f"{nginx_port} ssl")
    command = command.replace("/etc/nginx/sites-available/usershell", str(site))
    subprocess.run(command, shell=True, check=True)


def client(source):
    return Client(f"https://localhost:{balancer_port}", stack.certificate.ca, source)


def ask(source):
    with contextlib.suppress(OSError), contextlib.closing(client(source)) as asking:
        return asking.get("/auth/login").status


class Balancer(unittest.TestCase):
    def test_each_client_has_limits_of_its_own(self):
        eager = client("127.0.0.71")
        self.addCleanup(eager.close)
        self.assertIn(429, (eager.get("/auth/login").status for _ in range(5000)))
        self.assertEqual(ask("127.0.0.72"), 200)
        self.assertTrue(stack.nginx.has_logged("\n127.0.0.71 "))

    def test_nobody_else_says_who_a_client_is(self):
        """A stranger reaches nginx beside the balancer and claims an address."""
        stranger = socket.create_connection(("127.0.0.1", nginx_port), 10, source_address=("127.0.0.73", 0))
        self.addCleanup(stranger.close)
        stranger.sendall(b"PROXY TCP4 127.0.0.74 127.0.0.1 4000 443\r\n")
        context = ssl.create_default_context(cafile=stack.certificate.ca)
        with context.wrap_socket(stranger, server_hostname="localhost") as tls:
            tls.sendall(b"GET /claimed HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            self.assertIn(b"HTTP/1.1 404", tls.recv(1000))
        self.assertTrue(stack.nginx.has_logged('"/claimed"'))
        log = stack.nginx.access_log.read_text()
        self.assertRegex(log, r'\n127\.0\.0\.73 [^\n]*"/claimed"')
        self.assertNotIn("127.0.0.74", log)

    def test_a_connection_without_the_protocol_is_closed(self):
        with self.assertRaises(OSError):
            Client(stack.base_url, stack.certificate.ca).get("/auth/login")
