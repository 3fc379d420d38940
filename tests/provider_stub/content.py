"""Behaviours of the answer: what it says, and in which shape."""

import itertools
import re

from .behaviours import behaviour


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
[a link](https://example.org/chapter), as long answers do.

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
