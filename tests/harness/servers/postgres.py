"""A private PostgreSQL cluster: a Unix socket in a folder only we can enter, no TCP, no passwords.

PostgreSQL refuses to run as root. Started by root it runs as user `postgres`, which keeps the one
capability it needs to reach a data folder below, say, /root.

    python3 -m harness.servers.postgres -- COMMAND …

runs a command with an empty database of its own. It finds a cluster with the roles and the database `usershell` by
PGHOST, PGDATABASE and PGUSER (the superuser), and by USERSHELL_TEST_PGHOST. The cluster goes away with the command, whose
exit status is passed on.
"""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from ..folders import REPOSITORY, Folder
from ..processes import HarnessError, end, ended_by_signals, is_root, run, spawn, tail
from ..sanitizers import patient

SUPERUSER = "postgres"
DATABASE = "usershell"
OWNER = "usershell_owner"
_START_TIMEOUT = 60.0
_CAPABILITIES = {"dac_read_search": 2, "dac_override": 1}
_FAST_AND_FORGETFUL = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def _programs():
    """The folder with PostgreSQL's programs, the newest version installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
    if not found:
        raise HarnessError("PostgreSQL is not installed.")
    return found[-1]


def _capability():
    """The smallest capability we hold that lets a user pass folders closed to it, or None."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    effective = next(line for line in status.splitlines() if line.startswith("CapEff"))
    held = int(effective.split()[1], 16)
    return next((name for name, bit in _CAPABILITIES.items() if held >> bit & 1), None)


def as_postgres(death_signal="clear"):
    """The prefix that drops root for user postgres; nothing for anybody else."""
    if not is_root():
        return []
    prefix = ["setpriv", "--reuid", SUPERUSER, "--regid", SUPERUSER, "--init-groups"]
    if capability := _capability():
        prefix += ["--inh-caps", f"+{capability}", "--ambient-caps", f"+{capability}"]
    return [*prefix, "--pdeathsig", death_signal]


class Postgres:
    """One cluster. `host` is the socket folder, as PGHOST wants it; `settings` are the server's own and
    win over ours. Not safe across threads."""

    def __init__(self, data, sockets, log, durable=False, settings=None):
        self.host = Path(sockets)
        self._data = Path(data)
        self._log = log
        self._durable = durable
        self._settings = settings or {}
        self._process = None
        self._bin = _programs()

    @property
    def pid(self):
        """The postmaster's."""
        return self._process.pid

    def start(self):
        """Makes the cluster when there is none and waits until it answers."""
        self._own_folder(self.host)
        if not (self._data / "PG_VERSION").exists():
            self._initialise()
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": self.host,
            "unix_socket_permissions": "0700",
            "max_connections": "200",
            **({} if self._durable else _FAST_AND_FORGETFUL),
            **self._settings,
        }
        command = [*as_postgres("INT"), self._bin / "postgres", "-D", self._data]
        command += [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        self._process = spawn(command, self._log, death_signal="INT", cwd="/")
        self._wait_until_ready()

    def _own_folder(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        if is_root():
            user = pwd.getpwnam(SUPERUSER)
            os.chown(folder, user.pw_uid, user.pw_gid)
        folder.chmod(0o700)

    def _initialise(self):
        shutil.rmtree(self._data, ignore_errors=True)
        self._own_folder(self._data)
        command = [*as_postgres(), self._bin / "initdb", "-D", self._data, "-U", SUPERUSER]
        command += ["--auth-local=trust", "--auth-host=reject", "--encoding=UTF8", "--locale=C.UTF-8"]
        run([*command, *([] if self._durable else ["--no-sync"])], cwd="/")

    def _wait_until_ready(self):
        deadline = time.monotonic() + patient(_START_TIMEOUT)
        port = str(self._settings.get("port", 5432))
        probe = [self._bin / "pg_isready", "-q", "-h", self.host, "-p", port, "-t", "1"]
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                run(probe)
                return
            except HarnessError:
                time.sleep(0.02)
        self.stop("immediate")
        raise HarnessError(f"PostgreSQL did not start:\n{tail(self._log)}")

    def stop(self, mode="fast"):
        """fast: sessions are cut, data written. immediate: as after a power cut."""
        if self._process:
            end(self._process, signal.SIGQUIT if mode == "immediate" else signal.SIGINT)
            self._process = None

    def restart(self, mode="fast"):
        self.stop(mode)
        self.start()

    def environment(self, user=SUPERUSER, database=DATABASE):
        """What libpq's programs need to find this cluster."""
        return {"PGHOST": str(self.host), "PGUSER": user, "PGDATABASE": database}

    def psql(self, *arguments, user=SUPERUSER, database=DATABASE, sql=None):
        """psql's unaligned output. HarnessError with its message when a statement fails."""
        command = [self._bin / "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", *arguments]
        environment = {**os.environ, **self.environment(user, database)}
        return run(command, env=environment, **({"input": sql} if sql is not None else {}))

    @contextlib.contextmanager
    def session(self, statement):
        """One that has run it, and lasts while the block runs."""
        command = [self._bin / "psql", "-XqAt", "-c", statement, "-c", "SELECT 1", "-c", "\\! cat"]
        environment = {**os.environ, **self.environment()}
        with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as session:
            session.stdout.readline()
            yield
            session.stdin.close()

    def prepare_database(self, roles_sql):
        """The roles and the empty database, each made only where missing."""
        self.psql("-v", f"database={DATABASE}", "-f", roles_sql, database="postgres")

    def conninfo(self, role):
        return f"host={self.host} dbname={DATABASE} user={role}"


def _run_with(command):
    folder = Folder()
    postgres = Postgres(folder.sub("postgres"), folder.run / "postgres", folder.log("postgres"))
    try:
        postgres.start()
        postgres.prepare_database(REPOSITORY / "sql" / "roles.sql")
        environment = {**os.environ, **postgres.environment()}
        environment["USERSHELL_TEST_PGHOST"] = environment["PGHOST"]
        with subprocess.Popen(command, env=environment) as process:
            try:
                return process.wait()
            finally:
                process.terminate()
    finally:
        postgres.stop("immediate")
        folder.remove()


def main():
    command = sys.argv[1:]
    if command[:1] == ["--"]:
        command = command[1:]
    if not command:
        sys.exit(__doc__)
    with ended_by_signals():
        status = _run_with(command)
    sys.exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
