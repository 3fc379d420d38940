"""The Anthropic wire format: /v1/messages, its count_tokens, and /v1/models.
Source: docs.anthropic.com/en/api/messages-streaming, /messages-count-tokens, /errors and /rate-limits."""

import json

from .chat import MODELS, Chat, event, text_of

_COUNT = "/messages/count_tokens"
PATHS = ("/messages", _COUNT)  # how those of a chat end
_STOPS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}


def read(request, path):
    body = request.json()
    users = [m for m in body.get("messages", []) if m.get("role") == "user"]
    message = text_of(users[-1].get("content")) if users else ""
    tools = tuple(tool.get("name") for tool in body.get("tools") or [])
    counts = path.endswith(_COUNT)
    stream = bool(body.get("stream")) and not counts
    return Chat(body.get("model", ""), message, stream, body.get("max_tokens"), tools, billed=not counts)


def headers(number):
    """Those of every answer."""
    head = [("request-id", f"req_stub_{number}"), ("anthropic-organization-id", "stub")]
    for kind, limit in (("requests", 1000), ("tokens", 90_000), ("input-tokens", 80_000), ("output-tokens", 10_000)):
        name = f"anthropic-ratelimit-{kind}"
        head += [(f"{name}-limit", limit), (f"{name}-remaining", limit - 1), (f"{name}-reset", "2026-01-01T00:00:00Z")]
    return head


def _event(kind, **members):
    return event({"type": kind, **members}, kind)


def _message(chat, content, finish=None):
    head = {"id": "msg_stub", "type": "message", "role": "assistant", "model": chat.model}
    return {**head, "content": content, "stop_reason": _STOPS.get(finish, finish), "stop_sequence": None}


def _usage(chat, output):
    if not chat.shows_usage:
        return {}
    counts = {"input_tokens": chat.input - chat.cached, "output_tokens": output}
    return {"usage": {**counts, "cache_creation_input_tokens": 0, "cache_read_input_tokens": chat.cached}}


def _block(chat, text):
    if chat.tool:
        return {"type": "tool_use", "id": "toolu_stub", "name": chat.tool, "input": json.loads(text or "{}")}
    return {"type": "text", "text": text}


def opening(chat):
    message = {**_message(chat, []), **_usage(chat, 1)}
    block = _block(chat, "")
    return [
        _event("message_start", message=message),
        _event("content_block_start", index=0, content_block=block),
        keepalive(),
    ]


def _delta(delta):
    return _event("content_block_delta", index=0, delta=delta)


def token(chat, text):
    if chat.tool:
        return _delta({"type": "input_json_delta", "partial_json": text})
    return _delta({"type": "text_delta", "text": text})


def reasoning(_chat, text):
    return _delta({"type": "thinking_delta", "thinking": text})


def closing(chat, finish="stop"):
    delta = {"stop_reason": _STOPS.get(finish := chat.finish(finish), finish), "stop_sequence": None}
    usage = _usage(chat, chat.output)
    return [_event("content_block_stop", index=0), _event("message_delta", delta=delta, **usage)]


def terminator():
    return _event("message_stop")


def usage(_chat):
    """An event of a type this protocol may add at any time."""
    return _event("stub_future_event")


def keepalive():
    return _event("ping")


def stream_error(_chat, message):
    return _event("error", error={"type": "overloaded_error", "message": message})


failed = stream_error


def whole(chat, text, finish="stop"):
    if not chat.billed:
        return {"input_tokens": chat.input}
    content = [_block(chat, text)] if text else []
    return {**_message(chat, content, chat.finish(finish)), **_usage(chat, chat.output)}


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
    data = [model(m) for m in MODELS]
    return {"data": data, "has_more": False, "first_id": MODELS[0], "last_id": MODELS[-1]}


def model(name):
    return {"type": "model", "id": name, "display_name": name.title(), "created_at": "2026-01-01T00:00:00Z"}
