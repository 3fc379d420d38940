"""A FastCGI responder in the executing program's place: a thief of that program answers as he
likes. It tells what nginx handed it."""

import contextlib
import os
import socket
import struct
import threading

from harness.fastcgi import END, PARAMS, STDIN, STDOUT, record, records, stream


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
