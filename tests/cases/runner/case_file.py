"""Reads a case file. README.md beside the cases describes the format; here it becomes plain values.
Whatever means nothing is a CaseFailure that names file and line."""

import re
from dataclasses import dataclass, field

__unittest = True  # failures are told without the frames of the runner

VERBS = ("as", "given", "hold", "sql", "mail", "unmailed", "keep", "differ", "same")
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE")
TOKEN_SPOTS = ("header", "header2", "json", "form", "query")
_SAVE = re.compile(r"(\S+) = (?:(token)|(json|cookie|header) (.+))")


class CaseFailure(AssertionError):
    """A case that can't be read, or does not hold."""


@dataclass
class Line:
    file: str
    number: int
    text: str

    def fail(self, message):
        raise CaseFailure(f"{self.file}:{self.number}: {message}")


@dataclass
class Command:
    line: Line
    verb: str
    rest: str


@dataclass
class Request:
    line: Line
    method: str
    target: str
    headers: list = field(default_factory=list)  # (name, value)
    without: list = field(default_factory=list)  # headers left out
    token_spot: str = ""  # "" for the usual one, "none" for no token
    token: str = ""  # "" for one's own
    source: str = ""  # client address, "" for the case's own
    body: str = ""


@dataclass
class Answer:
    line: Line
    words: str  # the status and what follows it
    json: Line = None
    checks: list = field(default_factory=list)  # (<, no, contains, lacks or empty, Line)
    saves: list = field(default_factory=list)  # (variable, source, what, Line)


@dataclass
class Exchange:
    rows: list  # {variable: value}; the request is made once for each
    request: Request
    answer: Answer


@dataclass
class Case:
    line: Line
    title: str
    steps: list = field(default_factory=list)


class _Reader:
    def __init__(self, name, text):
        self._lines = [Line(name, n, t) for n, t in enumerate(text.split("\n"), 1)]
        self._end = Line(name, len(self._lines), "")
        self._next = 0

    def _done(self):
        return self._next >= len(self._lines)

    def _peek(self):
        return self._end if self._done() else self._lines[self._next]

    def _take(self):
        self._next += 1
        return self._lines[self._next - 1]

    def _skip(self):
        """Over blank lines and comments; False at the end."""
        while not self._done() and (not self._peek().text.strip() or self._peek().text[0] == "#"):
            self._next += 1
        return not self._done()

    def _while(self, holds):
        while not self._done() and holds(self._peek().text):
            yield self._take()

    def read(self):
        settings, cases = {}, []
        while self._skip():
            line = self._peek()
            word, _, rest = line.text.partition(" ")
            if word == "---":
                cases.append(self._case())
            elif word == "settings" and not cases:
                name, _, value = self._take().text.partition(" ")[2].partition("=")
                settings[name.replace("-", "_")] = value
            else:
                line.fail("This belongs to no case.")
        if not cases:
            self._end.fail("There is no case in this file.")
        return settings, cases

    def _case(self):
        line = self._take()
        case = Case(line, line.text[4:].strip())
        while self._skip() and not self._peek().text.startswith("--- "):
            verb, _, rest = self._peek().text.partition(" ")
            known = verb in VERBS
            case.steps.append(
                Command(self._take(), verb, rest.strip()) if known else self._exchange()
            )
        if not any(isinstance(step, Exchange) for step in case.steps):
            line.fail("This case makes no request.")
        return case

    def _exchange(self):
        word, _, rest = self._peek().text.partition(" ")
        rows = {"with": self._table, "repeat": self._repeat}.get(word, lambda: [{}])()
        if not self._skip():
            self._end.fail("A request is missing here.")
        request, answer = self._request()
        return Exchange(rows, request, self._answer(answer))

    def _table(self):
        line = self._take()
        head, inline, values = line.text.partition(" ")[2].partition(" = ")
        if inline:
            return [{head: cell} for cell in _cells(values)]
        names, rows = _cells(head), []
        for row in self._while(lambda text: text.startswith("  ")):
            cells = _cells(row.text)
            if len(cells) != len(names):
                row.fail("The row has another number of columns than its table.")
            rows.append(dict(zip(names, cells)))
        return rows or line.fail("The table has no rows.")

    def _repeat(self):
        line = self._take()
        times = line.text.partition(" ")[2]
        if not times.isdigit() or not int(times):
            line.fail("Repeat how often?")
        return [{"n": str(n)} for n in range(1, int(times) + 1)]

    def _request(self):
        """(the request, its answer's line); all of it may be one line: METHOD TARGET BODY > KNOB … => ANSWER"""
        line = self._take()
        words, arrow, answer = line.text.partition(" => ")
        words, *knobs = words.split(" > ")
        method, target, body = (*words.split(" ", 2), "", "")[:3]
        if method not in METHODS and not method.startswith("${") or not target or (body or knobs) and not arrow:
            line.fail("This means nothing here.")
        request = Request(line, method, target, body=body)
        for knob in knobs:
            _read_knob(request, Line(line.file, line.number, f"> {knob}"))
        if arrow:
            return request, Line(line.file, line.number, f"=> {answer}")
        for knob in self._while(lambda text: text.startswith("> ")):
            _read_knob(request, knob)
        body = self._while(lambda text: not text.startswith(("=>", "--- ")))
        request.body = "\n".join(each.text for each in body).rstrip("\n")
        return request, self._peek() if self._done() else self._take()

    def _answer(self, line):
        found = re.fullmatch(r"=> (\d{3}|\$\{\w+\})(?: (.*))?", line.text)
        if not found:
            line.fail("The answer is missing: => STATUS.")
        answer = Answer(line, " ".join(filter(None, found.groups())))
        while not self._done() and self._expectation(answer):
            pass
        return answer

    def _expectation(self, answer):
        """False at a line that is not about the answer."""
        line = self._peek()
        word, _, rest = line.text.partition(" ")
        if line.text[:1] in ("{", "["):
            answer.json = self._json()
            return True
        if word == "<":
            absent = rest.startswith("no ")
            check = ("no" if absent else "<", Line(line.file, line.number, rest[3 * absent :]))
            answer.checks.append(check)
        elif word in ("contains", "lacks"):
            answer.checks.append((word, Line(line.file, line.number, rest)))
        elif line.text == "is empty":
            answer.checks.append(("empty", line))
        elif word == "save":
            saved = _SAVE.fullmatch(rest) or line.fail("Save what? `save NAME = json PATH`")
            answer.saves.append((saved[1], saved[2] or saved[3], saved[4] or "", line))
        elif word != "#":
            return False
        self._next += 1
        return True

    def _json(self):
        first = self._take()
        more = [
            each.text for each in self._while(lambda text: text[:1] in (" ", "}", "]") and text)
        ]
        return Line(first.file, first.number, "\n".join([first.text, *more]))


def _cells(text):
    return [cell.strip(" ") for cell in text.split("|")]


def _read_knob(request, knob):
    word, _, rest = knob.text[2:].partition(" ")
    if (word, rest) == ("no", "token"):
        request.token_spot = "none"
    elif word == "no":
        request.without.append(rest.lower())
    elif word == "from":
        request.source = rest
    elif word == "token":
        token, _, spot = f" {rest}".rpartition(" in ") if " in " in f" {rest}" else (rest, "", "")
        request.token, request.token_spot = token.strip(), spot
        if spot not in ("", *TOKEN_SPOTS) and not spot.startswith("${"):
            knob.fail("There is no such place for a token.")
    elif ":" in knob.text:
        name, _, value = knob.text[2:].partition(":")
        request.headers.append((name, value.strip()))
    else:
        knob.fail("This is neither a header nor a word on token or address.")


def read_cases(name, text):
    """(settings of the file, its cases)"""
    return _Reader(name, text).read()
