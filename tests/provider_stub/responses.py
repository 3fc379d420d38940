"""OpenAI's Responses API: typed events, each with its number; the last is `response.completed`, there
is no [DONE]. Source: platform.openai.com/docs/api-reference/responses and /responses-streaming."""

from . import openai
from .chat import event, text_of

PATHS = ("/responses", "/responses/compact")  # how those of a response end
_TEXT = {"item_id": "msg_stub", "output_index": 0, "content_index": 0}  # where the text is
_CALL = {"item_id": "fc_stub", "output_index": 0}
fault = openai.fault
headers = openai.headers


def read(request, path):
    body = request.json()
    items = body.get("input", "")
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    users = [item for item in items if item.get("role") == "user"]
    chat = openai.chat_of(
        body,
        path,
        text_of(users[-1].get("content")) if users else "",
        max_tokens=body.get("max_output_tokens"),
        tools=_tools(body) if users and items[-1] is users[-1] else (),
        as_json=_format(body).get("type") in openai.JSON_FORMATS,
    )
    if path.endswith("/compact"):
        chat.stream, chat.compacts = False, True
    return chat


def _format(body):
    return (body.get("text") or {}).get("format") or {}


def _tools(body):
    return tuple(tool.get("name") for tool in body.get("tools") or [])


def _event(chat, kind, **members):
    chat.sequence += 1
    return event({"type": kind, "sequence_number": chat.sequence - 1, **members}, kind)


def _usage(chat):
    usage = openai.counts(chat).get("usage")
    return usage and {
        "input_tokens": usage["prompt_tokens"],
        "input_tokens_details": usage["prompt_tokens_details"],
        "output_tokens": usage["completion_tokens"],
        "output_tokens_details": usage["completion_tokens_details"],
        "total_tokens": usage["total_tokens"],
    }


def _response(chat, status, output=(), **more):
    head = {"id": "resp_stub", "object": "response", "created_at": 1, "status": status, "model": chat.model}
    rest = {"error": None, "incomplete_details": None, "instructions": None, "metadata": {}}
    rest |= {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "temperature": 1, "top_p": 1}
    return {**head, **rest, "output": output, "usage": None, **more}


def _ended(chat, text, finish):
    status = "incomplete" if finish == "length" else "completed"
    details = {"reason": "max_output_tokens"} if finish == "length" else None
    items = [_item(chat, text, status)] if text else []
    return _response(chat, status, items, usage=_usage(chat), incomplete_details=details)


def _part(text):
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _item(chat, text, status="completed"):
    if chat.tool:
        ids = {"id": "fc_stub", "type": "function_call", "call_id": "call_stub"}
        return {**ids, "status": status, "name": chat.tool, "arguments": text}
    content = [_part(text)] if text else []
    return {"id": "msg_stub", "type": "message", "status": status, "role": "assistant", "content": content}


def opening(chat):
    begun = _response(chat, "in_progress")
    events = [_event(chat, f"response.{kind}", response=begun) for kind in ("created", "in_progress")]
    events.append(_event(chat, "response.output_item.added", output_index=0, item=_item(chat, "", "in_progress")))
    if not chat.tool:
        events.append(_event(chat, "response.content_part.added", **_TEXT, part=_part("")))
    return events


def token(chat, text):
    if chat.tool:
        return _event(chat, "response.function_call_arguments.delta", **_CALL, delta=text)
    return _event(chat, "response.output_text.delta", **_TEXT, delta=text, logprobs=[])


def reasoning(chat, text):
    return _event(chat, "response.reasoning_text.delta", **_TEXT, delta=text)


def closing(chat, finish="stop"):
    text = chat.text
    if chat.tool:
        done = {"name": chat.tool, "arguments": text}
        events = [_event(chat, "response.function_call_arguments.done", **_CALL, **done)]
    else:
        events = [_event(chat, "response.output_text.done", **_TEXT, text=text, logprobs=[])]
        events.append(_event(chat, "response.content_part.done", **_TEXT, part=_part(text)))
    events.append(_event(chat, "response.output_item.done", output_index=0, item=_item(chat, text)))
    response = _ended(chat, text, finish)
    return [*events, _event(chat, f"response.{response['status']}", response=response)]


def terminator():
    return b""


def usage(chat):
    """An event of a type this protocol may add at any time."""
    return _event(chat, "response.stub_future_event")


def keepalive():
    return b": keep waiting\n\n"


def stream_error(chat, message):
    return _event(chat, "error", code="server_error", message=message, param=None)


def failed(chat, message):
    """How a stream ends whose answer has failed."""
    error = {"code": "server_error", "message": message}
    return _event(chat, "response.failed", response=_response(chat, "failed", error=error))


def whole(chat, text, finish="stop"):
    if chat.compacts:
        item = {"id": "cmp_stub", "type": "compaction", "encrypted_content": text}
        return {"id": "resp_stub", "object": "response.compaction", "created_at": 1, "output": [item], "usage": _usage(chat)}
    return _ended(chat, text, finish)


def thinking(answer, text):
    """A whole answer, with what the model thought."""
    answer["output"].insert(0, {"id": "rs_stub", "type": "reasoning", "summary": [], "content": [text]})
    return answer
