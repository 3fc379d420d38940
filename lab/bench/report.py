"""The figures as a table, and the machine in words."""

import os
import platform
from pathlib import Path


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
