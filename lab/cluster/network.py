"""Machines on one host: each has a network namespace with a cable to one bridge, and folders of its own in place of some of
the host's. All of it is inside namespaces of this program's own, and ends with it. The authority of the cluster, and the
certificates that it gives to machines and roles."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from harness.processes import run, spawn, wait_until

_FOLDERS = ("/etc/patroni", "/etc/postgresql", "/var/lib/postgresql", "/etc/etcd", "/var/lib/etcd", "/run/postgresql")
_UNSHARE = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
_INIT = ["bash", "-c", '"$@"; exit $?', "init"]  # which reaps: Patroni takes a dead postmaster for alive else


def why_not():
    """Why there can be no such machines here, "" when there can."""
    if os.geteuid() != 0:
        return "only root can make network namespaces"
    probe = "ip link add probe type bridge && ip netns add usershell-probe && ip netns delete usershell-probe"
    done = subprocess.run([*_UNSHARE, "sh", "-c", probe], check=False, capture_output=True)
    return "" if done.returncode == 0 else "this machine does not permit network namespaces"


def enter():
    """Goes on in the namespaces of this program: network, mounts and processes."""
    if "USERSHELL_CLUSTER" not in os.environ:
        os.environ["USERSHELL_CLUSTER"] = "inside"
        os.execvp(_UNSHARE[0], [*_UNSHARE, *_INIT, sys.executable, "-B", "-m", "cluster", *sys.argv[1:]])


def lay(folder, hosts, addresses):
    """The bridge, with this program's addresses, and the names that all machines know."""
    run(["mount", "-t", "tmpfs", "tmpfs", "/run"])
    names = folder / "hosts"
    names.write_text("127.0.0.1 localhost\n" + "".join(f"{a} {n}\n" for n, a in hosts.items()), encoding="ascii")
    names.chmod(0o644)
    run(["mount", "--bind", names, "/etc/hosts"])
    run(["ip", "link", "set", "lo", "up"])
    # Its own address: else it has the lowest of its machines', and changes with a machine that is cut off.
    run(["ip", "link", "add", "lan", "address", "02:00:00:00:00:01", "up", "type", "bridge"])
    for address in addresses:
        run(["ip", "address", "add", f"{address}/24", "dev", "lan"])


class Machine:
    """`folder` has what it keeps. A command on it sees `folder`/etc/patroni at /etc/patroni, and so on."""

    def __init__(self, folder, name, address):
        self.folder, self.name, self.address = folder / name, name, address
        self.log = folder / f"{name}.log"
        run(["ip", "netns", "add", name])
        run(["ip", "link", "add", f"to-{name}", "type", "veth", "peer", "name", "eth0", "netns", name])
        self.join()
        for words in ("link set lo up", "link set eth0 up", f"address add {address}/24 dev eth0"):
            run(["ip", "-n", name, *words.split()])
        for each in _FOLDERS:
            Path(each).mkdir(parents=True, exist_ok=True)
            self.path(each).mkdir(parents=True)

    def path(self, path):
        """Where a path of the machine is on the host."""
        return self.folder / path.lstrip("/")

    def _inside(self, words):
        mounts = " && ".join(f"mount --bind {self.path(each)} {each}" for each in _FOLDERS)
        return ["ip", "netns", "exec", self.name, "sh", "-c", f'{mounts} && exec "$@"', "sh", *map(str, words)]

    def spawn(self, *words, **options):
        return spawn(self._inside(words), self.log, **options)

    def run(self, *words, timeout=60, **options):
        return run(self._inside(words), timeout, **options)

    def signal(self, number, pids=None):
        """To these of its processes, or to all; returns whose they are."""
        pids = self.pids() if pids is None else pids
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        return pids

    def pids(self):
        return {int(pid) for pid in run(["ip", "netns", "pids", self.name]).split()}

    def kill(self):
        """As a power cut does."""
        wait_until(lambda: not self.signal(signal.SIGKILL), f"the end of {self.name}")

    def lose(self):
        """With its disk, but for what an administrator has put there."""
        self.kill()
        for each in ("/var/lib/postgresql", "/var/lib/etcd"):
            shutil.rmtree(self.path(each))
            self.path(each).mkdir()

    def freeze(self):
        while self.signal(signal.SIGSTOP) != self.pids():
            pass

    def thaw(self):
        self.signal(signal.SIGCONT)

    def cut(self):
        run(["ip", "link", "set", f"to-{self.name}", "nomaster"])

    def join(self):
        run(["ip", "link", "set", f"to-{self.name}", "master", "lan", "up"])


_EXTENSIONS = """basicConstraints=critical,CA:FALSE
extendedKeyUsage=serverAuth,clientAuth
subjectAltName={names}
"""


class Authority:
    def __init__(self, folder):
        folder.mkdir()
        self.folder = folder
        self.ca = folder / "ca.pem"
        ca = ["-x509", "-days", "90", "-subj", "/CN=authority", "-addext", "basicConstraints=critical,CA:TRUE"]
        run(["openssl", "req", *self._new_key(folder / "ca.key"), *ca, "-out", self.ca])

    @staticmethod
    def _new_key(file):
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", file]

    def give(self, name, certificate, key, *others):
        """Makes a certificate for a server or a client of that name, `others` as OpenSSL writes them."""
        request, extensions = (self.folder / f"{name}.{end}" for end in ("csr", "ext"))
        extensions.write_text(_EXTENSIONS.format(names=",".join([f"DNS:{name}", *others])), encoding="ascii")
        run(["openssl", "req", *self._new_key(key), "-subj", f"/CN={name}", "-out", request])
        signer = ["-CA", self.ca, "-CAkey", self.folder / "ca.key", "-CAcreateserial", "-days", "60"]
        run(["openssl", "x509", "-req", "-in", request, *signer, "-extfile", extensions, "-out", certificate])
