"""By what nginx counts requests (deploy/nginx/snippets/http.conf): networks, for each form of address, and tokens."""

import contextlib
import tempfile
import unittest
from pathlib import Path

from harness.folders import REPOSITORY
from harness.processes import end, spawn, wait_until
from harness.servers.nginx import MODULES
from harness.servers.pool import UnixConnection

CONFIGURATION = """{modules}daemon off;
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
        location /v1/ {{ return 200 "$usershell_token|$usershell_stranger"; }}
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

TOKEN = "ush_" + "a1B" * 22
KNOWN, STRANGER = f"{TOKEN[:16]}|", "|192.0.2.1"
# (headers of a tool, the token that counts it, else its network)
TOOLS = (
    ({}, STRANGER),
    ({"Authorization": f"Bearer {TOKEN}"}, KNOWN),
    ({"Authorization": f"bEARER {TOKEN}"}, KNOWN),
    ({"Authorization": TOKEN}, KNOWN),
    ({"x-api-key": TOKEN}, KNOWN),
    ({"x-api-key": TOKEN, "Authorization": "Bearer sk-own"}, KNOWN),
    ({"x-api-key": "sk-own", "Authorization": f"Bearer {TOKEN}"}, KNOWN),
    ({"Authorization": f"Bearer {TOKEN}a"}, STRANGER),
    ({"Authorization": f"Bearer {TOKEN[:-1]}"}, STRANGER),
    ({"Authorization": f"Basic {TOKEN}"}, STRANGER),
    ({"Authorization": f"Bearer x{TOKEN}"}, STRANGER),
    ({"x-api-key": f"sk-{TOKEN}"}, STRANGER),
    ({"x-token": TOKEN}, STRANGER),
)


class Counted(unittest.TestCase):
    def connection(self):
        """To an nginx that tells what it counts a request by."""
        folder = self.enterContext(tempfile.TemporaryDirectory())
        file, log = Path(folder, "nginx.conf"), Path(folder, "log")
        file.write_text(CONFIGURATION.format(modules=MODULES, folder=folder, repository=REPOSITORY))
        nginx = spawn(["/usr/sbin/nginx", "-p", folder, "-c", file, "-e", "stderr"], log)
        self.addCleanup(end, nginx)
        connection = UnixConnection(Path(folder, "socket"))

        def listens():
            with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
                connection.connect()
                return True

        wait_until(listens, "nginx", process=nginx, log=log)
        self.addCleanup(connection.close)
        return connection

    def test_each_form_of_address(self):
        connection = self.connection()
        for address, client, site in ADDRESSES:
            told = []
            for method, path in (("GET", "/"), ("POST", "/auth/login"), ("GET", "/auth/login")):
                connection.request(method, path, headers={"X-Address": address})
                told.append(connection.getresponse().read().decode())
            self.assertEqual(told, [client, site, ""], address)

    def test_a_tool_by_its_token(self):
        connection = self.connection()
        for headers, counted in TOOLS:
            connection.request("GET", "/v1/models", headers={"X-Address": "192.0.2.1", **headers})
            self.assertEqual(connection.getresponse().read().decode(), counted, headers)
