"""Starting and ending child processes so that none outlives the program that started it.

Every child is told by the kernel to end when the *thread* that started it ends: start children from
the main thread or from one that lives as long as they do.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time

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


def finished(arguments, timeout=patient(120), **options):
    """The command, run to its end, within `timeout` seconds unless that is None: its status is for the
    caller to judge."""
    if "input" not in options:
        options.setdefault("stdin", subprocess.DEVNULL)
    command = [str(word) for word in arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False, **options)


def run(arguments, timeout=None, **options):
    """Runs a command to its end and returns its output; HarnessError with it when the command fails."""
    done = finished(arguments, timeout, **options)
    if done.returncode != 0:
        name = " ".join(str(a) for a in arguments[:3])
        raise HarnessError(f"{name} … ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def tail(path, lines=20):
    """The last lines of a log, for messages."""
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as text:
        return "".join(text.readlines()[-lines:])
    return ""


def wait_until(condition, what, timeout=60.0, process=None, log=None):
    """What condition() returns once that is true; HarnessError, with the log's end, when it never is or the
    process whose doing it would be has ended."""
    deadline = time.monotonic() + patient(timeout)
    while not (found := condition()):
        if time.monotonic() > deadline or (process and process.poll() is not None):
            raise HarnessError(f"Waited in vain for {what}.\n{tail(log) if log else ''}")
        time.sleep(0.02)
    return found


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
