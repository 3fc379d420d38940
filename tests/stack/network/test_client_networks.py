"""The networks by which nginx counts requests (deploy/nginx/snippets/http.conf), for each form of address."""

import contextlib
import ipaddress
import itertools
import tempfile
import unittest
from pathlib import Path

from harness.folders import REPOSITORY
from harness.processes import end, spawn, wait_until
from harness.servers.pool import UnixConnection

CONFIGURATION = """daemon off;
pid {folder}/pid;
error_log stderr;
worker_processes 1;
events {{}}
http {{
    access_log off;
    include {repository}/deploy/nginx/snippets/http.conf;
    geo $usershell_unlimited {{ default 0; 192.0.2.10 1; }}
    server {{
        listen unix:{folder}/socket;
        set_real_ip_from unix:;
        real_ip_header X-Address;
        default_type text/plain;
        location / {{ return 200 "$usershell_client"; }}
        location /auth/login {{ return 200 "$usershell_sign_in_site"; }}
    }}
}}
"""


class ClientNetworks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        file = Path(folder.name, "nginx.conf")
        file.write_text(CONFIGURATION.format(folder=folder.name, repository=REPOSITORY))
        log = Path(folder.name, "log")
        nginx = spawn(["/usr/sbin/nginx", "-p", folder.name, "-c", file, "-e", "stderr"], log)
        cls.addClassCleanup(end, nginx)
        cls.connection = UnixConnection(Path(folder.name, "socket"))

        def listens():
            with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
                cls.connection.connect()
                return True

        wait_until(listens, "nginx", process=nginx, log=log)
        cls.addClassCleanup(cls.connection.close)

    def client(self, address, method="GET", path="/"):
        self.connection.request(method, path, headers={"X-Address": str(address)})
        return self.connection.getresponse().read().decode()

    def test_ipv4_is_counted_by_address(self):
        for address in ("192.0.2.1", "192.0.2.2"):
            self.assertEqual(self.client(address), address)
            self.assertEqual(self.client(f"::ffff:{address}"), address)
        self.assertEqual(self.client("192.0.2.10"), "")  # unlimited

    def test_sign_ins_are_counted_by_the_first_48_bits_of_ipv6_too(self):
        for address, site in (
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1"),
            ("2001:db8:1::9", "2001:db8:1"),
            ("2001:db8::9", "2001:db8:0"),
            ("192.0.2.1", ""),
            ("::1", ""),
            ("192.0.2.10", ""),  # unlimited
        ):
            self.assertEqual(self.client(address, "POST", "/auth/login"), site)
        self.assertEqual(self.client("2001:db8:1:2::9", "GET", "/auth/login"), "")

    def test_ipv6_is_counted_by_its_first_64_bits(self):
        for zeros in itertools.product((False, True), repeat=8):
            groups = ["0" if zero else f"{i + 1}a" for i, zero in enumerate(zeros)]
            address = ipaddress.IPv6Address(":".join(groups))
            if str(address).startswith("::"):  # nobody's on the internet
                self.assertEqual(ipaddress.IPv6Address(self.client(address)), address)
            else:
                self.assertEqual(self.client(address), ":".join(groups[:4]), address)
