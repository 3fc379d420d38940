"""The vectors of docs/security.md come out of the second implementation, too."""

import unittest

from harness import envelope
from harness.envelope import Ring
from harness.folders import REPOSITORY


def vectors():
    text = (REPOSITORY / "docs" / "security.md").read_text(encoding="utf-8")
    values, name = {}, ""
    for line in text.split("```vectors\n")[1].split("```")[0].splitlines():
        if line.startswith("  "):
            values[name] += line.strip()
        else:
            name, _, value = line.partition(" =")
            values[name] = value.strip()
    return values


class Vectors(unittest.TestCase):
    def setUp(self):
        self.values = vectors()
        secrets = {"vault": "vault secret key", "web": "web seed", "auth": "auth seed", "mail": "mail secret key"}
        self.rings = {
            (role, half): Ring.planted(role, half, self.values["installation"], self.bytes(secrets[role]))
            for role in secrets
            for half in ("secret", "public")
        }
        self.web = self.rings["web", "secret"]
        self.owner = self.values["owner"]
        self.ephemeral = self.bytes("ephemeral secret key")

    def bytes(self, name):
        return bytes.fromhex(self.values[name])

    def test_public_halves_and_ids(self):
        for (role, half), ring in self.rings.items():
            self.assertEqual(ring.active.hex(), self.values[f"{role} key id"])
            if half == "public":
                self.assertEqual(ring.keys[ring.active], self.bytes(f"{role} public key"))
        self.assertEqual(envelope.x25519_public(self.ephemeral), self.bytes("ephemeral public key"))

    def check(self, kind, signer, ring, names):
        fields = [self.values[name] for name in names]
        sealed = self.bytes(f"sealed {kind}")
        public = self.rings[ring, "public"]
        made = envelope.seal(kind, self.rings[signer, "secret"], public, self.owner, fields, self.ephemeral)
        self.assertEqual(made, sealed)
        secret, signers = self.rings[ring, "secret"], self.rings[signer, "public"]
        opened = envelope.open_envelope(secret, signers, self.owner, sealed)
        self.assertEqual([field.decode() for field in opened], fields)
        with self.assertRaises(envelope.Unopened):
            envelope.open_envelope(secret, signers, envelope.GLOBAL_OWNER, sealed)

        header, recipient = envelope.Header.parse(sealed), public.keys[public.active]
        bound_to = (self.values["installation"], header.ring_key_id, header.ephemeral, recipient, self.owner)
        key = envelope.envelope_key(self.ephemeral, recipient, kind, *bound_to)
        self.assertEqual(key, self.bytes(f"envelope key of the {kind}"))

    def test_a_key(self):
        self.check("key", "web", "vault", ("provider", "account", "type", "base url", "key"))

    def test_a_mail(self):
        self.check("mail", "auth", "mail", ("mail", "valid until", "content"))

    def test_an_avatar(self):
        seed = self.web.keys[self.web.active]
        key = envelope.blake2b(envelope.length_prefixed("avatar", self.owner), key=seed)
        self.assertEqual(key, self.bytes("avatar key"))
        sealed, ring_key = self.bytes("sealed avatar"), self.web.active
        self.assertEqual((sealed[:1], sealed[1:17]), (b"\x01", ring_key))
        nonce, row = sealed[17:41], self.values["avatar row"]
        bound_to = envelope.length_prefixed(b"\x01", ring_key, self.owner, row)
        image = envelope.xchacha(key, nonce).decrypt(bytes(4) + nonce[16:], sealed[41:], bound_to)
        self.assertEqual(image.decode(), self.values["image"])

    def test_hchacha20_is_that_of_the_draft(self):
        nonce = bytes.fromhex("000000090000004a0000000031415927")
        subkey = "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc"
        self.assertEqual(envelope.hchacha20(bytes(range(32)), nonce).hex(), subkey)
