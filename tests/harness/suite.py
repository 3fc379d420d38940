"""Runs the tests of one folder in one process, where they can share a running stack:

    python3 -m harness.suite FOLDER [-k PATTERN …]

FOLDER is below tests/ or lab/; its test_*.py files run in the order of their names. At the end stand the
slowest tests, and, when one failed, where the logs of the stack were kept.
"""

import contextlib
import functools
import os
import shutil
import sys
import time
import unittest

from . import junit
from .folders import REPOSITORY, build
from .processes import ended_by_signals
from .sanitizers import Reports
from .stack import Stack

_TOPS = REPOSITORY / "tests", REPOSITORY / "lab"
_SLOW = 1.0  # seconds from which on a test is named at the end
_NAMED = 12
_SKIPPED = 77  # for ctest: no test has run


class _Shared:
    """The one stack that is kept, and what it was made with."""

    options = None
    stack = None

    @classmethod
    def end(cls):
        if cls.stack:
            cls.stack.stop()
        cls.options = cls.stack = None


def shared_stack(**options):
    """The running stack of this process: kept for all who ask for the same options, replaced by one
    of their own for others. Whoever uses it makes people of his own (Stack.newcomer) and leaves the
    settings as they were (Stack.configured)."""
    if _Shared.stack is None or _Shared.options != options:
        _Shared.end()
        _Shared.stack = Stack(**options).start()
        _Shared.options = options
    return _Shared.stack


class Later:
    """What `make` returns, made when it is first used: the name of a stack, say, before it runs."""

    def __init__(self, make, **options):
        self._make = functools.partial(make, **options)

    def __getattr__(self, name):
        if "_made" not in vars(self):
            self._made = self._make()
        return getattr(self._made, name)


class Result(unittest.TextTestResult):
    """Takes the time of each test, and fails one during which a sanitizer reported something."""

    def __init__(self, reports, *arguments, **options):
        super().__init__(*arguments, **options)
        self.seconds = []
        self._reports = reports

    def startTest(self, test):
        self._began = time.monotonic()
        super().startTest(test)

    def stopTest(self, test):
        if text := self._reports.fresh():
            self.addFailure(test, (AssertionError, AssertionError(text), None))
        super().stopTest(test)
        self.seconds.append((time.monotonic() - self._began, test.id()))

    def cases(self):
        """As junit.write() takes them. What failed outside of a test is a case, too."""
        faults = {}
        for word, found in (("skipped", self.skipped), ("failure", self.failures), ("error", self.errors)):
            faults |= {getattr(test, "test_case", test).id(): (word, text) for test, text in found}
        ran = {name: seconds for seconds, name in self.seconds}
        return [(name, ran.get(name, 0.0), faults.get(name)) for name in {**ran, **faults}]

    def printErrors(self):
        slow = sorted((each for each in self.seconds if each[0] >= _SLOW), reverse=True)
        if slow:
            self.stream.writeln("\n\nSlowest:")
        for seconds, name in slow[:_NAMED]:
            self.stream.writeln(f"{seconds:6.1f} s  {name}")
        super().printErrors()


def _keep_logs(folder):
    if not _Shared.stack:
        return
    kept = build() / "Testing" / "logs" / folder.replace("/", "_")
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(_Shared.stack.folder.sub("log"), kept)
    print(f"Logs: {kept}", file=sys.stderr)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder, *options = sys.argv[1:]
    start = next((str(top / folder) for top in _TOPS if (top / folder).is_dir()), None)
    if start is None:
        sys.exit(f"There is no folder {folder} below tests/ or lab/.")
    sys.path.append(str(_TOPS[1]))  # tests/tree reads of it
    with ended_by_signals(), contextlib.closing(Reports()) as reports:
        result = functools.partial(Result, reports)
        runner = unittest.TextTestRunner(resultclass=result, verbosity=2)
        try:
            words = [sys.argv[0], "discover", "-s", start, "-t", start, *options]
            program = unittest.main(None, argv=words, testRunner=runner, exit=False)
            if not program.result.wasSuccessful():
                _keep_logs(folder)
            if "USERSHELL_JUNIT" in os.environ:
                junit.write(os.environ["USERSHELL_JUNIT"], program.result.cases())
        finally:
            _Shared.end()
        last = reports.fresh()  # of programs that ended with the stack
        print(last, file=sys.stderr, end="")
    if last or not program.result.wasSuccessful():
        sys.exit(1)
    has_run = program.result.testsRun > sum(isinstance(test, unittest.TestCase) for test, _ in program.result.skipped)
    sys.exit(0 if has_run else _SKIPPED)


if __name__ == "__main__":
    # By its own name, so that the tests' `from harness.suite import …` finds this very module.
    from harness.suite import main as run

    run()
