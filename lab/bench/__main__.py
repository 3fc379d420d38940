"""Measures the service against its references:

    ./dev bench [PART …] [--quick]

Without a name: all parts. A part's figures are printed when it has ended.
"""

import argparse
import os
import platform
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from harness.processes import ended_by_signals

from . import cost, lists, long, streams, workers
from .scene import Scene


@dataclass
class Effort:
    """rounds: of what is compared. seconds: of one run. many: how many streams are open in the part
    "many". owners: people with full lists. crowd: people beside them in the part "million"."""

    rounds: int = 5
    seconds: float = 5
    many: int = 10_000
    many_rounds: int = 2
    owners: int = 10_000
    crowd: int = 990_000


QUICK = Effort(2, 4, many=2_000, many_rounds=1, owners=200, crowd=20_000)

# Name: (what it is, the function of scene and effort that returns its figures).
PARTS = {
    "list": ("the provider list, against PHP-FPM and Node", lists.listed),
    "changes": ("a model added and removed, against pgbench", workers.changes),
    "streams": ("1,000 streams of 40 tokens at once, against nginx's proxy_pass", streams.streams),
    "relay": ("a tool's calls through /v1, against nginx's proxy_pass", streams.relay),
    "first-token": ("what is added to a provider's first token", streams.first_token),
    "rates": ("300 and 600 streams a second, their CPU, against nginx's proxy_pass", cost.rates),
    "small": ("a tool's small calls, not streamed, against nginx and Portkey", cost.small),
    "open": ("pages, list and new streams while 1,000 long streams are open", cost.open_streams),
    "many": ("10,000 streams open, 100 new ones a second beside them", streams.many),
    "beside": ("pages and list while 1,000 streams a second begin", workers.beside),
    "gone": ("how soon a caller's leaving ends the call to the provider", workers.gone),
    "footprint": ("idle workers, and how long one takes to start", workers.footprint),
    "million": ("the provider list with 1,000,000 users", long.million),
    "build": ("the release build, from clean and after a change", long.build),
    "suites": ("./dev test, but for its build", long.suites),
}


def machine():
    """One line: processors, memory, systems."""
    cpu = next(
        (line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if "model name" in line),
        platform.machine(),
    )
    kib = int(next(line.split()[1] for line in _lines("/proc/meminfo") if "MemTotal" in line))
    busy = os.getloadavg()[0]
    system = f"Linux {platform.release().split('-')[0]}"
    return f"{os.cpu_count()} × {cpu}, {kib / 2**20:.0f} GiB, {system}, load before {busy:.1f}"


def _lines(path):
    return Path(path).read_text(encoding="utf-8").splitlines()


def _number(value):
    if isinstance(value, float) and abs(value) < 100:
        return f"{value:.2f}"
    return f"{value:,.0f}"


def line(figure):
    """A figure as a row of the table."""
    low, high = figure.spread
    goal = f"{figure.goal[0]} {_number(figure.goal[1])}" if figure.goal else "–"
    reached = {None: "–", True: "yes", False: "**no**"}[figure.reached]
    cells = [figure.part, figure.what, f"{_number(figure.median)} {figure.unit}".strip()]
    cells += [f"{_number(low)} … {_number(high)}", goal, reached, figure.note or ""]
    return "| " + " | ".join(cells) + " |"


HEAD = "| part | what | median | spread | goal | reached | made of |\n|---|---|---|---|---|---|---|"


def _options():
    listed = "\n".join(f"  {name:14} {what}" for name, (what, _) in PARTS.items())
    parser = argparse.ArgumentParser(
        prog="./dev bench",
        description=f"Measures the service against its references.\n\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and people: to try it out")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    return options


def _measure(name, scene, effort):
    began = time.monotonic()
    figures = PARTS[name][1](scene, effort)
    print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    for figure in figures:
        figure.part = name
    return figures


def main():
    options = _options()
    effort = QUICK if options.quick else Effort()
    print(f"{machine()}\n\n{HEAD}", flush=True)
    with ended_by_signals(), Scene(effort.owners) as scene:
        for name in options.parts or PARTS:
            print("\n".join(map(line, _measure(name, scene, effort))), flush=True)


if __name__ == "__main__":
    main()
