"""Behaviours of a provider that a thief runs, or that is broken in a way that could harm a caller."""

from .behaviours import behaviour
from .chat import event


def _blab(x):
    """A sentence with the key and with all that arrived in headers."""
    return f"Key {x.entry.key} of {x.request.headers} is bad."


@behaviour("key-in-status", 400)
async def key_in_status(x, code):
    """An error of that status with the key in it."""
    return await x.send_fault("status", _blab(x), code)


@behaviour("key-in-error", 1)
async def key_in_error(x, tokens):
    """An error with the key in it inside a 200: as the body, or as an event after that many tokens."""
    if not x.streams:
        return await x.send_body(200, x.protocol.fault("status", _blab(x))[1])
    await x.send_part(tokens)
    await x.connection.chunk(x.protocol.stream_error(x.chat, _blab(x)))
    await x.connection.close_stream()
    return True


@behaviour("failed", 1)
async def failed(x, tokens):
    """As key-in-error, by the event of a response that has failed where the protocol has one."""
    if not x.streams:
        return await key_in_error(x, tokens)
    await x.send_part(tokens)
    await x.connection.chunk(x.protocol.failed(x.chat, _blab(x)))
    await x.connection.close_stream()
    return True


@behaviour("key-in-answer")
async def key_in_answer(x, form):
    """The key inside a 200 that says of no error in a usual form, or in a good answer."""
    said = f"Bad key {x.entry.key}"
    bodies = (
        {"detail": said},
        {"code": 401, "msg": said},
        {"errors": [said]},
        {"base_resp": {"status_code": 1004, "status_msg": said}, "choices": None},
        {"state": said},
        {"choices": [{"index": 0, "delta": {}, "message": {}}], "debug": said},
        said.encode(),
    )
    body = bodies[form]
    if not x.streams:
        return await x.send_body(200, body)
    await x.send_part(1)
    is_text = isinstance(body, bytes)
    await x.connection.chunk(b": " + body + b"\n\ndata: " + body + b"\n\n" if is_text else event(body))
    await x.connection.close_stream()
    return True


_NAMES = (
    "x-request-id",
    "request-id",
    "retry-after",
    "openai-processing-ms",
    "x-ratelimit-reset-requests",
    "x-ratelimit-key",
    "anthropic-ratelimit-tokens-reset",
    "x-api-key",
    "location",
    "www-authenticate",
)


@behaviour("headers")
async def headers(x, _):
    """A good answer with the key, a cookie and a policy in headers."""
    mine = [(name, x.entry.key) for name in _NAMES]
    mine += [("set-cookie", "stub=1; Path=/"), ("access-control-allow-origin", "https://stub.invalid")]
    mine += [("clear-site-data", '"*"'), ("refresh", "0; url=https://stub.invalid/")]
    x.headers = lambda: mine
    x.media_parameter = f"; key={x.entry.key}"
    return await x.send()


@behaviour("script")
async def script(x, _):
    """A 200 that is a script."""
    return await x.send_body(200, b"alert(document.domain)", content_type="text/javascript")


@behaviour("half-event", 1)
async def half_event(x, tokens):
    """A stream whose last event, after that many tokens, is cut in its middle; it ends as it should."""
    await _cut(x, tokens)
    await x.connection.close_stream()
    return True


@behaviour("cut-event", 1)
async def cut_event(x, tokens):
    """As half-event, and the connection ends there."""
    await _cut(x, tokens)


async def _cut(x, tokens):
    await x.send_part(tokens)
    if x.streams:
        frame = x.protocol.token(x.chat, x.chat.tokens[-1])
        await x.connection.chunk(frame[: len(frame) // 2])


@behaviour("no-usage")
async def no_usage(x, _):
    """Answers that do not count tokens."""
    if x.chat:
        x.chat.shows_usage = False
    return await x.send()


@behaviour("cached", 5)
async def cached(x, tokens):
    """So many more input tokens, all read from the provider's cache."""
    if x.chat:
        x.chat.cached = tokens
    return await x.send()
