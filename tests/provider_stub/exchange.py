"""One request and the answer it gets: what the behaviours shape."""

import asyncio
import json
import urllib.parse

from . import anthropic, completions, gemini, openai, responses, search
from .chat import MODELS
from .unstreamed import Embeddings, Images, Rerank, Speech

PROTOCOLS = (openai, responses, anthropic, gemini, completions, Embeddings, Images, Speech, Rerank)


def protocol_of(request, path):
    """The chat protocol whose path this is, else None."""
    return next((p for p in PROTOCOLS if request.method == "POST" and path.endswith(p.PATHS)), None)


# What is left to spend, by the end of the path: DeepSeek, Moonshot, SiliconFlow, OpenRouter.
_CREDITS = {
    "/user/balance": {"is_available": True, "balance_infos": [{"currency": "USD", "total_balance": "12.30"}]},
    "/users/me/balance": {"code": 0, "data": {"available_balance": 12.3}, "status": True},
    "/user/info": {"code": 20000, "data": {"balance": "2.30", "totalBalance": "12.30"}, "status": True},
    "/key": {"data": {"label": "stub", "limit": 20, "limit_remaining": 12.3, "usage": 7.7}},
}


def _credit(request, path):
    """The account that is asked for, None when none is."""
    if request.method != "GET":
        return None
    return next((answer for end, answer in _CREDITS.items() if path.endswith(end)), None)


def _model_list(request, path):
    """The model list that is asked for, None when none is."""
    if request.method != "GET":
        return None
    if path.endswith("/api/tags"):
        return {"models": [{"name": m, "modified_at": "", "size": 1} for m in MODELS]}
    if path.endswith("/openai/deployments"):
        return {"data": [{"id": m, "model": m, "status": "succeeded"} for m in MODELS]}
    protocol = anthropic if "anthropic-version" in request.headers else openai
    _, models, name = path.rpartition("/models/")
    if models and (name := urllib.parse.unquote(name)) in MODELS:
        return protocol.model(name)
    if not path.endswith("/models"):
        return None
    if protocol is anthropic:
        return anthropic.model_list()
    if "x-goog-api-key" in request.headers:
        return gemini.model_list()
    return openai.model_list()


class Exchange:
    """`path` is the request's path without the behaviour's segment. `known` tells whether the stub
    has an answer for it; `chat` is None unless it is a chat request."""

    def __init__(self, connection, request, path, entry):
        self.connection = connection
        self.request = request
        self.entry = entry
        self.chat = None
        self.media_parameter = ""
        self._other = None
        self.protocol = protocol_of(request, path)
        if self.protocol:
            self.chat = entry.chat = self.protocol.read(request, path)
            entry.note(model=self.chat.model, message=self.chat.message, stream=self.chat.stream)
        else:
            self.protocol = anthropic if "anthropic-version" in request.headers else openai
            self._read_other(request, path)

    def _read_other(self, request, path):
        self._other = _model_list(request, path) or _credit(request, path)
        if self._other is None and (found := search.answer(request, path)):
            message, self._other = found
            self.entry.note(message=message)

    @property
    def body(self):
        """The whole answer as it should be."""
        return self.protocol.whole(self.chat, self.chat.text) if self.chat else self._other

    @property
    def data(self):
        """Its bytes."""
        body = self.body
        return body if isinstance(body, bytes) else json.dumps(body).encode()

    @property
    def known(self):
        return (self.chat or self._other) is not None

    @property
    def streams(self):
        return self.chat is not None and self.chat.stream

    def frames(self, finish="stop"):
        """The whole event stream as (bytes, is a token)."""
        p, chat = self.protocol, self.chat
        return (
            [(frame, False) for frame in p.opening(chat)]
            + [(p.token(chat, text), True) for text in chat.tokens]
            + [(frame, False) for frame in p.closing(chat, finish)]
            + [(p.terminator(), False)]
        )

    @property
    def media_type(self):
        whole = getattr(self.protocol, "MEDIA_TYPE", "application/json")
        return ("text/event-stream" if self.streams else whole) + self.media_parameter

    async def send_frames(self, frames, pause=0.0):
        """Streams frames, each flushed, with a pause before every token."""
        await self.open()
        for frame, is_token in frames:
            if is_token and pause:
                await asyncio.sleep(pause)
            if frame:
                await self.connection.chunk(frame)
            if is_token:
                self.entry.token_sent()

    async def open(self):
        """The head of a response of chunks."""
        await self.begin([("Transfer-Encoding", "chunked")])

    async def begin(self, headers):
        """The head of an answer that the provider has made, and bills."""
        await self.connection.head(200, self.media_type, [*self.headers(), *headers])
        self.entry.note(started=True)
        self.bill()

    def bill(self):
        self.entry.note(billed=bool(self.chat and self.chat.billed))

    def headers(self):
        """Those that the provider sends with each answer."""
        return self.protocol.headers(self.entry.facts["n"])

    # Each of these returns True after a whole answer: the connection may serve another request.

    async def send(self, pause=0.0):
        """The answer as it should be, streamed when that was asked for."""
        if self.streams:
            return await self.send_stream(self.frames(), pause)
        await asyncio.sleep(pause)
        self.bill()
        return await self.send_body(200, self.body, content_type=self.media_type)

    async def send_stream(self, frames, pause=0.0):
        await self.send_frames(frames, pause)
        await self.connection.close_stream()
        return True

    async def send_body(self, status, body, headers=(), content_type="application/json"):
        self.entry.note(started=True)
        await self.connection.answer(status, body, content_type, [*self.headers(), *headers])
        return True

    async def send_fault(self, kind, message, status=500, headers=()):
        status, body = self.protocol.fault(kind, message, status)
        return await self.send_body(status, body, headers)

    async def send_part(self, count):
        """The first `count` tokens of a stream, or the first half of a body, and no end."""
        if self.streams:
            tokens = 0
            part = []
            for frame, is_token in self.frames():
                tokens += is_token
                if tokens > count or (tokens == count and not is_token):
                    break
                part.append((frame, is_token))
            self.chat.sequence = len(part)  # frames() has numbered them all
            await self.send_frames(part)
            return
        data = self.data
        await self.begin([("Content-Length", len(data))])
        await self.connection.write(data[: len(data) // 2])
