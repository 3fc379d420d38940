"""Compared programs run by turns, round after round, so that other work of the machine falls on all alike; and what comes of
it: figures with a median, a spread and a goal. The use of processes: CPU seconds so far, memory now (proportional set
size), from /proc."""

import contextlib
import os
import statistics
from dataclasses import dataclass
from pathlib import Path


def rounds(count, runs):
    """runs: name → function that returns a sample. {name: [a sample a round]}; every other round goes
    the other way round."""
    samples = {name: [] for name in runs}
    for number in range(count):
        names = list(runs) if number % 2 == 0 else list(reversed(runs))
        for name in names:
            samples[name].append(runs[name]())
    return samples


def by_round(samples, *names):
    """Tuples of the samples of one round, in the order of the names."""
    return list(zip(*(samples[name] for name in names)))


@dataclass
class Figure:
    """values: one a round. goal: what the median must reach, "≤" or "≥" with a number, or None.
    note: what the figure is made of."""

    what: str
    values: list
    goal: tuple = None
    unit: str = ""
    note: str = ""
    part: str = ""

    @property
    def median(self):
        return statistics.median(self.values)

    @property
    def spread(self):
        return min(self.values), max(self.values)

    @property
    def reached(self):
        """None without a goal."""
        if self.goal is None:
            return None
        sign, bound = self.goal
        return self.median <= bound if sign == "≤" else self.median >= bound


def at_most(bound):
    return "≤", bound


def at_least(bound):
    return "≥", bound


def median_of(samples, name):
    return statistics.median(sample[name] for sample in samples)


_TICK = os.sysconf("SC_CLK_TCK")


def _fields(pid):
    """After the name, which may hold anything; the first is the state."""
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()


def family(pid):
    """The process and all its descendants; those that end meanwhile are passed over."""
    found = [pid]
    for member in found:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{member}/task").iterdir():
                found += [int(child) for child in (task / "children").read_text().split()]
    return found


def _cpu(pids):
    """Seconds of user and system time, with that of children that have ended."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            total += sum(map(int, _fields(pid)[11:15]))
    return total / _TICK


def memory(pids):
    """Bytes, what is shared by several processes counted in parts."""
    total = 0
    for pid in pids:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
        except OSError:
            continue
        line = next(each for each in text.splitlines() if each.startswith("Pss:"))
        total += int(line.split()[1]) * 1024
    return total


class Meter:
    """CPU seconds of named groups of processes while in the block: `used[name]`. groups: name →
    function that returns pids."""

    def __init__(self, groups):
        self._groups = groups
        self.used = {}

    def __enter__(self):
        self._before = {name: _cpu(pids()) for name, pids in self._groups.items()}
        return self

    def __exit__(self, *_):
        self.used = {n: _cpu(pids()) - self._before[n] for n, pids in self._groups.items()}
