"""A program with rings that are not its own does not start, and says why in one sentence: swapped
files, another installation's, planted ones, halves that don't belong together, files that others
could have written."""

import os
import subprocess
import unittest

from harness.envelope import Ring
from harness.sanitizers import patient
from harness.suite import shared_stack

STRANGER = 65534
ELSEWHERE = "5f6f1c0e-0000-4000-8000-00000000000b"
SECRET = bytes(range(32))


def setUpModule():
    global stack
    stack = shared_stack(manage=2, execute=2, mail=True)


class Rings(unittest.TestCase):
    RINGS = {
        "manage": ("vault.public", "web.secret", "mail.public"),
        "execute": ("vault.secret", "web.public"),
        "mail": ("mail.secret", "web.public"),
    }

    def refused(self, program, ring, path):
        """The sentence with which it ends when `path` is given for that ring."""
        command = [*map(str, stack.pool_command(program))]
        command[command.index(f"--{ring.replace('.', '-')}") + 1] = str(path)
        if program != "mail":
            command += ["--socket", str(stack.folder.sub("unused.sock"))]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=patient(30), check=False)
        self.assertEqual(ended.returncode, 1, ended)
        self.assertEqual(ended.stderr.count("\n"), 1, ended.stderr)
        self.assertIn("start failed", ended.stderr)
        return ended.stderr

    def each(self):
        """Every ring of every program, with its file's content."""
        for program, rings in self.RINGS.items():
            for ring in rings:
                path = stack.folder.sub("rings", ring)
                yield program, ring, path, Ring.load(path)

    def write(self, text, mode=0o600):
        path = stack.folder.sub("planted")
        path.write_text(text, encoding="ascii")
        path.chmod(mode)
        self.addCleanup(path.unlink, missing_ok=True)
        return path

    def test_the_file_of_another_ring(self):
        for program, ring, path, _ in self.each():
            role, half = ring.split(".")
            other_role = "mail" if role == "vault" else "vault"
            other_half = "public" if half == "secret" else "secret"
            for other in (f"{other_role}.{half}", f"{role}.{other_half}"):
                text = path.with_name(other).read_text(encoding="ascii")
                self.assertIn("this is not the ", self.refused(program, ring, self.write(text)))

    def test_another_installation(self):
        for program, ring, _, _ in self.each():
            planted = Ring.planted(*ring.split("."), ELSEWHERE, SECRET)
            said = self.refused(program, ring, self.write(planted.text()))
            self.assertRegex(said, "installation")

    def test_planted_keys(self):
        for program, ring, _, ours in self.each():
            planted = Ring.planted(*ring.split("."), ours.installation, SECRET)
            said = self.refused(program, ring, self.write(planted.text()))
            self.assertIn("does not know", said)
            self.assertIn(planted.active.hex(), said)
            ours.keys |= planted.keys  # beside our own
            self.assertIn("does not know", self.refused(program, ring, self.write(ours.text())))

    def test_a_key_under_anothers_id(self):
        for program, ring, _, ours in self.each():
            planted = Ring.planted(*ring.split("."), ours.installation, SECRET)
            ours.keys[ours.active] = planted.keys[planted.active]
            said = self.refused(program, ring, self.write(ours.text()))
            self.assertIn("the key is not the one that its id names", said)

    def test_files_that_others_can_write(self):
        for program, ring, _, ours in self.each():
            for mode in (0o620, 0o602):
                said = self.refused(program, ring, self.write(ours.text(), mode))
                self.assertIn("may write this file", said)
            if ring.endswith("secret"):
                said = self.refused(program, ring, self.write(ours.text(), 0o604))
                self.assertIn("may read this secret file", said)

    @unittest.skipUnless(os.geteuid() == 0, "only root may give files away")
    def test_files_of_another_user(self):
        for program, ring, _, ours in self.each():
            path = self.write(ours.text())
            os.chown(path, STRANGER, STRANGER)
            self.assertIn("belongs to another user", self.refused(program, ring, path))
