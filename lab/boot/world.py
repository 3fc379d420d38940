"""The world outside a booted system: an "internet" of one address with providers and a mail server, and a private network
behind it, on a cable of their own. Nothing leaves this machine. And docs/operations.md as a script: the commands under
each heading, and which of them have been run."""

import json
import re
import subprocess
import sys

from harness.folders import REPOSITORY
from harness.processes import HarnessError, end, spawn

ADDRESS = "11.0.0.1"  # of a range that counts as public
MACHINE = "11.0.0.2"
PRIVATE = "10.20.30.40"
PORT = 8080
SMTP_PORT = 587
NAMES = f"{ADDRESS} provider.example.net mail.example.org"


class World:
    """`folder` takes the logs and the Maildir."""

    def __init__(self, folder, certificate):
        self.maildir = folder / "maildir"
        self._folder = folder
        self._certificate = certificate
        self._processes = []

    def start(self):
        holder = spawn(["unshare", "--net", "sleep", "infinity"], self._folder / "world.log")
        self._processes.append(holder)
        self._inside = ["nsenter", "-t", str(holder.pid), "-n"]
        self._wait_for_network(holder)
        self._do("ip", "link", "set", "lo", "up")
        for address in (f"{ADDRESS}/32", f"{PRIVATE}/32"):
            self._do("ip", "address", "add", address, "dev", "lo")
        for address in (ADDRESS, PRIVATE):
            self._provider(address)
        self._mail()

    def connect(self, machine):
        """Lays the cable to a machine that runs, in place of the one to another."""
        holder = self._processes[0]
        subprocess.run([*self._inside, "ip", "link", "delete", "w0"], check=False, stderr=subprocess.DEVNULL)
        machine.host("ip", "link", "add", "up0", "type", "veth", "peer", "name", "w0", "netns", holder.pid)
        self._do("ip", "link", "set", "w0", "up")
        self._do("ip", "route", "add", f"{MACHINE}/32", "dev", "w0", "src", ADDRESS)
        machine.host("ip", "address", "add", f"{MACHINE}/24", "dev", "up0")
        machine.host("ip", "link", "set", "up0", "up")
        machine.host("ip", "route", "add", "default", "via", ADDRESS)

    def _do(self, *command):
        subprocess.run([*self._inside, *command], check=True)

    def _wait_for_network(self, holder):
        """unshare(1) has done its work once it is another network than ours."""
        ours = subprocess.check_output(["readlink", "/proc/self/ns/net"])
        while subprocess.check_output(["readlink", f"/proc/{holder.pid}/ns/net"]) == ours:
            if holder.poll() is not None:
                raise HarnessError("There can be no network here.")

    def _provider(self, address):
        command = [*self._inside, sys.executable, "-B", "-m", "provider_stub", "--host", address, "--port", str(PORT)]
        provider = spawn(command, self._folder / "provider.log", stdout=subprocess.PIPE, cwd=REPOSITORY / "tests")
        json.loads(provider.stdout.readline())
        self._processes.append(provider)

    def _mail(self):
        server = ["/usr/bin/aiosmtpd", "-n", "-u", "-l", f"{ADDRESS}:{SMTP_PORT}"]
        server += ["--tlscert", self._certificate.certificate, "--tlskey", self._certificate.key]
        server += ["-c", "aiosmtpd.handlers.Mailbox", self.maildir]
        self._processes.append(spawn([*self._inside, *server], self._folder / "smtp.log"))

    def mails(self):
        """The texts of the messages that have arrived."""
        return [path.read_text(errors="replace") for path in sorted(self.maildir.glob("new/*"))]

    def stop(self):
        for process in reversed(self._processes):
            end(process)


class Manual:
    def __init__(self):
        text = (REPOSITORY / "docs" / "operations.md").read_text(encoding="utf-8")
        self._sections = {}
        for part in text.split("\n## ")[1:]:
            heading, _, body = part.partition("\n")
            self._sections[heading] = "".join(re.findall(r"```sh\n(.*?)```", body, re.DOTALL))
        self._left = {heading for heading, script in self._sections.items() if script}

    def commands(self, heading):
        """Its commands, one a line, in order; they count as run."""
        self._left.discard(heading)
        joined = self._sections[heading].replace("\\\n", "")
        return [line for line in joined.splitlines() if line]

    def left(self):
        """The headings whose commands nobody has asked for."""
        return sorted(self._left)
