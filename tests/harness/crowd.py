"""Many callers at a time: tabs of browsers, each worked by one thread."""

import queue
import threading
from concurrent.futures import ThreadPoolExecutor


class Crowd:
    """`size` tabs, shared out over the given browsers; close() closes them. learn: they fetch the
    anti-forgery token before they start.

    A user may have eight calls to providers under way, so a crowd of callers needs a browser (and a
    person) for every eight tabs.
    """

    def __init__(self, size, *browsers, learn=True):
        self._tabs = [browsers[number % len(browsers)].clone() for number in range(size)]
        self._free = queue.SimpleQueue()
        for tab in self._tabs:
            if learn:
                tab.learn_token()
            self._free.put(tab)
        self._threads = ThreadPoolExecutor(size)

    def run(self, work, items):
        """[work(tab, item) for each item], made side by side; raises what any of them raises."""

        def one(item):
            tab = self._free.get()
            try:
                return work(tab, item)
            finally:
                self._free.put(tab)

        return list(self._threads.map(one, items))

    def close(self):
        self._threads.shutdown()
        for tab in self._tabs:
            tab.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def together(*calls):
    """What the callables return, begun at the same moment."""
    barrier = threading.Barrier(len(calls))

    def run(call):
        barrier.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(run, calls))
