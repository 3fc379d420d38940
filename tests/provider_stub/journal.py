"""The requests that the stub received. Tests read them at GET /_journal."""

import collections
import itertools
import time

KEY_HEADERS = ("authorization", "x-api-key", "api-key", "x-goog-api-key", "x-subscription-token")
_KEPT = 50_000


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
            "body": request.json(),
        }
        self.note(model=None, message="", stream=False, started=False, tokens=0, ended=False, endedBy=None, ms=None)

    def note(self, **facts):
        self.facts.update(facts)

    def token_sent(self):
        self.facts["tokens"] += 1

    def end(self, by):
        """The exchange is over: `us` answered or gave up, `peer` closed its connection."""
        self.note(ended=True, endedBy=by, ms=round((time.monotonic() - self._began) * 1000, 1))


class Journal:
    def __init__(self):
        self._entries = collections.deque(maxlen=_KEPT)
        self._numbers = itertools.count(1)

    def open(self, request):
        entry = Entry(next(self._numbers), request)
        self._entries.append(entry)
        return entry

    def select(self, path="", marker="", key=""):
        """Entries whose path, message and key contain these texts, oldest first."""
        return [
            entry.facts
            for entry in self._entries
            if path in entry.facts["path"] and marker in entry.facts["message"] and key in entry.key
        ]
