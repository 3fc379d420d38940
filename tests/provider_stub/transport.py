"""Behaviours of the connection: when bytes come, how many, and how it ends."""

import asyncio
import gzip
import json

from .behaviours import behaviour

MEBIBYTE = 1024 * 1024


async def _forever():
    await asyncio.Event().wait()


@behaviour("slow", 100)
async def slow(x, milliseconds):
    """A pause before every token, or before a whole answer."""
    return await x.send(pause=milliseconds / 1000)


@behaviour("silent")
async def silent(_x, _):
    """Takes the request and never answers."""
    await _forever()


@behaviour("silent-after", 1)
async def silent_after(x, tokens):
    await x.send_part(tokens)
    await _forever()


@behaviour("half-of-a-large-event", 1024)
async def half_of_a_large_event(x, kib):
    """So many KiB of an event, whose end never comes."""
    await x.send_part(0)
    await x.connection.chunk(b'data: {"x":"' + b"a" * (kib * 1024))
    await _forever()


@behaviour("drip", 20)
async def drip(x, milliseconds):
    """One byte at a time, with a pause before each."""
    data = b"".join(frame for frame, _ in x.frames()) if x.streams else x.data
    await x.begin([("Content-Length", len(data))])
    for byte in data:
        await asyncio.sleep(milliseconds / 1000)
        await x.connection.write(bytes([byte]))
    return True


@behaviour("reset")
async def reset(x, _):
    x.connection.reset()


@behaviour("reset-after", 1)
async def reset_after(x, tokens):
    await x.send_part(tokens)
    await asyncio.sleep(0.05)  # RST throws away what the peer has not read yet
    x.connection.reset()


@behaviour("cut-after", 1)
async def cut_after(x, tokens):
    """Closes in the middle, without the end of the response."""
    await x.send_part(tokens)


@behaviour("endless-head")
async def endless_head(x, _):
    """Headers that never end."""
    await x.connection.write(b"HTTP/1.1 200 Stub\r\n")
    x.entry.note(started=True)
    while True:
        await x.connection.write(b"X-More: " + b"a" * 8000 + b"\r\n")


@behaviour("pings", 20)
async def pings(x, milliseconds):
    """Signs of life for ever, and no answer."""
    await x.open()
    while True:
        await x.connection.chunk(x.protocol.keepalive() if x.streams else b" ")
        await asyncio.sleep(milliseconds / 1000)


@behaviour("garbage")
async def garbage(x, _):
    """Not HTTP."""
    await x.connection.write(bytes(range(256)) * 4)


@behaviour("endless-line")
async def endless_line(x, _):
    """A line that never ends."""
    await x.open()
    await x.connection.chunk(b"data: " if x.streams else b'{"x":"')
    while True:
        await x.connection.chunk(b"a" * 65536)


@behaviour("huge", 100)
async def huge(x, mebibytes):
    """That many MiB of a correct answer."""
    text = "huge " * 13_000
    if x.streams:
        frame = x.protocol.token(x.chat, text)
        return await x.send_stream((frame, True) for _ in range(mebibytes * MEBIBYTE // len(frame)))
    data = json.dumps({"padding": "@", **x.body}).encode().replace(b"@", b"a" * MEBIBYTE, 1)
    await x.open()
    start, end = data.split(b"a" * MEBIBYTE, 1)
    for piece in (start, *[b"a" * MEBIBYTE] * mebibytes, end):
        await x.connection.chunk(piece)
    await x.connection.close_stream()
    return True


@behaviour("compressed-twice")
async def compressed_twice(x, _):
    """A few KiB of gzip that become many MiB of gzip, which become nothing."""
    empty = b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + b"\0\0\0\xff\xff" * (8 * MEBIBYTE)
    data = gzip.compress(empty)
    headers = [("Content-Encoding", "gzip, gzip"), ("Content-Length", len(data))]
    await x.begin(headers)
    await x.connection.write(data)


@behaviour("redirect")
async def redirect(x, port):
    """To the same request without the behaviour: the journal shows who follows; or to that port."""
    target = "/" + x.request.target[1:].partition("/")[2]
    if port:
        target = f"http://127.0.0.1:{port}{target}"
    return await x.send_body(302, {"moved": True}, [("Location", target)])
