"""One request straight to a worker's socket, as nginx would send it (FastCGI 1.0, responder role):
for what must arrive exactly as it was written, and from any client address."""

import socket
import struct

from .sanitizers import patient

_RECORD = struct.Struct(">BBHHBx")  # version, type, request id, content length, padding length
_BEGIN, END, PARAMS, STDIN, STDOUT = 1, 3, 4, 5, 6
_MAX_CONTENT = 65535
_TIMEOUT = patient(60.0)


def record(kind, content=b""):
    return _RECORD.pack(1, kind, 1, len(content), 0) + content


def stream(kind, data):
    """Records with all of the data, and the empty one that ends them."""
    pieces = (data[at : at + _MAX_CONTENT] for at in range(0, len(data), _MAX_CONTENT))
    return b"".join(record(kind, piece) for piece in pieces) + record(kind)


def records(connection):
    """(kind, content) of each record that comes."""
    with connection.makefile("rb") as source:
        while head := source.read(_RECORD.size):
            _, kind, _, length, padding = _RECORD.unpack(head)
            yield kind, source.read(length + padding)[:length]


def _length(size):
    return bytes([size]) if size < 128 else struct.pack(">I", size | 1 << 31)


def _pair(name, value):
    return _length(len(name)) + _length(len(value)) + name + value


def _raw(text):
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def _answer(connection):
    """Everything the worker wrote to its output."""
    output = b""
    for kind, content in records(connection):
        if kind == STDOUT:
            output += content
        if kind == END:
            return output
    raise ConnectionError("The worker closed the connection without an end of the request.")


def serve(path, parameters, body=b""):
    """(status, [(header, value)], body). `parameters`: (name, value) pairs of text or bytes, where
    a surrogate stands for a byte that is no UTF-8."""
    pairs = b"".join(_pair(_raw(name), _raw(value)) for name, value in parameters)
    request = record(_BEGIN, struct.pack(">HB5x", 1, 0))
    request += stream(PARAMS, pairs) + stream(STDIN, _raw(body))
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(_TIMEOUT)
        connection.connect(str(path))
        connection.sendall(request)
        head, _, content = _answer(connection).partition(b"\r\n\r\n")
    lines = head.decode("utf-8", "surrogateescape").split("\r\n")
    headers = [tuple(part.strip() for part in line.split(":", 1)) for line in lines]
    status = next((value for name, value in headers if name == "Status"), "200")
    return int(status[:3]), [pair for pair in headers if pair[0] != "Status"], content
