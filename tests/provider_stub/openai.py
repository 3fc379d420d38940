"""The OpenAI wire format: chat completions and model lists, as the compatible providers, Azure and
Ollama's /v1 speak it too. Source: platform.openai.com/docs/api-reference/chat and /debugging-requests."""

from .chat import MODELS, Chat, event, text_of

PATHS = "/chat/completions"  # how those of a chat end
JSON_FORMATS = ("json_object", "json_schema")
DONE = b"data: [DONE]\n\n"


def read(request, path):
    body = request.json()
    messages = body.get("messages") or []
    users = [m for m in messages if m.get("role") == "user"]
    return chat_of(
        body,
        path,
        text_of(users[-1].get("content")) if users else "",
        max_tokens=body.get("max_completion_tokens", body.get("max_tokens")),
        tools=_tools(body) if users and messages[-1] is users[-1] else (),
        as_json=(body.get("response_format") or {}).get("type") in JSON_FORMATS,
        lacks=None if messages else "messages",
    )


def chat_of(body, path, message, **more):
    """A chat in one of the formats whose errors, headers and ends of streams are these."""
    deployment = path.split("/deployments/")[-1].split("/")[0] if "/deployments/" in path else ""
    asks = bool((body.get("stream_options") or {}).get("include_usage"))
    chat = Chat(body.get("model") or deployment, message, bool(body.get("stream")), **more)
    chat.asks_for_usage = asks
    return chat


def _tools(body):
    return tuple(tool.get("function", {}).get("name") for tool in body.get("tools") or [])


def headers(number):
    """Those of every answer."""
    return [
        ("x-request-id", f"req_stub_{number}"),
        ("openai-organization", "stub"),
        ("openai-processing-ms", 12),
        ("openai-version", "2020-10-01"),
        ("x-ratelimit-limit-requests", 5000),
        ("x-ratelimit-limit-tokens", 160_000),
        ("x-ratelimit-remaining-requests", 4999),
        ("x-ratelimit-remaining-tokens", 159_976),
        ("x-ratelimit-reset-requests", "12ms"),
        ("x-ratelimit-reset-tokens", "6m0s"),
    ]


def _completion(chat, kind, *choices):
    return {"id": "chatcmpl-stub", "object": kind, "created": 1, "model": chat.model, "choices": choices}


def _chunk(chat, delta, finish=None):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = _completion(chat, "chat.completion.chunk", choice)
    return event({**chunk, "usage": None} if chat.asks_for_usage else chunk)


def _call(chat, arguments):
    return {"id": "call_stub", "type": "function", "function": {"name": chat.tool, "arguments": arguments}}


def opening(chat):
    if chat.tool:
        calls = [{"index": 0, **_call(chat, "")}]
        return [_chunk(chat, {"role": "assistant", "content": None, "tool_calls": calls})]
    return [_chunk(chat, {"role": "assistant", "content": ""})]


def token(chat, text):
    if chat.tool:
        return _chunk(chat, {"tool_calls": [{"index": 0, "function": {"arguments": text}}]})
    return _chunk(chat, {"content": text})


def reasoning(chat, text):
    return _chunk(chat, {"reasoning_content": text})


def closing(chat, finish="stop"):
    last = [usage(chat)] if chat.asks_for_usage and chat.shows_usage else []
    return [_chunk(chat, {}, chat.finish(finish)), *last]


def terminator():
    return DONE


def counts(chat):
    """The member `usage` of a whole answer."""
    if not chat.shows_usage:
        return {}
    sums = {"prompt_tokens": chat.input, "completion_tokens": chat.output, "total_tokens": chat.input + chat.output}
    details = {"prompt_tokens_details": {"cached_tokens": chat.cached}}
    details["completion_tokens_details"] = {"reasoning_tokens": 0}
    return {"usage": {**sums, **details}}


def usage(chat):
    """The chunk without choices that stream_options.include_usage adds."""
    return event({**_completion(chat, "chat.completion.chunk"), **counts(chat)})


def keepalive():
    return b": keep waiting\n\n" + event({"type": "keepalive"})


def stream_error(_chat, message):
    return event({"error": {"message": message, "type": "server_error", "code": "server_error"}})


failed = stream_error


def whole(chat, text, finish="stop"):
    message = {"role": "assistant", "content": text, "refusal": None}
    if chat.tool:
        message |= {"content": None, "tool_calls": [_call(chat, text)]}
    choice = {"index": 0, "message": message, "finish_reason": chat.finish(finish)}
    return {**_completion(chat, "chat.completion", choice), **counts(chat)}


def thinking(answer, text):
    """A whole answer, with what the model thought."""
    answer["choices"][0]["message"]["reasoning_content"] = text
    return answer


_FAULTS = {
    "refused": (401, "invalid_request_error", "invalid_api_key", None),
    "forbidden": (403, "permission_error", "unsupported_country_region_territory", None),
    "limited": (429, "requests", "rate_limit_exceeded", None),
    "broke": (429, "insufficient_quota", "insufficient_quota", None),
    "unknown-model": (404, "invalid_request_error", "model_not_found", None),
    "lacks": (400, "invalid_request_error", "missing_required_parameter", None),
}


def fault(kind, message, status=500):
    """(status, body) of a refusal of that kind; an unknown kind is a server error."""
    status, type_, code, param = _FAULTS.get(kind, (status, "server_error", None, None))
    return status, {"error": {"message": message, "type": type_, "param": param, "code": code}}


def model_list():
    return {"object": "list", "data": [model(m) for m in MODELS]}


def model(name):
    return {"id": name, "object": "model", "created": 1, "owned_by": "stub"}
