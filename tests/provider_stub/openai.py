"""The OpenAI wire format: chat completions and model lists, as the compatible providers, Azure and
Ollama's /v1 speak it too. Source: platform.openai.com/docs/api-reference/chat."""

from .chat import MODELS, Chat, event, text_of

PATHS = "/chat/completions"  # how those of a chat end
DONE = b"data: [DONE]\n\n"


def read(request, path):
    body = request.json()
    deployment = path.split("/deployments/")[-1].split("/")[0] if "/deployments/" in path else ""
    users = [m for m in body.get("messages", []) if m.get("role") == "user"]
    limit = body.get("max_completion_tokens", body.get("max_tokens"))
    message = text_of(users[-1].get("content")) if users else ""
    return Chat(body.get("model") or deployment, message, bool(body.get("stream")), limit)


def _completion(chat, kind, choice):
    return {"id": "chatcmpl-stub", "object": kind, "created": 1, "model": chat.model, "choices": [choice]}


def _chunk(chat, delta, finish=None):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return event(_completion(chat, "chat.completion.chunk", choice))


def opening(chat):
    return [_chunk(chat, {"role": "assistant", "content": ""})]


def token(chat, text):
    return _chunk(chat, {"content": text})


def reasoning(chat, text):
    return _chunk(chat, {"reasoning_content": text})


def closing(chat, finish="stop"):
    return [_chunk(chat, {}, finish)]


def terminator():
    return DONE


def usage(chat):
    """The chunk without choices that stream_options.include_usage adds."""
    counts = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    counts["completion_tokens_details"] = {"reasoning_tokens": 1}
    return event({"id": "chatcmpl-stub", "model": chat.model, "choices": [], "usage": counts})


def keepalive():
    return b": keep waiting\n\n" + event({"type": "keepalive"})


def stream_error(message):
    return event({"error": {"message": message, "type": "server_error", "code": "server_error"}})


def whole(chat, text, finish="stop"):
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    return {**_completion(chat, "chat.completion", choice), "usage": usage}


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
}


def fault(kind, message, status=500):
    """(status, body) of a refusal of that kind; an unknown kind is a server error."""
    status, type_, code, param = _FAULTS.get(kind, (status, "server_error", None, None))
    return status, {"error": {"message": message, "type": type_, "param": param, "code": code}}


def model_list():
    return {"object": "list", "data": [{"id": m, "object": "model"} for m in MODELS]}
