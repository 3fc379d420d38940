"""usershellctl as an operator uses it: its table of commands, the schema, the rings, people."""

import os
import pty
import subprocess
import termios
import time
import unittest
from pathlib import Path

from harness.folders import REPOSITORY, Folder
from harness.postgres import OWNER, Postgres
from harness.stack import programs

PASSWORD = "correct horse"


def ctl(*words, stdin="", **options):
    """The finished process; its status is for the caller to judge."""
    command = [programs() / "usershellctl", *words]
    return subprocess.run(
        command, input=stdin, text=True, capture_output=True, timeout=60, check=False, **options
    )


class Sentences(unittest.TestCase):
    """What needs no database."""

    def refused(self, finished, status, *words):
        self.assertEqual(finished.returncode, status, finished)
        self.assertEqual(finished.stdout, "")
        self.assertEqual(finished.stderr.count("\n"), 1, finished.stderr)
        for word in words:
            self.assertIn(word, finished.stderr)

    def test_help_lists_every_command(self):
        finished = ctl("--help")
        self.assertEqual(finished.returncode, 0)
        for words in ("migrate", "ring init --directory DIR", "user add EMAIL --name NAME", "--database"):
            self.assertIn(words, finished.stdout)
        self.assertEqual(ctl("user", "add", "--help").stdout, finished.stdout)

    def test_what_is_not_understood_is_status_2_and_one_sentence(self):
        self.refused(ctl(), 2, "No command")
        self.refused(ctl("frobnicate"), 2, '"frobnicate"', "--help")
        self.refused(ctl("user"), 2, '"user"')
        self.refused(ctl("migrate", "now"), 2, '"now"')
        self.refused(ctl("ring", "init"), 2, "--directory")
        self.refused(ctl("ring", "init", "--directory"), 2, "--directory needs a value")
        self.refused(ctl("ring", "init", "--directory", "a", "--directory=b"), 2, "twice")
        self.refused(ctl("user", "add", "--name", "A"), 2, "EMAIL")
        self.refused(ctl("user", "add", "a@example.org"), 2, "--name")
        self.refused(ctl("user", "add", "nobody", "--name", "A"), 2, "e-mail")
        self.refused(ctl("user", "add", "a@example.org", "--name", " "), 2, "empty")
        self.refused(ctl("--no-such-setting", "x", "migrate"), 2, "no-such-setting")

    def test_a_short_password_is_refused(self):
        self.refused(ctl("user", "add", "a@example.org", "--name", "A", stdin="12345678901\n"), 1, "12 characters")
        self.refused(ctl("user", "add", "a@example.org", "--name", "A"), 1, "password")

    def test_a_store_that_is_not_there_is_status_1_and_no_password_is_told(self):
        database = "host=/nonexistent dbname=x password=canary"
        finished = ctl("--database", database, "migrate")
        self.refused(finished, 1, "can't be reached")
        self.assertNotIn("canary", finished.stderr)

    def test_the_rings_are_made_once_and_the_secret_ones_are_closed(self):
        folder = Folder()
        self.addCleanup(folder.remove)
        made = ctl("ring", "init", "--directory", folder.path)
        self.assertEqual(made.returncode, 0, made)
        for name, mode in {"vault.secret": 0o600, "vault.public": 0o644, "web.secret": 0o600, "web.public": 0o644}.items():
            path = Path(folder.path, name)
            self.assertEqual(path.stat().st_mode & 0o777, mode, name)
            self.assertNotIn(path.read_text(encoding="ascii").split()[1], made.stdout)
        self.refused(ctl("ring", "init", "--directory", folder.path), 1)


class Store(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.remove)
        cls.postgres = Postgres(cls.folder.sub("postgres"), cls.folder.run / "postgres", cls.folder.log("postgres"))
        cls.addClassCleanup(cls.postgres.stop, "immediate")
        cls.postgres.start()
        cls.postgres.prepare_database(REPOSITORY / "sql" / "roles.sql")
        cls.config = cls.folder.sub("usershell.conf")
        # As the workers' own: it names no user.
        cls.config.write_text(
            f"database = host={cls.postgres.host} dbname=usershell\n"
            "password-opslimit = 1\npassword-memlimit = 8192\n",
            encoding="utf-8",
        )

    def ctl(self, *words, stdin=""):
        return ctl("--config", self.config, *words, stdin=stdin)

    def row(self, email):
        return self.postgres.psql(
            "-c", f"SELECT display_name, password_hash FROM usershell.users WHERE normalized_email = '{email}'"
        ).strip()

    def setUp(self):
        self.assertEqual(self.ctl("migrate").returncode, 0)

    def test_a_second_migration_has_nothing_to_do_and_the_owner_did_the_first(self):
        again = self.ctl("migrate")
        self.assertEqual((again.returncode, again.stdout), (0, "Nothing to do.\n"))
        owner = self.postgres.psql("-c", "SELECT tableowner FROM pg_tables WHERE tablename = 'providers'")
        self.assertEqual(owner.strip(), OWNER)

    def test_the_roles_can_be_made_again(self):
        self.postgres.psql("-f", REPOSITORY / "sql" / "roles.sql", database="postgres")
        self.assertEqual(self.ctl("migrate").returncode, 0)

    def test_another_user_in_the_string_is_taken_at_its_word(self):
        finished = ctl("--database", self.postgres.conninfo("usershell_manage"), "migrate")
        self.assertEqual(finished.returncode, 1)
        self.assertIn("usershell_owner", finished.stderr)

    def test_a_person_is_added_with_a_password_from_standard_input(self):
        added = self.ctl("user", "add", "Ada@Example.org", "--name", " Ada L. ", stdin=PASSWORD + "\nmore\n")
        self.assertEqual((added.returncode, added.stdout), (0, "Added Ada@Example.org.\n"), added)
        name, password_hash = self.row("ada@example.org").split("|")
        self.assertEqual(name, "Ada L.")
        self.assertTrue(password_hash.startswith("$argon2id$"))
        self.assertNotIn(PASSWORD, password_hash)

        again = self.ctl("user", "add", "ADA@example.org", "--name", "Another", stdin=PASSWORD)
        self.assertEqual((again.returncode, again.stdout), (1, ""))
        self.assertIn("in use", again.stderr)

    def test_a_person_is_asked_twice_on_a_terminal_that_shows_nothing(self):
        status, shown = self.on_a_terminal("tty@example.org", [PASSWORD, PASSWORD])
        self.assertEqual(status, 0, shown)
        self.assertIn("The same again", shown)
        self.assertNotIn(PASSWORD, shown)
        self.assertTrue(self.row("tty@example.org"))

    def test_two_different_answers_on_a_terminal_add_nobody(self):
        status, shown = self.on_a_terminal("typo@example.org", [PASSWORD, PASSWORD + "!"])
        self.assertEqual(status, 1)
        self.assertIn("differ", shown)
        self.assertEqual(self.row("typo@example.org"), "")

    def on_a_terminal(self, email, answers):
        """Status and all that the terminal showed of `user add`, each answer typed when it was asked for."""
        command = [programs() / "usershellctl", "--config", self.config, "user", "add", email, "--name", "T"]
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as process:
            os.close(theirs)
            shown = b""
            for answer in answers:
                prompts = shown.count(b": ")
                while shown.count(b": ") == prompts:
                    shown += os.read(ours, 4096)
                self.wait_until_echo_is_off(ours)
                os.write(ours, answer.encode() + b"\n")
            shown += self.rest_of(ours)
            return process.wait(timeout=60), shown.decode()

    def wait_until_echo_is_off(self, terminal):
        deadline = time.monotonic() + 30
        while termios.tcgetattr(terminal)[3] & termios.ECHO:
            self.assertLess(time.monotonic(), deadline, "the password would be shown")
            time.sleep(0.005)

    @staticmethod
    def rest_of(terminal):
        shown = b""
        try:
            while piece := os.read(terminal, 4096):
                shown += piece
        except OSError:  # Linux: EIO when the other side is closed
            pass
        return shown


if __name__ == "__main__":
    unittest.main()
