"""The file of ./dev test --junit has each case once, and a suite that ended too early."""

import io
import os
import tempfile
import unittest
import xml.etree.ElementTree as Xml
from pathlib import Path

from harness import junit
from harness.suite import Result

CTEST = """<testsuite>
<testcase name="unit_some" status="run" time="1"/>
<testcase name="tree" status="fail" time="2"><failure message="Failed"/></testcase>
<testcase name="store" status="fail" time="3"><failure message="Segfault"/><system-out>what it wrote</system-out></testcase>
<testcase name="npm" status="notrun" time="0"><skipped message="SKIP_RETURN_CODE=77"/></testcase>
</testsuite>"""
BOOST = """<testsuite name="usershell"><testcase name="first" time="0.1"/><testcase name="second" time="0.1"/></testsuite>"""


class Some(unittest.TestCase):
    def good(self):
        pass

    def bad(self):
        for row in ("a", "b"):
            with self.subTest(row=row):
                self.assertEqual(row, "a")

    def broken(self):
        raise ValueError("\x1b[31mred\nlast line")

    def left_out(self):
        self.skipTest("reason")


class NoReports:
    def fresh(self):
        return ""


def ran():
    stream = unittest.runner._WritelnDecorator(io.StringIO())
    result = Result(NoReports(), stream, True, 2)
    unittest.TestSuite(map(Some, ("good", "bad", "broken", "left_out"))).run(result)
    return result.cases()


class Joined(unittest.TestCase):
    def test_each_case_stands_once_with_what_became_of_it(self):
        with tempfile.TemporaryDirectory() as made:
            folder, file = Path(made), Path(made) / "new" / "all.xml"
            (folder / "ctest.xml").write_text(CTEST)
            junit.write(folder / "junit" / "tree.xml", ran())
            (folder / "junit" / "unit_some.xml").write_text(BOOST)
            (folder / "junit" / "store.xml").write_text(BOOST.partition("second")[0])  # it was killed
            junit.join(file, [os.fspath(folder)])
            suites = {suite.get("name"): suite for suite in Xml.parse(file).iter("testsuite")}
        counts = {name: [int(suite.get(word)) for word in ("tests", "failures", "errors", "skipped")] for name, suite in suites.items()}
        self.assertEqual(counts, {"unit_some": [2, 0, 0, 0], "tree": [4, 1, 1, 1], "store": [1, 1, 0, 0], "npm": [1, 0, 0, 1]})
        self.assertEqual([case.get("classname") for case in suites["unit_some"]], ["unit_some"] * 2)
        faults = {case.get("name"): [fault.get("message") for fault in case] for case in suites["tree"]}
        self.assertEqual(faults["broken"], ["last line"])
        self.assertEqual((faults["good"], faults["left_out"]), ([], ["reason"]))
        self.assertIn("what it wrote", "".join(suites["store"].itertext()))
