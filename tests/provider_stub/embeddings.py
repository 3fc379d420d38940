"""OpenAI's embeddings, never streamed. Source: platform.openai.com/docs/api-reference/embeddings."""

import base64
import struct

from . import openai

PATHS = "/embeddings"  # how those of an embedding end
fault, headers = openai.fault, openai.headers
_VECTOR = (0.5, -0.25, 1.0)


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


def whole(chat, _text):
    usage = {"prompt_tokens": chat.input, "total_tokens": chat.input}
    return {"object": "list", "data": chat.vectors, "model": chat.model, "usage": usage}
