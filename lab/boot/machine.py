"""A Debian system that is really booted: systemd-nspawn with a network of its own, from a root that holds what
the package depends on, so that nothing is downloaded in it. All that is done in it goes into a transcript.
"""

import ctypes
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

from harness.folders import REPOSITORY
from harness.processes import HarnessError, end, spawn

_BASE = (
    "systemd,systemd-sysv,dbus,libpam-systemd,libnss-systemd,iproute2,procps,curl,ca-certificates,openssl,"
    "debconf,nginx,postgresql,apt-utils"
)
_RELEASE = os.environ["USERSHELL_RELEASE"]
_BUILT = REPOSITORY / "build" / _RELEASE
_BOOT_TIMEOUT = 90
_SHELL = "cd /root; set -euo pipefail; "
_NOISE = ("(Reading database", "WARNING: apt does not")
_SHOWN = 40  # lines at either end
_NEW_NETWORK = 0x40000000  # CLONE_NEWNET
_NEW_MOUNTS = 0x00020000  # CLONE_NEWNS


def why_not():
    """Why no system can be booted here, "" when one can."""
    if os.geteuid() != 0:
        return "only root can boot a system"
    for tool in ("systemd-nspawn", "mmdebstrap", "nsenter", "ip"):
        if shutil.which(tool) is None:
            return f"{tool} is not installed"
    done = subprocess.run(["unshare", "--net", "--mount", "--pid", "--fork", "true"], check=False)
    return "" if done.returncode == 0 else "the kernel does not let us make namespaces"


def package():
    """The newest .deb that ./dev deb has built."""
    found = sorted((_BUILT / "packages").glob("usershell_*.deb"))
    if not found:
        raise HarnessError("There is no package yet: ./dev deb")
    return found[-1]


def older_package():
    """That of a commit before, which ./dev boot-test has built besides."""
    return next(_BUILT.glob(f"of-{os.environ['USERSHELL_OLDER']}/usershell_*.deb"))


def _abridged(output):
    """What of it goes into the transcript: a long one's beginning and end."""
    lines = [line for line in output.splitlines(keepends=True) if line.strip() and not line.startswith(_NOISE)]
    left_out = len(lines) - 2 * _SHOWN
    if left_out > 1:
        lines[_SHOWN:-_SHOWN] = [f"… {left_out} lines more\n"]
    return "".join(lines)


def _dependencies(deb):
    fields = ["dpkg-deb", "-f", deb, "Depends"]
    words = subprocess.run(fields, check=True, capture_output=True, text=True).stdout
    return [re.split(r"[ (|]", each.strip())[0] for each in words.split(",")]


def root_archive(*debs):
    """The root as a tar file, with what the packages depend on: made once, and again when that is something else."""
    packages = ",".join([_BASE, *sorted({name for deb in debs for name in _dependencies(deb)})])
    archive, made_with = _BUILT / "boot.tar", _BUILT / "boot.packages"
    if not archive.exists() or not made_with.exists() or made_with.read_text() != packages:
        command = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={packages}", _RELEASE]
        subprocess.run([*command, archive], check=True)
        made_with.write_text(packages)
    return archive


class Machine:
    """One system. `folder` is for it alone; `transcript` an open text file."""

    def __init__(self, folder, name, transcript):
        self.root = Path(folder, name)
        self._name = name
        self._transcript = transcript
        self._process = None
        self._leader = None

    def make(self, archive):
        self.root.mkdir(parents=True)
        subprocess.run(["tar", "-C", self.root, "-xf", archive], check=True)
        Path(self.root, "etc/machine-id").write_text("")

    def start(self):
        """Boots it and waits until systemd has nothing left to do."""
        command = ["systemd-nspawn", "--directory", self.root, f"--machine={self._name}", "--boot"]
        command += ["--register=no", "--keep-unit", "--private-network", "--console=pipe", "--quiet"]
        # Without these systemd can't load the programs that hold IPAddressDeny=.
        command += ["--capability=all", "--system-call-filter=bpf keyctl add_key perf_event_open"]
        environment = {**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"}
        log = self.root.with_suffix(".console")
        self._process = spawn(command, log, death_signal="KILL", env=environment)
        deadline = time.monotonic() + _BOOT_TIMEOUT
        while time.monotonic() < deadline:
            self._leader = self._child()
            if self._leader and self.run("systemctl", "is-system-running", quiet=True)[1].strip() in (
                "running",
                "degraded",
            ):
                return
            time.sleep(0.3)
        self.stop()
        raise HarnessError(f"{self._name} did not boot: {log.read_text(errors='replace')[-2000:]}")

    def _child(self):
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        found = children.read_text().split() if children.exists() else []
        return int(found[0]) if found else None

    def run(self, *command, stdin="", quiet=False):
        """(status, output) of a command in it."""
        inside = ["nsenter", "-t", str(self._leader), "-m", "-u", "-i", "-n", "-p", "-C", "-r", "-w", "--"]
        environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
        environment |= {"LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(
            [*inside, *map(str, command)], input=stdin, env=environment, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False, errors="replace",
        )
        if not quiet:
            ended = f"(status {done.returncode})\n" if done.returncode else ""
            self.note(f"# {command[-1].removeprefix(_SHELL)}\n{_abridged(done.stdout)}{ended}")
        return done.returncode, done.stdout

    def sh(self, script, stdin="", status=0):
        """What a script of its shell prints; AssertionError unless it ends as expected."""
        ended, output = self.run("bash", "-c", _SHELL + script, stdin=stdin)
        assert ended == status, f"{script}\nended with {ended}:\n{output}"
        return output.strip()

    def note(self, text):
        self._transcript.write(text.rstrip("\n") + "\n\n")
        self._transcript.flush()

    def wait_until(self, script, timeout=60):
        """Until that script succeeds in it."""
        deadline = time.monotonic() + timeout
        while self.run("bash", "-c", script, quiet=True)[0] != 0:
            assert time.monotonic() < deadline, f"{script}: never"
            time.sleep(0.2)

    def enter_network(self):
        """Moves this process there; what it starts from then on stays in it."""
        libc = ctypes.CDLL(None, use_errno=True)
        with open(f"/proc/{self._leader}/ns/net", "rb") as network:
            if libc.setns(network.fileno(), _NEW_NETWORK) != 0:
                raise OSError(ctypes.get_errno(), "setns")

    def host(self, *command):
        """A tool of the host against its network."""
        subprocess.run(["nsenter", "-t", str(self._leader), "-n", *map(str, command)], check=True)

    def stop(self):
        if self._process is None:
            return
        if self._leader:
            self.run("systemctl", "poweroff", quiet=True)
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            end(self._process, grace=5)
        self._process = self._leader = None
        _remove_groups()

    def remove(self):
        self.stop()
        shutil.rmtree(self.root, ignore_errors=True)


def _remove_groups():
    """What nspawn leaves in the cgroup trees would keep the next one from booting."""
    for name in ("payload", "supervisor"):
        for folder in Path("/sys/fs/cgroup").glob(f"*/{name}"):
            for inner in sorted(folder.rglob("*"), reverse=True):
                if inner.is_dir():
                    _rmdir(inner)
            _rmdir(folder)


def _rmdir(folder):
    try:
        folder.rmdir()
    except OSError:
        pass  # of a system that still runs


def own_hosts(folder, lines):
    """A hosts file for this process alone, and a name server that refuses at once: there is no other in
    the network that it enters, and tools would wait for one."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_MOUNTS) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    hosts = "127.0.0.1 localhost\n" + "".join(f"{line}\n" for line in lines)
    for name, text in (("hosts", hosts), ("resolv.conf", "nameserver 127.0.0.1\n")):
        file = Path(folder, name)
        file.write_text(text)
        subprocess.run(["mount", "--bind", file, f"/etc/{name}"], check=True)
