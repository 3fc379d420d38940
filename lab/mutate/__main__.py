"""Removes one check at a time from a copy of the sources, and shows that a test notices:

    ./dev mutate [--list] [--only ID …]

A line a mutant: killed by which test, SURVIVED or broken (it does not compile: a row of mutants.py to mend). Ends
with 1 unless all are killed. The copy, with its build, is kept in build/mutate/.
"""

import argparse
import sys
import time
from collections import Counter

from harness.folders import REPOSITORY

from .mutants import MUTANTS
from .workshop import Broken, Trouble, Workshop, applied


def arguments():
    parser = argparse.ArgumentParser(prog="./dev mutate", description="Measures the tests by mutation.")
    parser.add_argument("--list", action="store_true", help="say what there is, and do nothing")
    ids = [mutant.id for mutant in MUTANTS]
    parser.add_argument("--only", nargs="+", metavar="ID", choices=ids, help="these mutants")
    return parser.parse_args()


def verdict(workshop, mutant):
    try:
        for test in mutant.tests:
            workshop.need_good(test)
        with applied(mutant, workshop.tree):
            killer = workshop.killer(mutant)
    except Broken as broken:
        return "broken", "\n".join(line for line in str(broken).splitlines() if "error" in line)
    except Trouble as trouble:
        return "broken", str(trouble)
    return ("killed by", killer) if killer else ("SURVIVED", mutant.rule)


def main():
    options = arguments()
    mutants = [mutant for mutant in MUTANTS if not options.only or mutant.id in options.only]
    if options.list:
        for mutant in mutants:
            print(f"{mutant.id:<36} {mutant.file}\n    {mutant.rule}")
        return 0
    workshop = Workshop(REPOSITORY / "build" / "mutate")
    workshop.open()
    count = Counter()
    for mutant in sorted(mutants, key=lambda mutant: mutant.tests):  # a test's programs are built once
        begun = time.monotonic()
        outcome, detail = verdict(workshop, mutant)
        count[outcome] += 1
        print(f"{mutant.id:<36} {outcome} {detail}  ({time.monotonic() - begun:.0f} s)", flush=True)
    print("\n" + ", ".join(f"{number} {outcome.removesuffix(' by')}" for outcome, number in count.items()))
    return 0 if count["killed by"] == len(mutants) else 1


if __name__ == "__main__":
    sys.exit(main())
