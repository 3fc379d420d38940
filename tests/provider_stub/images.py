"""OpenAI's images, never streamed. Source: platform.openai.com/docs/api-reference/images."""

import base64

from . import openai

PATHS = "/images/generations"  # how those of an image end
fault, headers = openai.fault, openai.headers


def read(request, path):
    body = request.json()
    return openai.chat_of({**body, "stream": False}, path, str(body.get("prompt", "")))


def whole(chat, text):
    usage = {"input_tokens": chat.input, "output_tokens": chat.output, "total_tokens": chat.input + chat.output}
    image = {"b64_json": base64.b64encode(text.encode()).decode()}
    return {"created": 1, "data": [image], **({"usage": usage} if chat.shows_usage else {})}
