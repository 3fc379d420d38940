"""Loses each machine of a cluster in each way, under load, and prints what callers saw of it: ./dev cluster-test

Two machines have PostgreSQL under Patroni, two the programs and nginx, one HAProxy; etcd is on three. Their files are
those of docs/operations.md.
"""

import argparse
import contextlib
import functools
import re
import secrets
import shutil
import signal
import sys
import time
from dataclasses import dataclass
from typing import Callable

from harness.client import Client
from harness.folders import REPOSITORY, Folder, build
from harness.processes import ended_by_signals, run, wait_until

from . import network
from .application import NAME, STUB_PORT, ApplicationMachine
from .database import Cluster, DatabaseMachine, EtcdMachine, file_of_manual
from .load import Load
from .network import Authority

DATABASES = {"db1": "192.0.2.20", "db2": "192.0.2.21"}
APPLICATIONS = {"one": "192.0.2.41", "two": "192.0.2.42"}
BALANCER = "192.0.2.30"
WRITERS, PEOPLE, TALKERS = 8, 3, 4
CLIENTS = [f"192.0.2.{number}" for number in range(100, 100 + WRITERS * PEOPLE + TALKERS)]
HOLD = 16.0  # seconds that a fault lasts, at least: longer than the primary's lease
AFTER = 3.0  # and that callers are watched once all is whole again


class World:
    def __init__(self, folder):
        names = {NAME: BALANCER} | {f"{name}.example.org": address for name, address in DATABASES.items()}
        network.lay(folder, names, CLIENTS)
        self._folder = folder
        self._authority = Authority(folder / "authority")
        self.databases = Cluster(*(DatabaseMachine(folder, *each, self._authority) for each in DATABASES.items()))
        self.balancer = EtcdMachine(folder, "db3", BALANCER, self._authority)
        self.one, self.two = (ApplicationMachine(folder, *each, self._authority) for each in APPLICATIONS.items())

    def start(self):
        for each in (*self.databases.machines.values(), self.balancer):
            each.start()
        self.databases.primary().psql("-d", "postgres", "-f", REPOSITORY / "sql" / "roles.sql")
        self.one.start()
        self._carry_rings()
        self.two.start()
        configuration = self._folder / "haproxy.cfg"
        configuration.write_text(file_of_manual("/etc/haproxy/haproxy.cfg"), encoding="ascii")
        self.balancer.spawn("haproxy", "-db", "-f", configuration)
        wait_until(self._is_served, "HAProxy", log=self.balancer.log)

    def stop(self):
        """So that nobody writes in the folder while it is removed."""
        for each in (*self.databases.machines.values(), self.balancer, self.one, self.two):
            each.kill()

    def _ctl(self, machine, *words, said):
        command = [build() / "bin" / "usershellctl", "--config", self.one.stack / "ctl.conf", *words]
        machine.run(*command, input=f"{said}\n")

    def _carry_rings(self):
        copy, passphrase = self._folder / "rings", secrets.token_hex(16)
        self._ctl(self.one, "ring", "copy", copy, said=passphrase)
        self._ctl(self.two, "--rings", self.two.stack / "rings", "ring", "paste", copy, said=passphrase)

    def _client(self, address):
        return Client(f"https://{NAME}", self._authority.ca, address)

    def _is_served(self):
        with contextlib.suppress(OSError), contextlib.closing(self._client(CLIENTS[0])) as client:
            return client.get("/auth/login").status == 200

    def _person(self, address):
        email, password = f"ada-{address}@example.com", "a long enough password"
        self._ctl(self.one, "user", "add", email, "--name", "Ada", said=password)
        return self._client(address).sign_in(email, password)

    def load(self):
        people = [self._person(address) for address in CLIENTS]
        writers = [people[number * PEOPLE : (number + 1) * PEOPLE] for number in range(WRITERS)]
        return Load(writers, people[WRITERS * PEOPLE :], f"http://127.0.0.1:{STUB_PORT}")

    def delete_written(self):
        """The names of what was in the store."""
        sql = "DELETE FROM usershell.accounts RETURNING name"
        return self.databases.primary().psql("-d", "usershell", "-c", sql).split()


@functools.cache
def longest_lease():
    """Patroni of Debian 13 takes no `ttl` below 20 s, and says so in its log."""
    version = re.search(r"\d+\.\d+", run(["patroni", "--version"]))[0]
    return 8 if float(version) < 3.1 else 20


def kill_postgres(machine):
    machine.signal_processes(signal.SIGKILL, "postgres")


def freeze_postgres(machine):
    machine.signal_processes(signal.SIGSTOP, "postgres")


@dataclass
class Fault:
    name: str
    target: Callable  # of the world: the machine
    strike: Callable  # of the machine
    mend: Callable = lambda machine, other: None  # of the machine and of the other one of its kind
    above_lease: int = 7  # seconds: the longest pause is the lease of the primary and that
    breaks_streams: bool = False


def primary(world):
    return world.databases.primary()


def standby(world):
    return world.databases.standby()


def application(world):
    return world.one


def third_etcd(world):
    return world.balancer


def kill_etcd(machine):
    machine.signal_processes(signal.SIGKILL, "etcd")


def thaw(machine, _):
    machine.thaw()


def join(machine, _):
    machine.join()


def start(machine, _):
    machine.start()


FAULTS = [
    Fault("primary: planned switch", primary, DatabaseMachine.switch, above_lease=0),
    Fault("primary: PostgreSQL killed", primary, kill_postgres),
    Fault("primary: PostgreSQL frozen", primary, freeze_postgres, thaw, 12),
    Fault("primary: machine killed", primary, DatabaseMachine.kill, start),
    Fault("primary: machine frozen", primary, DatabaseMachine.freeze, thaw, 12),
    Fault("primary: machine cut off", primary, DatabaseMachine.cut, join),
    Fault("primary: machine lost", primary, DatabaseMachine.lose, DatabaseMachine.start_anew),
    Fault("standby: machine killed", standby, DatabaseMachine.kill, start),
    Fault("standby: machine frozen", standby, DatabaseMachine.freeze, thaw, 12),
    Fault("standby: machine cut off", standby, DatabaseMachine.cut, join),
    Fault("standby: machine lost", standby, DatabaseMachine.lose, DatabaseMachine.start_anew),
    Fault("third machine: etcd killed", third_etcd, kill_etcd, start),
    Fault("application: graceful restart", application, ApplicationMachine.restart),
    Fault("application: processes killed", application, ApplicationMachine.kill_workers, breaks_streams=True),
    Fault("application: machine killed", application, ApplicationMachine.kill, start, breaks_streams=True),
    Fault("application: machine frozen", application, ApplicationMachine.freeze, thaw, 12, breaks_streams=True),
    Fault("application: machine cut off", application, ApplicationMachine.cut, join, breaks_streams=True),
]


class Trial:
    """Strikes, waits until callers write again and the machines are whole, and counts."""

    def __init__(self, world, load):
        self._world, self._load = world, load
        self._owed, self._seen, self._refused = set(), set(), set()
        self.failures = []

    def run(self, fault):
        machine = fault.target(self._world)
        other = self._world.two if machine is self._world.one else self._world.databases.other(machine)
        self._take()
        began = time.monotonic()
        fault.strike(machine)
        time.sleep(HOLD)
        wait_until(self._load.is_written_to, f"a write after '{fault.name}'", 120)
        fault.mend(machine, other)
        self._world.databases.wait_until_whole()
        time.sleep(AFTER)
        self._check_fault(fault, self._take(), began, time.monotonic())

    def _take(self):
        """What callers saw. Writes since the last judgement are owed, too, though no row counts them."""
        count = self._load.take()
        self._owed |= count.written.keys()
        self._refused |= count.refused
        return count

    def _check_fault(self, fault, count, began, ended):
        rows = self._world.delete_written()
        self._seen |= set(rows)
        lost, late = len(self._owed - self._seen), len(self._refused & self._seen)
        self._owed.clear()
        self._refused -= self._seen
        pause, most = count.longest_pause(began, ended), longest_lease() + fault.above_lease
        broken = count.streams["broken"]
        found = {
            "writes lost": lost,
            "writes after a 503": late,
            "writes made twice": len(rows) - len(set(rows)),
            "a longer pause": pause > most,
            "streams broken": broken if not fault.breaks_streams else 0,
            "wrong answers": len(self._load.faults),
        }
        self.failures += [f"{fault.name}: {what}" for what, number in found.items() if number]
        numbers = (len(count.written), len(count.refused), count.unknown, lost, late)
        streams = (count.streams["whole"], broken, count.streams["refused"])
        row = [f"{fault.name:31}", *(f"{n:8}" for n in numbers), f"{pause:6.1f} ({most:2})", *(f"{n:7}" for n in streams)]
        print(*row, flush=True)


def _keep_logs(folder):
    kept = build() / "Testing" / "logs" / "cluster"
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    for log in (*folder.glob("*.log"), *folder.glob("*/stack/log/*.log")):
        shutil.copy(log, kept / "-".join(log.relative_to(folder).parts).replace("-stack-log", ""))
    print(f"Logs: {kept}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(prog="./dev cluster-test", description="Lose each machine of a cluster.")
    parser.add_argument("-k", metavar="WORD", default="", help="only the faults whose name has it")
    chosen = [fault for fault in FAULTS if parser.parse_args().k in fault.name]
    if reason := network.why_not():
        print(f"skipped '{reason}'")
        sys.exit(77)
    network.enter()
    folder = Folder()
    with ended_by_signals(), contextlib.ExitStack() as ends:
        ends.callback(folder.remove)
        ends.push(lambda kind, *_: kind and _keep_logs(folder.path))
        world = World(folder.path)
        ends.callback(world.stop)
        world.start()
        load = ends.enter_context(world.load())
        wait_until(load.is_written_to, "the first write")
        trial = Trial(world, load)
        print(f"{'':31}  written  refused  unknown     lost     late  pause (most)  streams  broken refused")
        for fault in chosen:
            trial.run(fault)
        world.databases.standby().back_up()
        if trial.failures:
            sys.exit("\n".join(trial.failures))


if __name__ == "__main__":
    main()
