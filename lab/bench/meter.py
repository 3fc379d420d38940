"""The use of processes: CPU seconds so far, memory now (proportional set size), from /proc."""

import contextlib
import os
from pathlib import Path

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
