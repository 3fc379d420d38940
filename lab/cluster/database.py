"""Machines with etcd, and those with Patroni and PostgreSQL besides, by the files of docs/operations.md."""

import json
import re
import shutil
from pathlib import Path

from harness.folders import REPOSITORY
from harness.processes import HarnessError, run, wait_until
from harness.servers.postgres import as_postgres

from .network import Machine

_MANUAL = (REPOSITORY / "docs" / "operations.md").read_text(encoding="utf-8")
_CONFIG = "/etc/patroni/config.yml"


def _programs():
    """The folder with PostgreSQL's programs, the newest version installed."""
    return max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))


def file_of_manual(name):
    """The file of that name, as the manual has it for the first machine."""
    block = re.search(rf"`{name}`[^\n]*:\n\n((?:    .*\n|\n)+)", _MANUAL)[1]
    return re.sub("^    ", "", block, flags=re.MULTILINE).strip() + "\n"


class EtcdMachine(Machine):
    """It has a certificate of the authority's."""

    def __init__(self, folder, name, address, authority):
        super().__init__(folder, name, address)
        for place in ("/etc/etcd", "/etc/postgresql/tls"):
            tls = self.path(place)
            tls.mkdir(exist_ok=True)
            authority.give(f"{name}.example.org", tls / "machine.crt", tls / "machine.key", f"IP:{address}")
            shutil.copy(authority.ca, tls / "ca.pem")

    def own(self, text):
        """The first machine's file as this one has it: its name and address, but for lists of all machines."""
        lines = text.splitlines(keepends=True)
        mine = (each if "192.0.2.30" in each else each.replace("192.0.2.20", self.address) for each in lines)
        return "".join(re.sub(r"^(ETCD_NAME=|name: )db1", rf"\g<1>{self.name}", each) for each in mine)

    def start(self, state="new"):
        settings = self.own(file_of_manual("/etc/default/etcd")).split()
        self.spawn("env", *settings, f"ETCD_INITIAL_CLUSTER_STATE={state}", "etcd")

    def signal_processes(self, number, name):
        found = run(["pgrep", "--nslist", "net", "--ns", min(self.pids()), "-x", name])
        self.signal(number, map(int, found.split()))


class DatabaseMachine(EtcdMachine):
    def start(self, state="new"):
        super().start(state)
        text = re.sub(r"(postgresql/)\d+", rf"\g<1>{_programs().parent.name}", self.own(file_of_manual(_CONFIG)))
        self.path(_CONFIG).write_text(text, encoding="ascii")
        for each in ("/etc/postgresql", "/var/lib/postgresql", "/run/postgresql"):
            run(["chown", "-R", "postgres:", self.path(each)])
        self.spawn("env", "HOME=/var/lib/postgresql", *as_postgres("TERM"), "patroni", _CONFIG, cwd="/")

    def start_anew(self, other):
        """In the place of the lost one, as the manual has it."""
        tls = ["--cacert=/etc/etcd/ca.pem", "--cert=/etc/etcd/machine.crt", "--key=/etc/etcd/machine.key"]
        etcdctl = ["etcdctl", f"--endpoints=https://{other.address}:2379", *tls, "member"]
        lost = re.search(rf"^(\w+), \w+, {self.name},", other.run(*etcdctl, "list"), re.MULTILINE)[1]
        other.run(*etcdctl, "remove", lost)
        other.run(*etcdctl, "add", self.name, f"--peer-urls=https://{self.address}:2380")
        self.start("existing")

    def psql(self, *words):
        command = ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", "/run/postgresql", *words]
        return self.run(*as_postgres(), *command, cwd="/")

    def has_standby(self):
        """Asked of PostgreSQL: for a while Patroni 3 lists a primary that comes back as the standby of its successor."""
        sql = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'"
        return self.psql("-d", "postgres", "-c", sql).strip() == "1"

    def switch(self):
        self.run("patronictl", "-c", _CONFIG, "switchover", "--force")

    def members(self):
        """What Patroni says of each."""
        folder = "/etc/postgresql/tls"
        tls = ["--cacert", f"{folder}/ca.pem", "--cert", f"{folder}/machine.crt", "--key", f"{folder}/machine.key"]
        told = self.run("curl", "--silent", "--max-time", "10", *tls, f"https://{self.address}:8008/cluster")
        return json.loads(told)["members"]

    def back_up(self):
        """By the command of the manual, whose copy is then verified."""
        words = re.search(r"runuser -u postgres -- (pg_basebackup .*)", _MANUAL)[1].split()
        for command in (words, [f"{_programs()}/pg_verifybackup", "/var/lib/postgresql/backup"]):
            self.run(*as_postgres(), *command, cwd="/")


class Cluster:
    """The two database machines, and who is what."""

    def __init__(self, *machines):
        self.machines = {each.name: each for each in machines}

    def _roles(self):
        """Role to machine, once there is a primary with its standby; before that empty."""
        for machine in self.machines.values():
            try:
                rows = {row["role"]: self.machines[row["name"]] for row in machine.members()}
                if rows.keys() == {"leader", "sync_standby"} and rows["leader"].has_standby():
                    return rows
            except (HarnessError, ValueError):
                continue
        return {}

    def wait_until_whole(self):
        return wait_until(self._roles, "a primary with its standby", 120)

    def primary(self):
        return self.wait_until_whole()["leader"]

    def standby(self):
        return self.wait_until_whole()["sync_standby"]

    def other(self, machine):
        return next(each for each in self.machines.values() if each is not machine)
