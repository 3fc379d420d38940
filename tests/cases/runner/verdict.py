"""Is the answer the one that the case expects? Everything here raises CaseFailure when it is not."""

import fnmatch
import json
import re

__unittest = True  # failures are told without the frames of the runner


_SHORTEST_SECRET = 6  # a shorter one may stand in a text by chance
_SHOWN = 600
_OTHERS = "..."
_NOT_THERE = "<none>"
_WILDCARDS = {
    "*": lambda value: True,
    "<uuid>": lambda value: _matches(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", value),
    "<time>": lambda value: _matches(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", value),
    "<text>": lambda value: isinstance(value, str) and value != "",
    "<number>": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
}
# How a body begins, and the Content-Type that it must have.
_TYPES = {
    "{": "application/json; charset=utf-8",
    "<!doctype html>": "text/html; charset=utf-8",
    "data: ": "text/event-stream; charset=utf-8",
    ": ": "text/event-stream; charset=utf-8",
    "<svg": "image/svg+xml; charset=utf-8",
}


def _matches(pattern, value):
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


class Reply:
    """An answer as the worker sent it: `headers` are (name, value) pairs."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body.decode("utf-8", "surrogateescape")

    def values(self, name):
        """Of every header of that name."""
        return [value for found, value in self.headers if found.lower() == name.lower()]

    def value(self, name):
        return "".join(self.values(name)[:1])

    def json(self):
        return json.loads(self.body)

    def __str__(self):
        location = self.value("Location")
        return f"{self.status}{f' to {location}' if location else ''}: {self.body[:_SHOWN]}"


def difference(expected, actual, path="The body"):
    """How they differ, in words; "" when they do not. Objects and lists match exactly, but for the
    wildcards."""
    if isinstance(expected, str) and expected in _WILDCARDS and _WILDCARDS[expected](actual):
        return ""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return _objects(expected, actual, path)
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        found = (difference(e, a, f"{path}.{n}") for n, (e, a) in enumerate(zip(expected, actual)))
        return next(filter(None, found), "")
    if expected == actual and isinstance(expected, bool) == isinstance(actual, bool):
        return ""
    return f"{path} is {json.dumps(actual)}, not {json.dumps(expected)}"


def _objects(expected, actual, path):
    for name, value in expected.items():
        if name == _OTHERS or (value == _NOT_THERE and name not in actual):
            continue
        if value == _NOT_THERE:
            return f"{path}.{name} is there"
        if name not in actual:
            return f"{path}.{name} is missing"
        if (found := difference(value, actual[name], f"{path}.{name}")):
            return found
    more = {} if _OTHERS in expected else actual.keys() - expected.keys()
    return f"{path} has {', '.join(sorted(more))}, too" if more else ""


def _expected_json(line, text):
    try:
        return json.loads(re.sub(r"\.\.\.\s*\}", '"...": true}', text))
    except ValueError:
        return line.fail("The expected body is not JSON.")


def _check_json(line, expected, reply):
    try:
        actual = reply.json()
    except ValueError:
        line.fail(f"The answer is not JSON: {reply}")
    if found := difference(expected, actual):
        line.fail(f"{found}. The answer: {reply}")


def check_manners(line, reply, secrets, tokens):
    """What holds for every answer: it has an id, no secret (a session's token only in Set-Cookie),
    is not to be cached unless a tag says whether it has changed, and its type says what its body is."""
    if not reply.value("X-Request-Id"):
        line.fail(f"There is no X-Request-Id: {reply}")
    texts = [reply.body, *(value for name, value in reply.headers if name != "Set-Cookie")]
    cookies = reply.values("Set-Cookie")
    for found, places in ((secrets, texts + cookies), (tokens, texts)):
        for secret in found:
            if len(secret) >= _SHORTEST_SECRET and any(secret in text for text in places):
                line.fail("A key, a password or a session's token stands in the answer.")
    tagged = bool(reply.value("ETag"))
    caching = "private, no-cache" if tagged else "no-store"
    if reply.values("Cache-Control") != [caching]:
        line.fail(f"The answer's Cache-Control is not {caching}: {reply}")
    if tagged and reply.values("Vary") != ["Cookie"]:
        line.fail(f"The answer does not vary by cookie: {reply}")
    if (reply.status == 204 or reply.status // 100 == 3) and reply.body:
        line.fail(f"This should have no body: {reply}")
    _check_type(line, reply)


def _check_type(line, reply):
    if not reply.body.strip():
        return
    kind = next((t for begin, t in _TYPES.items() if reply.body.lstrip().startswith(begin)), None)
    if kind != reply.value("Content-Type"):
        line.fail(f"The Content-Type is {reply.value('Content-Type')}: {reply}")


def _check_words(answer, words, reply):
    if words.startswith("/"):
        if not fnmatch.fnmatchcase(reply.value("Location"), _glob(words)):
            answer.line.fail(f"The redirect leads elsewhere: {reply}")
    elif words == "page":
        page = reply.body.lstrip().startswith("<!doctype html>")
        if not page or any(
            t not in reply.body for t in (reply.value("X-Request-Id"), str(reply.status))
        ):
            answer.line.fail(f"This is no error page: {reply}")
    elif words:
        code, _, name = words.partition(" ")
        error = {"error": "<text>", "code": code, "requestId": reply.value("X-Request-Id")}
        _check_json(answer.line, error | ({"field": name} if name else {}), reply)


def _glob(pattern):
    """Of a pattern in which only * is special."""
    return re.sub(r"([?\[])", r"[\1]", pattern)


def _check_header(line, text, reply):
    name, colon, pattern = text.partition(":")
    if not colon:
        line.fail("A header is NAME: VALUE.")
    values = reply.values(name)
    if not any(fnmatch.fnmatchcase(value, _glob(pattern.strip())) for value in values):
        line.fail(f"No header like {text!r} but {values}: {reply}")


def check_answer(answer, reply, fill, bodiless=False):
    """fill(line, text) puts in the variables. bodiless: the answer to HEAD."""
    status, _, words = fill(answer.line, answer.words).partition(" ")
    if str(reply.status) != status:
        answer.line.fail(f"The status is not {status} but {reply}")
    if bodiless and reply.body:
        answer.line.fail(f"The answer to HEAD has a body: {reply}")
    if words.startswith("/") or not bodiless:
        _check_words(answer, words, reply)
    if answer.json:
        expected = _expected_json(answer.json, fill(answer.json, answer.json.text))
        _check_json(answer.json, expected, reply)
    for kind, line in answer.checks:
        text = fill(line, line.text)
        if kind == "<":
            _check_header(line, text, reply)
        elif kind == "no" and reply.values(text):
            line.fail(f"The header {text} is there: {reply}")
        elif kind == "contains" and text not in reply.body:
            line.fail(f"This is missing in the answer: {reply}")
        elif kind == "lacks" and text in reply.body:
            line.fail(f"This stands in the answer: {reply}")
        elif kind == "empty" and reply.body:
            line.fail(f"The body is not empty: {reply}")


def value_at(document, path):
    """The value at a dotted path such as providers.0.id, as text (JSON, for what is no string);
    None when there is none."""
    try:
        for step in path.split("."):
            document = document[int(step) if isinstance(document, list) else step]
    except (KeyError, IndexError, ValueError, TypeError):
        return None
    return document if isinstance(document, str) else json.dumps(document)
