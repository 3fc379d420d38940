"""Many callers at a time: tabs of browsers, each worked by one thread."""

import queue
from concurrent.futures import ThreadPoolExecutor


class Crowd:
    """`size` tabs, shared out over the given browsers; close() closes them.

    A user may have eight calls to providers under way, so a crowd of callers needs a browser (and a
    person) for every eight tabs.
    """

    def __init__(self, size, *browsers):
        self._tabs = [browsers[number % len(browsers)].clone() for number in range(size)]
        self._free = queue.SimpleQueue()
        for tab in self._tabs:
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
