"""OpenAI's embeddings, images and speech, and the rankings of vLLM and others: never streamed. Sources:
platform.openai.com/docs/api-reference/embeddings, /images and /audio; docs.vllm.ai, "Rerank API"."""

import base64
import struct

from . import openai

_VECTOR = (0.5, -0.25, 1.0)


class _Unstreamed:
    """A protocol, as the modules of the others are; `PATHS` is how its paths end."""

    fault, headers = staticmethod(openai.fault), staticmethod(openai.headers)
    ASKS = ""  # the member that has the text

    @classmethod
    def read(cls, request, path):
        body = request.json()
        return openai.chat_of({**body, "stream": False}, path, str(body.get(cls.ASKS, "")))


class Embeddings(_Unstreamed):
    PATHS = "/embeddings"

    @staticmethod
    def read(request, path):
        body = request.json()
        given = body.get("input", "")
        texts = [given] if isinstance(given, str) else given
        chat = openai.chat_of({**body, "stream": False}, path, " ".join(str(text) for text in texts))
        packed = base64.b64encode(struct.pack(f"<{len(_VECTOR)}f", *_VECTOR)).decode()
        vector = packed if body.get("encoding_format") == "base64" else _VECTOR
        chat.vectors = [{"object": "embedding", "index": at, "embedding": vector} for at in range(len(texts))]
        chat.tokens = []
        return chat

    @staticmethod
    def whole(chat, _text):
        usage = {"prompt_tokens": chat.input, "total_tokens": chat.input}
        return {"object": "list", "data": chat.vectors, "model": chat.model, "usage": usage}


class Images(_Unstreamed):
    PATHS, ASKS = "/images/generations", "prompt"

    @staticmethod
    def whole(chat, text):
        usage = {"input_tokens": chat.input, "output_tokens": chat.output, "total_tokens": chat.input + chat.output}
        image = {"b64_json": base64.b64encode(text.encode()).decode()}
        return {"created": 1, "data": [image], **({"usage": usage} if chat.shows_usage else {})}


class Speech(_Unstreamed):
    """Bytes, for which no tokens are told."""

    PATHS, ASKS, MEDIA_TYPE = "/audio/speech", "input", "audio/mpeg"

    @classmethod
    def read(cls, request, path):
        chat = super().read(request, path)
        chat.tokens = []
        return chat

    @staticmethod
    def whole(chat, _text):
        return b"ID3\x04\x00" + bytes(range(256)) + chat.message.encode()


class Rerank(_Unstreamed):
    """The documents in their reverse order."""

    PATHS, ASKS = "/rerank", "query"

    @classmethod
    def read(cls, request, path):
        chat = super().read(request, path)
        chat.tokens = []
        chat.documents = len(request.json().get("documents") or [])
        return chat

    @staticmethod
    def whole(chat, _text):
        results = [{"index": at, "relevance_score": 1 / (rank + 1)} for rank, at in enumerate(reversed(range(chat.documents)))]
        usage = {"prompt_tokens": chat.input, "total_tokens": chat.input}
        return {"id": "rerank-stub", "model": chat.model, "results": results, "usage": usage}
