"""A machine with the programs and nginx. They run on it as children of one process, as systemd would have them:
python3 -m cluster.application FOLDER ADDRESS, which restarts all gracefully at a SIGHUP."""

import os
import re
import shutil
import signal
import sys
from pathlib import Path

from harness.folders import REPOSITORY
from harness.processes import ended_by_signals, wait_until
from harness.stack import Stack

from .network import Machine

NAME = "keys.example.com"
STUB_PORT = 8090
_ROLES = ("owner", "auth", "manage", "execute", "opener")


class ApplicationMachine(Machine):
    """`stack` is the folder of its stack."""

    def __init__(self, folder, name, address, authority):
        super().__init__(folder, name, address)
        self.stack = self.folder / "stack"
        tls = self.stack / "tls"
        tls.mkdir(parents=True)
        shutil.copy(authority.ca, tls / "ca.pem")
        authority.give(NAME, tls / "certificate.pem", tls / "key.pem", "DNS:localhost", "IP:127.0.0.1")
        for role in _ROLES:
            authority.give(f"usershell_{role}", tls / f"usershell_{role}.crt", tls / f"usershell_{role}.key")

    def start(self):
        self._ready().unlink(missing_ok=True)
        program = [sys.executable, "-B", "-m", "cluster.application", self.stack, self.address]
        self._process = self.spawn(*program, cwd=REPOSITORY / "lab")
        self._wait()

    def restart(self):
        """As with a new version: each process finishes what it has under way."""
        self._ready().unlink()
        self._process.send_signal(signal.SIGHUP)
        self._wait()

    def kill_workers(self):
        for pool in ("auth", "manage", "execute", "opener"):
            pids = self.stack.joinpath("run", f"{pool}.pids").read_text(encoding="ascii").split()
            self.signal(signal.SIGKILL, map(int, pids))

    def _ready(self):
        return self.stack / "ready"

    def _wait(self):
        wait_until(self._ready().exists, f"the stack of {self.name}", process=self._process, log=self.log)


class _RemoteDatabase:
    """In the place of a stack's own PostgreSQL."""

    def __init__(self, tls):
        self._tls = tls

    def start(self):
        pass

    stop = start

    def prepare_database(self, _roles_sql):
        pass

    def conninfo(self, role):
        mine = f"sslcert={self._tls}/{role}.crt sslkey={self._tls}/{role}.key"
        server = "host=db1.example.org,db2.example.org dbname=usershell sslmode=verify-full"
        return f"{server} user={role} sslrootcert={self._tls}/ca.pem {mine}"


class _ApplicationStack(Stack):
    def __init__(self, folder, address):
        sizes = {"auth": 1, "manage": 2, "execute": 2}
        settings = [("base-url", f"https://{NAME}")]
        super().__init__(folder, settings, https_ports=(443,), http_ports=(80,), stub_port=STUB_PORT, **sizes)
        self.postgres = _RemoteDatabase(folder / "tls")
        self._address = address

    def start(self):
        super().start()
        site = self.folder.sub("nginx", "site.conf")
        text = site.read_text(encoding="utf-8").replace("server_name localhost", f"server_name {NAME} localhost")
        text = re.sub("# (set_real_ip_from 192.0.2.30|real_ip_header)", r"\g<1>", text)
        listen = rf"    listen {self._address}:443\g<1> proxy_protocol;\n\g<0>"
        site.write_text(re.sub(r"    listen 127\.0\.0\.1:443([^;]*);", listen, text), encoding="utf-8")
        os.kill(self.nginx.pid, signal.SIGHUP)
        return self

    def restart(self):
        for pool in self.pools.values():
            pool.restart()
        os.kill(self.nginx.pid, signal.SIGHUP)


def main():
    folder, address = Path(sys.argv[1]), sys.argv[2]
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP, signal.SIGTERM})
    with ended_by_signals(), _ApplicationStack(folder, address) as stack:
        while True:
            folder.joinpath("ready").touch()
            if signal.sigwait({signal.SIGHUP, signal.SIGTERM}) == signal.SIGTERM:
                return
            stack.restart()


if __name__ == "__main__":
    main()
