"""OpenAI's older text completions. Source: platform.openai.com/docs/api-reference/completions."""

from . import openai
from .chat import event

PATHS = "/completions"  # how those of a completion end; chat's own end longer
fault, headers, counts = openai.fault, openai.headers, openai.counts
terminator, keepalive, stream_error, failed = openai.terminator, openai.keepalive, openai.stream_error, openai.failed


def read(request, path):
    body = request.json()
    prompt = body.get("prompt", "")
    message = prompt if isinstance(prompt, str) else " ".join(str(each) for each in prompt)
    return openai.chat_of(body, path, message, max_tokens=body.get("max_tokens"))


def _completion(chat, *choices):
    return {"id": "cmpl-stub", "object": "text_completion", "created": 1, "model": chat.model, "choices": choices}


def _choice(text, finish=None):
    return {"text": text, "index": 0, "logprobs": None, "finish_reason": finish}


def opening(_chat):
    return []


def token(chat, text):
    return event(_completion(chat, _choice(text)))


reasoning = token  # this protocol has no thoughts


def closing(chat, finish="stop"):
    last = [usage(chat)] if chat.asks_for_usage and chat.shows_usage else []
    return [event(_completion(chat, _choice("", finish))), *last]


def usage(chat):
    """The chunk without choices that stream_options.include_usage adds."""
    return event({**_completion(chat), **counts(chat)})


def whole(chat, text, finish="stop"):
    return {**_completion(chat, _choice(text, finish)), **counts(chat)}
