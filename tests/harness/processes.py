"""Starting and ending child processes so that none outlives the program that started it.

Every child is told by the kernel to end when the *thread* that started it ends: start children from
the main thread or from one that lives as long as they do.
"""

import contextlib
import os
import signal
import subprocess
import sys

from .sanitizers import patient

GRACE = patient(15.0)  # seconds between SIGTERM and SIGKILL


class HarnessError(Exception):
    """Something the stack needs did not come up; the text says what and shows the log's end."""


def spawn(arguments, log=None, death_signal="TERM", **options):
    """Popen of a child in a process group of its own; stdout and stderr are appended to `log`."""
    command = ["setpriv", "--pdeathsig", death_signal, "--", *map(str, arguments)]
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("start_new_session", True)
    if log is None:
        return subprocess.Popen(command, **options)
    with open(log, "ab") as output:
        options.setdefault("stdout", output)
        return subprocess.Popen(command, stderr=output, **options)


def end(process, number=signal.SIGTERM, grace=GRACE):
    """Signals a child, waits, kills it after `grace` seconds. Returns its exit status."""
    if process.poll() is None:
        process.send_signal(number)
    try:
        return process.wait(grace)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def run(arguments, **options):
    """Runs a command to its end; HarnessError with its output when it fails."""
    options.setdefault("stdin", None if "input" in options else subprocess.DEVNULL)
    if options["stdin"] is None:
        del options["stdin"]
    done = subprocess.run(
        [str(a) for a in arguments], capture_output=True, text=True, check=False, **options
    )
    if done.returncode != 0:
        name = " ".join(str(a) for a in arguments[:3])
        raise HarnessError(f"{name} … ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def tail(path, lines=20):
    """The last lines of a log, for messages."""
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as text:
        return "".join(text.readlines()[-lines:])
    return ""


@contextlib.contextmanager
def ended_by_signals():
    """SIGTERM, SIGINT and SIGHUP leave the block as SystemExit, so that `finally` runs. Once only:
    a second signal does not interrupt the tidying up."""

    def leave(number, _frame):
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)
        sys.exit(128 + number)

    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = {number: signal.signal(number, leave) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def is_root():
    return os.geteuid() == 0
