"""Removes one check at a time from a copy of the sources, and shows that a test notices:

    ./dev mutate [--list] [--only ID …] [--jobs N]

A line a mutant: killed by which test, SURVIVED, stale (its text is not once in its file any more) or
broken (it does not compile); the last two are rows of mutants.py to mend. Ends with 1 unless all are
killed. The copies, with their builds, are kept in build/mutate/.
"""

import argparse
import os
import queue
import sys
import threading
import time
from collections import Counter

from harness.folders import REPOSITORY

from .mutants import MUTANTS
from .workshop import Broken, Stale, Trouble, Workshop, applied

FOLDER = REPOSITORY / "build" / "mutate"


def arguments():
    parser = argparse.ArgumentParser(prog="./dev mutate", description="Measures the tests by mutation.")
    parser.add_argument("--list", action="store_true", help="say what there is, and do nothing")
    parser.add_argument("--only", nargs="+", metavar="ID", help="these mutants")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many mutants at a time, "
                        "each in a copy of its own (default 1)")  # fmt: skip
    return parser.parse_args()


def chosen(only):
    unknown = set(only or []) - {mutant.id for mutant in MUTANTS}
    if unknown:
        sys.exit(f"There is no mutant {', '.join(sorted(unknown))}: ./dev mutate --list")
    return [mutant for mutant in MUTANTS if not only or mutant.id in only]


def groups(mutants):
    """By the test that comes first, the largest first: a copy builds few tests' programs that way."""
    by_test = {}
    for mutant in mutants:
        by_test.setdefault(mutant.tests[0], []).append(mutant)
    return sorted(by_test.values(), key=len, reverse=True)


def verdict(workshop, mutant):
    try:
        for test in mutant.tests:
            workshop.need_good(test)
        with applied(mutant, workshop.tree):
            killer = workshop.killer(mutant)
    except Stale:
        return "stale", ""
    except Broken as broken:
        return "broken", "\n".join(line for line in str(broken).splitlines() if "error" in line)
    except Trouble as trouble:
        return "broken", str(trouble)
    return ("killed", killer) if killer else ("SURVIVED", mutant.rule)


def line(mutant, outcome, detail, seconds):
    said = f"killed by {detail}" if outcome == "killed" else f"{outcome}  {detail}".rstrip()
    return f"{mutant.id:<36} {said}  ({seconds:.0f} s)"


class Round:
    """The work of one run, shared by its threads."""

    def __init__(self, mutants):
        self.waiting = queue.SimpleQueue()
        for group in groups(mutants):
            self.waiting.put(group)
        self.count = Counter()
        self.trouble = None
        self._lock = threading.Lock()

    def work_in(self, workshop):
        try:
            workshop.open()
            while True:
                for mutant in self.waiting.get_nowait():
                    self._judge(workshop, mutant)
        except queue.Empty:
            pass
        except Trouble as trouble:
            self.trouble = trouble

    def _judge(self, workshop, mutant):
        begun = time.monotonic()
        outcome, detail = verdict(workshop, mutant)
        with self._lock:
            self.count[outcome] += 1
            print(line(mutant, outcome, detail, time.monotonic() - begun), flush=True)


def judge_all(mutants, jobs):
    work = Round(mutants)
    processes = max(1, (os.cpu_count() or 1) // jobs)
    threads = [
        threading.Thread(target=work.work_in, args=[Workshop(FOLDER / str(number), processes)])
        for number in range(1, jobs + 1)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if work.trouble:
        print(work.trouble, file=sys.stderr)
    return work.count


def main():
    options = arguments()
    mutants = chosen(options.only)
    if options.list:
        for mutant in mutants:
            print(f"{mutant.id:<36} {mutant.file}\n    {mutant.rule}")
        return 0
    count = judge_all(mutants, max(1, options.jobs))
    others = "".join(f", {count[word]} {word}" for word in ("SURVIVED", "stale", "broken") if count[word])
    print(f"\n{count['killed']} of {len(mutants)} killed{others}")
    return 0 if count["killed"] == len(mutants) else 1


if __name__ == "__main__":
    sys.exit(main())
