"""A stranger without an account: a request costs what its bytes cost. That each expression of nginx takes steps in
line with its text: tests/rules/test_expressions.py."""

import socket
import ssl
from pathlib import Path

import book
from scene import Thief, the_scene
from harness.suite import Later

_TIMES = 20  # as much as plain bytes may a request take; a quadratic expression takes thousands of times
_LENGTH = 7800  # of a header; nginx takes 8 KB

stack = Later(lambda: the_scene().stack)


def cpu_time():
    """Of nginx's workers, in nanoseconds."""
    master = stack.nginx.pid
    workers = Path(f"/proc/{master}/task/{master}/children").read_text(encoding="ascii").split()
    return sum(int(Path(f"/proc/{worker}/schedstat").read_text(encoding="ascii").split()[0]) for worker in workers)


def cost(cookie, languages):
    """The least of three requests that nginx answers with its page for too large ones."""
    context = ssl.create_default_context(cafile=stack.certificate.ca)
    head = f"POST /auth/login HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\nAccept-Language: {languages}\r\n"
    costs = []
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", stack.https_port)) as plain:
            with context.wrap_socket(plain, server_hostname="localhost") as tls:
                before = cpu_time()
                tls.sendall(f"{head}Content-Length: 9999999\r\n\r\n".encode())
                assert tls.recv(65536).startswith(b"HTTP/1.1 413 "), head[:80]
                costs.append(cpu_time() - before)
    return min(costs)


class Stranger(Thief):
    who = book.STRANGER

    def test_costly_headers(self):
        plain = cost("x" * _LENGTH, "x" * _LENGTH)
        for cookie, languages in (("|", ","), (";", " "), ("; ", ", "), ("; language=", "de"), (" ", "e,")):
            with self.subTest(cookie=cookie, languages=languages):
                most = cost(cookie * (_LENGTH // len(cookie)), "a" + languages * (_LENGTH // len(languages)))
                self.assertLess(most, _TIMES * max(plain, 1_000_000))
        self.stopped("hold nginx by 16 KB of separators in two headers",
                     "each expression of nginx takes steps in line with its text")  # fmt: skip
