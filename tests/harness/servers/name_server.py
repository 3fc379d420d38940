"""A small name server (RFC 1035) on 127.0.0.1:53, for a private network: A and AAAA of the names it
was given, with no time to live; any other name does not exist."""

import ipaddress
import socket
import struct
import threading

_PORT = 53
_TYPES = {1: ipaddress.IPv4Address, 28: ipaddress.IPv6Address}  # A, AAAA
_ANSWER, _NO_SUCH_NAME = 0x8180, 0x8183
_SAME_NAME = 0xC00C  # a pointer at the question's


class NameServer:
    """Runs in a thread of its own until close()."""

    def __init__(self):
        self._turns = {}
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", _PORT))
        self._thread = threading.Thread(target=self._serve, name="names", daemon=True)
        self._thread.start()

    def point(self, name, *addresses, then=None):
        """Lets the name have these addresses; asked again, those of `then`, and so on for good."""
        self._turns[name] = [[ipaddress.ip_address(a) for a in addresses]]
        if then:
            self._turns[name].append([ipaddress.ip_address(a) for a in then])

    def close(self):
        self._socket.sendto(b"", self._socket.getsockname())
        self._thread.join()
        self._socket.close()

    def _serve(self):
        while True:
            query, peer = self._socket.recvfrom(512)
            if not query:
                return
            self._socket.sendto(self._answer(query), peer)

    def _answer(self, query):
        labels, at = [], 12
        while length := query[at]:
            labels.append(query[at + 1 : at + 1 + length].decode("ascii").lower())
            at += length + 1
        question = query[12 : at + 5]
        (kind,) = struct.unpack_from("!H", query, at + 1)
        turns = self._turns.get(".".join(labels))
        wanted = [a for a in turns[0] if type(a) is _TYPES.get(kind)] if turns else []
        # Resolvers ask for A before AAAA, so the question for AAAA ends the turn.
        if turns and kind == 28 and len(turns) > 1:
            turns.pop(0)
        flags = _ANSWER if turns else _NO_SUCH_NAME
        head = query[:2] + struct.pack("!HHHHH", flags, 1, len(wanted), 0, 0)
        records = (struct.pack("!HHHIH", _SAME_NAME, kind, 1, 0, len(a.packed)) + a.packed for a in wanted)
        return head + question + b"".join(records)
