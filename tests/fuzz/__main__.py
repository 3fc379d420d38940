"""Looks for inputs that break a parser of strangers' bytes:

    ./dev fuzz [TARGET …] [--seconds N | --runs N]

Runs the targets in turn, each for N seconds (default 60) or N inputs. At the end a table: target,
runs, lines covered, found. Ends with 1 when something was found: the inputs are in
build/fuzz/findings/. What was learnt stays in build/fuzz/corpus/, for the next time.
"""

import argparse
import json
import os
import re
import subprocess
import sys

from harness.folders import REPOSITORY

from .table import TARGETS

BUILD = REPOSITORY / "build" / "fuzz"
FINDINGS = BUILD / "findings"
SOURCES = REPOSITORY / "tests" / "fuzz"


def arguments():
    parser = argparse.ArgumentParser(prog="./dev fuzz", description="Looks for inputs that break a parser.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="these; without: " + ", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=60, metavar="N", help="for each (default 60)")
    parser.add_argument("--runs", type=int, metavar="N", help="inputs of each, however long they take")
    asked = parser.parse_args()
    unknown = set(asked.targets) - set(TARGETS)
    if unknown:
        parser.error(f"there is no target {', '.join(sorted(unknown))}")
    return asked


def command(name, asked):
    learnt = BUILD / "corpus" / name
    learnt.mkdir(parents=True, exist_ok=True)
    words = [BUILD / "bin" / f"fuzz_{name}", learnt, SOURCES / "corpus" / name,
             f"-max_len={TARGETS[name][0]}", "-timeout=20", "-rss_limit_mb=2048", "-print_final_stats=1",
             f"-artifact_prefix={FINDINGS}/{name}-"]  # fmt: skip
    dictionary = SOURCES / "dictionaries" / f"{name}.dict"
    if dictionary.exists():
        words.append(f"-dict={dictionary}")
    return words + [f"-runs={asked.runs}" if asked.runs else f"-max_total_time={asked.seconds}"]


def fuzz(name, asked):
    """The number of inputs that were run."""
    environment = dict(os.environ, LLVM_PROFILE_FILE=str(BUILD / "profiles" / f"{name}.profraw"),
                       ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1",
                       UBSAN_OPTIONS="print_stacktrace=1")  # fmt: skip
    runs = 0
    with subprocess.Popen(command(name, asked), env=environment, stderr=subprocess.PIPE, text=True,
                          errors="replace") as process:  # fmt: skip
        for line in process.stderr:
            print(line, end="", file=sys.stderr)
            if found := re.match(r"#(\d+)\t|stat::number_of_executed_units:\s*(\d+)", line):
                runs = max(runs, int(found[1] or found[2]))
    return runs


def source_of(filename):
    """As the table has it; a cache of the compiler's may have written it relative to the build."""
    return os.path.relpath(os.path.normpath(BUILD / filename), REPOSITORY)


def covered(name):
    """Lines of the target's sources that were run, and all there are."""
    raw = BUILD / "profiles" / f"{name}.profraw"
    if not raw.exists() or raw.stat().st_size == 0:  # it ended by a finding
        return None
    merged = raw.with_suffix(".profdata")
    subprocess.run(["llvm-profdata", "merge", "-sparse", raw, "-o", merged], check=True)
    told = subprocess.run(["llvm-cov", "export", "-summary-only", f"-instr-profile={merged}",
                           BUILD / "bin" / f"fuzz_{name}"], check=True, capture_output=True, text=True).stdout  # fmt: skip
    lines = [file["summary"]["lines"] for file in json.loads(told)["data"][0]["files"]
             if source_of(file["filename"]).startswith(TARGETS[name][1])]  # fmt: skip
    return sum(each["covered"] for each in lines), sum(each["count"] for each in lines)


def main():
    asked = arguments()
    for folder in (FINDINGS, BUILD / "profiles"):
        folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in asked.targets or TARGETS:
        before = set(FINDINGS.iterdir())
        (BUILD / "profiles" / f"{name}.profraw").unlink(missing_ok=True)
        runs = fuzz(name, asked)
        rows.append((name, runs, covered(name), sorted(set(FINDINGS.iterdir()) - before)))
    print(f"\n{'target':<16}{'runs':>12}  {'lines covered':<16}found")
    for name, runs, lines, found in rows:
        of_all = f"{lines[0]} of {lines[1]}" if lines else "–"
        print(f"{name:<16}{runs:>12,}  {of_all:<16}{', '.join(str(file.relative_to(REPOSITORY)) for file in found) or '0'}")
    sys.exit(1 if any(found for *_, found in rows) else 0)


if __name__ == "__main__":
    main()
