"""The references before the same nginx as the service: one more server of it, with the same TLS and settings, and
behind it a provider by proxy_pass, and whatever else speaks FastCGI or HTTP."""

import contextlib
import socket

from harness.processes import wait_until

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
