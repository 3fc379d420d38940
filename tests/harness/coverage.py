"""Prints by layer how much of the sources the suites have run, from the counts of the preset `coverage`:

    ./dev coverage

Lines and branches, as gcovr counts them; then each line of an error path that no test has run, which is a line
that throws, catches or refuses. Branches that only an exception takes are not counted: every call has one.
"""

import json
import re
import subprocess
from collections import defaultdict

from .folders import REPOSITORY, build

_ERROR_PATH = re.compile(r"\b(throw\b|catch\b|(?:fail|refuse)(?=\())|return std::nullopt|return false")


def forget_removed_sources():
    """An earlier build may have left what it knew of sources that are gone."""
    subprocess.run(["ninja", "-C", build(), "-t", "cleandead"], check=True, stdout=subprocess.DEVNULL)
    for notes in build().rglob("*.gcno"):
        if not notes.with_suffix(".o").exists():
            notes.unlink()


def counted():
    """The files that gcovr knows, as it writes them."""
    forget_removed_sources()
    told = subprocess.run(
        ["gcovr", "--root", REPOSITORY, "--object-directory", build(), "--filter", "lib/", "--filter", "fcgi/",
         "--filter", "ctl/", "--filter", "mail/", "--exclude-throw-branches", "--exclude-unreachable-branches",
         "--gcov-ignore-parse-errors", "-j", "2", "--json", "-", build()],
        check=True, capture_output=True, text=True).stdout  # fmt: skip
    files = json.loads(told)["files"]
    for file in files:
        file["lines"] = [line for line in file["lines"] if not line.get("gcovr/noncode")]
    return files


def layer_of(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "lib" else parts[0]


def share(numbers):
    hit = sum(1 for number in numbers if number)
    return f"{hit:>6} of {len(numbers):>6}  {100 * hit / max(1, len(numbers)):5.1f} %"


def print_layers(files):
    lines, branches = defaultdict(list), defaultdict(list)
    for file in files:
        for layer in (layer_of(file["file"]), "all"):
            for line in file["lines"]:
                lines[layer].append(line["count"])
                branches[layer] += [branch["count"] for branch in line["branches"]]
    print(f"{'layer':<14}{'lines':<26}  branches")
    for layer in sorted(lines, key=lambda name: (name == "all", name)):
        print(f"{layer:<14}{share(lines[layer])}  {share(branches[layer])}")


def print_error_paths(files):
    print("\nLines of error paths that no test has run:")
    for file in sorted(files, key=lambda each: each["file"]):
        text = (REPOSITORY / file["file"]).read_text(encoding="utf-8").splitlines()
        for line in file["lines"]:
            source = text[line["line_number"] - 1].strip()
            if line["count"] == 0 and _ERROR_PATH.search(source):
                print(f"  {file['file']}:{line['line_number']}: {source}")


def main():
    files = counted()
    print_layers(files)
    print_error_paths(files)


if __name__ == "__main__":
    main()
