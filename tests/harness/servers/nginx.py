"""nginx before a stack: deploy/nginx/site.conf and its snippets, the very files of a deployment,
with the names, ports and paths of the stack put in."""

import os
import re
import resource
import signal
import ssl
import time
import urllib.error
import urllib.request
from pathlib import Path

from ..folders import REPOSITORY
from ..processes import HarnessError, end, finished, is_root, run, spawn, wait_until
from ..sanitizers import patient

_SITE = REPOSITORY / "deploy" / "nginx"
_PROGRAM = "/usr/sbin/nginx"
MODULES = "".join(
    f"load_module /usr/lib/nginx/modules/{name}.so;\n"
    for name in ("ndk_http_module", "ngx_http_lua_module", "ngx_http_brotli_static_module")
)
_NAME = "shell.example.org"
_START_TIMEOUT = 20.0
_MOST_FILES = 65536
_TEMPORARY = ("client_body", "fastcgi", "proxy", "scgi", "uwsgi")
_MAIN = """{user}{modules}daemon off;
pid {folder}/nginx.pid;
error_log {error_log} warn;
worker_processes 2;
worker_rlimit_nofile {files};
worker_shutdown_timeout 5m;
events {{ worker_connections {connections}; }}
http {{
    include /etc/nginx/mime.types;
    default_type application/octet-stream;
    sendfile on;
    tcp_nopush on;
{temporary}
    access_log off;
    include site.conf;
    include more-*.conf;
}}
"""


def _http2_word():
    """Of `listen`, as the package of Debian 12 has it; later nginx has a directive."""
    told = finished([_PROGRAM, "-v"]).stderr
    return "" if tuple(map(int, re.search(r"nginx/(\d+)\.(\d+)\.(\d+)", told).groups())) >= (1, 25, 1) else " http2"


class Nginx:
    """`https` and `http` are Claims; `folder` belongs to nginx alone, `root` has what it serves. api: with
    the routes below /v1.
    connections: how many a worker process may hold."""

    def __init__(self, folder, log, https, http, certificate, pools, limits, connections, root, api):
        self.base_url = f"https://localhost:{https.port}"
        self.access_log = log.with_name("nginx.access.log")
        self._folder = folder
        self._log = log
        self._claims = (https, http)
        self._certificate = certificate
        self._pools = pools
        self._limits = limits
        self._connections = connections
        self._root = root
        self._api = api
        self._process = None
        self.http2 = _http2_word()

    @property
    def pid(self):
        """The master's."""
        return self._process.pid

    def start(self):
        """Renders the configuration, has nginx check it, and waits for the first answer."""
        self._render()
        command = [_PROGRAM, "-p", self._folder, "-c", self._folder / "nginx.conf"]
        command += ["-e", self._log]
        descriptors = [d for claim in self._claims for d in claim.descriptors()]
        modules = "".join(f"{folder}/lua/?.lua;" for folder in (_SITE, self._root))
        own = {"NGINX": "".join(f"{d};" for d in descriptors), "LUA_PATH": f"{modules};"}  # and the usual folders
        inherit = {"env": os.environ | own, "pass_fds": descriptors}
        run([*command, "-t"], **inherit)
        self._process = spawn(command, self._log, **inherit)
        self._wait_until_ready()

    def add(self, name, text):
        """Another file of its configuration."""
        (self._folder / f"more-{name}").write_text(text, encoding="utf-8")
        self.reload()

    def reload(self):
        """Reads its files again; returns when no old worker takes connections any more."""
        workers = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        older = set(workers.read_text().split())
        self._process.send_signal(signal.SIGHUP)
        wait_until(lambda: not older & set(workers.read_text().split()), "nginx's reload")

    def has_logged(self, text, timeout=30.0):
        """True once the access log holds text: nginx writes a line after it has sent the answer."""
        deadline = time.monotonic() + patient(timeout)
        while text.encode() not in self.access_log.read_bytes():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def stop(self):
        if self._process:
            end(self._process)
            self._process = None

    def _render(self):
        self._folder.mkdir(exist_ok=True)
        snippets = self._folder / "usershell"
        snippets.mkdir(exist_ok=True)
        for path in (_SITE / "snippets").iterdir():
            text = path.read_text(encoding="utf-8")
            for name, pool in self._pools.items():
                text = text.replace(f"unix:/run/usershell/{name}.sock", f"unix:{pool}")
            (snippets / path.name).write_text(text, encoding="utf-8")
        temporary = "\n".join(f"    {n}_temp_path {self._folder}/{n};" for n in _TEMPORARY)
        main = _MAIN.format(
            user="user root;\n" if is_root() else "",  # to read files below a closed folder
            modules=MODULES,
            folder=self._folder,
            error_log=self._log,
            temporary=temporary,
            connections=self._connections,
            files=min(_MOST_FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),
        )
        (self._folder / "nginx.conf").write_text(main, encoding="utf-8")
        (self._folder / "site.conf").write_text(self._site(), encoding="utf-8")

    def _site(self):
        https, http = self._claims
        word, line = self.http2, "" if self.http2 else "    http2 on;\n"
        text = (_SITE / "site.conf").read_text(encoding="utf-8")
        for old, new in {
            f"https://{_NAME}$": f"{self.base_url}$",
            f"server_name {_NAME};": "server_name localhost 127.0.0.1;",
            "    listen 443 ssl": f"    listen 127.0.0.1:{https.port} ssl{word}",
            "    listen [::]:443 ssl": self._ipv6(https, f" ssl{word}"),
            "    http2 on;\n": line,
            "    listen 80": f"    listen 127.0.0.1:{http.port}",
            "    listen [::]:80": self._ipv6(http, ""),
            f"/etc/letsencrypt/live/{_NAME}/fullchain.pem": self._certificate.certificate,
            f"/etc/letsencrypt/live/{_NAME}/privkey.pem": self._certificate.key,
            "root /usr/share/usershell;": f"root {self._root};",
            "include /usr/share/usershell/nginx/*.conf;": f"include {_SITE}/modules/*.conf;",
            "root /var/www/html;": f"root {self._folder}/challenges;",
            "/var/log/nginx/usershell.log": self.access_log,
            "# include usershell/api.conf;": "include usershell/api.conf;" if self._api else "",
            "# 192.0.2.10 1;": "" if self._limits else "127.0.0.0/8 1; ::1 1;",
        }.items():
            if old not in text:
                raise HarnessError(f"deploy/nginx/site.conf has no more {old!r}.")
            text = text.replace(old, str(new))
        return text

    @staticmethod
    def _ipv6(claim, rest):
        known = "[::1]" in claim.addresses
        return f"    listen [::1]:{claim.port}{rest}" if known else "    # listen"

    def _wait_until_ready(self):
        context = ssl.create_default_context(cafile=self._certificate.ca)

        def answers():
            try:
                urllib.request.urlopen(f"{self.base_url}/assets/", None, 2, context=context).close()
            except urllib.error.HTTPError as answer:
                answer.close()
            except OSError:
                return False
            return True

        try:
            wait_until(answers, "nginx", _START_TIMEOUT, self._process, self._log)
        except HarnessError:
            self.stop()
            raise
