"""The networks by which nginx counts requests (deploy/nginx/snippets/http.conf), for each form of address."""

import contextlib
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


# (address, what requests are counted by, what sign-ins are counted by besides)
ADDRESSES = (
    ("192.0.2.1", "192.0.2.1", ""),
    ("192.0.2.2", "192.0.2.2", ""),
    ("::ffff:192.0.2.1", "192.0.2.1", ""),
    ("192.0.2.10", "", ""),  # unlimited
    ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2", "2001:db8:1"),
    ("2001:db8:1:2::9", "2001:db8:1:2", "2001:db8:1"),
    ("2001:db8:1::9", "2001:db8:1:0", "2001:db8:1"),
    ("2001:db8::9", "2001:db8:0:0", "2001:db8:0"),
    ("2001::9", "2001:0:0:0", "2001:0:0"),
    ("2001:0:0:2:0:0:0:6", "2001:0:0:2", "2001:0:0"),
    ("::1", "::1", ""),  # no address of the internet
)


class ClientNetworks(unittest.TestCase):
    def test_each_form_of_address(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        file, log = Path(folder, "nginx.conf"), Path(folder, "log")
        file.write_text(CONFIGURATION.format(folder=folder, repository=REPOSITORY))
        nginx = spawn(["/usr/sbin/nginx", "-p", folder, "-c", file, "-e", "stderr"], log)
        self.addCleanup(end, nginx)
        connection = UnixConnection(Path(folder, "socket"))

        def listens():
            with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
                connection.connect()
                return True

        wait_until(listens, "nginx", process=nginx, log=log)
        self.addCleanup(connection.close)
        for address, client, site in ADDRESSES:
            told = []
            for method, path in (("GET", "/"), ("POST", "/auth/login"), ("GET", "/auth/login")):
                connection.request(method, path, headers={"X-Address": address})
                told.append(connection.getresponse().read().decode())
            self.assertEqual(told, [client, site, ""], address)
