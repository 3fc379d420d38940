"""Reads and runs the cases of a file; README.md describes the format. A CaseFailure names file and line."""

import functools
import itertools
import json
import re
import string
import urllib.parse
from collections import deque

from harness.client import FIELD, HEADER

from .site import CaseFailure, check_line, check_manners, check_status

__unittest = True  # failures are told without the frames of the runner

_FORM = "application/x-www-form-urlencoded"
_HIDDEN = re.compile(rf'name="{FIELD}"\s+value="([^"]+)"')
_PROVIDERS = "/user/providers"
_SESSION_COOKIES = tuple(f"__Host-usershell-{name}" for name in ("session", "calls", "auth"))
_CHANGES = ("POST", "PUT", "DELETE")
_METHOD = re.compile(r"([A-Z]+|\$\{\w+\}) [/$]")
_COMMANDS = ("as", "given", "hold", "sql", "mail", "unmailed", "keep", "differ", "same")
_EXPECTATION = re.compile(r"(< |contains |lacks |save |[{\[]|is empty$)")
_CAPITALS = str.maketrans(string.ascii_lowercase, string.ascii_uppercase)
_numbers = itertools.count(1)  # of what every run has of its own: all cases share one store


def read_cases(path):
    """(settings of the file, its cases): a case is (title, [(place, line)])."""
    settings, cases = {}, []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if line.startswith("--- "):
            cases.append((line[4:].strip(), []))
        elif cases and line.strip() and line[0] != "#":
            cases[-1][1].append((f"{path.name}:{number}", line))
        elif line.startswith("settings "):
            name, _, value = line[9:].partition("=")
            settings[name.replace("-", "_")] = value
        elif line.strip() and line[0] != "#":
            raise CaseFailure(f"{path.name}:{number}: This belongs to no case.")
    return settings, cases


def cells(text):
    return [cell.strip(" ") for cell in text.split("|")]


def set_cookies(reply):
    """{name: value}; of an ended cookie the value is empty."""
    pairs = {}
    for line in reply.values("Set-Cookie"):
        pair, *attributes = (part.strip() for part in line.split(";"))
        name, _, value = pair.partition("=")
        pairs[name] = "" if "Max-Age=0" in attributes else value
    return pairs


class Browser:
    """Keeps cookies, and the anti-forgery tokens of the pages that it has seen, by page."""

    def __init__(self):
        self.cookies = {}
        self.tokens = {}

    def keep(self, reply):
        """What the answer sets; another session makes the token worthless."""
        before = self.sessions()
        self.cookies = {name: value for name, value in (self.cookies | set_cookies(reply)).items() if value}
        if self.sessions() != before:
            self.tokens = {}

    def sessions(self):
        """The tokens that say who somebody is."""
        return {value for name, value in self.cookies.items() if name in _SESSION_COOKIES}


class Script:
    """Runs one case. site: see site.Site."""

    def __init__(self, site):
        self._site = site
        self._source = f"2001:db8:{next(_numbers):x}::1"  # each case has its own: tries are counted
        self._variables = site.facts()
        self._secrets, self._tokens = set(), set()
        self._people = {}
        self._browsers = {"nobody": Browser()}
        self._current = "nobody"

    def run(self, lines):
        self._lines = deque(lines)
        try:
            while self._lines:
                self._step()
        except CaseFailure as failure:
            raise CaseFailure(f"{self._position}: {failure}") from None

    def _take(self):
        self._position, line = self._lines.popleft()
        return line

    def _while(self, holds):
        """The next lines, as long as that is so."""
        while self._lines and holds(self._lines[0][1]):
            yield self._take()

    def _step(self):
        line = self._take()
        verb, _, rest = line.partition(" ")
        if verb in _COMMANDS:
            getattr(self, f"_{verb}")(self._fill(rest))
        elif verb == "repeat":
            self._exchange(self._take(), [{"n": str(n)} for n in range(1, int(rest) + 1)])
        elif verb == "with":
            rows = self._table(rest)
            self._exchange(self._take(), rows)
        else:
            self._exchange(line, [{}])

    def _table(self, head):
        name, inline, values = head.partition(" = ")
        if inline:
            return [{name: cell} for cell in cells(values)]
        rows = self._while(lambda line: line.startswith("  "))
        return [dict(zip(cells(head), cells(row), strict=True)) for row in rows]

    def _exchange(self, line, rows):
        """A request, all its answer's lines, once a row."""
        request, arrow, answer = line.partition(" => ")
        request, *knobs = request.split(" > ")
        if not _METHOD.match(request) or not rows:
            raise CaseFailure(f"This means nothing here: {line}")
        method, target, body = (*request.split(" ", 2), "")[:3]
        if not arrow:
            knobs += [knob[2:] for knob in self._while(lambda each: each.startswith("> "))]
            body = "\n".join(self._while(lambda each: not each.startswith("=> ")))
            answer = self._take()[3:]
        checks = []
        while self._lines and _EXPECTATION.match(self._lines[0][1]):
            check = self._take()
            more = self._while(lambda each: each[0] in " }]") if check[0] in "{[" else ()
            checks.append((self._position, "\n".join([check, *more])))
        place = self._position
        for row in rows:
            try:
                self._position = place
                self._make_row(row)
                reply = self._request(*map(self._fill, (method, target, body)), knobs)
                check_status(self._fill(answer), reply, self._fill(method) == "HEAD")
                for self._position, check in checks:
                    self._check(check, reply)
            except CaseFailure as failure:
                raise CaseFailure(f"{failure}{f' (with {row})' if row else ''}") from None

    def _make_row(self, row):
        for name, value in row.items():
            self._variables[name] = self._fill(value)

    def _check(self, check, reply):
        if not check.startswith("save "):
            return check_line(self._fill(check), reply)
        name, source, *what = self._fill(check[5:]).replace(" = ", " ", 1).split(" ")
        value = {
            "token": lambda: (_HIDDEN.search(reply.body) or ("", ""))[1],
            "cookie": lambda: set_cookies(reply).get(*what),
            "header": lambda: reply.value(*what),
            "json": lambda: self._value_at(reply.json(), *what),
        }[source]()
        if not value:
            raise CaseFailure(f"There is nothing to save in the answer: {reply}")
        self._variables[name] = value

    @staticmethod
    def _value_at(document, path):
        """At a dotted path such as providers.0.id, as text (JSON, for what is no string)."""
        steps = (int(step) if step.isdigit() else step for step in path.split("."))
        found = functools.reduce(lambda value, step: value[step], steps, document)
        return found if isinstance(found, str) else json.dumps(found)

    def _fill(self, text):
        """With the values of what stands as ${…}."""
        return re.sub(r"\$\{([^}]*)\}", lambda found: self._value(found[1]), text)

    def _value(self, expression):
        if expression in self._variables:
            return self._variables[expression]
        if expression.endswith("^^"):
            return self._value(expression[:-2]).translate(_CAPITALS)
        if expression.startswith("hex:"):
            return bytes.fromhex(expression[4:]).decode("utf-8", "surrogateescape")
        if found := re.fullmatch(r"(.+)\*(\d+)", expression, re.DOTALL):
            return found[1] * int(found[2])
        raise CaseFailure(f"There is no variable {expression!r}.")

    # The commands.

    def _as(self, names):
        for self._current in names.split(", "):
            who = self._current.partition("/")[0]
            if self._current in self._browsers:
                continue
            self._browsers[self._current] = Browser()
            if who == "nobody":
                continue
            if who not in self._people:
                self._people[who] = self._site.new_person(who.capitalize())
                self._variables[f"{who}.email"], self._variables[f"{who}.password"] = self._people[who]
                self._secrets.add(self._people[who][1])
            email, password = self._people[who]
            self._send("POST", "/auth/login", f"email={email}&password={password}", 302)

    def _given(self, words):
        for each in re.split(r", (?=provider |model |account )", words):
            kind, name, provider, members = re.fullmatch(r"(\w+) (.*?)(?: in (\S+?))?(?: (\{.*\}))?", each).groups()
            body = {"name": name, "apiKey": f"sk-given-{next(_numbers)}-0123456789abcdef"}
            target = f"{_PROVIDERS}/{self._value(provider)}/{kind}s" if provider else f"{_PROVIDERS}/create"
            if kind == "provider":
                body["baseUrl"] = "https://api.example.com/v1"
            if kind == "model":
                body = {"modelId": name}
            reply = self._send("POST", target, json.dumps(body | json.loads(members or "{}")), 200)
            if kind != "model":
                self._variables[name] = reply.json()["id"]

    def _hold(self, words):
        self._site.hold_calls(self._people[self._current], int(words.removesuffix(" calls")))

    def _sql(self, statement):
        self._site.sql(statement)

    def _mail(self, address):
        """Waits for a message to that address that no `mail` before this one has seen."""
        link = self._variables["link"] = self._site.next_link(address)
        for name, value in urllib.parse.parse_qsl(link.partition("?")[2]):
            self._variables[f"link.{name}"] = value

    def _unmailed(self, address):
        """No more is on its way to that address than what `mail` has seen."""
        if more := self._site.more_mail(address):
            raise CaseFailure(f"{more} more to {address}")

    def _keep(self, words):
        name, _, other = words.partition(" = ")
        self._variables[name] = self._value(other)

    def _differ(self, names, alike=False):
        one, other = map(self._value, names.split())
        if (one == other) != alike:
            raise CaseFailure(f"{names}: {one!r} and {other!r}")

    def _same(self, names):
        self._differ(names, alike=True)

    # Requests.

    def _send(self, method, target, body="", status=200):
        """A request in the usual way, which is answered as usual."""
        reply = self._request(method, target, body)
        if reply.status != status:
            raise CaseFailure(f"{method} {target} is answered {reply}")
        return reply

    def _request(self, method, target, body, knobs=()):
        """The answer to a request, with what the knobs say in place of the usual."""
        headers, without, token, source = [], set(), None, self._source
        for knob in map(self._fill, knobs):
            name, colon, value = knob.partition(":")
            match knob.split(" "):
                case ["no", header]:
                    without.add(header.lower())
                case ["from", source]:
                    pass
                case ["token", token]:
                    pass
                case _ if colon:
                    headers.append((name, value.strip()))
                case _:
                    raise CaseFailure(f"This is neither a header nor a word on token or address: {knob}")
        if method in _CHANGES and "token" not in without:
            token = token or self._own_token(target.partition("?")[0])
        browser = self._browsers[self._current]
        cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        named = without | {name.lower() for name, _ in headers}
        if body and "content-type" not in named:
            headers.append(("Content-Type", "application/json" if body[0] in "{[" else _FORM))
        if cookie and "cookie" not in named:
            headers.append(("Cookie", cookie))
        if token and ("Content-Type", _FORM) in headers:
            body += f"&{FIELD}={token}"
        elif token:
            headers.append((HEADER, token))
        self._note_key(body)
        reply = self._site.serve(method, target, headers, body, source)
        browser.keep(reply)
        self._tokens |= browser.sessions()
        check_manners(reply, self._secrets, self._tokens)
        return reply

    def _own_token(self, path):
        browser = self._browsers[self._current]
        page = "/auth/login"
        if browser.sessions():
            page = "/user/settings/security" if self._site.pool_of(path) == "auth" else _PROVIDERS
        if page not in browser.tokens:
            browser.tokens[page] = _HIDDEN.search(self._send("GET", page).body)[1]
        return browser.tokens[page]

    def _note_key(self, body):
        """A key that the body carries: no answer may ever hold it."""
        try:
            self._secrets.add(json.loads(body)["apiKey"].strip())
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            pass
