"""How the stub can misbehave. The first segment of the path chooses, `name` or `name-NUMBER`, so
that tests share one stub and still do not meet: with the base URL http://…/slow-200/v1 a token
comes every 200 ms.

A behaviour is a coroutine of an Exchange and its number. It returns True when the connection may
serve another request. What it leaves unfinished ends with the connection. First those of the
connection: when bytes come, how many, and how it ends; then those of the answer: what it says, and
in which shape. hostile.py has those of a thief.
"""

import asyncio
import gzip
import itertools
import json
import re

_table = {}


def behaviour(name, number=0):
    """Registers the coroutine under this name; `number` stands in where the path has none."""

    def register(run):
        _table[name] = (run, number)
        return run

    return register


def choose(path):
    """(coroutine, number, path without the behaviour) for a request path."""
    segment, slash, rest = path[1:].partition("/")
    name, _, digits = segment.rpartition("-")
    if digits.isdigit() and name in _table:
        return _table[name][0], int(digits), slash + rest
    if segment in _table:
        return *_table[segment], slash + rest
    return normal, 0, path


async def normal(x, _):
    return await x.send()


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


@behaviour("large-event", 1024)
async def large_event(x, kib):
    """A stream that begins with an event of so many KiB, of small values."""
    large = b'data: {"choices":[],"x":[' + b"[1]," * (kib * 256) + b"1]}\n\n"
    return await (x.send_stream([(large, False), *x.frames()]) if x.streams else x.send())


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


@behaviour("html")
async def html(x, _):
    page = b"<!doctype html><title>Welcome</title><h1>Some other web server</h1>"
    return await x.send_body(200, page, content_type="text/html")


@behaviour("error-in-stream", 2)
async def error_in_stream(x, tokens):
    """A 200 that turns out to be an error, after that many tokens."""
    message = "The stub overloaded itself in mid-answer."
    if not x.streams:
        return await x.send_body(200, x.protocol.fault("status", message)[1])
    await x.send_part(tokens)
    await x.connection.chunk(x.protocol.stream_error(x.chat, message))
    await x.connection.close_stream()
    return True


@behaviour("empty-choices")
async def empty_choices(x, _):
    """Chunks without choices before and after the text."""
    if not x.streams:
        return await x.send()
    extra = [(x.protocol.usage(x.chat), False)]
    frames = x.frames()
    return await x.send_stream(extra + frames[:-1] + extra + frames[-1:])


@behaviour("unusual-finish")
async def unusual_finish(x, _):
    """An answer that ends for a reason of the provider's own."""
    if x.chat is None:
        return await x.send()
    if not x.streams:
        x.bill()
        return await x.send_body(200, x.protocol.whole(x.chat, x.chat.text, "house_rule"))
    return await x.send_stream(x.frames("house_rule"))


@behaviour("reasoning", 64)
async def reasoning(x, needed):
    """Thinks first. With fewer than `needed` output tokens it thinks and says nothing."""
    if x.chat is None:
        return await x.send()
    enough = x.chat.max_tokens is None or x.chat.max_tokens >= needed
    finish = "stop" if enough else "length"
    if not enough:
        x.chat.tokens = []
    if not x.streams:
        whole = x.protocol.whole(x.chat, x.chat.text, finish)
        x.bill()
        return await x.send_body(200, x.protocol.thinking(whole, "thought"))
    thoughts = [(x.protocol.reasoning(x.chat, f"thought {i} "), False) for i in range(3)]
    frames = x.frames(finish)
    opening = len(x.protocol.opening(x.chat))
    return await x.send_stream(frames[:opening] + thoughts + frames[opening:])


@behaviour("many-models", 2500)
async def many_models(x, count):
    """So many models in one list, in OpenAI's format."""
    if x.chat is not None:
        return await x.send()
    return await x.send_body(200, {"data": [{"id": f"model-{number:05}"} for number in range(count)]})


_PASSAGE = """## Chapter

A paragraph of words that goes on for a while, with **strong** ones, `code` and
[a link](https://example.org/chapter), as long answers do. The sum $\\sum_{i=1}^n a_i$ is one, too.

1. a first point, with *weight*
2. a second point
   - and what belongs to it
   - and more

| name | what it is | how many |
|---|---|--:|
| one | the `first` of them | 1 |
| two | the **second** of them | 2 |

> Somebody said so, and somebody else
> wrote it down.

$$
\\frac{a}{b}
$$

```python


def answer(question):
    return question + " and more"
```

"""
LONG_WORDS = re.findall(r"\s*\S+(?:\s+$)?", _PASSAGE)


@behaviour("long", 60_000)
async def long(x, tokens):
    """A Markdown text of that many tokens, over and over the same passage."""
    if x.chat is None:
        return await x.send()
    x.chat.tokens = list(itertools.islice(itertools.cycle(LONG_WORDS), tokens))
    return await x.send()


@behaviour("unknown-model")
async def unknown_model(x, _):
    model = x.chat.model if x.chat else ""
    return await x.send_fault("unknown-model", f"The model `{model}` does not exist.")


@behaviour("rant")
async def rant(x, _):
    """A refusal at great length, with markup, control characters and the key in it."""
    message = f"<b>No</b>\x1b[31m\r\n{x.entry.key} again {x.entry.key}! " + "And more. " * 1000
    return await x.send_fault("status", message, 418)


@behaviour("status", 500)
async def status(x, code):
    headers = [("Retry-After", 2)] if code in (429, 503) else []
    return await x.send_fault("status", f"The stub was told to answer {code}.", code, headers)
