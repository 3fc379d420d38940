"""A script (POST /_script) fixes the stub's answer: the same bytes for every request and key.
It is an object; an empty one ends it:

    way   `answer` (the text in an answer, a list or a search result), `late` (an error with the
          text, in a stream after some of it), `long` (an error beyond what is read of one), or a
          kind of refusal, as protocols' fault() knows them
    text  what is said, ASCII without quotes
    cut   the connection ends after so many bytes of the body
"""

import json

_READ_OF_AN_ERROR = 64 * 1024
_SHORT = 150  # of the text, where it stands for a name


def _pieces(text):
    return [text[at : at + 5] for at in range(0, len(text), 5)]


def _answer(x, text):
    if x.chat is None:
        data = json.dumps(x.body or {})
        for word in ("stub-large", "About"):
            data = data.replace(word, text[:_SHORT])
        return 200, data.encode()
    x.chat.tokens = _pieces(text)
    if x.streams:
        return 200, b"".join(frame for frame, _ in x.frames())
    return 200, json.dumps(x.protocol.whole(x.chat, text)).encode()


def _late(x, text):
    if not x.streams:
        return 200, json.dumps(x.protocol.fault("status", text)[1]).encode()
    opening = b"".join(x.protocol.opening(x.chat))
    tokens = b"".join(x.protocol.token(x.chat, piece) for piece in _pieces(text)[:3])
    return 200, opening + tokens + x.protocol.stream_error(x.chat, text)


def _refusal(x, kind, text):
    status, body = x.protocol.fault(kind, text, 400)
    return status, json.dumps(body).encode()


def _long(x, text):
    padding = "And more. " * (_READ_OF_AN_ERROR // 10 - len(text) // 10 - 10)
    return _refusal(x, "status", f"{text} {padding} {text} {text}")


_WAYS = {"answer": _answer, "late": _late, "long": _long}


async def say(x, script):
    way, text = script["way"], script["text"]
    make = _WAYS.get(way, lambda exchange, said: _refusal(exchange, way, said))
    status, data = make(x, text)
    kind = "text/event-stream" if status == 200 and x.streams else "application/json"
    await x.connection.head(status, kind, [("Content-Length", len(data))])
    x.entry.note(started=True)
    cut = script.get("cut", len(data))
    await x.connection.write(data[:cut])
    return cut >= len(data)
