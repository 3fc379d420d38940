"""The site that a case speaks to: the workers of a running stack, asked at their sockets, so that a request
arrives as it was written. Which of them a path belongs to is read from deploy/nginx. And whether its answer is the one
that the case expects: CaseFailure when it is not."""

import contextlib
import fnmatch
import json
import re

from harness import fastcgi
from harness.folders import REPOSITORY
from harness.scenes import ROUTE, ask, provider
from harness.servers.mail import link_in

__unittest = True  # failures are told without the frames of the runner


_SHORTEST_SECRET = 6  # a shorter one may stand in a text by chance
_SHOWN = 600
_SENTENCES = {"sentence": ("error", "message"), "healthSentence": ("healthMessage",)}
_WILDCARDS = {
    "*": lambda value: True,
    "<uuid>": lambda value: _matches(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", value),
    "<time>": lambda value: _matches(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", value),
    "<text>": lambda value: isinstance(value, str) and value != "",
    "<number>": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
}
# How a body begins, and the Content-Type that it must have.
_TYPES = {
    "{": "application/json",
    "<!doctype html>": "text/html",
    "data: ": "text/event-stream",
    ": ": "text/event-stream",
    "day,": "text/csv",
    "<svg": "image/svg+xml",
}


class CaseFailure(AssertionError):
    """A case that can't be read, or does not hold."""


def _matches(pattern, value):
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _hold(condition, message):
    if not condition:
        raise CaseFailure(message)


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
    """How they differ, in words; "" when they do not. All but the wildcards matches exactly."""
    if isinstance(expected, str) and expected in _WILDCARDS and _WILDCARDS[expected](actual):
        return ""
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        expected, actual = dict(enumerate(expected)), dict(enumerate(actual))
    if isinstance(expected, dict) and isinstance(actual, dict):
        wanted = {name: value for name, value in expected.items() if name != "..." and value != "<none>"}
        more = actual.keys() & {name for name in expected if name not in wanted}
        more |= set() if "..." in expected else actual.keys() - expected.keys()
        if more or wanted.keys() - actual.keys():
            return f"{path} has {sorted(actual)}, not {sorted(wanted)}"
        found = (difference(value, actual[name], f"{path}.{name}") for name, value in wanted.items())
        return next(filter(None, found), "")
    if expected == actual and isinstance(expected, bool) == isinstance(actual, bool):
        return ""
    return f"{path} is {json.dumps(actual)}, not {json.dumps(expected)}"


def _filled(sentence):
    values = {place: value if isinstance(value, str) else ", ".join(map(_filled, value))
              for place, value in sentence["values"].items()}
    return re.sub(r"\{(\w+)\}", lambda place: values[place[1]], sentence["text"])


def plain(value):
    """Without the sentences that have places: each is the English beside it (docs/contract.md, section 1)."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    for name in _SENTENCES.keys() & value.keys():
        english = [value[beside] for beside in _SENTENCES[name] if beside in value]
        _hold([_filled(value[name])] == english, f"The {name} is not {english}: {value[name]}")
    return {name: plain(each) for name, each in value.items() if name not in _SENTENCES}


def _check_json(expected, reply):
    try:
        found = difference(expected, plain(reply.json()))
    except ValueError:
        found = "It is no JSON"
    _hold(not found, f"{found}. The answer: {reply}")


def check_manners(reply, secrets, tokens):
    """What holds for every answer: it has an id, no secret (a session's token only in Set-Cookie),
    is not to be cached unless a tag says whether it has changed, and its type says what its body is."""
    _hold(reply.value("X-Request-Id"), f"There is no X-Request-Id: {reply}")
    texts = [reply.body, *(value for name, value in reply.headers if name != "Set-Cookie")]
    for found, places in ((secrets, texts + reply.values("Set-Cookie")), (tokens, texts)):
        there = [s for s in found if len(s) >= _SHORTEST_SECRET and any(s in text for text in places)]
        _hold(not there, "A key, a password or a session's token stands in the answer.")
    tagged = bool(reply.value("ETag"))
    caching = (["private, no-cache"], ["Cookie"]) if tagged else (["no-store"], reply.values("Vary"))
    _hold((reply.values("Cache-Control"), reply.values("Vary")) == caching, f"It may be cached: {reply.headers}")
    _hold(not reply.body or reply.status != 204 and reply.status // 100 != 3, f"This should have no body: {reply}")
    text = reply.body.lstrip()
    kind = next((kind for begin, kind in _TYPES.items() if text.startswith(begin)), None)
    _hold(not text or reply.value("Content-Type") == f"{kind}; charset=utf-8", f"Another type: {reply.headers} {reply}")


def check_status(words, reply, is_head):
    """The line of the status: with an error's code and field, "page" or where it leads."""
    status, _, words = words.partition(" ")
    words = words.strip()
    _hold(str(reply.status) == status, f"The status is not {status} but {reply}")
    _hold(not is_head or not reply.body, f"The answer to HEAD has a body: {reply}")
    request_id = reply.value("X-Request-Id")
    if words.startswith("/"):
        _hold(_glob(words, reply.value("Location")), f"The redirect leads elsewhere: {reply}")
    elif is_head or not words:
        return
    elif words == "page":
        parts = ("<!doctype html>", request_id, status)
        _hold(all(part in reply.body for part in parts), f"This is no error page: {reply}")
    else:
        code, _, name = words.partition(" ")
        error = {"error": "<text>", "code": code, "requestId": request_id}
        _check_json(error | ({"field": name} if name else {}), reply)


def _glob(pattern, value):
    """Only * is special."""
    return fnmatch.fnmatchcase(value, re.sub(r"([?\[])", r"[\1]", pattern))


def check_line(line, reply):
    """Another line on the answer."""
    kind, _, rest = line.partition(" ")
    if line[0] in "{[":
        _check_json(json.loads(re.sub(r"\.\.\.\s*\}", '"...": true}', line)), reply)
    elif line == "is empty":
        _hold(not reply.body, f"The body is not empty: {reply}")
    elif kind == "contains":
        _hold(rest in reply.body, f"{rest!r} is missing in {reply}")
    elif kind == "lacks":
        _hold(rest not in reply.body, f"{rest!r} stands in {reply}")
    elif rest.startswith("no "):
        _hold(not reply.values(rest[3:]), f"{rest[3:]!r} is in {reply.headers}")
    else:
        name, _, pattern = rest.partition(":")
        found = any(_glob(pattern.strip(), value) for value in reply.values(name))
        _hold(found, f"No header like {rest!r} in {reply.headers}: {reply}")


_SERVER = REPOSITORY / "deploy" / "nginx" / "snippets" / "server.conf"
_LOCATION = re.compile(r"\nlocation (=|~) (\S+) \{[^}]*usershell/(auth|execute)\.conf;")


def _pools():
    """[(what nginx hands to a pool, its name)]; usershell-manage has the rest."""
    found = _LOCATION.findall(_SERVER.read_text(encoding="utf-8"))
    return [(re.compile(path if kind == "~" else re.escape(path)), pool) for kind, path, pool in found]


class Site:
    """close() ends the calls that a case holds."""

    def __init__(self, stack):
        self._stack = stack
        self._held = contextlib.ExitStack()
        self._pools = _pools()
        self._seen = {}
        self.new_person = stack.new_person
        self.sql = stack.sql
        self.close = self._held.close

    def facts(self):
        """The variables of every case."""
        stack = self._stack
        return {"origin": stack.base_url, "closed": stack.closed, "stub": stack.stub.url}

    def pool_of(self, path):
        return next((pool for paths, pool in self._pools if paths.fullmatch(path)), "manage")

    def serve(self, method, target, headers, body, source):
        path, _, query = target.partition("?")
        content_type = next((v for n, v in headers if n.lower() == "content-type"), "")
        parameters = [
            ("REQUEST_METHOD", method),
            ("REQUEST_URI", target),
            ("QUERY_STRING", query),
            ("CONTENT_TYPE", content_type),
            ("CONTENT_LENGTH", str(len(body.encode("utf-8", "surrogateescape"))) if body else ""),
            ("REMOTE_ADDR", source),
        ]
        parameters += [(f"HTTP_{n.upper().replace('-', '_')}", v) for n, v in headers]
        return Reply(*fastcgi.serve(self._stack.pools[self.pool_of(path)].path, parameters, body))

    def hold_calls(self, person, count):
        """So many calls of that person are under way until close()."""
        client = self._stack.sign_in(person)
        made = provider(client, f"{self._stack.stub.url}/silent-after-1/v1")
        for _ in range(count):
            stream = client.stream(f"{ROUTE}/playground", ask(made, "one two", stream=True))
            next(iter(self._held.enter_context(stream)))
        client.call("DELETE", f"{ROUTE}/{made}")
        self._held.callback(client.close)

    def next_link(self, address):
        """Path and query of the link in the next message to that address."""
        self._seen[address] = self._seen.get(address, 0) + 1
        message = self._stack.mail.wait_for(address, self._seen[address])
        return link_in(message).removeprefix(self._stack.base_url)

    def more_mail(self, address):
        """How many messages to it came beyond those that next_link() gave, once all are sent."""
        self._stack.wait_for_mail()
        return len(self._stack.mail.messages(address)) - self._seen.get(address, 0)
