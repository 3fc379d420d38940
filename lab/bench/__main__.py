"""Measures the service against its references:

    ./dev bench [PART …] [--quick]

Without a name: all parts. A part's figures are printed when it has ended.
"""

import argparse
import sys
import time

from harness.processes import ended_by_signals

from .parts import PARTS, QUICK, Effort
from .report import HEAD, line, machine
from .scene import Scene


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
