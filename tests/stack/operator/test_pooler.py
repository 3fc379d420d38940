"""A connection pooler, which hands one connection of the server to many of its clients in turn."""

import socket
import unittest

from harness.processes import end, finished, spawn, wait_until
from harness.sanitizers import patient
from harness.servers.postgres import DATABASE, as_postgres
from harness.suite import shared_stack

PROGRAMS = ("auth", "manage", "execute", "mail")


def listens(path):
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(str(path)) == 0


class Pooler(unittest.TestCase):
    def test_between_program_and_database_is_refused(self):
        stack = shared_stack(manage=2, execute=2, mail=True)
        settings = stack.postgres.host / "pgbouncer.ini"  # where the server's user may make a socket
        users = stack.postgres.host / "users"
        users.write_text("".join(f'"usershell_{program}" ""\n' for program in PROGRAMS), encoding="ascii")
        settings.write_text(
            f"[databases]\n{DATABASE} = host={stack.postgres.host}\n[pgbouncer]\nauth_type = trust\n"
            f"auth_file = {users}\nlisten_port = 6432\nignore_startup_parameters = options\n"
            f"unix_socket_dir = {stack.postgres.host}\nlogfile = /dev/null\n",
            encoding="ascii",
        )
        log = stack.folder.log("pgbouncer")
        process = spawn([*as_postgres("INT"), "/usr/sbin/pgbouncer", settings], log, death_signal="INT", cwd="/")
        self.addCleanup(end, process)
        # its socket has a name before it listens
        wait_until(lambda: listens(stack.postgres.host / ".s.PGSQL.6432"), "pgbouncer", process=process, log=log)
        for program in PROGRAMS:
            command = stack.pool_command(program)
            command[command.index("--database") + 1] += " port=6432"
            ended = finished([*command, "--check-config"], timeout=patient(30))
            with self.subTest(program=program):
                self.assertEqual(ended.returncode, 1, ended)
                self.assertIn("through a connection pooler", ended.stderr)
