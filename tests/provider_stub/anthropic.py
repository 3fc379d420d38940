"""The Anthropic wire format: /v1/messages and /v1/models.
Source: docs.anthropic.com/en/api/messages-streaming and /errors."""

from .chat import MODELS, Chat, event, text_of

NAME = "anthropic"
_STOPS = {"stop": "end_turn", "length": "max_tokens"}


def matches(request, path):
    return request.method == "POST" and path.endswith("/messages")


def read(request, path):
    del path
    body = request.json()
    users = [m for m in body.get("messages", []) if m.get("role") == "user"]
    message = text_of(users[-1].get("content")) if users else ""
    return Chat(body.get("model", ""), message, bool(body.get("stream")), body.get("max_tokens"))


def opening(chat):
    usage = {"input_tokens": 1, "output_tokens": 0}
    message = {
        "id": "msg_stub",
        "type": "message",
        "role": "assistant",
        "model": chat.model,
        "content": [],
        "stop_reason": None,
        "usage": usage,
    }
    block = {"type": "text", "text": ""}
    return [
        event({"type": "message_start", "message": message}, "message_start"),
        event(
            {"type": "content_block_start", "index": 0, "content_block": block},
            "content_block_start",
        ),
        keepalive(),
    ]


def _delta(delta):
    return event({"type": "content_block_delta", "index": 0, "delta": delta}, "content_block_delta")


def token(chat, text):
    del chat
    return _delta({"type": "text_delta", "text": text})


def reasoning(chat, text):
    del chat
    return _delta({"type": "thinking_delta", "thinking": text})


def closing(chat, finish="stop"):
    del chat
    delta = {"stop_reason": _STOPS.get(finish, finish), "stop_sequence": None}
    return [
        event({"type": "content_block_stop", "index": 0}, "content_block_stop"),
        event(
            {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 2}},
            "message_delta",
        ),
    ]


def terminator():
    return event({"type": "message_stop"}, "message_stop")


def usage(chat):
    """An event of a type this protocol may add at any time."""
    del chat
    return event({"type": "stub_future_event"}, "stub_future_event")


def keepalive():
    return event({"type": "ping"}, "ping")


def stream_error(message):
    return event(
        {"type": "error", "error": {"type": "overloaded_error", "message": message}}, "error"
    )


def whole(chat, text, finish="stop"):
    return {
        "id": "msg_stub",
        "type": "message",
        "role": "assistant",
        "model": chat.model,
        "content": [{"type": "text", "text": text}] if text else [],
        "stop_reason": _STOPS.get(finish, finish),
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 2},
    }


def thinking(answer, text):
    """A whole answer, with what the model thought."""
    answer["content"].insert(0, {"type": "thinking", "thinking": text})
    return answer


_FAULTS = {
    "refused": (401, "authentication_error"),
    "forbidden": (403, "permission_error"),
    "limited": (429, "rate_limit_error"),
    "broke": (400, "invalid_request_error"),
    "unknown-model": (404, "not_found_error"),
    "context-too-long": (400, "invalid_request_error"),
    "unsupported": (400, "invalid_request_error"),
    "stream-only": (400, "invalid_request_error"),
}


def fault(kind, message, status=500):
    status, type_ = _FAULTS.get(kind, (status, "api_error"))
    return status, {"type": "error", "error": {"type": type_, "message": message}}


def filtered(chat):
    """Refused by policy: this protocol answers 200 with a stop reason."""
    return 200, whole(chat, "", "refusal")


def model_list():
    data = [{"type": "model", "id": m, "display_name": m.title()} for m in MODELS]
    return {"data": data, "has_more": False, "first_id": MODELS[0], "last_id": MODELS[-1]}
