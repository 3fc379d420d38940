"""A program with rings that are not its own does not start, and says why in one sentence: swapped
files, another installation's, planted ones, halves that don't belong together, files that others
could have written."""

import os
import unittest

from harness.envelope import Ring
from harness.planted import plant_file, started_with
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
        ended = started_with(stack, program, ring, path)
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

    def planted_is_refused(self, program, ring, text, said, mode=0o600):
        path = plant_file(stack, text, mode)
        self.addCleanup(path.unlink, missing_ok=True)
        self.assertRegex(self.refused(program, ring, path), said)

    def test_the_file_of_another_ring(self):
        for program, ring, path, _ in self.each():
            role, half = ring.split(".")
            other_role = "mail" if role == "vault" else "vault"
            other_half = "public" if half == "secret" else "secret"
            for other in (f"{other_role}.{half}", f"{role}.{other_half}"):
                text = path.with_name(other).read_text(encoding="ascii")
                self.planted_is_refused(program, ring, text, "this is not the ")

    def test_another_installation(self):
        for program, ring, _, _ in self.each():
            planted = Ring.planted(*ring.split("."), ELSEWHERE, SECRET)
            self.planted_is_refused(program, ring, planted.text(), "installation")

    def test_planted_keys(self):
        for program, ring, _, ours in self.each():
            planted = Ring.planted(*ring.split("."), ours.installation, SECRET)
            unknown = f"does not know.*{planted.active.hex()}|{planted.active.hex()}.*does not know"
            self.planted_is_refused(program, ring, planted.text(), unknown)
            ours.keys |= planted.keys  # beside our own
            self.planted_is_refused(program, ring, ours.text(), "does not know")

    def test_a_key_under_anothers_id(self):
        for program, ring, _, ours in self.each():
            planted = Ring.planted(*ring.split("."), ours.installation, SECRET)
            ours.keys[ours.active] = planted.keys[planted.active]
            self.planted_is_refused(program, ring, ours.text(), "the key is not the one that its id names")

    def test_files_that_others_can_write(self):
        for program, ring, _, ours in self.each():
            for mode in (0o620, 0o602):
                self.planted_is_refused(program, ring, ours.text(), "may write this file", mode)
            if ring.endswith("secret"):
                self.planted_is_refused(program, ring, ours.text(), "may read this secret file", 0o604)

    @unittest.skipUnless(os.geteuid() == 0, "only root may give files away")
    def test_files_of_another_user(self):
        for program, ring, _, ours in self.each():
            path = plant_file(stack, ours.text())
            self.addCleanup(path.unlink, missing_ok=True)
            os.chown(path, STRANGER, STRANGER)
            self.assertIn("belongs to another user", self.refused(program, ring, path))
