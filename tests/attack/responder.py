"""A FastCGI responder in a program's place: a thief of that program answers as he likes, through the real nginx. It
tells what nginx handed it."""

import contextlib
import os
import socket
import struct
import threading

from harness.fastcgi import END, PARAMS, STDIN, STDOUT, record, records, stream
from scene import Thief, the_scene


def _parameters(data):
    """Pairs, each length in one byte or, above 127, in four."""
    found, at = {}, 0
    while at < len(data):
        sizes = []
        for _ in range(2):
            size, width = data[at], 1
            if size > 127:
                size, width = struct.unpack_from(">I", data, at)[0] & 0x7FFFFFFF, 4
            sizes.append(size)
            at += width
        name, value = data[at : at + sizes[0]], data[at + sizes[0] : at + sum(sizes)]
        found[name.decode()] = value.decode()
        at += sum(sizes)
    return found


class Responder:
    """Listens at `path`. `answer` is what it says to everybody, head and body; `handed` are the
    parameters of the last request."""

    def __init__(self, path):
        self.answer = b""
        self.handed = {}
        self._path = path
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()
        os.unlink(self._path)

    def _serve(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):
                self._respond(connection)

    def _respond(self, connection):
        parameters = b""
        for kind, content in records(connection):
            if kind == PARAMS:
                parameters += content
            if kind == STDIN and not content:
                break
        self.handed = _parameters(parameters)
        connection.sendall(stream(STDOUT, self.answer) + record(END, bytes(8)))


class Answering(Thief):
    """pool: whose place it takes. kind: the media type of its answers. ask(): a request that comes there."""

    pool = kind = ""

    @classmethod
    def setUpClass(cls):
        pool = the_scene().stack.pools[cls.pool]
        pool.stop()
        cls.addClassCleanup(pool.start)
        cls.thief = Responder(pool.path)
        cls.addClassCleanup(cls.thief.close)

    def said(self, head, body=b"data", status="200 OK", kind=None):
        """What the browser gets when the thief answers that."""
        kind = self.kind if kind is None else kind
        kind = f"Content-Type: {kind}\r\n" if kind else ""
        self.thief.answer = f"Status: {status}\r\n{kind}{head}\r\n\r\n".encode() + body
        return self.ask()

    def orders(self, orders):
        for tried, header in orders:
            with self.subTest(tried=tried, header=header):
                answer = self.said(header)
                self.assertEqual((answer.status, answer.body), (200, b"data"))
                self.assertNotIn("x-accel", " ".join(name.lower() for name, _ in answer.pairs))
                self.assertNotIn("utf-7", str(answer.pairs))
                name, _, value = header.partition(": ")
                self.stopped(f"{tried} (`{name}: {value}`)", "nginx ignores it")
