"""A network of one's own, in which every address of the world is this machine: what would leave it
in earnest arrives at a listener of the test. With a hosts file and a name server (RFC 1035, on 127.0.0.1:53) of the
test's own: A and AAAA of the names it was given, with no time to live; any other name does not exist.

Needs root and iproute2. The process that enters it, and what it starts from then on, stays in it.
"""

import ctypes
import ipaddress
import os
import shutil
import socket
import struct
import subprocess
import threading
from pathlib import Path

_NEW_MOUNTS = 0x00020000  # CLONE_NEWNS
_NEW_NETWORK = 0x40000000  # CLONE_NEWNET
_FILES = {
    "resolv.conf": "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n",
    "hosts": "127.0.0.1 localhost\n::1 localhost\n",
}


def why_not():
    """Why there can be no such network here, "" when there can."""
    if os.geteuid() != 0:
        return "only root can make a network"
    if shutil.which("ip") is None:
        return "iproute2 is not installed"
    missing = [name for name in _FILES if not Path("/etc", name).exists()]
    if missing:
        return f"/etc/{missing[0]} is not there"
    setup = ["unshare", "--net", "--mount", "ip", "link", "set", "lo", "up"]
    done = subprocess.run(setup, check=False, capture_output=True)
    return "" if done.returncode == 0 else "this machine does not permit network namespaces"


def enter(folder, hosts=()):
    """Moves this thread there; call it before others are started. `folder` takes the files, `hosts`
    are further lines of /etc/hosts."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_MOUNTS | _NEW_NETWORK) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    _run("mount", "--make-rprivate", "/")
    for name, text in _FILES.items():
        if name == "hosts":
            text += "".join(f"{line}\n" for line in hosts)
        own = Path(folder, name)
        own.write_text(text, encoding="ascii")
        own.chmod(0o644)
        _run("mount", "--bind", own, Path("/etc", name))
    _run("ip", "link", "set", "lo", "up")
    for family in ("-4", "-6"):
        _run("ip", family, "route", "add", "local", "default", "dev", "lo")


def give(address):
    """An address of the machine's own."""
    _run("ip", "address", "add", address, "dev", "lo")


def _run(*command):
    subprocess.run([str(word) for word in command], check=True)


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
