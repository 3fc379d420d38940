"""The stack of `./dev`, kept in .dev/: up, down, run (in the foreground), mail, from tests/:

    python3 -m harness up|down|run|mail [NUMBER] [--folder DIR] [--set name=value …]

`up` starts `run` in the background and waits until it serves; the one that ran before is ended
first. SIGHUP to it restarts the workers, SIGTERM ends it. `mail` shows what the service has sent.
"""

import argparse
import contextlib
import fcntl
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

from .folders import REPOSITORY
from .processes import HarnessError, ended_by_signals, tail
from .servers.mail import inbox_text
from .stack import DEMO_EMAIL, Stack

_HTTPS_PORT = 8443
_HTTP_PORT = 8080
_DOWN_TIMEOUT = 60.0


def _setting(text):
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not name=value")
    return name, value


def _options():
    parser = argparse.ArgumentParser(prog="harness", description="The development stack")
    parser.add_argument("command", choices=("up", "down", "run", "mail"))
    parser.add_argument("number", type=int, nargs="?", help="of a message")
    parser.add_argument("--folder", type=Path, default=REPOSITORY / ".dev")
    parser.add_argument("--set", type=_setting, action="append", default=[], dest="settings")
    parser.add_argument("--ready-fd", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


class Lock:
    """Held by the running stack for its whole life; the file tells its pid."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self._file = open(folder / "pid", "a+", encoding="ascii")  # closed with the process

    def take(self):
        """False when somebody else holds it."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def write_pid(self):
        self._file.truncate(0)
        self._file.write(f"{os.getpid()}\n")
        self._file.flush()

    def pid(self):
        self._file.seek(0)
        return int(self._file.read() or 0)

    def release(self):
        fcntl.flock(self._file, fcntl.LOCK_UN)


def down(options):
    """Ends the running stack, if any, and waits for its end."""
    lock = Lock(options.folder)
    deadline = time.monotonic() + _DOWN_TIMEOUT
    asked = False
    while not lock.take():
        if not asked and (pid := lock.pid()):
            os.kill(pid, signal.SIGTERM)
            asked = True
        if time.monotonic() > deadline:
            raise HarnessError(f"The stack (process {lock.pid()}) does not end.")
        time.sleep(0.05)
    lock.release()


def up(options):
    down(options)
    log = options.folder / "stack.log"
    reader, writer = os.pipe()
    command = [sys.executable, "-B", "-m", "harness", "run", "--folder", options.folder.resolve(), "--ready-fd", writer]
    command += [word for name, value in options.settings for word in ("--set", f"{name}={value}")]
    with open(log, "wb") as output:
        streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output, "pass_fds": (writer,)}
        subprocess.Popen([*map(str, command)], cwd=REPOSITORY / "tests", start_new_session=True, **streams)
    os.close(writer)
    with os.fdopen(reader) as ready:
        if ready.read() != "ready":
            raise HarnessError(f"The stack did not start:\n{tail(log)}")


def _remembered(folder):
    """What stays the same from one run to the next: ports and passwords."""
    try:
        return json.loads((folder / "state.json").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return {}


def _remember(folder, stack, password):
    state = {"https": stack.https_port, "http": stack.http_port, "stub": stack.stub.port}
    state |= {"mail": stack.mail.port, "mail_password": stack.mail.password}
    state["password"] = password
    path = folder / "state.json"
    path.touch(mode=0o600)
    path.write_text(json.dumps(state), encoding="ascii")


@contextlib.contextmanager
def _env_file(folder, stack, password):
    """The facts as shell variables, for people and for test programs of others, while they hold."""
    mail = stack.mail
    facts = {"BASE_URL": stack.base_url, "DEMO_EMAIL": DEMO_EMAIL, "DEMO_PASSWORD": password}
    facts |= {"STUB_URL": stack.stub.url, "SMTP_URL": f"smtp://{mail.host}:{mail.port}", "SMTP_USER": mail.user}
    facts |= {"SMTP_PASSWORD": mail.password, "MAILDIR": mail.folder}
    facts |= {"CA_CERT": stack.certificate.ca, "CONFIG": stack.configs["ctl"]}
    path = folder / "env"
    path.touch(mode=0o600)
    lines = [f"{name}={shlex.quote(str(value))}\n" for name, value in facts.items()]
    path.write_text("".join(lines), encoding="utf-8")
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def _serve(options, state):
    ports = {name: (state.get(name, usual), usual) for name, usual in (("https", _HTTPS_PORT), ("http", _HTTP_PORT))}
    kept = {"https_ports": ports["https"], "http_ports": ports["http"], "stub_port": state.get("stub", 0)}
    kept |= {"mail_port": state.get("mail", 0), "mail_password": state.get("mail_password")}
    with Stack(options.folder, options.settings, auth=1, manage=1, execute=1, **kept, durable=True, mail=True) as stack:
        password = state.get("password") or stack.add_user()
        _remember(options.folder, stack, password)
        signal.signal(signal.SIGHUP, lambda *_: [p.restart() for p in stack.pools.values()])
        with _env_file(options.folder, stack, password):
            if options.ready_fd is not None:
                os.write(options.ready_fd, b"ready")
                os.close(options.ready_fd)
            while True:
                signal.pause()


def serve(options):
    lock = Lock(options.folder)
    if not lock.take():
        raise HarnessError(f"A stack runs in {options.folder} already.")
    lock.write_pid()
    with ended_by_signals():
        _serve(options, _remembered(options.folder))


def mail(options):
    sys.stdout.write(inbox_text(options.folder / "mail", options.number))


def main():
    options = _options()
    try:
        {"up": up, "down": down, "run": serve, "mail": mail}[options.command](options)
    except HarnessError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
