"""Prints the build targets of the tests that ctest would run, one a line. Reads the output of
`ctest --show-only=json-v1`.

    ctest --preset dev -R unit_web --show-only=json-v1 | python3 -m harness.needed BUILD_FOLDER
"""

import json
import sys
from pathlib import Path


def files_of(document):
    """The files that the document's tests require."""
    for test in document["tests"]:
        for each in test["properties"]:
            if each["name"] == "REQUIRED_FILES":
                yield from each["value"] if isinstance(each["value"], list) else [each["value"]]


def main():
    build = Path(sys.argv[1]).resolve()
    for file in sorted(set(files_of(json.load(sys.stdin)))):
        print(Path(file).relative_to(build))


if __name__ == "__main__":
    main()
