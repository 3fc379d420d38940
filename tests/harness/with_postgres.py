#!/usr/bin/python3
"""Runs a command with an empty database of its own: with_postgres.py -- COMMAND …

The command finds a cluster with the roles and the database `usershell` by PGHOST, PGDATABASE and
PGUSER (the superuser), and by USERSHELL_TEST_PGHOST. The cluster goes away with the command, whose
exit status is passed on.
"""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.folders import REPOSITORY, Folder  # noqa: E402
from harness.servers.postgres import Postgres  # noqa: E402
from harness.processes import ended_by_signals  # noqa: E402


def _run(command):
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
        status = _run(command)
    sys.exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
