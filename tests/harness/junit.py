"""One JUnit file of all that ./dev test has run: python3 -m harness.junit FILE BUILD-FOLDER …

Each suite writes its cases into junit/ of the build folder: Boost.Test by itself, harness.suite by write(). ctest's own file,
ctest.xml, names the suites, also one that ended before it wrote its own.
"""

import sys
import xml.etree.ElementTree as Xml
from pathlib import Path

_BAD = ("failure", "error")
_LAST = 10_000  # characters of a suite's output


def write(path, cases):
    """cases: of each its id, its seconds, and (one of "failure", "error", "skipped", text) or None."""
    suite = Xml.Element("testsuite")
    for name, seconds, fault in cases:
        group, _, last = name.rpartition(".")
        case = Xml.SubElement(suite, "testcase", classname=group, name=last, time=f"{seconds:.3f}")
        if fault:
            Xml.SubElement(case, fault[0], message=fault[1].strip().rpartition("\n")[2]).text = _printable(fault[1])
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Xml.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def _printable(text):
    """XML cannot have other control characters."""
    return "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text)


def _cases(path):
    try:
        return list(Xml.parse(path).iter("testcase"))
    except (FileNotFoundError, Xml.ParseError):  # the suite ended before
        return []


def _is_bad(case):
    return any(case.find(word) is not None for word in _BAD)


def _suite(entry, folder):
    cases = _cases(folder / f"{entry.get('name')}.xml")
    if not cases or entry.get("status") == "fail" and not any(map(_is_bad, cases)):
        for output in entry.iter("system-out"):
            output.text = (output.text or "")[-_LAST:]
        cases.append(entry)
    suite = Xml.Element("testsuite", name=entry.get("name"), time=entry.get("time", "0"), tests=str(len(cases)))
    for attribute, words in (("failures", _BAD[:1]), ("errors", _BAD[1:]), ("skipped", ("skipped",))):
        suite.set(attribute, str(sum(any(case.find(word) is not None for word in words) for case in cases)))
    for case in cases:  # Boost.Test names none
        case.set("classname", case.get("classname") or entry.get("name"))
    suite.extend(cases)
    return suite


def join(path, folders):
    suites = Xml.Element("testsuites", name="usershell")
    for folder in map(Path, folders):
        suites.extend(_suite(entry, folder / "junit") for entry in Xml.parse(folder / "ctest.xml").iter("testcase"))
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Xml.ElementTree(suites).write(path, encoding="utf-8", xml_declaration=True)


if __name__ == "__main__":
    join(sys.argv[1], sys.argv[2:])
