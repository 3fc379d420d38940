"""The Anthropic wire format: /v1/messages and /v1/models.
Source: docs.anthropic.com/en/api/messages-streaming and /errors."""

from .chat import MODELS, Chat, event, text_of

PATHS = "/messages"  # how those of a chat end
_STOPS = {"stop": "end_turn", "length": "max_tokens"}


def read(request, _path):
    body = request.json()
    users = [m for m in body.get("messages", []) if m.get("role") == "user"]
    message = text_of(users[-1].get("content")) if users else ""
    return Chat(body.get("model", ""), message, bool(body.get("stream")), body.get("max_tokens"))


def _event(kind, **members):
    return event({"type": kind, **members}, kind)


def _message(chat, content, finish=None):
    head = {"id": "msg_stub", "type": "message", "role": "assistant", "model": chat.model}
    return {**head, "content": content, "stop_reason": _STOPS.get(finish, finish)}


def opening(chat):
    message = {**_message(chat, []), "usage": {"input_tokens": 1, "output_tokens": 0}}
    block = {"type": "text", "text": ""}
    return [
        _event("message_start", message=message),
        _event("content_block_start", index=0, content_block=block),
        keepalive(),
    ]


def _delta(delta):
    return _event("content_block_delta", index=0, delta=delta)


def token(_chat, text):
    return _delta({"type": "text_delta", "text": text})


def reasoning(_chat, text):
    return _delta({"type": "thinking_delta", "thinking": text})


def closing(_chat, finish="stop"):
    delta = {"stop_reason": _STOPS.get(finish, finish), "stop_sequence": None}
    usage = {"output_tokens": 2}
    return [_event("content_block_stop", index=0), _event("message_delta", delta=delta, usage=usage)]


def terminator():
    return _event("message_stop")


def usage(_chat):
    """An event of a type this protocol may add at any time."""
    return _event("stub_future_event")


def keepalive():
    return _event("ping")


def stream_error(message):
    return _event("error", error={"type": "overloaded_error", "message": message})


def whole(chat, text, finish="stop"):
    content = [{"type": "text", "text": text}] if text else []
    ends = {"stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 2}}
    return {**_message(chat, content, finish), **ends}


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
}


def fault(kind, message, status=500):
    status, type_ = _FAULTS.get(kind, (status, "api_error"))
    return status, {"type": "error", "error": {"type": type_, "message": message}}


def model_list():
    data = [{"type": "model", "id": m, "display_name": m.title()} for m in MODELS]
    return {"data": data, "has_more": False, "first_id": MODELS[0], "last_id": MODELS[-1]}
