"""A build with sanitizers (the presets asan-ubsan and tsan): how patient its tests are, which tests say
nothing about it, and what its programs report, which fails the test that was running.

Of any other build nothing here changes anything.
"""

import os
import shutil
import tempfile
import unittest
from pathlib import Path

from .folders import REPOSITORY, build

_SLOWNESS = 4  # how much longer a test may wait than for a build without
_SUPPRESSIONS = REPOSITORY / "tests" / "harness" / "lsan.supp"


def _is_sanitized():
    cache = build() / "CMakeCache.txt"
    text = cache.read_text(encoding="utf-8") if cache.exists() else ""
    return bool(text.partition("USERSHELL_SANITIZE:STRING=")[2].partition("\n")[0])


SANITIZED = _is_sanitized()


def patient(seconds):
    """A limit of so many seconds, for the build under test."""
    return seconds * (_SLOWNESS if SANITIZED else 1)


def unless_sanitized(reason):
    """Decorates a test, or a part of one, that says nothing about a build with sanitizers;
    `./dev test --sanitize` names them at its end."""
    return unittest.skipIf(SANITIZED, f"with sanitizers {reason}")


class Reports:
    """What sanitizers find from now on, until close(), in any program that a test starts."""

    def __init__(self):
        self._folder = None
        self._read = {}  # path: how many bytes
        if SANITIZED:
            self._folder = Path(tempfile.mkdtemp(prefix="usershell-reports-"))
            # An abort has a cause, such as a blocked event loop, so it is reported. The allocator
            # must not read the clock: it would call faketime's library under its lock, and that
            # library allocates memory.
            common = f"log_path={self._folder}/of:handle_abort=1:allocator_release_to_os_interval_ms=-1"
            # faketime's library is loaded before the sanitizer's.
            os.environ["ASAN_OPTIONS"] = f"{common}:verify_asan_link_order=0"
            os.environ["LSAN_OPTIONS"] = f"suppressions={_SUPPRESSIONS}:print_suppressions=0"
            os.environ["UBSAN_OPTIONS"] = f"{common}:print_stacktrace=1"
            os.environ["TSAN_OPTIONS"] = common

    def fresh(self):
        """What has come since the last call; empty: nothing."""
        text = ""
        for path in sorted(self._folder.iterdir()) if self._folder else ():
            whole = path.read_bytes()
            text += whole[self._read.get(path, 0) :].decode(errors="replace")
            self._read[path] = len(whole)
        return text

    def close(self):
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
