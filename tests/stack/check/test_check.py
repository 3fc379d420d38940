"""`usershellctl check`: all is well on a stack that runs, and each of many faults is found, with what mends it."""

import contextlib
import http.server
import json
import os
import re
import shutil
import socket
import ssl
import threading
import time
import unittest
from pathlib import Path

from harness.envelope import Ring
from harness.processes import finished, run
from harness.folders import REPOSITORY
from harness.scenes import provider
from harness.stack import programs
from harness.suite import shared_stack
from prometheus_client.parser import text_string_to_metric_families

NOBODY = 65534
LOCAL = "egress-allow = 10.20.30.40:8080\n"  # an address in a private network


def setUpModule():
    global stack
    stack = shared_stack(manage=2, execute=2, mail=True)
    stack.new_person()


@contextlib.contextmanager
def meanwhile(do, undo):
    """While in the block the one has been done; after it the other, too."""
    do()
    try:
        yield
    finally:
        undo()


def edited(path, change):
    text, mode = path.read_text(encoding="utf-8"), path.stat().st_mode & 0o777

    def undo():
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)

    return meanwhile(lambda: path.write_text(change(text), encoding="utf-8"), undo)


def swapped(path, old, new):
    return edited(path, lambda text: text.replace(old, new))


def moded(path, mode):
    before = path.stat().st_mode & 0o777
    return meanwhile(lambda: path.chmod(mode), lambda: path.chmod(before))


def owned(path, user):
    before = path.stat()
    return meanwhile(lambda: os.chown(path, user, -1), lambda: os.chown(path, before.st_uid, before.st_gid))


def moved(path):
    away = path.with_name(f"{path.name}.away")
    return meanwhile(lambda: path.rename(away), lambda: away.rename(path))


def altered(statement, back):
    return meanwhile(lambda: stack.sql(statement), lambda: stack.sql(back))


def without(pool):
    return meanwhile(pool.stop, pool.start)


@contextlib.contextmanager
def in_place_of(pool, answer):
    """In place of the pool a listener; `answer` is called with each connection."""

    def accept():
        with contextlib.suppress(OSError):  # it is shut
            while True:
                answer(listener.accept()[0])

    with without(pool), socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(pool.path))
        listener.listen()
        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            pool.path.unlink()


@contextlib.contextmanager
def impostor(certificate, key, *headers):
    """The port of a TLS server that is not ours: 200 and these headers, whatever is asked."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):  # noqa: N802: as the library wants it
            self.send_response(200)
            for header in (("Content-Length", "0"), *headers):
                self.send_header(*header)
            self.end_headers()

        do_POST = do_GET  # noqa: N815
        log_message = lambda *_: None  # noqa: E731

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


SOCKETS = tuple(f"usershell-{pool}.socket" for pool in ("auth", "manage", "execute", "opener"))
UNITS = ("nginx.service", *SOCKETS, "usershell-mail.service", "usershell.target", "usershell-addresses.timer")


def units_are(**changes):
    """The script that systemctl is: units in order, but for the properties of those given."""
    usual = {"LoadState": "loaded", "ActiveState": "active", "SubState": "running", "LimitNOFILE": "16384"}
    said = []
    for unit, properties in (dict.fromkeys(UNITS, {}) | changes).items():
        said += [f"Id={unit}", *(f"{name}={value}" for name, value in (usual | properties).items()), ""]
    return "cat <<'UNITS'\n" + "\n".join(said) + "\nUNITS"


SITE = """# configuration file /etc/nginx/nginx.conf:
server_name localhost;
include usershell/server.conf;
"""


def nginx_has(lines, without=""):
    """The script that nginx is: what `nginx -T` prints of a site in order, and these lines."""
    return f"cat <<'NGINX'\n{SITE.replace(without, '')}{lines}\nNGINX"


class Case(unittest.TestCase):
    def check(self, authority=None, rings=None, before=(), within=60, metrics=None):
        """(exit status, findings). before: the command that the program is a part of."""
        command = [*before, programs() / "usershellctl", "--config", stack.configs["ctl"]]
        command += ["--rings", rings or stack.folder.sub("rings"), "check", "--json"]
        command += ["--settings", stack.folder.path, "--sockets", stack.folder.run]
        command += ["--authority", authority or stack.certificate.ca, "--within", str(within)]
        command += ["--metrics", metrics] if metrics else []
        done = finished(command, env=os.environ | {"PATH": f"{self.tools()}:{os.environ['PATH']}"})
        self.assertEqual(done.stderr.count("\n"), 0 if done.returncode == 0 else 1, done.stderr)
        return done.returncode, json.loads(done.stdout)

    @staticmethod
    def tools():
        """systemd's tools, which say what a test wants them to say: here there is no systemd."""
        folder = stack.folder.sub("tools")
        if not folder.exists():
            folder.mkdir()
            scripts = {"systemctl": units_are(), "journalctl": "true", "timedatectl": "echo yes", "nginx": nginx_has("")}
            for name, script in scripts.items():
                folder.joinpath(name).write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
                folder.joinpath(name).chmod(0o755)
        return folder

    def said_by(self, name, script):
        return edited(self.tools() / name, lambda _: f"#!/bin/sh\n{script}\n")


class Well(Case):
    def test_a_stack_that_runs_has_no_fault(self):
        status, findings = self.check()
        self.assertEqual([f for f in findings if f["verdict"] != "ok"], [])
        self.assertEqual(status, 0)
        subjects = "settings start separation rings server database people sockets units connections nginx address network mail clock disk"
        self.assertEqual({finding["subject"] for finding in findings}, set(subjects.split()))

    def test_roles_that_are_rejected_first_are_not_let_in(self):
        roles = stack.sql("SELECT string_agg(rolname, ',') FROM pg_roles WHERE rolname LIKE 'usershell%'")
        with edited(Path(stack.sql("SHOW hba_file")), lambda t: f"host all {roles} all reject\n{t}host all all all md5\n"):
            self.assertEqual(self.check()[0], 0)

    def test_without_systemd_its_units_are_not_judged(self):
        with self.said_by("systemctl", "echo 'System has not been booted' >&2; exit 1"):
            status, findings = self.check(metrics=self.metrics)
        self.assertEqual(self.told("usershell_check_ok").keys() & {"separation", "units", "start"}, {"start"})
        skipped = [finding["subject"] for finding in findings if finding["verdict"] == "skipped"]
        self.assertEqual((status, skipped), (0, ["separation", "units"]))

    @property
    def metrics(self):
        return stack.folder.sub("check.prom")

    def told(self, family):
        """Its samples that Prometheus would read: their values, by label."""
        families = text_string_to_metric_families(self.metrics.read_text(encoding="ascii"))
        found = [sample for each in families for sample in each.samples if sample.name == family]
        return {next(iter(each.labels.values()), ""): each.value for each in found}

    def test_prometheus_reads_what_it_finds(self):
        unit = "usershell-auth@1.service"
        other = altered(f"INSERT INTO usershell.machine_rings VALUES ('other', 'usershell_mail', 'mail', '{'0' * 32}')",
                        "DELETE FROM usershell.machine_rings WHERE machine = 'other'")  # fmt: skip
        begun = time.time()
        with self.said_by("timedatectl", "echo no"), self.said_by("systemctl", units_are(**{unit: {"NRestarts": "3"}})), other:
            _, findings = self.check(metrics=self.metrics)
        subjects = {finding["subject"] for finding in findings}
        self.assertEqual(self.told("usershell_check_ok"), {each: int(each != "clock") for each in subjects})
        self.assertEqual(self.told("usershell_check_faults"), {"": 1})
        (ended,) = self.told("usershell_check_timestamp_seconds").values()
        self.assertTrue(begun - 1 <= ended <= time.time(), ended)
        until = run(["openssl", "x509", "-noout", "-enddate", "-in", stack.certificate.certificate]).removeprefix("notAfter=")
        expiry = ssl.cert_time_to_seconds(until.strip())
        self.assertEqual(self.told("usershell_certificate_expiry_timestamp_seconds"), {"": expiry})
        self.assertEqual(self.told("usershell_unit_restarts_total"), {unit: 3})
        self.assertEqual(self.told("usershell_rings_that_differ"), {"": 1})
        told = re.findall(r"^# TYPE (\w+)", self.metrics.read_text(encoding="ascii"), re.M)
        described = (REPOSITORY / "docs" / "metrics.md").read_text(encoding="utf-8")
        self.assertEqual(set(told), set(re.findall(r"^\| `(\w+)` \| check ", described, re.M)))

    def test_without_curl_the_address_is_not_judged(self):
        _, findings = self.check(before=["/usr/bin/env", "PATH=/nonexistent"])
        (found,) = [finding for finding in findings if finding["subject"] == "address"]
        self.assertEqual(found["remedy"], "apt install curl")


    def test_a_program_says_itself_whether_it_would_start(self):
        command = [programs() / "usershell-auth", "--config", stack.configs["auth"], "--check-config"]
        command += ["--auth-secret", stack.folder.sub("rings", "auth.secret")]
        done = finished(command)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with swapped(stack.configs["auth"], f"host={stack.postgres.host}", "host=/nonexistent"):
            self.assertEqual(finished(command).returncode, 0)  # it asks no database
        with edited(stack.configs["auth"], lambda t: t + "no-such = 1\n"):
            done = finished(command)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Ausershell-auth: .*: unknown setting 'no-such'\. \[correct_setting\]\n\Z")


class Faults(Case):
    """Each row: what is done, the subject, words of the sentence, words of the remedy."""

    def rows(self):
        rings, configs = stack.folder.sub("rings"), stack.configs
        auth, manage, execute, mail = (configs[name] for name in ("auth", "manage", "execute", "mail"))
        stranger = Ring.planted("vault", "secret", Ring.load(rings / "vault.secret").installation, bytes(range(32)))
        providers = "ON usershell.providers"
        other = 'CREATE INDEX other_order ON usershell.providers (name COLLATE "en-x-icu")'
        yield edited(manage, lambda t: t + "no-such = 1\n"), "settings", "unknown setting", "editor"
        yield moved(execute), "settings", "execute.conf can't be read", "editor"
        yield edited(manage, lambda t: t + "api = true\n"), "settings", "settings api: another has usershell-manage", "api = false"
        other_name = edited(configs["ctl"], lambda t: re.sub("dbname=[^ ]+", "dbname=other", t))
        yield other_name, "settings", "settings database: another has usershellctl", "dbname="
        for each in (execute, configs["ctl"]):
            yield swapped(each, "https://", "https://other."), "settings", "different settings base-url: another has", "sed -i"
        yield edited(manage, lambda t: t + LOCAL), "settings", "different settings egress-allow", "write the same"
        yield swapped(manage, "base-url = https", "base-url = http"), "settings", "is not https", "sed -i"
        yield swapped(auth, "base-url", "#"), "settings", "of usershell-auth is empty", "address of the service"
        moved_on = edited(manage, lambda t: t + "session-idle = 60\n")
        yield moved_on, "settings", "is a setting of usershell-auth", "editor"
        yield moded(mail, 0o644), "settings", "read the password", "chmod o-r"
        for each in (manage, configs["ctl"]):
            in_database = edited(each, lambda t: re.sub("(?m)^database = .*", r"\g<0> password=secret", t))
            yield (in_database, moded(each, 0o644)), "settings", "read the password", "chmod o-r"
        yield moded(manage, 0o666), "settings", "may write", "chmod go-w"
        lists = str(programs().parent)
        yield swapped(auth, lists, "/nonexistent"), "start", "common-passwords", "reinstall"
        for path, missing in ((auth, "mail/invitation.html.tpl"), (manage, "providers.tpl")):
            yield self.template_gone(path, missing), "start", missing, "reinstall"
        for program, ring in (("auth", "auth.secret"), ("opener", "web.public"), ("mail", "mail.secret"), ("manage", "vault.public")):
            yield moved(rings / ring), "start", f"usershell-{program} does not start", "from your copy"
        yield moved(rings / "vault.secret"), "rings", "vault.secret", "from your copy"
        yield moded(rings / "mail.secret", 0o604), "rings", "everybody may read this secret file", "chmod 600"
        yield moded(rings / "vault.secret", 0o640), "rings", "Others than its owner may use", "chmod 600"
        yield moded(rings / "web.public", 0o664), "rings", "group may write", "chmod 644"
        yield moded(rings / "vault.public", 0o600), "rings", "not readable by the programs", "chmod 644"
        swapped_rings = edited(rings / "vault.secret", lambda _: (rings / "web.secret").read_text())
        yield swapped_rings, "rings", "vault.secret", "from your copy"
        newer = f"VALUES ('{'a' * 32}', 'vault')"
        older = altered(f"INSERT INTO usershell.ring_keys {newer}", f"DELETE FROM usershell.ring_keys WHERE (id, role) = ({newer[8:-1]})")
        yield older, "rings", f"{'a' * 32} is in no ring of this machine", "older than the installation's"
        yield moved(rings / "auth.secret"), "rings", "auth.secret", "from your copy"
        others = edited(rings / "vault.secret", lambda _: stranger.text())
        yield others, "rings", "do not hold the same keys", "ring activate"
        forgotten = altered("DELETE FROM usershell.ring_keys WHERE role = 'web'", self.keys("web"))
        yield forgotten, "rings", "does not know", "from your copy"
        away = swapped(configs["ctl"], f"host={stack.postgres.host}", "host=/nonexistent")
        yield away, "server", "there is no socket in /nonexistent", "restart postgresql"
        elsewhere = edited(configs["ctl"], lambda t: re.sub("(?m)^database = .*", r"\g<0> port=1", t))
        yield elsewhere, "server", "not 1.", "port = 1"
        typing = edited(configs["ctl"], lambda t: re.sub("(?m)^database = .*", "database = a connection string", t))
        yield typing, "settings", "no libpq connection string", "editor"
        no_role = swapped(configs["ctl"], "user=usershell_owner", "user=usershell_nobody")
        yield no_role, "database", "does not exist", "usershellctl init"
        for statement, back, sentence, remedy in (
            ("INSERT INTO usershell.migrations (name, checksum, oldest_program) VALUES ('9999_future', '', '9.9.9')",
             "DELETE FROM usershell.migrations WHERE name = '9999_future'", "9999_future", "Install it"),
            (f"REVOKE SELECT (name) {providers} FROM usershell_manage",
             f"GRANT SELECT (name) {providers} TO usershell_manage",
             "missing in the database", f"GRANT SELECT (name) {providers} TO usershell_manage"),
            (f"GRANT SELECT {providers} TO usershell_auth", f"REVOKE SELECT {providers} FROM usershell_auth",
             "nothing of ours has granted", f"REVOKE SELECT {providers} FROM usershell_auth"),
            (f"GRANT SELECT {providers} TO usershell_mail", f"REVOKE SELECT {providers} FROM usershell_mail",
             "nothing of ours has granted", f"REVOKE SELECT {providers} FROM usershell_mail"),
            ("ALTER TABLE usershell.providers DISABLE ROW LEVEL SECURITY",
             "ALTER TABLE usershell.providers ENABLE ROW LEVEL SECURITY",
             "missing in the database", "ENABLE ROW LEVEL SECURITY"),
            ("ALTER TABLE usershell.users DISABLE TRIGGER redraw_stamp",
             "ALTER TABLE usershell.users ENABLE TRIGGER redraw_stamp",
             "missing in the database", "ENABLE TRIGGER redraw_stamp"),
            ("ALTER ROLE usershell_execute BYPASSRLS", "ALTER ROLE usershell_execute NOBYPASSRLS",
             "may do more than connect", "usershellctl init"),
            ("ALTER ROLE usershell_mail NOLOGIN", "ALTER ROLE usershell_mail LOGIN", "may not log in", "usershellctl init"),
            ("GRANT usershell_execute TO usershell_manage", "REVOKE usershell_execute FROM usershell_manage",
             "is a member of another role", "usershellctl init"),
            ("ALTER ROLE usershell_auth VALID UNTIL 'infinity'", "ALTER ROLE usershell_auth VALID UNTIL '-infinity'",
             "may log in with a password", "usershellctl init"),
            ("ALTER ROLE usershell_manage SET default_transaction_read_only = on", "ALTER ROLE usershell_manage RESET default_transaction_read_only",
             "usershell_manage has settings of its own", "usershellctl init"),
            ("ALTER FUNCTION texteq(text, text) LEAKPROOF", "ALTER FUNCTION texteq(text, text) NOT LEAKPROOF",
             "Functions are leakproof", "usershellctl init"),
            ("ALTER DATABASE usershell SET row_security = off", "ALTER DATABASE usershell RESET row_security",
             "switched off for the whole database", "usershellctl init"),
            (f"{other}; UPDATE pg_collation SET collversion = '0' WHERE collname = 'en-x-icu'",
             'DROP INDEX usershell.other_order; ALTER COLLATION "en-x-icu" REFRESH VERSION',
             "order of letters is another", "REINDEX TABLE CONCURRENTLY usershell.providers"),
        ):  # fmt: skip
            yield altered(statement, back), "database", sentence, remedy
        newest = stack.sql("SELECT name, checksum, oldest_program FROM usershell.migrations ORDER BY name DESC LIMIT 1").split("|")
        of_newest = f"usershell.migrations WHERE name = '{newest[0]}'"
        back = f"INSERT INTO usershell.migrations (name, checksum, oldest_program) VALUES {tuple(newest)}"
        yield altered(f"DELETE FROM {of_newest}", back), "database", f"what the migration {newest[0]} makes", "INSERT INTO usershell.migrations"
        schema_gone = altered("ALTER TABLE usershell.migrations RENAME TO away", "ALTER TABLE usershell.away RENAME TO migrations")
        yield schema_gone, "database", "has no schema yet", "usershellctl migrate"
        lock = stack.postgres.session("BEGIN; LOCK TABLE usershell.rights")
        yield lock, "database", "lock timeout", "pg_terminate_backend(PID)"
        limit = "ALTER DATABASE usershell CONNECTION LIMIT"
        yield altered(f"{limit} 90", f"{limit} -1"), "server", "a limit of 90", 'ALTER DATABASE "usershell" CONNECTION LIMIT -1'
        lines, identities = (Path(stack.sql(f"SHOW {name}_file")) for name in ("hba", "ident"))
        for file, line, sentence in (
            (lines, "local all", "can't use this line"),
            (identities, "usershell nobody", "can't use this line"),
            (identities, "usershell usershell-manage usershell_execute", "usershell-manage may connect as usershell_execute"),
        ):  # fmt: skip
            yield edited(file, lambda t, line=line: f"{t}{line}\n"), "server", sentence, f"{file} && systemctl reload postgresql"
        for line in ("host all all 192.0.2.0/24 scram-sha-256", "hostnossl usershell +usershell_auth all ident"):
            let_in = edited(lines, lambda t, line=line: f"{t}{line}\nhost all all all reject\n")
            yield let_in, "database", "lets the role usershell_auth in by TCP", "usershellctl init"
        mapped = edited(identities, lambda t: f"{t}usershell root usershell_owner\n")
        yield mapped, "server", "usershell_auth is let in at the socket by", f"{lines} && systemctl reload postgresql"
        disabled = "UPDATE usershell.users SET is_disabled"
        nobody = altered(f"{disabled} = true", f"{disabled} = false WHERE email <> ''")
        yield nobody, "people", "Nobody can sign in", "user add"
        for pool in ("auth", "execute"):
            closing = in_place_of(stack.pools[pool], socket.socket.close)
            yield closing, "address", f"usershell-{pool} is not there", f"restart usershell-{pool}.socket"
            yield without(stack.pools[pool]), "sockets", f"{pool}.sock", f"restart usershell-{pool}.socket"
        yield moded(stack.pools["manage"].path, 0o666), "sockets", "Others on this machine", "chmod 660"
        yield moded(stack.pools["opener"].path, 0o660), "sockets", "Others on this machine", "chmod 600"
        yield without(stack.pools["opener"]), "sockets", "opener.sock", "restart usershell-opener.socket"
        inactive, failed = {"ActiveState": "inactive", "SubState": "dead"}, {"ActiveState": "failed"}
        for unit in ("usershell-mail.service", "usershell-auth.socket", "nginx.service", "usershell.target", "usershell-addresses.timer"):
            yield self.units(**{unit: inactive}), "units", f"{unit} is inactive", f"systemctl enable {unit} && "
        first = "usershell-execute@1.service"
        yield self.units(**{first: failed}), "units", f"{first} has failed.", f"journalctl -u {first}"
        for properties, sentence, remedy in (
            ({"UnitFileState": "disabled"}, "gone after a reboot", "systemctl enable usershell-auth.socket"),
            ({"LoadState": "masked", "ActiveState": "inactive"}, "is masked", "systemctl unmask usershell-auth.socket"),
            ({"LoadState": "bad-setting"}, "does not take the files", "systemd-analyze verify"),
            ({"NeedDaemonReload": "yes"}, "have changed since", "daemon-reload"),
        ):  # fmt: skip
            yield self.units(**{"usershell-auth.socket": properties}), "units", sentence, remedy
        yield self.units(**{first: {"ExecMainStartTimestamp": "@1"}}), "units", "is older than", "reload usershell-execute"
        again = {"ActiveState": "activating", "SubState": "auto-restart", "InvocationID": "1"}
        yield self.units(**{first: again | {"Result": "oom-kill"}}), "units", "no memory left", f"restart {first}"
        for journal, sentence, remedy in (
            (r'start failed error="template \"x\" is a string" remedy="reinstall"', 'template "x" is a string', "reinstall"),
            ('start failed error="a string" remedy="unknown"', "a string", f"journalctl -u {first}"),
        ):  # fmt: skip
            said = self.said_by("journalctl", f"echo earlier; echo '{journal}'")
            yield (said, self.units(**{first: again})), "units", sentence, remedy
        reported = "UPDATE usershell.machine_rings SET fingerprint = '%s' WHERE ring = 'vault' AND program = 'usershell_manage'"
        kept = stack.sql("SELECT fingerprint FROM usershell.machine_rings WHERE ring = 'vault' AND program = 'usershell_manage'")
        running = self.units(**{"usershell-manage.service": {}, "usershell-manage@1.service": {}})
        yield (altered(reported % ("0" * 32), reported % kept), running), "units", "usershell-manage has another vault ring", "reload usershell-manage"
        masked = self.units(**{"usershell-execute.service": {}, first: inactive | {"LoadState": "masked"}})
        yield masked, "units", "No process of usershell-execute runs", f"unmask {first}"
        yield self.units(**{first: {"LimitNOFILE": "20"}}), "units", "may open 20 files only", "LimitNOFILE="
        for sentence, remedy in (("may open 2", "max_connections"), ("The role usershell_manage may have", "usershellctl init")):
            yield edited(manage, lambda t: t + "database-connections = 200\n"), "connections", sentence, remedy
        in_both = [edited(each, lambda t: t + LOCAL) for each in (manage, execute)]
        slices = self.units(**{"usershell-execute.slice": {}, first: {"IPAddressAllow": "10.20.30.41/32 ::1/128"}})
        yield (*in_both, slices), "network", "from 10.20.30.40, which egress-allow", "IPAddressAllow="
        yield self.said_by("timedatectl", "echo no"), "clock", "Nothing sets", "timesyncd"
        nowhere = swapped(manage, f":{stack.https_port}", f":{stack.closed.rpartition(':')[2]}")
        yield nowhere, "address", "is not reached", "ln -sf"
        yield self.said_by("nginx", "echo 'nginx: [emerg] a fault in /etc/x:3' >&2; exit 1"), "nginx", "again: a fault in /etc/x:3", "nginx -t"
        for said, sentence, remedy in (
            (nginx_has("", without=SITE), "no site of usershell", "ln -sf"),
            (nginx_has("worker_connections 8;"), "8 connections a worker", "worker_connections 768"),
            (nginx_has("set_real_ip_from 0.0.0.0/0;"), "Every client may say", "sed -i"),
            (nginx_has("listen 443 ssl proxy_protocol;"), "no load balancer is named", "s/ proxy_protocol//"),
            (nginx_has("upstream usershell_auth {\n server unix:/run/usershell/manage.sock;"), "asks for usershell_auth at", "auth.sock"),
            (nginx_has("server_name other.example.com;", without="server_name localhost;"), "the name localhost", "other.example.com"),
        ):  # fmt: skip
            yield self.said_by("nginx", said), "nginx", sentence, remedy
        with_tokens = [edited(each, lambda t: t + "api = true\n") for each in (auth, manage, execute)]
        yield with_tokens, "nginx", "does not pass /v1 on", "include usershell/api.conf"
        wrong = swapped(mail, "smtp-password = ", "smtp-password = x")
        yield wrong, "mail", "does not let us in", "smtp-password"
        other_ca = "smtp-ca = /etc/ssl/certs/ca-certificates.crt"
        yield edited(mail, lambda t: re.sub("smtp-ca = .*", other_ca, t)), "mail", "does not let us in", "smtp-ca"
        yield swapped(mail, "smtp-from", "#"), "mail", "smtp-from is empty", "mail.conf"
        waits = altered(
            "INSERT INTO usershell.outbox (owner_id, id, kind, sealed, attempts, next_attempt_at, reason) "
            "SELECT id, gen_random_uuid(), 'notice', '', 5, now() + interval '1 hour', '450: not now' "
            "FROM usershell.users WHERE email <> '' LIMIT 1",
            "DELETE FROM usershell.outbox WHERE reason = '450: not now'",
        )  # fmt: skip
        yield waits, "mail", "in 5 attempts: 450: not now", "usershellctl mail retry"
        queues = edited(auth, lambda t: t + f"mail-public = {rings}/mail.public\n")
        yield (queues, swapped(mail, "smtp-url", "#")), "mail", "queued and never sent", "mail.conf"
        down = meanwhile(stack.mail.go_down, stack.mail.come_up)
        yield down, "mail", "does not let us in", "smtp-url"

    def units(self, **changes):
        return self.said_by("systemctl", units_are(**changes))

    @contextlib.contextmanager
    def template_gone(self, config, name):
        copy = stack.folder.sub("templates")
        shutil.copytree(REPOSITORY / "templates", copy)
        copy.joinpath(name).unlink()
        try:
            with edited(config, lambda text: re.sub("templates = .*", f"templates = {copy}", text)):
                yield
        finally:
            shutil.rmtree(copy)

    def keys(self, role):
        """The statement that puts that ring's keys back."""
        known = stack.sql(f"SELECT id FROM usershell.ring_keys WHERE role = '{role}'").split()
        return "; ".join(f"INSERT INTO usershell.ring_keys VALUES ('{key}', '{role}')" for key in known)

    def test_each_is_found_with_its_remedy(self):
        for planted, subject, sentence, remedy in self.rows():
            with self.subTest(sentence=sentence, remedy=remedy), contextlib.ExitStack() as while_planted:
                for each in planted if isinstance(planted, (tuple, list)) else (planted,):
                    while_planted.enter_context(each)
                faults = self.faults(subject)
                self.assertTrue([f for f in faults if sentence in f["what"] and remedy in f["remedy"]], faults)
        self.assertEqual(self.check()[0], 0)  # all is as before

    def faults(self, subject, **options):
        """Those of that subject that a check finds."""
        status, findings = self.check(**options)
        self.assertEqual(status, 1)
        return [f for f in findings if (f["verdict"], f["subject"]) == ("FAULT", subject)]

    def told(self, subject, **options):
        """Their sentences and remedies, as one text."""
        return "\n".join(f"{f['what']} {f['remedy']}" for f in self.faults(subject, **options))

    def test_with_the_database_down_it_says_that_one_thing(self):
        with swapped(stack.configs["ctl"], f"host={stack.postgres.host}", "host=/nonexistent"):
            _, findings = self.check()
        self.assertEqual([f["subject"] for f in findings if f["verdict"] == "FAULT"], ["server"])
        unseen = [f["subject"] for f in findings if f["verdict"] == "skipped"]
        self.assertEqual(unseen, ["database", "people", "connections", "address"])

    def test_a_file_that_is_not_understood_says_nothing_of_mail(self):
        with edited(stack.configs["mail"], lambda t: t + "no-such = 1\n"), edited(stack.configs["auth"], lambda t: f"{t}mail-public = x\n"):
            self.assertEqual(self.faults("mail"), [])

    def test_connections_of_others_are_not_the_programs(self):
        def left():
            return int(re.search(r"PostgreSQL has (\d+) connections", str(self.check()[1]))[1])

        before = left()
        with contextlib.ExitStack() as others:
            for _ in range(10):
                others.enter_context(stack.postgres.session("SELECT 1"))
            self.assertLess(left(), before - 5)  # one that has just ended may count

    def test_a_program_that_never_answers(self):
        held = []  # connections that are never answered
        with in_place_of(stack.pools["auth"], held.append):
            said = self.told("address", within=16)
        self.assertIn("usershell-auth does not answer", said)
        self.assertIn("systemctl restart usershell-auth.service", said)

    def test_what_there_is_no_time_to_ask_is_no_fault(self):
        status, findings = self.check(within=1)
        self.assertEqual(status, 0)
        late = {f["subject"]: f["what"] for f in findings if f["verdict"] == "skipped"}
        self.assertEqual(late, dict.fromkeys(("mail", "address"), "The rest was not asked"))

    def test_a_unit_that_serves_no_request_hides_nothing(self):
        with self.units(**{"usershell-mail.service": {"ActiveState": "failed"}}), swapped(stack.configs["manage"], f":{stack.https_port}", f":{stack.closed.rpartition(':')[2]}"):
            _, findings = self.check()
        self.assertLessEqual({"units", "address"}, {f["subject"] for f in findings if f["verdict"] == "FAULT"})

    @unittest.skipUnless(os.geteuid() == 0, "only root may mount")
    def test_name_servers(self):
        config = stack.folder.sub("resolv.conf")
        config.write_text("nameserver 127.99.99.99\n", encoding="ascii")
        wrapped = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/resolv.conf && exec "$@"', config]
        where = "WHERE base_url LIKE '%/v1' RETURNING 1"
        provider(stack.newcomer(), "https://api.example.com/v1", models=())
        self.addCleanup(stack.sql, f"DELETE FROM usershell.providers {where}")
        with self.units(**{"usershell-execute.slice": {"IPAddressAllow": "127.0.0.0/16"}}):
            said = self.told("network", before=wrapped)
        self.assertIn("No name server answers for api.example.com", said)
        self.assertIn("from the name server 127.99.99.99. systemctl start usershell-addresses", said)

    def test_a_certificate_that_nobody_trusts(self):
        said = self.told("address", authority="/etc/ssl/certs/ca-certificates.crt")
        self.assertIn("that browsers trust", said)

    def test_a_site_that_is_not_ours_with_a_certificate_near_its_end(self):
        folder = stack.folder.sub("impostor")
        folder.mkdir()
        key, certificate = folder / "key.pem", folder / "certificate.pem"
        command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3 -subj /CN=localhost"
        command += f" -addext subjectAltName=DNS:localhost -keyout {key} -out {certificate}"
        run(command.split())
        other = self.told_of(impostor(certificate, key), certificate)
        self.assertIn("The certificate ends in 2 days. certbot renew", other)
        self.assertIn("shows another site than usershell's. ln -sf", other)
        changed = self.told_of(impostor(certificate, key, ("X-Content-Type-Options", "nosniff")), certificate)
        for words in (
            "/user/vault answers 200 in place of 404. apt install --reinstall",
            "without good headers: cross-origin-opener-policy, referrer-policy, strict-transport-security, x-request-id.",
            "/user/providers/test-batch does not come by the way of usershell-execute",
        ):
            self.assertIn(words, changed)

    def told_of(self, site, certificate):
        with site as port, swapped(stack.configs["manage"], f":{stack.https_port}", f":{port}"):
            return self.told("address", authority=certificate)

    def test_a_clock_that_is_not_the_databases(self):
        said = self.told("clock", before=["faketime", "-f", "+90s"])
        self.assertIn("The database's clock and this machine's differ by", said)
        self.assertIn("On both machines", said)

    @unittest.skipUnless(os.geteuid() == 0, "only root may mount")
    def test_a_disk_that_is_full(self):
        script = 'mount -t tmpfs -o size=1m none "$0" && cp -p "$1"/* "$0"; fallocate -l 1000000 "$0/full"; shift; exec "$@"'
        folder = stack.folder.sub("full-rings")
        folder.mkdir()
        wrapped = ["unshare", "--mount", "sh", "-c", script, folder, stack.folder.sub("rings")]
        self.assertIn("du -x", self.told("disk", before=wrapped, rings=folder))

    @unittest.skipUnless(os.geteuid() == 0, "only root may give files away")
    def test_a_file_of_somebody_else(self):
        for path, subject in ((stack.folder.sub("rings", "web.secret"), "rings"), (stack.configs["execute"], "settings")):
            with owned(path, NOBODY):
                faults = self.faults(subject)
            self.assertTrue(any("another user than root" in fault["what"] for fault in faults), faults)
