"""Every case of every *.case file as a test of its own: named after file and title, so that
`./dev test -R case_tests` says which, and `-k` picks them."""

import re
import unittest
from pathlib import Path

from harness.suite import shared_stack
from runner.script import Script, read_cases
from runner.site import Site

__unittest = True  # failures are told without the frames of the runner

_FOLDER = Path(__file__).parent


def _test(lines):
    def run(self):
        site = Site(self.stack)
        self.addCleanup(site.close)
        Script(site).run(lines)

    return run


def _suite(path):
    """The cases of one file as the methods of a class, which has the file's settings."""
    settings, cases = read_cases(path)

    def begin(cls):
        cls.stack = shared_stack(manage=2, execute=2, mail=True)
        if settings:
            cls.enterClassContext(cls.stack.configured(**settings))

    methods = {f"test_{number:02}_{_name(title)}": _test(lines) for number, (title, lines) in enumerate(cases, 1)}
    return type(path.stem, (unittest.TestCase,), {"setUpClass": classmethod(begin), **methods})


def _name(title):
    return re.sub(r"\W+", "_", title).strip("_")


def load_tests(loader, _tests, _pattern):
    files = sorted(_FOLDER.glob("*.case"))
    return unittest.TestSuite(loader.loadTestsFromTestCase(_suite(path)) for path in files)
