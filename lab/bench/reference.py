"""The references before the same nginx as the service: one more server of it, with the same TLS and settings, and
behind it a provider by proxy_pass, and whatever else speaks FastCGI or HTTP: PHP-FPM, Node, the Portkey gateway. Each of
these rivals is started when it is first asked for, and ends with the scene."""

import contextlib
import os
import shutil
import socket
import subprocess
from pathlib import Path

from harness.npm import install
from harness.processes import HarnessError, end, spawn, wait_until
from harness.servers.postgres import DATABASE
from harness.stack import programs

_SERVER = """upstream provider {{ server 127.0.0.1:{provider}; keepalive 1024; }}
{upstreams}
server {{
    listen 127.0.0.1:{port} ssl{http2};
    server_name localhost;
    ssl_certificate {certificate.certificate};
    ssl_certificate_key {certificate.key};
    include usershell/connection.conf;
    include usershell/headers.conf;
    location /provider/ {{
        proxy_pass http://provider/;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_buffering off;
        proxy_read_timeout 660s;
        proxy_request_buffering off;
        client_max_body_size 32m;
    }}
{locations}
}}
"""
_FASTCGI = """    location /{name} {{
        include usershell/fastcgi.conf;
        {more}
        fastcgi_pass unix:{socket};
    }}
"""
_UPSTREAM = "upstream {name} {{ server 127.0.0.1:{port}; keepalive 64; }}\n"
_HTTP = """    location /{name}{end} {{
        proxy_pass http://{name}{end};
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_buffering off;
    }}
"""


class Reference:
    """add_fastcgi() and add_http() put a program behind it. `port`: where it listens."""

    def __init__(self, stack, provider_port):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self._nginx = stack.nginx
        self._facts = {"provider": provider_port, "certificate": stack.certificate}
        self._locations = []
        self._upstreams = []
        self._serve()

    def add_fastcgi(self, name, path, more):
        """/NAME goes to that Unix socket, with more directives."""
        self._locations.append(_FASTCGI.format(name=name, socket=path, more=more))
        self._serve()

    def add_http(self, name, port, end=""):
        """/NAME goes to that port, over kept connections. end: "/", when the name is no part of its paths."""
        self._upstreams.append(_UPSTREAM.format(name=name, port=port))
        self._locations.append(_HTTP.format(name=name, end=end))
        self._serve()

    def _serve(self):
        more = {"upstreams": "".join(self._upstreams), "locations": "".join(self._locations)}
        text = _SERVER.format(port=self.port, http2=self._nginx.http2, **self._facts, **more)
        self._nginx.add("reference.conf", text)

        def listens():
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return True

        wait_until(listens, "the reference")


_HERE = Path(__file__).resolve().parent / "rivals"
_PACKAGES = ("fastify@5", "pg@8", "@portkey-ai/gateway@1.15.2")
_FPM = """[global]
daemonize = no
error_log = {folder}/php.log
[www]
{user}listen = {folder}/php.sock
pm = static
pm.max_children = 8
env[PATH] = /usr/bin
php_admin_value[opcache.enable] = 1
php_admin_value[opcache.validate_timestamps] = 0
php_admin_value[session.auto_start] = 0
"""


def _wait_for(family, address, process, log):
    """Until it listens there; all rivals do within a minute, or have ended."""

    def listens():
        with socket.socket(family) as probe:
            return probe.connect_ex(address) == 0

    wait_until(listens, f"a listener on {address}", process=process, log=log)


def _fpm():
    found = sorted(Path("/usr/sbin").glob("php-fpm*"))
    if not found:
        raise HarnessError("php-fpm is not installed.")
    return found[-1]


def _start_php(scene):
    configuration = scene.folder / "fpm.conf"
    user = "user = root\ngroup = root\n" if os.geteuid() == 0 else ""
    configuration.write_text(_FPM.format(folder=scene.folder, user=user), encoding="ascii")
    command = [_fpm(), "-y", configuration, "-F", *(["-R"] if user else [])]
    listener = scene.folder / "php.sock"
    log = scene.folder / "php.log"
    process = spawn(command, log)
    scene.ends.callback(end, process)
    _wait_for(socket.AF_UNIX, str(listener), process, log)
    database = f"host={scene.stack.postgres.host} dbname={DATABASE} user=usershell_manage"
    parameters = {"SCRIPT_FILENAME": _HERE / "list.php", "BENCH_DATABASE": f'"{database}"'}
    more = "\n".join(f"fastcgi_param {name} {value};" for name, value in parameters.items())
    scene.reference.add_fastcgi("php", listener, more)
    return process


def npm_folder():
    """node_modules of the rivals, installed once a clone."""
    if not shutil.which("npm"):
        raise HarnessError("npm is not installed.")
    folder = programs().parent / "bench-npm"
    done = folder / "installed"
    if not done.exists() or done.read_text(encoding="ascii") != " ".join(_PACKAGES):
        folder.mkdir(exist_ok=True)
        install(folder, *_PACKAGES)
        done.write_text(" ".join(_PACKAGES), encoding="ascii")
    return folder


def _node(scene, name, words):
    """A program of Node at a free port, which `words` has functions of: (port, process)."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    log = scene.folder / f"{name}.log"
    words = ["node", *(word(port) if callable(word) else word for word in words)]
    process = spawn(words, log, cwd=npm_folder(), stdout=subprocess.DEVNULL)
    scene.ends.callback(end, process)
    _wait_for(socket.AF_INET, ("127.0.0.1", port), process, log)
    return port, process


def _start_node(scene):
    script = npm_folder() / "list.mjs"  # beside node_modules, where its imports are looked for
    shutil.copy(_HERE / "list.mjs", script)
    port, process = _node(scene, "node", [script, str, scene.stack.postgres.host, DATABASE])
    scene.reference.add_http("node", port)
    return process


def _start_portkey(scene):
    package = npm_folder() / "node_modules" / "@portkey-ai" / "gateway"
    words = ["--import", _HERE / "portkey.mjs", package / "build" / "start-server.js", "--port={}".format, "--headless"]
    port, process = _node(scene, "portkey", words)
    scene.reference.add_http("portkey", port, "/")
    return process


# Name: the function of the scene that starts it behind /NAME of the reference, and returns its process.
RIVALS = {"php": _start_php, "node": _start_node, "portkey": _start_portkey}
