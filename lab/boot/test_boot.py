"""The package on a Debian that is really booted, as docs/operations.md has it: installed, signed in to in a
browser, restarted under load, probed from inside each unit, upgraded, backed up, lost and restored, removed.

./dev boot-test runs it; what was done and what came of it is in build/boot/transcript.txt. The tests are one
story, in the order of their numbers.
"""

import functools
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from browser.visits import ask as send, sign_in
from harness.browser import Browser
from harness.client import Client
from harness.folders import REPOSITORY
from harness.passkey import Passkey, add_passkey, challenge_in
from harness.scenes import ROUTE, SECURITY, access_token, ask, frames_of, listed, provider
from harness.servers.certificate import Certificate
from faults import FAULTS
from machine import Machine, older_package, own_hosts, package, root_archive, why_not
from world import ADDRESS, MACHINE, NAMES, PORT, PRIVATE, Manual, World

NAME = "keys.example.com"
EMAIL, PASSWORD = "ada@example.com", "correct horse battery"
WORDS = " ".join(f"w{i}" for i in range(40))
PSQL = "cd /; runuser -u postgres -- psql -XqAt -v ON_ERROR_STOP=1 -d usershell -c"
APT_UPDATE = "apt-get update --option Dir::Etc::SourceList=/etc/apt/sources.list.d/usershell.list --option Dir::Etc::SourceParts=-"
POOLS = {"auth": 1, "manage": 1, "execute": 1, "opener": 1}  # and their processes

# Stands for certbot, which would ask the internet: the certificate is that of the test's authority.
CERTBOT = f"""#!/bin/sh
mkdir -p /etc/letsencrypt/live/{NAME} /etc/letsencrypt/renewal-hooks/deploy
cp /root/tls/certificate.pem /etc/letsencrypt/live/{NAME}/fullchain.pem
cp /root/tls/key.pem /etc/letsencrypt/live/{NAME}/privkey.pem
"""

# Stands for a clock that is set by the network's time.
TIMEDATECTL = "#!/bin/sh\necho yes\n"


def setUpModule():
    global manual, folder, deb, machine, world, certificate, transcript
    if reason := why_not():
        raise unittest.SkipTest(reason)
    manual = Manual()
    folder = Path(tempfile.mkdtemp(prefix="usershell-boot-", dir="/var/tmp"))
    unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
    deb = shutil.copy(package(), folder)  # another build may replace it
    transcript = open(REPOSITORY / "build" / "boot" / "transcript.txt", "w", encoding="utf-8")
    unittest.addModuleCleanup(transcript.close)
    certificate = Certificate(folder, ("DNS:" + NAME, "DNS:mail.example.org"))
    world = World(folder, certificate)
    unittest.addModuleCleanup(world.stop)
    machine = boot("usershell-boot", transcript)
    world.start()
    world.connect(machine)
    machine.enter_network()
    own_hosts(folder, [f"127.0.0.1 {NAME}"])


def boot(name, transcript):
    """A system with the package's file, and with the outside's names."""
    made = Machine(folder, name, transcript)
    unittest.addModuleCleanup(made.remove)
    made.make(root_archive(deb, older_package()))
    home = made.root / "root"
    shutil.copy(deb, home)
    shutil.copytree(folder, home / "tls", ignore=lambda _, names: [n for n in names if not n.endswith(".pem")])
    for name, script in (("certbot", CERTBOT), ("timedatectl", TIMEDATECTL)):
        tool = made.root / "usr/local/bin" / name
        tool.write_text(script)
        tool.chmod(0o755)
    shutil.copy(certificate.ca, made.root / "usr/local/share/ca-certificates/test.crt")
    with open(made.root / "etc/hosts", "a", encoding="ascii") as hosts:
        hosts.write(f"127.0.0.1 {NAME}\n{NAMES}\n")
    made.start()
    made.sh("update-ca-certificates")
    return made


def follow(heading):
    """Runs the commands of a section, answering a question for a password.
    Returns what each printed."""
    return [machine.sh(line, stdin=f"{PASSWORD}\n") for line in said(heading)]


def said(heading):
    """Its commands, without the questions that only a person can answer."""
    return [re.sub(r"^(usershellctl init\b|apt (?:install|remove)\b)", r"\1 --yes", line) for line in manual.commands(heading)]


def client():
    return Client(f"https://{NAME}", certificate.ca)


@functools.cache
def _session():
    return client().sign_in(EMAIL, PASSWORD)


def signed_in():
    """Another tab of the same browser: sign-ins are throttled."""
    return _session().clone()


def publish(package):
    """In the machine's own copy of a signed repository, from which its apt installs: as deploy/release makes one."""
    keys = folder / "gnupg"
    environment = os.environ | {"GNUPGHOME": str(keys)}
    gpg = functools.partial(subprocess.run, check=True, capture_output=True, text=True, env=environment)
    if not keys.exists():
        keys.mkdir(mode=0o700)
        unittest.addModuleCleanup(subprocess.run, ["gpgconf", "--homedir", keys, "--kill", "all"], check=True)
        gpg(["gpg", "--batch", "--passphrase", "", "--quick-generate-key", "Test <test@example.org>", "ed25519", "sign", "1y"])
    key = re.search(r"^fpr:+(\w+)", gpg(["gpg", "--with-colons", "--list-keys"]).stdout, re.M)[1]
    codename = os.environ["USERSHELL_RELEASE"]
    gpg([REPOSITORY / "deploy" / "release", "--repository", folder / "apt", key, codename, package])
    served = machine.root / "srv" / "apt"
    shutil.copytree(folder / "apt", served, dirs_exist_ok=True)
    source = f"deb [signed-by=/usr/share/keyrings/usershell.asc] file:/srv/apt {codename} main"
    machine.sh(f"cp /srv/apt/usershell.asc /usr/share/keyrings/; echo '{source}' > /etc/apt/sources.list.d/usershell.list; {APT_UPDATE}")
    return served


def person(email):
    """Another one, signed in."""
    machine.sh(f"usershellctl user add {email} --name Somebody", stdin=f"{PASSWORD}\n")
    return client().sign_in(email, PASSWORD)


def providers(client):
    return client.get(f"{ROUTE}/list").json()["providers"]


def processes(pool):
    """{instance: pid} of those that run."""
    units = machine.sh(f"systemctl list-units --plain --no-legend --state=active 'usershell-{pool}@*' | cut -d' ' -f1")
    pid = "systemctl show --property=MainPID --value"
    return {unit: machine.sh(f"{pid} {unit}") for unit in units.split()}


class Callers:
    """Threads that list and check, or read a stream to its end, while the block runs; `answers` has the statuses of the
    calls, `frames` what each stream was answered."""

    def __init__(self, provider_id=None, stream_of=None, count=3):
        self.answers, self.frames = [], []
        self._stop = threading.Event()
        works = [(self._call, provider_id)] * count if provider_id else []
        works += [(self._read, ask(stream_of, WORDS, stream=True))] * count if stream_of else []
        self._threads = [threading.Thread(target=work, args=(of,)) for work, of in works]

    def _call(self, provider_id):
        mine = signed_in()
        while not self._stop.is_set():
            self.answers.append(mine.get(f"{ROUTE}/list").status)
            self.answers.append(mine.post(f"{ROUTE}/{provider_id}/test").status)
            mine.close()  # the next one connects anew

    def _read(self, body):
        self.frames.append(frames_of(signed_in(), body))

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def ends(self):
        """Of each stream: status, whether every word has come, and what the last frame says of being done."""
        return [
            (status, WORDS in "".join(frame.get("token", "") for frame in frames), frames[-1].get("done"))
            for status, frames in self.frames
        ]


class Story(unittest.TestCase):
    def run(self, result=None):
        """After a failure the rest of the story would tell nothing."""
        if not result.wasSuccessful():
            return
        super().run(result)
        if not result.wasSuccessful():
            machine.sh("journalctl --no-pager --unit='usershell*' --unit='nginx*' | grep --invert-match 'request request_id' | tail -n 80")

    def test_01_five_commands_from_package_to_page(self):
        self.assertEqual(len(manual.commands("Install")), 5)
        follow("Install")
        machine.wait_until(f"curl --silent --insecure https://{NAME}/auth/login")  # nginx reloads by itself
        self.assertEqual(client().get("/auth/login").status, 200)
        self.assertEqual(signed_in().get(f"{ROUTE}/list").json(), {"providers": []})
        pressed = f"curl --silent --insecure --head --header 'Accept-Encoding: br' https://{NAME}/assets/app.css"
        self.assertIn("content-encoding: br", machine.sh(pressed).lower())
        for unit in ("usershell.target", "usershell-addresses.timer", "usershell-manage.socket"):
            machine.sh(f"systemctl is-active {unit}")
        for line in ("nginx -t", "usershellctl schema"):
            machine.sh(line)

    def test_02_units_are_sound(self):
        units = "$(find /lib/systemd/system -type f -name 'usershell*')"
        found = machine.sh(f"systemd-analyze verify {units} 2>&1 | grep usershell || true")
        self.assertEqual(found, "")
        names = machine.sh("basename --multiple /lib/systemd/system/usershell-*.service").replace("@.", "@1.").split()
        confined = machine.sh(f"systemctl show --property=DropInPaths {' '.join(names)}")
        self.assertEqual(confined.count("/usershell-.service.d/00-hardening.conf"), len(names), confined)

    def test_03_a_browser_signs_in_and_watches_a_stream(self):
        mine = signed_in()
        provider(mine, f"http://provider.example.net:{PORT}/slow-50/v1", name="Slow")
        browser = Browser(certificate)
        self.addCleanup(browser.close)
        browser.driver.get(f"https://{NAME}/")
        sign_in(browser, EMAIL, PASSWORD)
        browser.click("chat-provider")
        send(browser, WORDS)
        browser.wait(lambda: WORDS in browser.part("playground-answer-text").text, "the whole answer")
        self.assertEqual(browser.complaints(), [])
        browser.picture(REPOSITORY / "build" / "boot" / "signed-in.png")

    def test_04_restarts_refuse_nobody_and_break_no_stream(self):
        machine.sh("sed -i 's|# 192.0.2.10 1;|127.0.0.0/8 1;|' /etc/nginx/sites-available/usershell && systemctl reload nginx")
        mine = signed_in()
        quick = provider(mine, f"http://provider.example.net:{PORT}/v1", name="Quick")
        slow = provider(mine, f"http://provider.example.net:{PORT}/slow-200/v1", name="Slower")
        for way in ("reload", "restart"):
            before = {pool: processes(pool) for pool in POOLS}
            with Callers(quick, slow) as callers:
                time.sleep(1)  # streams are under way; nothing is decided by it
                if way == "reload":
                    follow("Changing settings")
                else:
                    machine.sh("systemctl restart usershell-opener.service usershell-auth.service usershell-manage.service usershell-execute.service")
            machine.note(f"{way}: {len(callers.answers)} calls, answered {sorted(set(callers.answers))}")
            self.assertEqual(set(callers.answers), {200}, way)
            self.assertGreater(len(callers.answers), 20)
            self.assertEqual(callers.ends(), [(200, True, True)] * 3, way)
            for pool, count in POOLS.items():
                active = f"systemctl list-units --plain --no-legend --state=active 'usershell-{pool}@*' | wc -l"
                machine.wait_until(f"[ $({active}) = {count} ]")
                after = processes(pool)
                self.assertEqual(after.keys(), before[pool].keys())
                self.assertTrue(set(after.values()).isdisjoint(before[pool].values()), pool)

    def test_04_the_successor_of_a_killed_process_serves_who_waits(self):
        mine = signed_in()
        quick = next(each["id"] for each in providers(mine) if each["name"] == "Quick")
        for pool in POOLS:
            machine.sh(f"systemctl kill --signal=KILL usershell-{pool}@1.service")
            answers = [client().get("/auth/login"), mine.get(f"{ROUTE}/list"), mine.post(f"{ROUTE}/{quick}/test")]
            self.assertEqual([each.status for each in answers], [200] * 3, pool)
            machine.wait_until(f"systemctl is-active usershell-{pool}@1.service")

    def test_04_no_crash_costs_more_than_the_first(self):
        for _ in range(6):  # systemd counts them as starts that fail
            machine.sh("systemctl kill --signal=KILL usershell-manage@1.service")
            machine.wait_until("systemctl is-active usershell-manage@1.service")
        delays = machine.sh("systemctl show --property=RestartUSec,RestartUSecNext --value usershell-manage@1.service")
        self.assertEqual(set(delays.split()), {"500ms"})

    def test_04_without_the_opener_streams_go_on(self):
        mine = signed_in()
        quick, slow = (each["id"] for name in ("Quick", "Slower") for each in providers(mine) if each["name"] == name)
        with Callers(quick, slow) as callers:
            for _ in range(5):
                time.sleep(1)  # streams are under way; nothing is decided by it
                machine.sh("systemctl kill --signal=KILL usershell-opener@1.service")
                machine.wait_until("systemctl is-active usershell-opener@1.service")
        machine.note(f"killed: {len(callers.answers)} calls, answered {sorted(set(callers.answers))}")
        self.assertEqual(callers.ends(), [(200, True, True)] * 3)
        self.assertIn(200, callers.answers)
        self.assertLessEqual(set(callers.answers), {200, 503})
        self.assertTrue(mine.post(f"{ROUTE}/{quick}/test").json()["ok"])

    def test_05_a_broken_configuration_is_refused_before_the_old_process_goes(self):
        for pool in POOLS:
            before = processes(pool)
            file = f"/etc/usershell/{pool}.conf"
            machine.sh(f"cp {file} /root/kept && echo 'database-connections = many' >> {file}")
            machine.sh(f"systemctl reload usershell-{pool}.service", status=1)
            self.assertEqual(processes(pool), before)
            why = machine.sh(f"date; journalctl --no-pager --priority=err --unit=usershell-{pool}@spare.service | tail -n 20")
            self.assertIn("database-connections must be a whole number", why)
            self.assertEqual(signed_in().get(f"{ROUTE}/list").status, 200)
            machine.sh(f"cat /root/kept > {file}; systemctl reload usershell-{pool}.service")

    def test_06_mail_reaches_the_one_server(self):
        machine.sh(
            "cp /root/tls/ca.pem /etc/usershell/mail-ca.pem; printf 'smtp-url = smtp://mail.example.org:587\\n"
            "smtp-from = usershell@example.org\\nsmtp-ca = /etc/usershell/mail-ca.pem\\n' >> /etc/usershell/mail.conf"
        )
        follow("Mail")
        self.wait_for_mails("grace@example.com", 1)

    def wait_for_mails(self, address, count):
        deadline = time.monotonic() + 60
        while sum(address in mail for mail in world.mails()) < count:
            self.assertLess(time.monotonic(), deadline, "no mail")
            time.sleep(0.2)

    # Reachable sockets and files, tried from inside the unit: its own, with another command.

    def probe(self, unit, script):
        """What a script prints that runs as the unit's program would."""
        name = unit.replace("@", "@probe") if "@" in unit else unit
        drop_in = f"/run/systemd/system/{name}.service.d"
        machine.sh(
            f"mkdir -p {drop_in}; cat > /usr/local/lib/probe; printf '[Service]\\nType=oneshot\\nRestart=no\\nWatchdogSec=0\\n"
            f"ExecStart=\\nExecStart=/bin/bash /usr/local/lib/probe\\n' > {drop_in}/probe.conf; systemctl daemon-reload",
            stdin=f"{script}exit 0\n",
        )
        since = machine.sh("date +%s.%N")
        machine.sh(f"systemctl restart {name}.service")
        machine.sh("journalctl --sync")
        output = machine.sh(f"journalctl --no-pager -o cat --since @{since} --unit {name}.service --identifier bash")
        machine.sh(f"rm -r {drop_in}; systemctl daemon-reload")
        return output

    def holds(self, unit, table):
        """Each row: a shell command, and words of what it says inside the unit."""
        script = "".join(f"echo '== {i}'; {command} 2>&1\n" for i, (command, _) in enumerate(table))
        output = self.probe(unit, script)
        parts = re.split(r"^== \d+\n?", output, flags=re.MULTILINE)[1:]
        self.assertEqual(len(parts), len(table), output)
        for part, (command, words) in zip(parts, table):
            self.assertIn(words, part, command)

    @staticmethod
    def socket(family, kind):
        return f"perl -MSocket -e 'print socket(S, {family}, {kind}, 0) ? \"made\" : \"no: $!\"; print \"\\n\"'"

    @staticmethod
    def connect(address, port):
        program = f'IO::Socket::INET->new(PeerAddr=>"{address}:{port}",Timeout=>3) ? "open" : "no: $!"'
        return f"perl -MIO::Socket::INET -e 'print {program}; print \"\\n\"'"

    @staticmethod
    def connect_to_opener():
        program = 'IO::Socket::UNIX->new(Type=>SOCK_STREAM,Peer=>"/run/usershell-opener.sock") ? "open" : "no: $!"'
        return f"perl -MIO::Socket::UNIX -MSocket -e 'print {program}; print \"\\n\"'"

    def without_a_network(self):
        refused = "no: Address family not supported"
        families = [(family, kind) for family in ("AF_INET", "AF_INET6") for kind in ("SOCK_STREAM", "SOCK_DGRAM")]
        return [(self.socket(*each), refused) for each in families] + [(self.socket("AF_UNIX", "SOCK_STREAM"), "made")]

    def test_06_from_inside_auth(self):
        self.holds("usershell-auth@", [
            *self.without_a_network(),
            ("ls $CREDENTIALS_DIRECTORY", "auth.secret"),
            ("cat /etc/usershell/rings/web.secret", "Permission denied"),
            ("cat /etc/usershell/rings/vault.secret", "Permission denied"),
            ("psql -d usershell -U usershell_manage -c 'SELECT 1'", "Peer authentication failed"),
            ("psql -d usershell -U usershell_auth -c 'SELECT 1 FROM usershell.providers'", "permission denied"),
            ("psql -d usershell -U usershell_auth -c 'SELECT 1 FROM usershell.users'", "permission denied"),
        ])  # fmt: skip

    def test_07_from_inside_manage(self):
        rings, theirs = "/etc/usershell/rings", "/run/credentials"
        self.holds("usershell-manage@", [
            *self.without_a_network(),
            ("ls $CREDENTIALS_DIRECTORY", "web.secret"),
            (f"cat {rings}/auth.secret", "Permission denied"),
            (f"cat {rings}/vault.secret", "Permission denied"),
            (f"cat {rings}/mail.secret", "Permission denied"),
            (f"cat {theirs}/usershell-opener@1.service/vault.secret", "No such file"),
            (self.connect_to_opener(), "no: Permission denied"),
            ("cat /etc/usershell/mail.conf", "Permission denied"),
            ("psql -d usershell -U usershell_execute -c 'SELECT 1'", "Peer authentication failed"),
            ("psql -d usershell -U usershell_manage -c 'SELECT sealed_key FROM usershell.accounts'", "permission denied"),
            ("touch /var/tmp/x /etc/usershell/x", "Read-only file system"),
        ])  # fmt: skip

    def test_08_from_inside_execute(self):
        self.assertEqual(machine.run("bash", "-c", self.connect(PRIVATE, PORT))[1].strip(), "open")
        self.holds("usershell-execute@", [
            (self.connect(ADDRESS, PORT), "open"),
            (self.connect(PRIVATE, PORT), "no: Connection timed out"),
            (self.connect("127.0.0.1", 80), "no: Connection timed out"),
            (self.connect(MACHINE, 443), "no: Connection timed out"),
            ("cat /etc/usershell/rings/web.secret", "Permission denied"),
            ("cat /etc/usershell/rings/vault.secret", "Permission denied"),
            (self.connect_to_opener(), "open"),
            ("psql -d usershell -U usershell_execute -c 'SELECT * FROM usershell.outbox'", "permission denied"),
            ("psql -d usershell -U usershell_opener -c 'SELECT 1'", "Peer authentication failed"),
            ("psql -d usershell -U usershell_mail -c 'SELECT 1'", "Peer authentication failed"),
        ])  # fmt: skip

    def test_08_from_inside_the_opener(self):
        self.holds("usershell-opener@", [
            *self.without_a_network(),
            ("ls $CREDENTIALS_DIRECTORY", "vault.secret"),
            ("cat /etc/usershell/rings/web.secret", "Permission denied"),
            (self.connect_to_opener(), "no: Permission denied"),
            ("psql -d usershell -U usershell_execute -c 'SELECT 1'", "Peer authentication failed"),
            ("psql -d usershell -U usershell_opener -c 'SELECT 1 FROM usershell.providers'", "permission denied"),
            ("psql -d usershell -U usershell_opener -c \"SELECT usershell.end_calls('[]')\"", "permission denied"),
        ])  # fmt: skip

    def test_09_from_inside_mail(self):
        self.holds("usershell-mail", [
            (self.connect(ADDRESS, 587), "open"),
            (self.connect(PRIVATE, PORT), "no: Connection timed out"),
            (self.connect(MACHINE, 443), "no: Connection timed out"),
            ("cat /etc/usershell/rings/vault.secret", "Permission denied"),
            ("psql -d usershell -U usershell_mail -c 'SELECT * FROM usershell.providers'", "permission denied"),
            ("psql -d usershell -U usershell_mail -c 'SELECT * FROM usershell.accounts'", "permission denied"),
        ])  # fmt: skip
        machine.sh("systemctl restart usershell-mail.service")

    def test_10_a_local_model_server_is_let_in_by_both(self):
        mine = signed_in()
        refused = mine.post(f"{ROUTE}/create", self.local())
        self.assertEqual(refused.status, 400, refused.text)
        follow("A local model server")
        made = provider(mine, self.local()["baseUrl"], name="Local")
        self.assertTrue(mine.post(f"{ROUTE}/{made}/test").json()["ok"])

    @staticmethod
    def local():
        return {"name": "Local", "type": "generic-compatible", "baseUrl": f"http://{PRIVATE}:{PORT}/v1", "apiKey": "sk-local-0123456789"}

    def test_11_certificates_are_renewed(self):
        follow("Certificates")
        machine.sh("/etc/letsencrypt/renewal-hooks/deploy/nginx")

    def test_12_rings_can_lie_encrypted(self):
        follow("Rings encrypted on disk")
        machine.sh("systemctl restart usershell-opener.service")
        machine.sh("usershellctl check && usershellctl status")
        mine = signed_in()
        local = next(p for p in mine.get(f"{ROUTE}/list").json()["providers"] if p["name"] == "Quick")
        self.assertTrue(mine.post(f"{ROUTE}/{local['id']}/test").json()["ok"])
        machine.sh("mv /root/vault.secret /etc/usershell/rings/; rm /etc/systemd/system/usershell-opener@.service.d/encrypted.conf")
        machine.sh("systemctl daemon-reload; systemctl restart usershell-opener.service")

    def test_13_more_processes(self):
        follow("Tuning")
        self.assertEqual(processes("execute").keys(), {f"usershell-execute@{i}.service" for i in (1, 2)})
        self.assertEqual(signed_in().get(f"{ROUTE}/list").status, 200)

    def test_13_a_load_balancer_may_come_before(self):
        follow("Behind a load balancer")
        ask = f"curl --silent --output /root/page --write-out '%{{http_code}}' https://{NAME}/auth/login"
        machine.wait_until(f"[ $({ask} --haproxy-protocol) = 200 ]")
        machine.sh(ask, status=35)  # without the protocol: no TLS
        machine.sh("cp -p /root/usershell.site /etc/nginx/sites-available/usershell; systemctl reload nginx")
        machine.wait_until(f"[ $({ask}) = 200 ]")

    def test_14_each_program_tells_what_its_processes_have_counted(self):
        *_, passed, checked, alive, mail, _ = follow("Watching it")
        self.assertIn('usershell_build_info{program="usershell-manage"', passed)
        self.assertIn('usershell_unit_restarts_total{unit="usershell-manage@1.service"}', checked)
        self.assertIn("alive", alive)
        execute = machine.sh("curl --silent --unix-socket /run/usershell-metrics/execute.sock http://localhost/metrics")
        self.assertIn("\nusershell_processes 2\n", execute)
        self.assertIn("\nusershell_outbox_queued 0\n", mail)
        counted = self.calls_counted()
        self.assertGreater(counted, 20)
        for way in ("reload", "restart"):
            machine.sh(f"systemctl {way} usershell-execute.service")
            self.assertGreaterEqual(self.calls_counted(), counted, way)
        asked = "curl --silent --fail --unix-socket /run/usershell-metrics/manage.sock http://localhost/health"
        machine.sh(f"cd /; runuser -u nobody -- {asked}", status=7)
        machine.sh(f"cd /; runuser -u nobody -g usershell-metrics -- {asked}")

    def test_14_prometheus_understands_its_files_and_each_alert_comes(self):
        shipped = machine.root / "usr/share/usershell/monitoring"
        for command in ("check config prometheus.yaml", "test rules alerts-test.yaml"):
            done = subprocess.run(["promtool", *command.split()], cwd=shipped, capture_output=True, text=True, check=False)
            machine.note(f"promtool {command}\n{done.stdout}{done.stderr}")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_14_tools_call_with_access_tokens(self):
        follow("Access tokens")
        token = access_token(person("carl@example.com"))
        machine.wait_until(f"[ $(curl --silent --output /dev/null --write-out '%{{http_code}}' https://{NAME}/v1/models) = 401 ]")
        self.assertEqual(client().request("GET", "/v1/models", headers={"Authorization": f"Bearer {token}"}).status, 200)

    @staticmethod
    def calls_counted():
        told = "--unix-socket /run/usershell-metrics/execute.sock http://localhost/metrics"
        lines = machine.sh(f"curl --silent --fail --retry 20 --retry-connrefused {told} | grep ^usershell_requests_total")
        return sum(float(line.rpartition(" ")[2]) for line in lines.splitlines())

    def test_15_rings_are_rotated_while_all_goes_on(self):
        mine = signed_in()
        quick, slow = (each["id"] for name in ("Quick", "Slower") for each in providers(mine) if each["name"] == name)
        old = {ring: self.active_key(ring) for ring in ("vault", "web")}
        with Callers(quick, slow) as callers:
            follow("Rotating a ring")
        machine.note(f"{len(callers.answers)} calls, answered {sorted(set(callers.answers))}")
        self.assertEqual(set(callers.answers), {200})
        self.assertEqual(callers.ends(), [(200, True, True)] * 3)
        machine.wait_until("usershellctl status | grep 'rings as here'")
        for ring, key in old.items():
            self.assertNotEqual(self.active_key(ring), key)
            machine.sh(f"usershellctl ring drop {ring} {key}")
        machine.sh("systemctl reload usershell-opener.service usershell-manage.service")
        machine.sh("systemctl is-active usershell-resign.socket", status=3)
        self.assertTrue(mine.post(f"{ROUTE}/{quick}/test").json()["ok"])
        machine.sh("usershellctl user invite grace@example.com")
        self.wait_for_mails("grace@example.com", 2)

    @staticmethod
    def active_key(ring):
        rows = json.loads(machine.sh("usershellctl ring list --json"))
        return next(row["id"] for row in rows if (row["ring"], row["state"]) == (ring, "active"))

    def test_16_what_the_manual_says_to_look_at_can_be_looked_at(self):
        follow("What is where")
        follow("Troubleshooting")
        machine.sh("usershellctl check")

    def test_16_each_fault_is_found_and_its_remedy_mends_it(self):
        for plant, words, *by_hand in FAULTS:
            with self.subTest(plant):
                machine.sh(plant)
                faults = self.faults()
                self.assertTrue([f for f in faults if words in f["what"]], faults)
                for _ in range(4):  # a cause may hide another one
                    for remedy in by_hand or [fault["remedy"] for fault in faults]:
                        machine.run("bash", "-c", "cd /root; " + remedy.replace("usershellctl init", "usershellctl init --yes"))
                    machine.wait_until("! systemctl list-jobs --no-legend | grep --quiet usershell")
                    if not (faults := self.faults()):
                        break
                self.assertEqual(faults, [])

    @staticmethod
    def faults():
        _, said = machine.run("bash", "-c", "usershellctl check --json 2>/dev/null", quiet=True)
        return [each for each in json.loads(said) if each["verdict"] == "FAULT"]

    def test_17_an_upgrade_keeps_all_and_pauses_nothing(self):
        newer = self.another_version("9.0.1")
        before = self.entered()
        old = processes("execute")
        serving = machine.sh("pgrep --full 'nginx: worker process$'")
        machine.sh("rm /root/usershell_*.deb")
        shutil.copy(newer, machine.root / "root")
        quick = next(each["id"] for each in before if each["name"] == "Quick")
        with Callers(quick) as callers:
            follow("Upgrade")
            for pid in old.values():
                machine.wait_until(f"! kill -0 {pid}")
            machine.wait_until("! systemctl --quiet is-active usershell-upgrade.service")
        self.assertNotIn(serving.split()[0], machine.sh("pgrep --full 'nginx: worker process$'").split())
        self.assertEqual(set(callers.answers), {200})
        self.assertEqual(self.entered(), before)
        self.assertTrue(set(processes("execute").values()).isdisjoint(old.values()))
        self.assertIn("9.0.1", machine.sh("dpkg-query -W usershell"))

    @staticmethod
    def entered():
        """What a person has said of their providers; calls change the rest."""
        names = ("id", "name", "type", "baseUrl", "keyHint", "models")
        return [{name: each[name] for name in names} for each in providers(signed_in())]

    def test_18_an_upgrade_does_not_touch_a_database_elsewhere(self):
        newest = "(SELECT max(name) FROM usershell.migrations)"
        kept = machine.sh(f"{PSQL} \"DELETE FROM usershell.migrations WHERE name = {newest} RETURNING name, checksum, oldest_program\"")
        name, checksum, oldest = kept.split("|")
        old = processes("manage")
        elsewhere = "database = host=127.0.0.1 dbname=usershell"
        machine.sh(f"cd /etc/usershell; cp -p ctl.conf /root/kept; sed -i 's/^database =.*/{elsewhere}/' ctl.conf")
        said_it = machine.sh("dpkg -i /root/usershell_*.deb")
        self.assertIn("The database is on another machine", said_it)
        self.assertIn("Run: usershellctl migrate", said_it)
        self.assertEqual(processes("manage"), old)
        self.assertEqual(signed_in().get(f"{ROUTE}/list").status, 200)
        machine.sh("cp -p /root/kept /etc/usershell/ctl.conf")
        machine.sh(f"{PSQL} \"INSERT INTO usershell.migrations VALUES ('{name}', '{checksum}', '{oldest}')\"")

    def test_19_an_older_package_than_the_schema_allows_is_refused(self):
        shutil.copy(deb, machine.root / "root" / "older.deb")
        future = "INSERT INTO usershell.migrations (name, checksum, oldest_program) VALUES ('9999_future', 'x', '9.0.1')"
        machine.sh(f'{PSQL} "{future}"')
        refused = machine.sh("dpkg -i /root/older.deb", status=1)
        self.assertRegex(refused, r"Programs of version \S+ can't run on this database")
        self.assertIn("9.0.1", machine.sh("dpkg-query -W usershell"))
        self.assertEqual(signed_in().get(f"{ROUTE}/list").status, 200)
        machine.sh(f"{PSQL} \"DELETE FROM usershell.migrations WHERE name = '9999_future'\"")

    def test_19_apt_upgrades_from_a_signed_repository(self):
        served = publish(self.another_version("9.0.2"))
        machine.sh("apt-get install --yes usershell")
        machine.wait_until("! systemctl --quiet is-active usershell-upgrade.service")
        self.assertIn("9.0.2", machine.sh("dpkg-query -W usershell"))
        self.assertEqual(signed_in().get(f"{ROUTE}/list").status, 200)
        with open(next(served.glob("dists/*/InRelease")), "a", encoding="ascii") as release:
            release.write("Forged: yes\n")
        # Exit status 0: what was signed before stays in use.
        self.assertIn("The repository is not updated", machine.sh(f"{APT_UPDATE} 2>&1"))

    @staticmethod
    def another_version(version):
        """The same package under another version."""
        unpacked = folder / version
        subprocess.run(["dpkg-deb", "-R", deb, unpacked], check=True)
        control = unpacked / "DEBIAN" / "control"
        control.write_text(re.sub(r"^Version: .*", f"Version: {version}", control.read_text(), flags=re.MULTILINE))
        made = folder / f"usershell_{version}_amd64.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "-b", unpacked, made], check=True, stdout=subprocess.DEVNULL)
        return made

    def test_20_a_backup_comes_back_on_a_fresh_machine(self):
        global machine
        before = signed_in()
        made = next(each["id"] for each in providers(before) if each["name"] == "Quick")
        other, key = person("bob@example.com"), Passkey(f"https://{NAME}", NAME)
        self.assertIn("recovery-codes", add_passkey(other, key).text)
        follow("Backup")
        challenge = challenge_in(other.get(SECURITY).text, "remove-passkey")
        (passkey,) = set(re.findall(rf"{SECURITY}/passkeys/([0-9a-f-]+)", other.get(SECURITY).text))
        other.form(f"{SECURITY}/remove", {"Factor": passkey, **key.show(challenge)}, page=SECURITY)
        self.assertEqual(machine.sh("usershellctl user factors bob@example.com"), "")
        for name in ("usershell.dump", "usershell-etc.tar.gz"):
            self.assertEqual((machine.root / "root" / name).stat().st_mode & 0o77, 0)
            shutil.copy(machine.root / "root" / name, folder)
        self.purge("yes")
        self.assertEqual(machine.sh("ls /etc/usershell 2>&1 || true").count("rings"), 0)
        databases = "SELECT count(*) FROM pg_database WHERE datname = 'usershell'"
        self.assertEqual(machine.sh(f'cd /; runuser -u postgres -- psql -XqAt -c "{databases}"'), "0")
        machine.remove()
        machine.note("The machine is lost. A fresh one:")
        machine = boot("usershell-fresh", transcript)
        world.connect(machine)
        machine.enter_network()
        for name in ("usershell.dump", "usershell-etc.tar.gz"):
            shutil.copy(folder / name, machine.root / "root")
        publish(folder / "usershell_9.0.2_amd64.deb")
        machine.sh("apt-get install --yes usershell")
        follow("Restore")
        machine.wait_until(f"curl --silent https://{NAME}/auth/login")  # nginx reloads by itself
        self.assertEqual(before.get(f"{ROUTE}/list").status, 401)
        _session.cache_clear()
        again = signed_in()
        self.assertIsNotNone(listed(again, made))
        self.assertTrue(again.post(f"{ROUTE}/{made}/test").json()["ok"])
        # The passkey is back. Its owner gets a mail.
        self.assertRegex(machine.sh("usershellctl user factors bob@example.com"), r"^passkey Key\t.*\nrecovery codes\t0 left")
        told = machine.sh(f'{PSQL} "SELECT count(*) FROM usershell.events WHERE kind = \'factors_restored\'"')
        self.assertEqual(told, "1")
        machine.sh("usershellctl user reset-factors bob@example.com")
        self.assertEqual(client().sign_in("bob@example.com", PASSWORD).get(f"{ROUTE}/list").status, 200)

    @staticmethod
    def purge(answer):
        """What it says. A person is asked on the terminal; here the answer comes by standard input."""
        machine.sh("apt remove --yes usershell && nginx -t")
        # Debian 13's debconf asks at a terminal only.
        asked = "DEBIAN_FRONTEND=teletype dpkg --purge usershell"
        return machine.sh(f"echo {answer} | script --quiet --return --command '{asked}' /dev/null")

    def test_21_several_machines_have_a_way_to_the_database(self):
        follow("Several machines")
        found = machine.sh("systemctl show --property=PrivateNetwork --property=IPAddressAllow usershell-manage@1.service")
        self.assertIn("PrivateNetwork=no", found)
        self.assertIn("192.0.2.21/32", found)
        machine.sh("systemctl restart usershell-opener.service usershell-auth.service usershell-manage.service")
        self.assertEqual(signed_in().get(f"{ROUTE}/list").status, 200)
        drop_ins = " ".join(f"/etc/systemd/system/usershell-{each}.service.d" for each in ("auth@", "manage@", "opener@"))
        machine.sh(f"rm -r {drop_ins}; systemctl daemon-reload")

    def test_22_removing_keeps_the_data_and_purging_asks(self):
        people = f'{PSQL} "SELECT count(*) FROM usershell.users WHERE email <> \'\'"'
        before = machine.sh(people)
        follow("Remove")
        machine.wait_until(f"! curl --silent https://{NAME}")  # nginx reloads by itself
        self.assertEqual(machine.sh("pgrep --list-full usershell- || true"), "")
        machine.sh("test -e /etc/usershell/rings/vault.secret")
        self.assertIn("Delete all that people have stored in usershell?", self.purge("no"))
        machine.sh("test -e /etc/usershell/rings/vault.secret")
        self.assertEqual(machine.sh(people), before)

    def test_23_every_command_of_the_manual_was_run(self):
        self.assertEqual(manual.left(), [])

    def test_24_a_package_leaves_the_database_of_another_commit_alone(self):
        """What runs goes on. The migrations of a release stay, so that its package will be upgraded here."""
        global machine
        machine.remove()
        machine = boot("usershell-older", transcript)
        world.connect(machine)
        machine.enter_network()
        home = machine.root / "root"
        newer = shutil.move(next(home.glob("usershell_*.deb")), home / "newer.deb")
        shutil.copy(older_package(), home)
        follow("Install")
        machine.wait_until(f"curl --silent https://{NAME}/auth/login")
        _session.cache_clear()
        provider(signed_in(), f"http://provider.example.net:{PORT}/v1", name="Quick")
        before, old = self.entered(), processes("execute")
        applied = f'{PSQL} "SELECT name, checksum FROM usershell.migrations ORDER BY name"'
        migrations = machine.sh(applied)
        said_it = machine.sh(f"apt install --yes --option Dpkg::Options::=--force-confold /root/{newer.name}")
        self.assertIn("which this program does not know: install the version that made it", said_it)
        self.assertIn("the programs that run stay the old ones", said_it)
        self.assertEqual(machine.sh(applied), migrations)
        self.assertEqual(processes("execute"), old)
        self.assertEqual(self.entered(), before)
