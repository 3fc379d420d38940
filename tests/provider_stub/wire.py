"""HTTP/1.1 as the stub speaks it: a connection, the requests read from it, the bytes written to it.

A pump reads all the time, so that a peer that goes away is noticed at once, also while the stub is
silent. Connections are kept alive unless the peer asks otherwise or a behaviour ends them.
"""

import asyncio
import itertools
import json
import socket
import struct
import urllib.parse
from dataclasses import dataclass

_connection_numbers = itertools.count(1)


class PeerGone(Exception):
    """The peer closed or reset the connection."""


@dataclass
class Request:
    method: str
    target: str
    headers: dict  # names in lower case, the last of repeated ones wins
    body: bytes
    connection: int

    @property
    def path(self):
        return urllib.parse.urlsplit(self.target).path

    @property
    def query(self):
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.target).query))

    def json(self):
        """The body as a JSON object, {} for anything else."""
        try:
            value = json.loads(self.body or b"{}")
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}


class Connection:
    """Owns one accepted stream pair; used by a single task besides its own pump."""

    def __init__(self, reader, writer):
        self.number = next(_connection_numbers)
        self.gone = asyncio.Event()
        self._reader = reader
        self._writer = writer
        self._buffer = bytearray()
        self._more = asyncio.Event()
        self._chunked = False
        self._pump = asyncio.create_task(self._read_all())

    async def _read_all(self):
        try:
            while data := await self._reader.read(65536):
                self._buffer += data
                self._more.set()
        except OSError:
            pass
        self.gone.set()
        self._more.set()

    async def _need(self, enough):
        """Waits until enough(buffer) is not negative and returns that value."""
        while (end := enough(self._buffer)) < 0:
            if self.gone.is_set():
                raise PeerGone
            self._more.clear()
            await self._more.wait()
        return end

    async def _take(self, count):
        await self._need(lambda buffer: 0 if len(buffer) >= count else -1)
        data = bytes(self._buffer[:count])
        del self._buffer[:count]
        return data

    async def _take_line(self):
        end = await self._need(lambda buffer: buffer.find(b"\n"))
        return (await self._take(end + 1)).rstrip(b"\r\n")

    async def next_request(self):
        """The next request; PeerGone when there is none."""
        method, target, _ = (await self._take_line()).decode("latin-1").split(" ", 2)
        headers = {}
        while line := await self._take_line():
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        if headers.get("expect", "").lower() == "100-continue":
            await self.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await self._take(int(headers.get("content-length", "0")))
        return Request(method, target, headers, body, self.number)

    async def write(self, data):
        """Raw bytes, flushed; PeerGone when nobody is there."""
        try:
            self._writer.write(data)
            await self._writer.drain()
        except OSError as error:
            raise PeerGone from error

    async def answer(self, status, body, content_type="application/json", headers=()):
        """A whole response."""
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        await self.head(status, content_type, [("Content-Length", len(body)), *headers])
        await self.write(body)

    async def head(self, status, content_type, headers=()):
        lines = [f"HTTP/1.1 {status} Stub", f"Content-Type: {content_type}"]
        lines += [f"{name}: {value}" for name, value in headers]
        await self.write(("\r\n".join(lines) + "\r\n\r\n").encode())

    async def chunk(self, data):
        """A part of a response that is sent in chunks."""
        await self.write(b"%x\r\n%s\r\n" % (len(data), data))

    async def close_stream(self):
        await self.write(b"0\r\n\r\n")

    def reset(self):
        """Ends the connection with RST instead of FIN."""
        end = self._writer.get_extra_info("socket")
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    async def close(self):
        self._pump.cancel()
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except OSError:
            pass
