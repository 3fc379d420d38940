"""Requests as text, for the load client."""

import json

from harness.client import HEADER

from .people import MODEL

_PLAYGROUND = "/user/providers/playground"


def _whole(method, path, headers, body=""):
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers]
    lines += [f"Content-Length: {len(body)}"] if method != "GET" else []
    return "\r\n".join([*lines, "", body])


def get(person, path, *headers):
    return _whole("GET", path, [f"Cookie: {person.cookies}", *headers])


def bare(path, *headers):
    return _whole("GET", path, headers)


def call(person, method, path, value=None):
    """With the token against forgery."""
    headers = [f"Cookie: {person.cookies}", f"{HEADER}: {person.antiforgery()}"]
    headers += ["Content-Type: application/json", "Accept: text/event-stream"]
    return _whole(method, path, headers, json.dumps(value or {}))


def stream(person):
    """A streamed playground call of that caller."""
    value = {"providerId": person.provider, "message": "ping", "stream": True}
    return call(person, "POST", _PLAYGROUND, value)


def _asked(model, size, streamed):
    """The body that a provider gets; size: characters of the question."""
    question = [{"role": "user", "content": "p" * size}]
    return json.dumps({"model": model, "stream": streamed, "messages": question})


def by_token(person, size=4, streamed=True):
    """A call of that caller's tool."""
    headers = ["Content-Type: application/json", f"Authorization: Bearer {person.access_token}"]
    return _whole("POST", "/v1/chat/completions", headers, _asked(f"bench/{MODEL}", size, streamed))


def completion(path, *headers, size=4, streamed=True):
    """The same call as a provider gets it, for whoever passes it on."""
    headers = ["Content-Type: application/json", "Authorization: Bearer sk-bench", *headers]
    return _whole("POST", path, headers, _asked(MODEL, size, streamed))
