"""The package and its units say what the sources say: version, what it takes to build, who is given which secret,
and how much of the machine a program is left with."""

import json
import re
import subprocess
import unittest

from harness.folders import REPOSITORY
from harness.processes import finished

PROGRAMS = {
    "auth": ("usershell-auth@.service", ["auth.secret"], 0.6),
    "manage": ("usershell-manage@.service", ["web.secret"], 0.6),
    "execute": ("usershell-execute@.service", [], 1.5),
    "opener": ("usershell-opener@.service", ["vault.secret"], 0.6),
    "mail": ("usershell-mail.service", ["mail.secret", "mail.conf"], 1.5),
    "rewrap": ("usershell-rewrap.service", ["vault.secret", "vault.public", "web.public"], 0.6),
    "resign": ("usershell-resign@.service", ["web.secret"], 0.6),
}
SERVING = ("auth", "manage", "execute", "opener", "mail")


HARDENING = "usershell-.service.d/00-hardening.conf"
SERVICES = sorted(path.name for path in (REPOSITORY / "systemd").glob("*.service"))


def text(path):
    return (REPOSITORY / path).read_text(encoding="utf-8")


def directives(unit):
    return set(re.findall(r"^(\w+)=", text(f"systemd/{unit}"), re.M))


def security(unit, *options):
    """What systemd makes of a unit with the drop-ins beside it."""
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", *options, f"systemd/{unit}"]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=REPOSITORY).stdout


class Package(unittest.TestCase):
    def test_its_version_is_the_programs(self):
        packaged = re.match(r"usershell \((\d+\.\d+\.\d+)", text("deploy/debian/changelog"))[1]
        self.assertEqual(packaged, re.search(r"VERSION (\S+) ", text("CMakeLists.txt"))[1])

    def test_a_release_takes_no_words_that_sed_would_read_otherwise(self):
        for number, maintainer, said in (("0.1", "A <a@b.org>", "three numbers"), ("0.1.0", "A <a|e@b.org>", "Name <address>")):
            done = finished([REPOSITORY / "deploy" / "release", number, maintainer, "key"])
            self.assertEqual(done.returncode, 1)
            self.assertIn(said, done.stderr)

    def test_readme_installs_it_as_the_manual_does(self):
        block = r"```sh\n(apt install .*?)```"
        self.assertEqual(re.search(block, text("README.md"), re.S)[1], re.search(block, text("docs/operations.md"), re.S)[1])

    def test_what_builds_it_builds_it_here(self):
        asked = re.search(r"^Build-Depends:(.*?)^\S", text("deploy/debian/control"), re.M | re.S)[1]
        names = {re.split(r"[ (]", each.strip())[0] for each in asked.split(",")}
        ours = set(re.findall(r"^(\S+)(?: \| \S+)? +# ", text("dev"), re.M))
        debian_only = {"debhelper-compat", "dh-sequence-installsysusers", "po-debconf", "libpq-dev"}
        self.assertEqual(names - ours - debian_only, set())

    def test_maintainer_scripts_end_at_the_first_failure(self):
        for script in ("postinst", "prerm", "postrm"):
            lines = text(f"deploy/debian/usershell.{script}").splitlines()
            self.assertEqual(lines[:2], ["#!/bin/sh", "set -e"], script)
            self.assertIn("#DEBHELPER#", lines, script)

    def test_each_program_has_a_manual_page(self):
        made = text("cmake/manual.cmake")
        pages = re.findall(r'Program::(\w+), "(\d)"', text("ctl/manual/manual.cpp"))
        self.assertGreaterEqual(len(pages), 4)
        for program, section in pages:
            name = "usershellctl" if program == "ctl" else f"usershell-{program}"
            self.assertIn(f" {name}.{section}", made)


class Units(unittest.TestCase):
    def test_each_program_is_given_its_own_secrets(self):
        for unit, secrets, _ in PROGRAMS.values():
            given = re.findall(r"^LoadCredential=([^:]+):", text(f"systemd/{unit}"), re.M)
            self.assertEqual(given, secrets, unit)

    def test_each_has_a_page_of_its_own(self):
        """ctl's is that of the units that run it, too."""
        for name, (unit, given, _) in PROGRAMS.items():
            page = text(f"lib/{name}/README.md" if name in SERVING else "ctl/README.md")
            rings = re.search(r"^\| Rings \|.*$", page, re.M)[0]
            self.assertIn(f"`systemd/{unit}`", page)
            self.assertEqual([ring for ring in given if not ring.endswith(".conf") and f"`{ring}`" not in rings], [], name)
            for path in re.findall(r"`([\w.@-]+/[\w./@-]+)`", page):
                self.assertTrue((REPOSITORY / path).exists(), path)

    def test_processes_that_share_a_socket_do_not_wait_in_accept(self):
        for name in SERVING[:4]:
            self.assertIn("\nNonBlocking=yes\n", text(f"systemd/usershell-{name}@.service"))

    def test_each_tells_its_operators(self):
        for name in SERVING:
            words = text(f"systemd/{PROGRAMS[name][0]}")
            self.assertRegex(words, rf"(?m)^Sockets=(\S+ )?usershell-{name}-metrics\.socket$")
            self.assertIn(f" --metrics-folder %t/usershell-{name}\n", words)
            self.assertIn("\nFileDescriptorName=metrics\n", text(f"systemd/usershell-{name}-metrics.socket"))

    def test_each_has_a_user_of_its_own(self):
        users = [re.search(r"^User=(\S+)", text(f"systemd/{unit}"), re.M)[1] for unit, _, _ in PROGRAMS.values()]
        self.assertEqual(users, [f"usershell-{name}" for name in PROGRAMS])
        made = re.findall(r"^u (\S+)", text("systemd/usershell.sysusers"), re.M)
        self.assertLessEqual(set(users), set(made))

    def test_how_much_each_can_reach(self):
        for unit, _, most in PROGRAMS.values():
            exposure = float(re.search(r"exposure level for \S+ ([0-9.]+)", security(unit))[1])
            self.assertLessEqual(exposure, most, unit)

    def test_each_is_confined_by_what_is_written_once(self):
        hardening = directives(HARDENING)
        self.assertLess({"NoNewPrivileges", "CapabilityBoundingSet", "ProtectSystem", "LimitCORE"}, hardening)
        self.assertNotIn("RemoveIPC", hardening)  # usershell-backup.service has PostgreSQL's user
        for unit in SERVICES:
            self.assertEqual(directives(unit) & hardening, set(), unit)
            found = {each["name"]: each["set"] for each in json.loads(security(unit, "--json=short"))}
            asked = {name: held for name, held in found.items() if name.split("=")[0] in hardening}
            self.assertLess(len(hardening) - len({name.split("=")[0] for name in asked}), 7)  # what the tool knows not of
            self.assertEqual([name for name, held in asked.items() if held is False], [], unit)

    def test_what_runs_outside_of_it(self):
        """The commands of units without a user, which talk to systemd or look at all of it, and those that find addresses out."""
        outside = {unit: set(re.findall(r"^Exec\w+=\+(\S+)", text(f"systemd/{unit}"), re.M)) for unit in SERVICES}
        pools = {f"usershell-{name}.service": {"/usr/lib/usershell/restart-pool"} for name in SERVING[:4]}
        addresses = {"/usr/lib/usershell/restrict-addresses"}
        others = {f"usershell-{name}.service": addresses for name in ("addresses", "execute@", "mail")}
        others["usershell-check.service"] = {"/usr/bin/usershellctl"}
        others["usershell-upgrade.service"] = {"/usr/lib/usershell/restart-all"}
        self.assertEqual({unit: commands for unit, commands in outside.items() if commands}, pools | others)

    def test_a_stream_may_end_before_its_process_is_killed(self):
        """nginx waits as long for the longest call."""
        stop = re.search(r"^TimeoutStopSec=(\d+)s", text("systemd/usershell-execute@.service"), re.M)[1]
        self.assertIn(f"fastcgi_read_timeout {stop}s;", text("deploy/nginx/snippets/execute.conf"))

    def test_nginx_waits_for_longer_than_a_provider_may_be_silent(self):
        most = re.search(r"^\| `upstream-silence-timeout` .* 1 to ([\d,]+) \|$", text("docs/contract.md"), re.M)[1]
        waits = re.search(r"fastcgi_read_timeout (\d+)s;", text("deploy/nginx/snippets/api.conf"))[1]
        self.assertLess(int(most.replace(",", "")), int(waits))
