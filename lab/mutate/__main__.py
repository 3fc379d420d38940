"""Removes one check at a time from a copy of the sources, and shows that a test notices:

    ./dev mutate [--list] [--only ID …]

A line a mutant: killed by which test, SURVIVED or broken (it does not compile: a row of mutants.py to mend). Ends
with 1 unless all are killed. The copy, with its build, is kept in build/mutate/.
"""

import argparse
import contextlib
import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from harness.folders import REPOSITORY
from harness.needed import files_of

from .mutants import MUTANTS

STATIC_ASSERTION = "static assertion failed"
# As the presets of the tests are, but unoptimised and without symbols: a mutant is built once and run once.
FLAGS = "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -g0", "-DUSERSHELL_WATCH_LOOP=ON"


class Trouble(Exception):
    """The workshop itself does not work; says why."""


class Broken(Exception):
    """The mutant is no program; says what the compiler said."""


def run(words):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.run(words, text=True, errors="replace", check=False, **pipes)


def tracked():
    """The clone's files, also those that are new and not ignored."""
    listed = run(["git", "-C", str(REPOSITORY), "ls-files", "-z", "-co", "--exclude-standard"])
    return [name for name in listed.stdout.split("\0") if name and (REPOSITORY / name).is_file()]


class Workshop:
    """One place to work in, below `folder`: its `tree` and its `build`."""

    def __init__(self, folder):
        self.tree, self.build = folder / "tree", folder / "build"
        self.needs = {}  # test: what it needs to have built
        self.good = set()  # tests that were seen to pass on the unchanged sources

    def open(self):
        self._copy()
        words = ["cmake", "-G", "Ninja", "-S", str(self.tree), "-B", str(self.build), *FLAGS]
        configured = run(words)
        if configured.returncode != 0:
            raise Trouble(configured.stdout)
        told = run(["ctest", "--test-dir", str(self.build), "--show-only=json-v1"])
        for test in json.loads(told.stdout[told.stdout.index("{") :])["tests"]:
            files = files_of({"tests": [test]})
            self.needs[test["name"]] = [str(Path(f).relative_to(self.build)) for f in files]

    def _copy(self):
        """Writes only what differs, so that a second run builds little."""
        names = set(tracked())
        for name in names:
            source, target = REPOSITORY / name, self.tree / name
            content = source.read_bytes()
            if not target.exists() or target.read_bytes() != content:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
                target.chmod(source.stat().st_mode)
        for path in self.tree.rglob("*"):
            if path.is_file() and str(path.relative_to(self.tree)) not in names:
                path.unlink()

    def build_for(self, test):
        """Empty when the test's programs are built; else what the compiler said."""
        if not self.needs[test]:
            return ""
        built = run(["cmake", "--build", str(self.build), "--target", *self.needs[test]])
        return "" if built.returncode == 0 else built.stdout

    def ctest(self, test):
        return run(["ctest", "--test-dir", str(self.build), "--no-tests=error", "-R", f"^{test}$"])

    def need_good(self, test):
        """Once a test: on the unchanged sources it must pass, or its failures would prove nothing."""
        if test in self.good:
            return
        if test not in self.needs:
            raise Trouble(f"there is no test {test}")
        if said := self.build_for(test):
            raise Trouble(said)
        told = self.ctest(test)
        if told.returncode != 0 or "Skipped" in told.stdout:
            raise Trouble(f"{test} does not pass on the unchanged sources:\n{told.stdout}")
        self.good.add(test)

    def killer(self, mutant):
        """The test that notices the mutant, "the compiler" for a static assertion, "" when none does.
        Raises Broken when the mutant does not compile for any other reason."""
        for test in mutant.tests:
            if said := self.build_for(test):
                if STATIC_ASSERTION in said:
                    return "the compiler"
                raise Broken(said)
            if self.ctest(test).returncode != 0:
                return test
        return ""


@contextlib.contextmanager
def applied(mutant, tree):
    """In the block the file is changed (tests/tree: in one place); afterwards it is as it was."""
    path = tree / mutant.file
    text = path.read_text(encoding="utf-8")
    places = mutant.places(text)
    if len(places) != 1:
        raise Trouble(f"its text is {len(places)} times in {mutant.file}")
    ((begin, end),) = places
    path.write_text(text[:begin] + mutant.new + text[end:], encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(text, encoding="utf-8")


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
