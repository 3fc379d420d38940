"""Writers and streams through the balancer all the while, and the count of what has become of each."""

import http.client
import itertools
import random
import secrets
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from harness.scenes import ROUTE, ask, provider

_PACE = 0.4  # seconds from one write of a writer to the next
_PAUSE = 0.2  # before a repeat
_PROVIDERS, _ACCOUNTS = 10, 10  # a person's may be, by docs/contract.md
_MESSAGE = "word " * 40  # which the stand-in repeats, a tenth of a second a word
_LOST = (OSError, http.client.HTTPException)


@dataclass
class Count:
    """What has happened since the last one was taken. Names are those of the accounts written."""

    written: dict = field(default_factory=dict)  # name → when it was acknowledged
    refused: set = field(default_factory=set)  # names answered with a plain 503 and nothing else
    unknown: int = 0  # answers that were lost, or said so
    streams: Counter = field(default_factory=Counter)  # whole, broken, refused

    def longest_pause(self, began, ended):
        times = [began, *sorted(t for t in self.written.values() if began < t < ended), ended]
        return max(after - before for before, after in itertools.pairwise(times))


class Load:
    """Each of `writers` is a few people who are signed in, and who write in turn; each of `talkers` is one."""

    def __init__(self, writers, talkers, provider_url):
        self._url = provider_url
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._count = Count()
        self.faults = []  # answers that there must not be
        with ThreadPoolExecutor() as pool:
            works = [(self._write, places) for places in pool.map(self._places, writers)]
            works += [(self._talk, place) for place in pool.map(self._slow_provider, talkers)]
        self._threads = [threading.Thread(target=self._guarded, args=work, daemon=True) for work in works]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        for thread in self._threads:
            thread.join()

    def take(self):
        with self._lock:
            count, self._count = self._count, Count()
        return count

    def is_written_to(self):
        """There was a write within the last second."""
        with self._lock:
            return time.monotonic() - max(self._count.written.values(), default=0) < 1

    def _guarded(self, work, who):
        try:
            work(who)
        except Exception as error:
            self.faults.append(repr(error))

    def _places(self, people):
        """Providers of these people, who take accounts."""
        return [(p, provider(p, self._url, name=f"P{n}", models=())) for p in people for n in range(_PROVIDERS)]

    def _slow_provider(self, person):
        return person, provider(person, f"{self._url}/slow-100")

    def _write(self, places):
        """Adds accounts there in turn, which the trial deletes after each fault."""
        for person, place in itertools.cycle(places):
            for _ in range(_ACCOUNTS):
                if self._over.is_set():
                    return
                self._write_one(person, f"{ROUTE}/{place}/accounts")
                time.sleep(random.uniform(0, 2 * _PACE))

    def _write_one(self, person, route):
        """After a lost answer it repeats, with the same key, as the pages do."""
        name = secrets.token_hex(8)
        in_doubt = False
        while not self._over.is_set():
            status, code = self._answer(person, route, name)
            with self._lock:
                if status == 200:
                    self._count.written[name] = time.monotonic()
                elif code == "unavailable" and not in_doubt:
                    self._count.refused.add(name)
                elif status in (0, 502, 503, 504):
                    self._count.unknown += 1
                    in_doubt = True
                    continue
                else:
                    self.faults.append(f"a write: {status} {code}")
            return

    @staticmethod
    def _answer(person, route, name):
        person.close()  # the client repeats by itself what a kept connection has lost
        try:
            answer = person.post(route, {"name": name, "apiKey": name}, {"Idempotency-Key": name})
            return answer.status, answer.code
        except _LOST:
            time.sleep(_PAUSE)
            return 0, ""

    def _talk(self, place):
        while not self._over.is_set():
            outcome = self._outcome(*place)
            with self._lock:
                self._count.streams[outcome] += 1
            time.sleep(_PAUSE)

    @staticmethod
    def _outcome(person, made):
        person.close()
        began = False
        try:
            with person.stream(f"{ROUTE}/playground", ask(made, _MESSAGE, stream=True)) as stream:
                began = stream.status == 200
                if any(frame.get("done") for frame, _ in stream):
                    return "whole"
        except _LOST:
            pass
        return "broken" if began else "refused"
