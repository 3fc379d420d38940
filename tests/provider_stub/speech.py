"""OpenAI's speech: bytes, for which no tokens are told. Source: platform.openai.com/docs/api-reference/audio."""

from . import openai

PATHS = "/audio/speech"  # how those of speech end
MEDIA_TYPE = "audio/mpeg"
fault, headers = openai.fault, openai.headers


def read(request, path):
    body = request.json()
    chat = openai.chat_of({**body, "stream": False}, path, str(body.get("input", "")))
    chat.tokens = []
    return chat


def whole(chat, _text):
    return b"ID3\x04\x00" + bytes(range(256)) + chat.message.encode()
