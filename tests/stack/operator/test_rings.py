"""A program does not start with rings that are not its own, and logs the reason in one sentence. The
forms and owners of the files: unit_crypto."""

import unittest

from harness.envelope import Ring
from harness.planted import plant_file, started_with
from harness.suite import shared_stack

ELSEWHERE = "5f6f1c0e-0000-4000-8000-00000000000b"
SECRET = bytes(range(32))


def setUpModule():
    global stack
    stack = shared_stack(manage=2, execute=2, mail=True)


class Rings(unittest.TestCase):
    RINGS = {
        "auth": ("auth.secret", "mail.public"),
        "manage": ("vault.public", "web.secret"),
        "execute": ("vault.secret", "web.public"),
        "mail": ("mail.secret", "auth.public"),
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

    def planted_is_refused(self, program, ring, text, said):
        path = plant_file(stack, text)
        self.addCleanup(path.unlink, missing_ok=True)
        self.assertRegex(self.refused(program, ring, path), said)

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
