"""Runs a case: plays its people, makes its requests, holds the answers against what is expected."""

import itertools
import json
import re
import string
import urllib.parse

from harness.client import FIELD, HEADER

from .case_file import CaseFailure, Command
from .verdict import check_answer, check_manners, value_at

__unittest = True  # failures are told without the frames of the runner

_FORM = "application/x-www-form-urlencoded"
_HIDDEN = re.compile(rf'name="{FIELD}"\s+value="([^"]+)"')
_PROVIDERS = "/user/providers"
_SESSION_COOKIES = ("__Host-usershell-session", "__Host-usershell-calls")
_CHANGES = ("POST", "PUT", "DELETE")
_numbers = itertools.count(1)  # of what every run has of its own: all cases share one store


class Browser:
    """Keeps cookies, and the anti-forgery token of the page that it has seen."""

    def __init__(self):
        self.cookies = {}
        self.token = ""

    def keep(self, reply):
        """What the answer sets; another session makes the token worthless."""
        before = dict(self.cookies)
        for name, value in set_cookies(reply).items():
            self.cookies[name] = value
            if not value:
                del self.cookies[name]
        if self.sessions(before) != self.sessions(self.cookies):
            self.token = ""

    @staticmethod
    def sessions(cookies):
        """The tokens that say who somebody is."""
        return {value for name, value in cookies.items() if name in _SESSION_COOKIES}


def set_cookies(reply):
    """{name: value}; of an ended cookie the value is empty."""
    pairs = {}
    for line in reply.values("Set-Cookie"):
        pair, *attributes = (part.strip() for part in line.split(";"))
        name, _, value = pair.partition("=")
        pairs[name] = "" if "Max-Age=0" in attributes else value
    return pairs


class Variables:
    """What ${…} stands for."""

    def __init__(self, **values):
        self._values = values

    def __setitem__(self, name, value):
        self._values[name] = value

    def fill(self, line, text):
        return re.sub(r"\$\{([^}]*)\}", lambda found: self._value(line, found[1]), text)

    def _value(self, line, expression):
        if expression in self._values:
            return self._values[expression]
        if expression.endswith("^^"):
            return self._value(line, expression[:-2]).translate(_CAPITALS)
        if found := re.fullmatch(r"hex:((?:[0-9A-Fa-f]{2})+)", expression):
            return bytes.fromhex(found[1]).decode("utf-8", "surrogateescape")
        if found := re.fullmatch(r"(.+)\*(\d+)", expression, re.DOTALL):
            return found[1] * int(found[2])
        return line.fail(f"There is no variable {expression!r}.")


_CAPITALS = str.maketrans(string.ascii_lowercase, string.ascii_uppercase)


class Script:
    """For one case. site: see site.Site."""

    def __init__(self, site):
        self._site = site
        self._source = f"2001:db8:{next(_numbers):x}::1"  # each case has its own: tries are counted
        self._variables = Variables(**site.facts())
        self._secrets = set()
        self._tokens = set()
        self._people = {}
        self._browsers = {"nobody": Browser()}
        self._current = "nobody"

    def run(self, case):
        for step in case.steps:
            if isinstance(step, Command):
                getattr(self, f"_{step.verb}")(step.line, self._fill(step.line, step.rest))
            else:
                for row in step.rows:
                    self._exchange(step, row)

    def _fill(self, line, text):
        return self._variables.fill(line, text)

    def _exchange(self, exchange, row):
        line = exchange.request.line
        for name, value in row.items():
            self._variables[name] = self._fill(line, value)
        try:
            method, *rest = self._request(exchange.request)
            reply = self._ask(exchange.answer.line, method, *rest)
            check_answer(exchange.answer, reply, self._fill, method == "HEAD")
            for save in exchange.answer.saves:
                self._save(reply, *save)
        except CaseFailure as failure:
            told = ", ".join(f"{name} = {value}" for name, value in row.items())
            raise CaseFailure(f"{failure} (with {told})" if row else str(failure)) from None

    def _save(self, reply, variable, source, what, line):
        what = self._fill(line, what)
        if source == "token":
            value = next(iter(_HIDDEN.findall(reply.body)), None)
        elif source == "cookie":
            value = set_cookies(reply).get(what)
        elif source == "header":
            value = reply.value(what) or None
        else:
            value = value_at(reply.json(), what)
        if value is None:
            line.fail(f"There is nothing to save in the answer: {reply}")
        self._variables[variable] = value

    # The commands.

    def _as(self, line, names):
        for name in names.split(", "):
            self._become(line, name)

    def _become(self, line, name):
        who = name.partition("/")[0]
        is_new = name not in self._browsers
        self._current = name or line.fail("As whom?")
        self._browsers.setdefault(name, Browser())
        if is_new and who != "nobody":
            if who not in self._people:
                self._add(who)
            email, password = self._people[who]
            reply = self._send(line, "POST", "/auth/login", f"email={email}&password={password}")
            if reply.status != 302:
                line.fail(f"Signing in is answered {reply}")

    def _add(self, name):
        person = self._site.new_person(name.capitalize())
        self._people[name] = person
        self._secrets.add(person[1])
        self._variables[f"{name}.email"], self._variables[f"{name}.password"] = person

    def _given(self, line, words):
        for each in re.split(r", (?=provider |model |account )", words):
            self._make(line, each)

    def _make(self, line, words):
        found = re.fullmatch(r"(provider|model|account) (.*?)(?: in (\S+?))?(?: (\{.*\}))?", words)
        if not found or (found[1] == "provider") != (found[3] is None):
            line.fail("Give a provider, a model in a provider or an account in a provider.")
        kind, name, provider, members = found.groups()
        key = f"sk-given-{next(_numbers)}-0123456789abcdef"
        body, target = {"name": name, "apiKey": key}, f"{_PROVIDERS}/create"
        if kind == "provider":
            body["baseUrl"] = "https://api.example.com/v1"
        else:
            target = f"{_PROVIDERS}/{self._fill(line, f'${{{provider}}}')}/{kind}s"
        body = {"modelId": name} if kind == "model" else body
        reply = self._send(line, "POST", target, json.dumps(body | json.loads(members or "{}")))
        if reply.status != 200:
            line.fail(f"This is answered {reply}")
        if kind != "model":
            self._variables[name] = reply.json()["id"]

    def _hold(self, line, words):
        found = re.fullmatch(r"(\d+) calls", words)
        person = self._people.get(self._current.partition("/")[0])
        if not found or not person:
            line.fail("`hold N calls`, as somebody")
        self._site.hold_calls(person, int(found[1]))

    def _sql(self, _, statement):
        self._site.sql(statement)

    def _mail(self, _, address):
        """Waits for a message to that address that no `mail` before this one has seen."""
        link = self._site.next_link(address)
        self._variables["link"] = link
        for name, value in urllib.parse.parse_qsl(link.partition("?")[2]):
            self._variables[f"link.{name}"] = value

    def _keep(self, line, words):
        name, _, other = words.partition(" = ")
        self._variables[name] = self._fill(line, f"${{{other}}}")

    def _unmailed(self, line, address):
        """No more is on its way to that address than what `mail` has seen."""
        if more := self._site.more_mail(address):
            line.fail(f"{more} more to {address}")

    def _differ(self, line, names, alike=False):
        one, other = (self._fill(line, f"${{{name}}}") for name in names.split())
        if (one == other) != alike:
            line.fail(f"{names}: {one!r} and {other!r}")

    def _same(self, line, names):
        self._differ(line, names, alike=True)

    # Requests.

    def _send(self, line, method, target, body=""):
        """A request in the usual way."""
        token = self._own_token(line) if method in _CHANGES else ""
        headers = self._usual_headers(body)
        if token:
            _, body = self._with_token(headers, target, body, token, "")
        return self._ask(line, method, target, headers, body, self._source)

    def _usual_headers(self, body):
        headers = []
        if body:
            kind = "application/json" if body[0] in "{[" else _FORM
            headers.append(("Content-Type", kind))
        if cookies := self._browsers[self._current].cookies:
            cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
            headers.append(("Cookie", cookie))
        return headers

    def _request(self, request):
        """(method, target, headers, body, client address) as the case says."""
        line = request.line
        method, target, body = (
            self._fill(line, text) for text in (request.method, request.target, request.body)
        )
        given = [(self._fill(line, n), self._fill(line, v)) for n, v in request.headers]
        named = {name.lower() for name, _ in given} | set(request.without)
        token = self._fill(line, request.token)
        if method in _CHANGES and request.token_spot != "none":
            token = token or self._own_token(line)
            spot = self._fill(line, request.token_spot)
        usual = [each for each in self._usual_headers(body) if each[0].lower() not in named]
        headers = given + usual
        if method in _CHANGES and request.token_spot != "none":
            target, body = self._with_token(headers, target, body, token, spot)
        source = self._fill(line, request.source) or self._source
        self._note_keys(body)
        return method, target, headers, body, source

    @staticmethod
    def _with_token(headers, target, body, token, spot):
        """(target, body), or one more header: forms carry it in a field, the rest in a header."""
        kind = next((value for name, value in headers if name.lower() == "content-type"), "")
        spot = spot or ("form" if kind == _FORM else "header")
        if spot == "json":
            headers += [] if kind else [("Content-Type", "application/json")]
            rest = body.partition("{")[2]
            comma = "" if rest.lstrip().startswith("}") or not rest else ", "
            return target, f'{{"{FIELD}": "{token}"{comma}{rest or "}"}'
        if spot == "form":
            headers += [] if kind else [("Content-Type", _FORM)]
            return target, f"{body}{'&' if body else ''}{FIELD}={token}"
        if spot == "query":
            return f"{target}{'&' if '?' in target else '?'}{FIELD}={token}", body
        headers.append((HEADER if spot == "header" else FIELD, token))
        return target, body

    def _own_token(self, line):
        browser = self._browsers[self._current]
        if not browser.token:
            page = _PROVIDERS if Browser.sessions(browser.cookies) else "/auth/login"
            found = _HIDDEN.search(self._send(line, "GET", page).body)
            browser.token = found[1] if found else line.fail(f"{page} has no anti-forgery token.")
        return browser.token

    def _note_keys(self, body):
        """Keys that the body carries: no answer may ever hold them."""
        try:
            key = json.loads(body).get("apiKey")
        except (ValueError, AttributeError, RecursionError):
            return
        if isinstance(key, str):
            self._secrets.add(key.strip())

    def _ask(self, line, method, target, headers, body, source):
        browser = self._browsers[self._current]
        reply = self._site.serve(method, target, headers, body, source)
        browser.keep(reply)
        self._tokens |= Browser.sessions(browser.cookies)
        check_manners(line, reply, self._secrets, self._tokens)
        return reply
