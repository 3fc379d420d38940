"""The Google Gemini wire format: generateContent, streamGenerateContent?alt=sse and the model list.
Source: ai.google.dev/api/generate-content and /models."""

from .chat import MODELS, Chat, event, text_of

PATHS = (":generateContent", ":streamGenerateContent")  # how those of a chat end
_STOPS = {"stop": "STOP", "length": "MAX_TOKENS"}


def read(request, path):
    body = request.json()
    model, _, verb = path.split("/models/", 1)[-1].rpartition(":")
    users = [c for c in body.get("contents", []) if c.get("role", "user") == "user"]
    parts = users[-1].get("parts", []) if users else []
    message = text_of(parts)
    limit = body.get("generationConfig", {}).get("maxOutputTokens")
    return Chat(model, message, verb == "streamGenerateContent", limit)


def headers(_number):
    return []


def _counts(chat):
    total = chat.input + chat.output
    return {"promptTokenCount": chat.input, "candidatesTokenCount": chat.output, "totalTokenCount": total}


def _answer(chat, parts, finish=None):
    candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish:
        candidate["finishReason"] = _STOPS.get(finish, finish)
    return {
        "candidates": [candidate],
        "usageMetadata": _counts(chat),
        "modelVersion": chat.model,
    }


def opening(_chat):
    return []


def token(chat, text):
    return event(_answer(chat, [{"text": text}]))


def reasoning(chat, text):
    return event(_answer(chat, [{"text": text, "thought": True}]))


def closing(chat, finish="stop"):
    return [event(_answer(chat, [], finish))]


def terminator():
    return b""  # this protocol ends with the connection's chunked end


def usage(chat):
    """A chunk without candidates."""
    return event({"usageMetadata": _counts(chat), "modelVersion": chat.model})


def keepalive():
    return b": still here\n\n"


def stream_error(_chat, message):
    return event({"error": {"code": 503, "message": message, "status": "UNAVAILABLE"}})


failed = stream_error


def whole(chat, text, finish="stop"):
    return _answer(chat, [{"text": text}] if text else [], finish)


def thinking(answer, text):
    """A whole answer, with what the model thought."""
    answer["candidates"][0]["content"]["parts"].insert(0, {"text": text, "thought": True})
    return answer


_FAULTS = {
    "refused": (400, "INVALID_ARGUMENT", "API_KEY_INVALID"),
    "forbidden": (403, "PERMISSION_DENIED", "API_KEY_SERVICE_BLOCKED"),
    "limited": (429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED"),
    "broke": (429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"),
    "unknown-model": (404, "NOT_FOUND", "MODEL_NOT_FOUND"),
}


def fault(kind, message, status=500):
    status, word, reason = _FAULTS.get(kind, (status, "INTERNAL", "INTERNAL"))
    if kind == "refused":
        message = f"API key not valid. Please pass a valid API key. {message}"
    info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}
    return status, {"error": {"code": status, "message": message, "status": word, "details": [info]}}


def model_list():
    methods = ["generateContent", "countTokens"]
    rows = [(f"models/{m}", m.title()) for m in MODELS]
    return {"models": [{"name": n, "displayName": d, "supportedGenerationMethods": methods} for n, d in rows]}
