"""A network of one's own, in which every address of the world is this machine: what would leave it
in earnest arrives at a listener of the test. With a name server and a hosts file of the test's own.

Needs root and iproute2. The process that enters it, and what it starts from then on, stays in it.
"""

import ctypes
import os
import shutil
import subprocess
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
