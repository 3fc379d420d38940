"""usershellctl as an operator uses it, as a program: its sentences, the schema, the rings, people, mail."""

import contextlib
import json
import os
import pty
import re
import subprocess
import termios
import unittest

from harness.folders import REPOSITORY
from harness.processes import finished, run, wait_until
from harness.sanitizers import patient
from harness.scenes import ACCESS, ROUTE, SECURITY, access_token, ask_for_address, mailed_link, may_sign_in, provider
from harness.scenes import start_change
from harness.stack import programs, settings_of
from harness.suite import shared_stack

PASSWORD = "correct horse battery"
FRESH = "a wholly new password"


def setUpModule():
    global stack, RINGS
    stack = shared_stack(manage=2, execute=2, mail=True)
    RINGS = stack.ring_options("ctl")  # who queues a mail seals it


def ctl(*words, stdin=""):
    """The finished process, without a configuration; its status is for the caller to judge."""
    return finished([programs() / "usershellctl", *words], input=stdin, timeout=patient(60))


def on_stack(*words, stdin=""):
    """The same with the stack's configuration, which names no user."""
    database = f"host={stack.postgres.host} dbname=usershell"
    return ctl("--config", stack.configs["ctl"], "--database", database, *words, stdin=stdin)


class Case(unittest.TestCase):
    def refused(self, ended, status, *words):
        """One sentence on standard error that has these words."""
        self.assertEqual((ended.returncode, ended.stdout), (status, ""), ended)
        self.assertEqual(ended.stderr.count("\n"), 1, ended.stderr)
        for word in words:
            self.assertIn(word, ended.stderr)

    def done(self, ended, said):
        self.assertEqual((ended.returncode, ended.stdout), (0, said), ended)

    def row(self, email, what="display_name, password_hash"):
        return stack.sql(f"SELECT {what} FROM usershell.users WHERE normalized_email = '{email}'")


class Sentences(Case):
    """What needs no database."""

    def test_help_lists_every_command(self):
        shown = ctl("--help")
        self.assertEqual(shown.returncode, 0)
        self.assertGreater(len(self.commands()), 10)
        more = ("ring init [--replace]", "user add EMAIL --name NAME", "--database")
        for words in (*self.commands(), *more):
            self.assertIn(words, shown.stdout)
        self.assertEqual(ctl("user", "add", "--help").stdout, shown.stdout)

    def commands(self):
        text = (REPOSITORY / "ctl" / "commands.cpp").read_text()
        return re.findall(r'^ {8}\{"([a-z -]+)",', text, re.MULTILINE)

    def test_the_manual_names_every_command_and_setting(self):
        def page(name):
            return ctl("manual", name).stdout.replace("\\-", "-")

        for program in ("usershellctl", *(f"usershell-{name}" for name in ("auth", "manage", "execute", "opener", "mail"))):
            settings = settings_of(program)
            self.assertGreater(len(settings), 5)
            for setting in settings:
                for name in (program, "usershell.conf"):
                    self.assertIn(f".B {setting} = ", page(name))
        for words in self.commands():
            self.assertIn(f"\n.B {words}", page("usershellctl"))
        self.refused(ctl("manual", "other"), 2, "The pages are")

    def test_bash_completes_every_command(self):
        script = ctl("completion").stdout
        for words, wanted in (
            ("", {words.split()[0] for words in self.commands()}),
            ("ring ", {words.split()[1] for words in self.commands() if words.startswith("ring ")}),
            ("check --", {"--settings", "--sockets", "--authority", "--within", "--metrics", "--json"}),
        ):
            ask = f'{script}\nCOMP_WORDS=(usershellctl {words}); [[ "$1" == *" " || -z "$1" ]] && COMP_WORDS+=("")\n'
            ask += 'COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _usershellctl; printf "%s\\n" "${COMPREPLY[@]}"'
            self.assertEqual(set(run(["bash", "-c", ask, "bash", words]).split()), wanted)

    def test_what_is_not_understood_is_status_2_and_one_sentence(self):
        for words, said in (
            ((), "No command"),
            (("frobnicate",), '"frobnicate"'),
            (("fro\x9b\u202eb\n",), '"fro  b "'),
            (("migrate", "now"), '"now"'),
            (("init", "--user"), "--user needs a value"),
            (("init", "--user", "a@example.org", "--user=b@example.org"), "twice"),
            (("user", "add", "a@example.org"), "--name"),
            (("user", "add", "nobody", "--name", "A"), "e-mail"),
            (("user", "delete", "a@example.org"), "--yes"),
            (("--no-such-setting", "x", "migrate"), "no-such-setting"),
        ):
            with self.subTest(words=words):
                self.refused(ctl(*words), 2, said)

    def test_a_password_that_is_none(self):
        words = ("user", "add", "a@example.org", "--name", "Ada Lovelace")
        for password, said in (("a-example-org-1", "own address"), ("Lovelace-1815", "own name"), ("", "password")):
            self.refused(on_stack(*words, stdin=f"{password}\n"), 1, said)

    def test_without_the_list_of_common_passwords_nothing_starts(self):
        missing = ("--common-passwords", "/nonexistent/list")
        said = "The list of common passwords '/nonexistent/list' can't be read"
        added = on_stack(*missing, "user", "add", "a@example.org", "--name", "A", stdin=PASSWORD)
        self.refused(added, 2, said)
        command = [*stack.pool_command("auth"), "--socket", "/nonexistent/socket", *missing]
        started = finished(command, timeout=patient(60))
        self.assertEqual(started.returncode, 1)
        self.assertIn(said, started.stderr)

    def test_a_store_that_is_not_there_is_status_1_and_no_password_is_told(self):
        told = ctl("--database", "host=/nonexistent dbname=x password=canary", "migrate")
        self.refused(told, 1, "can't be reached")
        self.assertNotIn("canary", told.stderr)


class Schema(Case):
    def test_is_shown_with_the_oldest_programs_that_can_run_on_it(self):
        shown = on_stack("schema")
        self.assertEqual(shown.returncode, 0, shown)
        files = sorted(path.stem for path in (REPOSITORY / "sql").glob("[0-9]*.sql"))
        self.assertEqual([line.split("\t")[0] for line in shown.stdout.splitlines()], files)
        self.done(on_stack("schema", "0.1.0-1"), shown.stdout)
        self.refused(on_stack("schema", "0.0.9"), 1, "Programs of version 0.0.9 can't run", files[0])

    def test_that_is_not_complete_is_named_by_what_is_missing(self):
        rename = "UPDATE usershell.migrations SET name = '{}' WHERE name = '{}'"
        stack.sql(rename.format("0001_other", "0001_installation"))
        self.addCleanup(stack.sql, rename.format("0001_installation", "0001_other"))
        self.refused(on_stack("schema"), 1, "lacks the migration 0001_installation")


class Machines(Case):
    def machines(self):
        rows = json.loads(on_stack("status", "--json").stdout)
        return {row["state"] for row in rows if row["subject"] == "machines"}

    def test_whose_rings_differ_are_named(self):
        here = f"{os.uname().nodename}: rings as here"
        wait_until(lambda: self.machines() == {here}, "the programs' reports")
        other = "SELECT 'two', program, ring, repeat('0', 32) FROM usershell.machine_rings WHERE ring = 'vault'"
        stack.sql(f"INSERT INTO usershell.machine_rings (machine, program, ring, fingerprint) {other}")
        self.addCleanup(stack.sql, "DELETE FROM usershell.machine_rings WHERE machine = 'two'")
        two = "two: usershell-manage has another vault ring, usershell-opener has another vault ring"
        self.assertEqual(self.machines(), {here, two})

    def test_get_the_rings_in_a_file_sealed_to_a_passphrase(self):
        file, there = stack.folder.sub("copy"), stack.folder.sub("rings-there")
        paste = ("--rings", there, "ring", "paste", file)
        self.refused(on_stack("ring", "copy", file, stdin="short\n"), 1, "12 characters")
        copied = on_stack("ring", "copy", file, stdin=f"{PASSWORD}\n")
        self.assertEqual((copied.returncode, copied.stderr), (0, ""))
        self.addCleanup(file.unlink)
        self.refused(on_stack(*paste, stdin=f"{FRESH}\n"), 1, "passphrase")
        stack.sql("INSERT INTO usershell.ring_keys (role, id) VALUES ('web', repeat('0', 32))")
        self.refused(on_stack(*paste, stdin=f"{PASSWORD}\n"), 1, "older than this installation's rings", "0" * 32)
        stack.sql("DELETE FROM usershell.ring_keys WHERE id = repeat('0', 32)")
        self.assertFalse(there.exists())
        self.assertEqual(on_stack(*paste, stdin=f"{PASSWORD}\n").returncode, 0)
        for path in stack.folder.sub("rings").iterdir():
            self.assertEqual(there.joinpath(path.name).read_text(), path.read_text())


class People(Case):
    def test_are_added_with_a_password_from_standard_input_once(self):
        words = ("user", "add", "Pia@Example.org", "--name", " Pia L. ")
        self.done(on_stack(*words, stdin=f"{PASSWORD}\nmore\n"), "Added Pia@Example.org.\n")
        name, password_hash = self.row("pia@example.org").split("|")
        self.assertEqual(name, "Pia L.")
        self.assertTrue(password_hash.startswith("$argon2id$"))
        self.assertTrue(may_sign_in(stack, "pia@example.org", PASSWORD))
        again = on_stack("user", "add", "PIA@example.org", "--name", "Another", stdin=PASSWORD)
        self.refused(again, 1, "in use")

    def test_are_shown_with_what_they_have(self):
        client = stack.newcomer("Listed")
        provider(client, "https://api.example.com", models=())
        email, _ = stack.new_person("Idle")
        on_stack("user", "disable", email)
        rows = [line.split("\t")[:5] for line in on_stack("user", "list").stdout.splitlines()]
        self.assertIn([client.email, "Listed", "active", "1 providers", "1 sessions"], rows)
        self.assertIn([email, "Idle", "disabled", "0 providers", "0 sessions"], rows)
        (shown,) = json.loads(on_stack("user", "show", client.email, "--json").stdout)
        expected = {"email": client.email, "name": "Listed", "state": "active", "sessions": 1, "legacy": 0}
        self.assertEqual(shown | expected, shown)
        self.assertEqual(len(on_stack("user", "sessions", client.email).stdout.splitlines()), 1)

    def test_have_tokens_that_are_shown_and_revoked(self):
        client = stack.newcomer()
        ids = [f"{n}f8fad5b-d9cb-469f-a165-70867728950e" for n in range(3)]
        with stack.configured(api="true"):
            for n, made in enumerate(ids):
                limits = {"TokenId": made, "Name": f"token {n}", "Days": "9", "RequestsAMinute": "1", "LaterProviders": "true"}
                client.form(ACCESS, {**limits, "CurrentPassword": client.password}, SECURITY)
        shown = json.loads(on_stack("token", "list", client.email, "--json").stdout)
        self.assertEqual({row["id"]: row["name"] for row in shown}, {made: f"token {n}" for n, made in enumerate(ids)})
        self.assertTrue(all(re.fullmatch(r"ush_\w{8}", row["hint"]) and not row["lastUsedAt"] for row in shown))
        self.assertFalse(any(row["off"] for row in shown))
        stack.sql(f"UPDATE usershell.access_tokens SET is_enabled = false WHERE id = '{ids[1]}'")
        marked = [line.split("\t")[0] for line in on_stack("token", "list", client.email).stdout.splitlines() if "\toff\t" in line]
        self.assertEqual(marked, [ids[1]])
        revoke = ("token", "revoke", client.email)
        self.done(on_stack(*revoke, ids[0]), f"Revoked 1 token of {client.email}.\n")
        self.refused(on_stack(*revoke, ids[0]), 1, "no token of that id")
        self.done(on_stack(*revoke, "--all", "--since", "2999-01-01"), f"Revoked 0 tokens of {client.email}.\n")
        self.done(on_stack(*revoke, "--all"), f"Revoked 2 tokens of {client.email}.\n")
        self.assertEqual(on_stack("token", "list", client.email).stdout, "")
        for words in (["x"], [ids[0], "--since", "2026-01-01"], ["--all", "--since", "2026-02-30"], ["--all", "--since", "2026-257-1"], []):
            self.refused(on_stack(*revoke, *words), 2)

    def test_are_shown_with_what_has_happened(self):
        client = stack.newcomer()
        other = stack.newcomer()
        provider(client, "https://api.example.com", models=())
        lines = on_stack("events", client.email).stdout.splitlines()
        self.assertEqual([line.split("\t")[2] for line in lines], ["signed_in", "key_added"])
        self.assertIn("An unknown browser\t127.", lines[0])
        everybodys = on_stack("events").stdout
        self.assertLessEqual({*lines}, {*everybodys.splitlines()})
        self.assertIn(other.email, everybodys)
        self.refused(on_stack("events", "nobody@example.org"), 1, "nobody@example.org")

    def test_are_kept_out_and_let_in_again(self):
        client = stack.newcomer()
        for command, may in (("disable", False), ("enable", True)):
            self.assertEqual(on_stack("user", command, client.email.upper()).returncode, 0)
            self.assertEqual(client.get(f"{ROUTE}/list").status, 401)  # the old session has ended
            self.assertEqual(may_sign_in(stack, client.email, client.password), may)

    def test_are_signed_out_one_or_all(self):
        one, other = stack.newcomer(), stack.newcomer()
        with stack.configured(api="true"):
            access_token(one)
        link = start_change(stack, one, f"new-{one.email}")
        self.done(on_stack("user", "sign-out", one.email),
                  f"Ended all sessions, mailed links, access tokens and known browsers of {one.email}.\n")  # fmt: skip
        self.assertEqual((one.get(f"{ROUTE}/list").status, other.get(f"{ROUTE}/list").status), (401, 200))
        self.assertEqual(on_stack("token", "list", one.email).stdout, "")
        self.assertEqual(stack.sign_in(one).get(link).status, 400)
        self.refused(on_stack("user", "sign-out", "--all"), 2, "--yes")
        self.refused(on_stack("user", "sign-out"), 2, "EMAIL")
        self.refused(on_stack("user", "sign-out", "nobody@example.org"), 1, "nobody@example.org")
        self.assertEqual(other.get(f"{ROUTE}/list").status, 200)
        self.done(on_stack("user", "sign-out", "--all", "--yes"),
                  "Ended all sessions, mailed links, access tokens and known browsers of everybody.\n")  # fmt: skip
        self.assertEqual(other.get(f"{ROUTE}/list").status, 401)

    def test_are_all_signed_out_after_a_restore(self):
        client = stack.newcomer()
        link = start_change(stack, client, f"new-{client.email}")
        self.refused(on_stack("after-restore"), 2, "--yes")
        self.assertEqual(client.get(f"{ROUTE}/list").status, 200)
        ended = on_stack("after-restore", "--yes")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertIn("Ended all sessions, mailed links, recovery codes and waiting mail. People with", ended.stdout)
        self.assertIn("\nThe newest thing that", ended.stdout)
        self.assertEqual(client.get(f"{ROUTE}/list").status, 401)
        self.assertEqual(stack.sign_in(client).get(link).status, 400)

    def test_have_second_factors_that_are_shown_and_reset(self):
        client = stack.newcomer()
        owner = f"FROM usershell.users WHERE email = '{client.email}'"
        self.done(on_stack("user", "factors", client.email), "")
        self.refused(on_stack("user", "reset-factors", client.email), 1, f"{client.email} has no second factor.")
        self.assertEqual(client.get(f"{ROUTE}/list").status, 200)
        ring_key = "(SELECT k.id FROM usershell.ring_keys k WHERE role = 'auth')"
        app = f"SELECT id, {ring_key}, '{'s' * 16}', '{'m' * 20}', sha256('s'), 0 {owner}"
        stack.sql(f"INSERT INTO usershell.apps (owner_id, ring_key_id, salt, masked, secret_hash, last_step) {app}")
        stack.sql(f"INSERT INTO usershell.recovery_codes SELECT id, sha256('code') {owner}")
        shown = on_stack("user", "factors", client.email).stdout
        self.assertRegex(shown, r"^authenticator app\tsince 20\S+Z\nrecovery codes\t1 left\n$")
        app, codes = json.loads(on_stack("user", "factors", client.email, "--json").stdout)
        self.assertEqual((app["factor"], app["left"], codes["left"]), ("authenticator app", None, 1))
        said = f"Removed the second factors and the recovery codes of {client.email}; their sessions, "
        self.done(on_stack("user", "reset-factors", client.email),
                  f"{said}mailed links, access tokens and known browsers have ended.\n")  # fmt: skip
        self.assertEqual(client.get(f"{ROUTE}/list").status, 401)
        self.assertTrue(may_sign_in(stack, client.email, client.password))
        wait_until(lambda: stack.mail.messages(client.email), "the mail about it", 60)

    def test_need_a_second_factor_when_the_policy_says_so(self):
        client = stack.newcomer()
        self.addCleanup(on_stack, "policy", "second-factor", "optional")
        (shown,) = json.loads(on_stack("policy", "--json").stdout)
        self.assertEqual(shown["secondFactor"], "optional")
        self.assertGreater(shown["usersWithout"], 0)
        self.done(on_stack("policy", "second-factor", "required"),
                  "A second factor is required. Users without one add it at the next sign-in. Open sessions go on; "
                  "usershellctl user sign-out --all --yes ends them.\n")  # fmt: skip
        self.done(on_stack("policy"), f"second factor required\t{shown['usersWithout']} users lack it\n")
        self.assertEqual(client.get(f"{ROUTE}/list").status, 200)
        self.assertFalse(may_sign_in(stack, client.email, client.password))
        self.assertTrue(on_stack("policy", "second-factor", "passkey").stdout.startswith("A passkey is required. Users without one "))
        self.done(on_stack("policy", "second-factor", "optional"),
                  "A second factor is optional. Users with one are still asked for it.\n")  # fmt: skip
        self.assertTrue(may_sign_in(stack, client.email, client.password))
        self.refused(on_stack("policy", "second-factor", "never"), 2, "optional, required or a passkey")

    def test_get_a_link_and_another_password_which_ends_their_sessions(self):
        client = stack.newcomer()
        said = f"Mailed a link for a new password to {client.email}.\n"
        self.done(on_stack(*RINGS, "user", "reset-mail", client.email), said)
        link = mailed_link(stack, client.email)
        self.assertTrue(may_sign_in(stack, client.email, client.password))  # while the old one is good
        told = on_stack("user", "passwd", client.email, stdin=f"{FRESH}\n")
        self.done(told, f"Set the password of {client.email}; their sessions have ended.\n")
        self.assertEqual(client.get(f"{ROUTE}/list").status, 401)
        self.assertFalse(may_sign_in(stack, client.email, client.password))
        self.assertTrue(may_sign_in(stack, client.email, FRESH))
        self.assertEqual(stack.visitor().get(link).status, 400)
        self.refused(on_stack("user", "passwd", client.email, stdin="short\n"), 1, "characters")

    def test_are_invited_to_choose_a_password(self):
        said = on_stack(*RINGS, "user", "add", "new@example.org", "--name", "New", "--invite")
        self.done(said, "Added and invited new@example.org.\n")
        self.assertEqual(self.row("new@example.org", "password_hash"), "")
        older = mailed_link(stack, "new@example.org")
        self.assertEqual(stack.visitor().get(older).status, 200)
        self.done(on_stack(*RINGS, "user", "invite", "new@example.org"), "Invited new@example.org.\n")
        link = mailed_link(stack, "new@example.org", 2)
        visitor = stack.visitor()
        self.assertEqual(visitor.get(older).status, 400)
        fields = {"token": link.rpartition("token=")[2], "password": FRESH}
        self.assertEqual(visitor.form("/auth/reset", fields, page=link).status, 303)
        self.assertTrue(may_sign_in(stack, "new@example.org", FRESH))

    def test_are_added_with_their_invitation_or_not_at_all(self):
        words = ("user", "add", "half@example.org", "--name", "Half", "--invite")
        broken = ("--mail-public", RINGS[1], "--auth-secret", "/nonexistent")
        self.refused(on_stack(*broken, *words), 1, "/nonexistent")
        self.refused(on_stack("--mail-public", RINGS[1], *words), 2, "auth-secret is empty")
        self.refused(on_stack("--mail-public", "", *words), 2, "mail-public is empty")
        self.assertEqual(self.row("half@example.org"), "")

    def test_mail_that_waits_is_listed_without_what_is_in_it(self):
        stack.wait_for_mail()
        self.done(on_stack("mail"), "")
        stack.mail.go_down()
        self.addCleanup(stack.wait_for_mail)
        self.addCleanup(stack.sql, "UPDATE usershell.outbox SET next_attempt_at = now()")
        self.addCleanup(stack.mail.come_up)
        client = stack.newcomer()
        self.assertEqual(ask_for_address(client, f"new-{client.email}").status, 303)
        tried = "SELECT count(*) FROM usershell.outbox WHERE reason <> ''"
        wait_until(lambda: stack.sql(tried) == "1", "a try")
        shown = on_stack("mail").stdout
        for word in (client.email, "queued", "1 tries", "can't be reached"):
            self.assertIn(word, shown)
        self.assertNotIn(f"new-{client.email}", shown)
        mail = shown.split("\t")[0]
        self.done(on_stack("mail", "retry", mail), "It is tried at once.\n")
        self.done(on_stack("mail", "drop", mail), "Dropped it unsent.\n")
        self.done(on_stack("mail"), "")
        for command in ("retry", "drop"):
            self.refused(on_stack("mail", command, mail), 1, "of that id")
            self.refused(on_stack("mail", command, "x"), 2, "UUID")

    def test_one_screen_shows_how_it_stands(self):
        rows = json.loads(on_stack("status", "--json").stdout)
        subjects = {row["subject"] for row in rows}
        self.assertEqual(subjects, {"version", "schema", "pools", "people", "rings", "machines", "legacy", "queue"})
        self.assertEqual(len([row for row in rows if row["subject"] == "rings"]), 4)
        self.assertIn({"subject": "legacy", "state": "none left"}, rows)
        without = ctl("--config", stack.configs["ctl"], "--database", "host=/nonexistent dbname=usershell", "status", "--json")
        self.assertEqual((without.returncode, {row["subject"] for row in json.loads(without.stdout)}), (1, {"version", "schema", "pools"}))

    def test_are_deleted_with_everything_that_is_theirs(self):
        client = stack.newcomer()
        made = provider(client, "https://api.example.com")
        self.refused(on_stack("user", "delete", client.email), 2, "--yes")
        self.assertEqual(client.get(f"{ROUTE}/list").status, 200)
        deleted = on_stack("user", "delete", client.email, "--yes")
        self.done(deleted, f"Deleted {client.email} and their 1 providers.\n")
        self.assertEqual(client.get(f"{ROUTE}/list").status, 401)
        self.assertEqual(stack.sql(f"SELECT id FROM usershell.providers WHERE id = '{made}'"), "")

    def test_who_are_not_there_are_said_to_be_so(self):
        commands = ("passwd", "disable", "enable", "sessions", "factors", "reset-factors")
        for command, *words in (*((command,) for command in commands), ("delete", "--yes")):
            told = on_stack("user", command, "nobody@example.org", *words, stdin=f"{PASSWORD}\n")
            self.refused(told, 1, "nobody@example.org")


class Terminal(Case):
    """Asked twice on a terminal that shows nothing."""

    def test_the_same_twice_adds_a_person_and_two_different_answers_nobody(self):
        for email, second, status, said in (("tty", PASSWORD, 0, "again"), ("typo", PASSWORD + "!", 1, "differ")):
            ended, shown = self.on_a_terminal(f"{email}@example.org", [PASSWORD, second])
            self.assertEqual(ended, status, shown)
            self.assertIn(said, shown)
            self.assertNotIn(PASSWORD, shown)
            self.assertEqual(bool(self.row(f"{email}@example.org")), status == 0)

    def on_a_terminal(self, email, answers):
        """Status and all that the terminal showed of `user add`, each answer typed when it was asked."""
        command = [programs() / "usershellctl", "--config", stack.configs["ctl"]]
        command += ["user", "add", email, "--name", "T"]
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as process:
            os.close(theirs)
            shown = b""
            for answer in answers:
                prompts = shown.count(b": ")
                while shown.count(b": ") == prompts:
                    shown += os.read(ours, 4096)
                wait_until(lambda: not termios.tcgetattr(ours)[3] & termios.ECHO, "the echo to be off")
                os.write(ours, answer.encode() + b"\n")
            with contextlib.suppress(OSError):  # Linux: EIO when the other side is closed
                while piece := os.read(ours, 4096):
                    shown += piece
            return process.wait(timeout=patient(60)), shown.decode()
