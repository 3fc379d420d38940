"""N processes of a program, on one listening Unix socket or on none: what systemd does with a
socket unit and a template service, for a stack without systemd.

The pool owns the sockets (one for requests, if the program serves any, and one for metrics), so a
worker that ends leaves the callers in the backlog for the next one. Each worker finds them from fd 3
on (LISTEN_FDS, LISTEN_FDNAMES, LISTEN_PID) and says READY=1 to NOTIFY_SOCKET. A
worker that exits is started again, after a growing pause when it died young.
"""

import contextlib
import fcntl
import http.client
import os
import selectors
import signal
import socket
import struct
import threading
import time

from ..processes import GRACE, HarnessError, spawn, tail
from ..sanitizers import patient

_START_TIMEOUT = 30.0
_YOUNG = patient(1.0)  # seconds; a worker that dies younger failed to start
_LONGEST_PAUSE = 5.0
_HOPELESS = 3  # failed starts in a row after which waiting for readiness gives up
_LOWEST_FD = 10  # the shell hands the sockets over from here to 3 and 4
_HAND_OVER = """
to=3
for from in $0; do eval "exec $to<&$from $from<&-"; to=$((to + 1)); done
LISTEN_PID=$$ exec "$@"
"""


def _listen(path, mode):
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    os.chmod(path, mode)
    listener.listen(socket.SOMAXCONN)
    return listener


class UnixConnection(http.client.HTTPConnection):
    """HTTP over the socket at that path."""

    def __init__(self, path):
        super().__init__("localhost", timeout=patient(30))
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


class Pool:
    """Its own thread starts, watches and ends the workers. The methods may be called from any
    thread. `log` collects the workers' stderr, `pid_file` holds their pids, one a line. listens:
    there is a socket for requests, at `path`, of that mode. The one for metrics is at `metrics_path`; what the
    workers count is in `metrics_folder`."""

    def __init__(self, name, command, count, folder, listens=True, mode=0o660):
        self.name = name
        self.path = folder.run / f"{name}.sock"
        self.metrics_path = folder.run / f"{name}-metrics.sock"
        self.metrics_folder = folder.sub("metrics", name)
        self.log = folder.log(name)
        self.pid_file = folder.run / f"{name}.pids"
        self._command = [*map(str, command), "--metrics-folder", str(self.metrics_folder)]
        self._count = count
        self._mode = mode
        self._paths = {"requests": self.path} if listens else {}
        self._paths["metrics"] = self.metrics_path
        self._notify_path = folder.run / f"{name}.notify"
        self._workers = {}  # pid → (Popen, pidfd, started)
        self._ready = set()
        self._failures = 0
        self._start_after = 0.0
        self._stopping = False
        self._changed = threading.Condition()
        self._thread = None

    def start(self, wait=True):
        """Also after stop()."""
        self._stopping = False
        self._failures = 0
        self.metrics_folder.mkdir(parents=True, exist_ok=True)
        self._handed = {}
        for name, path in self._paths.items():
            with _listen(path, self._mode) as listener:
                self._handed[name] = fcntl.fcntl(listener, fcntl.F_DUPFD, _LOWEST_FD)
        self._notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._notify_path)
        self._notices.bind(str(self._notify_path))
        self._notices.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._wake_reader, self._wake_writer = os.pipe()
        name = f"pool {self.name}"
        self._thread = threading.Thread(target=self._supervise, name=name, daemon=True)
        self._thread.start()
        if wait:
            self.wait_ready()

    def wait_ready(self, without=(), timeout=_START_TIMEOUT):
        """Waits until all workers are ready, none of them one of the pids `without`."""

        def settled():
            return self._failures >= _HOPELESS or (len(self._ready) == self._count and not self._ready & set(without))

        with self._changed:
            if not self._changed.wait_for(settled, patient(timeout)) or self._failures >= _HOPELESS:
                raise HarnessError(f"Pool {self.name} is not ready:\n{tail(self.log)}")

    def pids(self):
        """Of the workers that are ready."""
        with self._changed:
            return sorted(self._ready)

    def signal(self, number, pids=None):
        """Sends a signal to all workers or to some; those gone meanwhile are passed over."""
        with self._changed:
            for pid in pids if pids is not None else list(self._workers):
                if pid in self._workers:
                    self._workers[pid][0].send_signal(number)

    def ask(self, path="/metrics"):
        """Status and text of what one of the workers says to operators, on a connection of its own."""
        with contextlib.closing(UnixConnection(self.metrics_path)) as connection:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()

    def restart(self):
        """Ends all workers gracefully and returns when as many new ones are ready."""
        before = self.pids()
        self.signal(signal.SIGTERM)
        self.wait_ready(without=before)

    def stop(self):
        """Ends all workers gracefully, the late ones by force, and removes the socket."""
        if not self._thread or not self._thread.is_alive():
            return
        self._stopping = True
        os.write(self._wake_writer, b"x")
        self._thread.join()
        for descriptor in self._handed.values():
            os.close(descriptor)
        self._notices.close()
        for descriptor in (self._wake_reader, self._wake_writer):
            os.close(descriptor)
        for path in (*self._paths.values(), self._notify_path, self.pid_file):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    # The rest runs in the pool's thread.

    def _supervise(self):
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._notices, selectors.EVENT_READ)
        self._selector.register(self._wake_reader, selectors.EVENT_READ)
        while not self._stopping:
            pause = self._fill()
            for key, _ in self._selector.select(pause):
                self._handle(key)
        self._end_all()
        self._selector.close()

    def _handle(self, key):
        if key.fileobj is self._notices:
            self._take_notice()
        elif key.data:
            self._reap(key.data)

    def _fill(self):
        """Starts what is missing; returns how long to wait before more may be started."""
        if len(self._workers) == self._count:
            return None
        pause = self._start_after - time.monotonic()
        if pause > 0:
            return pause
        while len(self._workers) < self._count:
            self._start_one()
        return None

    def _start_one(self):
        handed = self._handed.values()
        environment = os.environ | {"NOTIFY_SOCKET": str(self._notify_path)}
        environment |= {"LISTEN_FDS": str(len(handed)), "LISTEN_FDNAMES": ":".join(self._handed)}
        hand_over = ["/bin/bash", "-c", _HAND_OVER, " ".join(map(str, handed))]
        command = [*hand_over, *self._command]
        process = spawn(command, self.log, env=environment, pass_fds=handed)
        descriptor = os.pidfd_open(process.pid)
        self._selector.register(descriptor, selectors.EVENT_READ, process.pid)
        with self._changed:
            self._workers[process.pid] = (process, descriptor, time.monotonic())
            self._write_pids()

    def _reap(self, pid):
        process, descriptor, started = self._workers[pid]
        process.wait()
        self._selector.unregister(descriptor)
        os.close(descriptor)
        with self._changed:
            del self._workers[pid]
            young = time.monotonic() - started < _YOUNG
            self._failures = self._failures + 1 if young and pid not in self._ready else 0
            self._ready.discard(pid)
            self._write_pids()
            self._changed.notify_all()
        pause = min(0.1 * 2**self._failures, _LONGEST_PAUSE) if young else 0.0
        self._start_after = time.monotonic() + pause

    def _take_notice(self):
        credentials = struct.Struct("3i")
        message, ancillary, _, _ = self._notices.recvmsg(4096, socket.CMSG_SPACE(credentials.size))
        senders = [credentials.unpack(data)[0] for _, _, data in ancillary]
        if b"READY=1" not in message.split(b"\n"):
            return
        with self._changed:
            self._ready |= set(senders) & self._workers.keys()
            self._failures = 0
            self._changed.notify_all()

    def _write_pids(self):
        text = "".join(f"{pid}\n" for pid in sorted(self._workers))
        fresh = self.pid_file.with_suffix(".new")
        fresh.write_text(text, encoding="ascii")
        fresh.replace(self.pid_file)

    def _end_all(self):
        self.signal(signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        while self._workers:
            left = deadline - time.monotonic()
            if left <= 0:
                self.signal(signal.SIGKILL)
            for key, _ in self._selector.select(max(left, 1.0)):
                self._handle(key)
