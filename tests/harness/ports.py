"""Loopback ports that are ours from the moment they are chosen.

A port is claimed by listening on it, which the kernel grants to one program only, and the listening
sockets are handed over to nginx: no other test, and no other clone, can come between. A canary listens
where no program may connect to.
"""

import errno
import socket

from .processes import HarnessError

_TRIES = 200
_BACKLOG = 4096


def _listen(family, host, port):
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    try:
        listener.bind((host, port))
        listener.listen(_BACKLOG)
        listener.setblocking(False)  # nginx takes it as it is: one worker would wait in accept()
    except OSError:
        listener.close()
        raise
    return listener


class Claim:
    """One port on 127.0.0.1 and, where there is IPv6, on ::1. Closed by close()."""

    def __init__(self, port):
        self._sockets = [_listen(socket.AF_INET, "127.0.0.1", port)]
        self.port = self._sockets[0].getsockname()[1]
        try:
            self._sockets.append(_listen(socket.AF_INET6, "::1", self.port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                self.close()
                raise
        self.addresses = ["127.0.0.1", "[::1]"][: len(self._sockets)]

    def descriptors(self):
        return [each.fileno() for each in self._sockets]

    def close(self):
        for each in self._sockets:
            each.close()


def claim(*preferred):
    """The first preferred port that is free (0 stands for any), or the next after the last one."""
    candidates = list(preferred)
    candidates += [preferred[-1] + step if preferred[-1] else 0 for step in range(1, _TRIES)]
    for port in candidates:
        try:
            return Claim(port)
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
    raise HarnessError(f"No free port from {preferred[-1]} on.")


def bound(port=0, host="127.0.0.1"):
    """A socket that keeps a port without listening on it: connections to it are refused."""
    kept = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        kept.bind((host, port))
    except OSError:
        kept.close()
        raise
    return kept


class Canary:
    """Listens at `port` (0: any free one, the same everywhere) of each host and never answers. The
    kernel completes connections by itself, so that none can be missed."""

    def __init__(self, port=0, hosts=("127.0.0.1", "::1")):
        self.port = port
        self._listeners = []
        for host in hosts:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            listener = socket.create_server((host, self.port), family=family, backlog=128)
            listener.setblocking(False)
            self.port = listener.getsockname()[1]
            self._listeners.append(listener)

    def connections(self):
        """How many there were since the last call."""
        count = 0
        for listener in self._listeners:
            while True:
                try:
                    listener.accept()[0].close()
                except BlockingIOError:
                    break
                count += 1
        return count

    def close(self):
        for listener in self._listeners:
            listener.close()
