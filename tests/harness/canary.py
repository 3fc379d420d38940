"""Listeners that no program may connect to. They count connections."""

import socket


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
