"""What starts: --check-config judges the files of a configuration before a restart. A start refuses a database that can't be
reached, and a connection pooler, which hands one connection of the server to many of its clients in turn. The development stack runs README's walk
with curl to the letter."""

import re
import socket
import sys
import tempfile
import unittest
from pathlib import Path

from harness.folders import REPOSITORY
from harness.processes import end, finished, run, spawn, wait_until
from harness.sanitizers import patient
from harness.servers.postgres import DATABASE, as_postgres
from harness.suite import Later, shared_stack

RINGS = {"auth": "auth-secret", "manage": "web-secret", "execute": None, "opener": "web-public", "mail": "auth-public"}

stack = Later(shared_stack, manage=2, execute=2, mail=True)


def check(name, option=None, value=None, words=("--check-config",)):
    """With another value of an option of its command line, or with one more."""
    command = [str(word) for word in [*stack.pool_command(name), *words]]
    if option in command:
        command[command.index(option) + 1] = value
    elif option:
        command.append(option)
    return finished(command, timeout=patient(60))


class Checked(unittest.TestCase):
    def test_what_serves_passes_and_what_would_not_start_is_refused(self):
        for name, ring in RINGS.items():
            passed = check(name)
            self.assertEqual((passed.returncode, passed.stdout, passed.stderr), (0, "", ""), name)
            unreachable = check(name, "--database", "host=/nonexistent", words=())
            self.assertEqual(unreachable.returncode, 1, name)
            self.assertIn("can't be reached", unreachable.stderr)
            if ring:
                self.assertEqual(check(name, f"--{ring}", "/dev/null").returncode, 1, name)
            self.assertEqual(check(name, "--no-such-setting=1").returncode, 1, name)
            self.assertEqual(check(name, "--no-such-setting=1", words=()).returncode, 2, name)

    def test_a_pooler_between_program_and_database_is_refused(self):
        folder = stack.postgres.host  # where the server's user may make a socket
        users = folder / "users"
        users.write_text("".join(f'"usershell_{program}" ""\n' for program in RINGS), encoding="ascii")
        (folder / "pgbouncer.ini").write_text(
            f"[databases]\n{DATABASE} = host={folder}\n[pgbouncer]\nauth_type = trust\nauth_file = {users}\n"
            "listen_port = 6432\nignore_startup_parameters = options\nlogfile = /dev/null\n"
            f"unix_socket_dir = {folder}\n",
            encoding="ascii",
        )
        log = stack.folder.log("pgbouncer")
        command = [*as_postgres("INT"), "/usr/sbin/pgbouncer", folder / "pgbouncer.ini"]
        process = spawn(command, log, death_signal="INT", cwd="/")
        self.addCleanup(end, process)

        def listens():  # its socket has a name before it listens
            with socket.socket(socket.AF_UNIX) as connection:
                return connection.connect_ex(str(folder / ".s.PGSQL.6432")) == 0

        wait_until(listens, "pgbouncer", process=process, log=log)
        for program in RINGS:
            ended = check(program, "--database", f"{stack.postgres.conninfo(f'usershell_{program}')} port=6432", words=())
            with self.subTest(program=program):
                self.assertEqual(ended.returncode, 1, ended)
                self.assertIn("through a connection pooler", ended.stderr)


class DevStack(unittest.TestCase):
    @classmethod
    def harness(cls, *words):
        """python3 -m harness, as ./dev runs it, for a folder of the test's own."""
        command = [sys.executable, "-B", "-m", "harness", *words, "--folder", cls.folder]
        return run(command, cwd=REPOSITORY / "tests")

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="usershell-")))
        cls.addClassCleanup(cls.harness, "down")
        cls.harness("up", "--set", "password-memlimit=8388608", "--set", "password-opslimit=1")

    def test_readmes_walk_with_curl(self):
        readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
        walk = readme.split("\n## From sign-in to stream, with curl\n", 1)[1].split("\n## ", 1)[0]
        script = "".join(re.findall(r"```sh\n(.*?)```", walk, re.S))
        self.assertIn(". .dev/env\n", script)
        script = script.replace(". .dev/env\n", f". {self.folder}/env\n")
        said = run(["bash", "-euo", "pipefail", "-c", script], 60)
        self.assertIn('"ok":true', said)
        self.assertRegex(said, r'data: \{"token":"[^"]+"\}')
        self.assertIn('data: {"done":true', said)
