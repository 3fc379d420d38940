"""Looks for inputs that break a parser of strangers' bytes:

    ./dev fuzz [TARGET …] [--seconds N | --runs N]

Runs the targets in turn, each for N seconds (default 60) or N inputs. At the end a table: target, runs, found. Ends
with 1 when something was found: the inputs are in build/fuzz/findings/, and below the table as a corpus has them. What
was learnt stays in build/fuzz/corpus/.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

from harness.folders import REPOSITORY

from . import corpus
from .corpus import TARGETS

BUILD = REPOSITORY / "build" / "fuzz"
FINDINGS = BUILD / "findings"
SEEDS = BUILD / "seeds"


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


def seeds(name):
    """A folder with the corpus, a file an input, as libFuzzer wants it."""
    folder = SEEDS / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for each, content in corpus.read()[name].items():
        (folder / each).write_bytes(content)
    return folder


def fuzz(name, asked):
    """The number of inputs that were run."""
    learnt = BUILD / "corpus" / name
    learnt.mkdir(parents=True, exist_ok=True)
    command = [BUILD / "bin" / "fuzz_targets", learnt, seeds(name), f"-max_len={TARGETS[name]}",
               "-timeout=20", "-rss_limit_mb=2048", "-print_final_stats=1", f"-artifact_prefix={FINDINGS}/{name}-",
               f"-runs={asked.runs}" if asked.runs else f"-max_total_time={asked.seconds}"]  # fmt: skip
    environment = dict(os.environ, USERSHELL_FUZZ_TARGET=name, LLVM_PROFILE_FILE="/dev/null", UBSAN_OPTIONS="print_stacktrace=1",
                       ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1:"
                                    "allocator_release_to_os_interval_ms=-1")  # fmt: skip
    runs = 0
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, errors="replace") as process:
        for line in process.stderr:
            print(line, end="", file=sys.stderr)
            if found := re.match(r"#(\d+)\t|stat::number_of_executed_units:\s*(\d+)", line):
                runs = max(runs, int(found[1] or found[2]))
    return runs


def main():
    asked = arguments()
    FINDINGS.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in asked.targets or TARGETS:
        before = set(FINDINGS.iterdir())
        rows.append((name, fuzz(name, asked), sorted(set(FINDINGS.iterdir()) - before)))
    print(f"\n{'target':<16}{'runs':>12}  found")
    for name, runs, found in rows:
        print(f"{name:<16}{runs:>12,}  {', '.join(str(file.relative_to(REPOSITORY)) for file in found) or '0'}")
    for _, _, found in rows:
        for file in found:
            print(f"\n{corpus.text(file.name, file.read_bytes())}", end="")
    sys.exit(1 if any(found for *_, found in rows) else 0)


if __name__ == "__main__":
    main()
