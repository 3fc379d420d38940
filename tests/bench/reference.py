"""The nginx before the references: the same program, TLS and settings as the stack's,
and behind it a provider by proxy_pass, and whatever else speaks FastCGI or HTTP."""

import os

from harness.folders import REPOSITORY
from harness.ports import claim
from harness.processes import end, is_root, run, spawn

_PROGRAM = "/usr/sbin/nginx"
_CONFIGURATION = """{user}daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log warn;
worker_processes 2;
worker_rlimit_nofile {files};
events {{ worker_connections 32768; }}
http {{
    include /etc/nginx/mime.types;
    default_type application/octet-stream;
    sendfile on;
    tcp_nopush on;
{temporary}
    geo $usershell_unlimited {{ default 1; }}
    include usershell/http.conf;
    access_log {folder}/access.log usershell;
    upstream provider {{ server 127.0.0.1:{provider}; keepalive 1024; }}
{upstreams}
    server {{
        listen 127.0.0.1:{port} ssl http2;
        server_name localhost;
        ssl_certificate {certificate};
        ssl_certificate_key {key};
        include usershell/connection.conf;
        include usershell/headers.conf;
        location /provider/ {{
            proxy_pass http://provider/;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_buffering off;
            proxy_read_timeout 660s;
        }}
{locations}
    }}
}}
"""
_FASTCGI = """        location /{name} {{
            include usershell/fastcgi.conf;
            {more}
            fastcgi_pass unix:{socket};
        }}
"""
_UPSTREAM = "    upstream {name} {{ server 127.0.0.1:{port}; keepalive 64; }}\n"
_HTTP = """        location /{name} {{
            proxy_pass http://{name};
            proxy_http_version 1.1;
            proxy_set_header Connection "";
        }}
"""


class ReferenceNginx:
    """add_fastcgi() and add_http() put a program behind it, and start it again. `port`: where it
    listens."""

    def __init__(self, folder, stack, provider_port):
        self._folder = folder / "reference"
        self._folder.mkdir()
        (self._folder / "usershell").symlink_to(REPOSITORY / "deploy" / "nginx" / "snippets")
        self._certificate = stack.certificate
        self._provider = provider_port
        self._claim = claim(0)
        self.port = self._claim.port
        self._locations = []
        self._upstreams = []
        self._process = None

    @property
    def pid(self):
        return self._process.pid

    def start(self):
        """Also after stop()."""
        temporary = ("client_body", "fastcgi", "proxy", "scgi", "uwsgi")
        text = _CONFIGURATION.format(
            user="user root;\n" if is_root() else "",
            folder=self._folder,
            files=os.sysconf("SC_OPEN_MAX"),
            temporary="\n".join(f"    {n}_temp_path {self._folder}/{n};" for n in temporary),
            provider=self._provider,
            port=self.port,
            certificate=self._certificate.certificate,
            key=self._certificate.key,
            upstreams="".join(self._upstreams),
            locations="".join(self._locations),
        )
        (self._folder / "nginx.conf").write_text(text, encoding="utf-8")
        command = [_PROGRAM, "-p", self._folder, "-c", self._folder / "nginx.conf"]
        command += ["-e", self._folder / "nginx.log"]
        descriptors = self._claim.descriptors()
        inherit = {"env": {**os.environ, "NGINX": "".join(f"{d};" for d in descriptors[:1])}, "pass_fds": descriptors}
        run([*command, "-t"], **inherit)
        self._process = spawn(command, self._folder / "nginx.log", **inherit)

    def stop(self):
        if self._process:
            end(self._process)
            self._process = None

    def add_fastcgi(self, name, socket, more=""):
        """/NAME goes to that Unix socket, with more directives."""
        self._locations.append(_FASTCGI.format(name=name, socket=socket, more=more))
        self._restart()

    def add_http(self, name, port):
        """/NAME goes to that port, over kept connections."""
        self._upstreams.append(_UPSTREAM.format(name=name, port=port))
        self._locations.append(_HTTP.format(name=name))
        self._restart()

    def _restart(self):
        self.stop()
        self.start()
