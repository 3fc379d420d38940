"""The requests that the stub received, and its books. Tests read them at GET /_journal, the bytes of
a body at GET /_body?n=, the books at GET /_books."""

import collections
import hashlib
import itertools
import time

KEY_HEADERS = ("authorization", "x-api-key", "api-key", "x-goog-api-key", "x-subscription-token")
_KEPT = 50_000
_LARGE = 1024 * 1024  # bytes of a body from which on only its length and sum are kept


def key_of(headers):
    """(header, key) of the first header that carries a key, (None, None) without one."""
    for name in KEY_HEADERS:
        if headers.get(name):
            return name, headers[name].removeprefix("Bearer ")
    return None, None


class Entry:
    """One exchange. Times: `time` is the wall clock in seconds, `ms` counts from the request."""

    def __init__(self, number, request):
        self._began = time.monotonic()
        header, key = key_of(request.headers)
        self.key = key or ""
        self.chat = None
        self.body = request.body if len(request.body) < _LARGE else b""
        self.facts = {
            "n": number,
            "time": time.time(),
            "connection": request.connection,
            "method": request.method,
            "path": request.path,
            "query": request.query,
            "key": key,
            "keyHeader": header,
            "headers": dict(request.headers),
            "body": request.json() if self.body else {},
            "length": len(request.body),
            "sha256": hashlib.sha256(request.body).hexdigest(),
        }
        self.note(model=None, message="", stream=False, started=False, tokens=0, billed=False)
        self.note(ended=False, endedBy=None, ms=None)

    def note(self, **facts):
        self.facts.update(facts)

    def token_sent(self):
        self.facts["tokens"] += 1

    def end(self, by):
        """The exchange is over: `us` answered or gave up, `peer` closed its connection."""
        self.note(ended=True, endedBy=by, ms=round((time.monotonic() - self._began) * 1000, 1))

    def bill(self):
        """(input, output) tokens: of a stream, those that were sent."""
        if not self.facts["billed"]:
            return 0, 0
        return self.chat.input, self.facts["tokens"] if self.chat.stream else self.chat.output


class Journal:
    def __init__(self):
        self._entries = collections.deque(maxlen=_KEPT)
        self._numbers = itertools.count(1)
        self._books = collections.defaultdict(collections.Counter)

    def open(self, request):
        entry = Entry(next(self._numbers), request)
        self._entries.append(entry)
        return entry

    def close(self, entry, by):
        """Ends the entry, and enters into the books what is billed by tokens."""
        entry.end(by)
        if entry.chat and entry.chat.billed:
            tokens_in, tokens_out = entry.bill()
            day = time.strftime("%Y-%m-%d", time.gmtime(entry.facts["time"]))
            row = self._books[entry.key, day, entry.chat.model]
            row.update(calls=1, failures=int(not entry.facts["billed"]), input=tokens_in, output=tokens_out)

    def books(self, key=""):
        """By key, day (UTC) and model: calls that have ended, those of them without an answer, and tokens."""
        rows = self._books.items()
        return [{"key": k, "day": day, "model": model, **row} for (k, day, model), row in rows if key in k]

    def body(self, number):
        """The bytes that arrived with the entry of that number."""
        return next(entry.body for entry in self._entries if entry.facts["n"] == number)

    def select(self, path="", marker="", key=""):
        """Entries whose path, message and key contain these texts, oldest first."""
        return [
            entry.facts
            for entry in self._entries
            if path in entry.facts["path"] and marker in entry.facts["message"] and key in entry.key
        ]
