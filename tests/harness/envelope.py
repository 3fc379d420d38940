"""The envelope and the ring files a second time, from docs/security.md alone: by OpenSSL (Debian's
python3-cryptography) and hashlib, with no libsodium and nothing of the service's own code. Tests
open with it what the service sealed, seal what the service opens, and forge what it must refuse."""

import base64
import hashlib
import secrets
import struct
import zlib
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

VERSION = 1
KINDS = {"key": 1, "mail": 2, "vault entry": 3}
HEADER_SIZE = 66
PADDING = 128
SIGNATURE_SIZE = 64


class Unopened(Exception):
    """It did not open; the text says at which step."""


def length_prefixed(*fields):
    raw = [field.encode() if isinstance(field, str) else field for field in fields]
    return b"".join(struct.pack(">I", len(field)) + field for field in raw)


def split_fields(record):
    fields = []
    while record:
        (size,) = struct.unpack_from(">I", record)
        if len(record) < 4 + size:
            raise Unopened("record")
        fields.append(record[4 : 4 + size])
        record = record[4 + size :]
    return fields


def blake2b(message, size=32, key=b""):
    return hashlib.blake2b(message, digest_size=size, key=key).digest()


def _base62(number, count):
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    return "".join(digits[number // 62**place % 62] for place in reversed(range(count)))


def access_token_of(selector, secret):
    """The text of an access token with these parts."""
    text = "ush_" + _base62(int.from_bytes(selector + secret, "big"), 60)
    return text + _base62(zlib.crc32(text.encode()), 6)


def token_verifier(installation, selector, secret):
    """The proof that a program presents to the database for it."""
    return blake2b(length_prefixed("usershell token verifier 1", installation, selector), key=secret)


def _raw(public_key):
    return public_key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def x25519_public(secret):
    return _raw(X25519PrivateKey.from_private_bytes(secret).public_key())


def signing_key(seed):
    return Ed25519PrivateKey.from_private_bytes(blake2b(length_prefixed("sign", ""), key=seed))


def signing_public(seed):
    return _raw(signing_key(seed).public_key())


def fingerprint(role, installation, public_key):
    return blake2b(length_prefixed("usershell ring key 1", role, installation, public_key), 16)


def _rotated(value, bits):
    return ((value << bits) | (value >> (32 - bits))) & 0xFFFFFFFF


def _quarter(state, a, b, c, d):
    for into, other, mixed, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        state[into] = (state[into] + state[other]) & 0xFFFFFFFF
        state[mixed] = _rotated(state[mixed] ^ state[into], bits)


def hchacha20(key, nonce):
    """draft-irtf-cfrg-xchacha, section 2.2."""
    state = list(struct.unpack("<16I", b"expand 32-byte k" + key + nonce))
    for _ in range(10):
        for column in range(4):
            _quarter(state, column, 4 + column, 8 + column, 12 + column)
        for a, b, c, d in ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            _quarter(state, a, b, c, d)
    return struct.pack("<8I", *state[:4], *state[12:])


def xchacha(key, nonce=bytes(24)):
    """XChaCha20-Poly1305: ChaCha20-Poly1305 under the subkey that the nonce's first 16 bytes give,
    with the last 8 after four zeros as its nonce."""
    return ChaCha20Poly1305(hchacha20(key, nonce[:16]))


_NONCE = bytes(12)


def envelope_key(secret, public, kind, installation, ring_key_id, ephemeral, ring_public, owner):
    product = X25519PrivateKey.from_private_bytes(secret).exchange(X25519PublicKey.from_public_bytes(public))
    context = length_prefixed("usershell envelope 1", kind, installation, ring_key_id, ephemeral, ring_public, owner)
    return blake2b(context, key=product)


@dataclass
class Ring:
    """A ring file. keys: id (bytes) → 32 bytes."""

    role: str
    half: str
    installation: str
    active: bytes
    keys: dict

    @classmethod
    def load(cls, path):
        text = path.read_text(encoding="ascii")
        lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
        (_, _, role, half, installation), *rows = lines
        keys = {bytes.fromhex(row[0]): base64.b64decode(row[1], validate=True) for row in rows}
        (active,) = (bytes.fromhex(row[0]) for row in rows if row[3] == "active")
        return cls(role, half, installation, active, keys)

    def text(self):
        """The file, as its readers want it."""
        lines = [f"usershell-ring 1 {self.role} {self.half} {self.installation}"]
        for key_id, key in self.keys.items():
            status = "active" if key_id == self.active else "kept"
            encoded = base64.b64encode(key).decode()
            lines.append(f"{key_id.hex()} {encoded} 2026-01-31T12:00:00Z {status}")
        return "\n".join(lines) + "\n"

    @classmethod
    def planted(cls, role, half, installation, secret):
        """A whole file of one key, from 32 secret bytes: what somebody would put in place of ours."""
        public = signing_public(secret) if role in ("web", "auth") else x25519_public(secret)
        key_id = fingerprint(role, installation, public)
        key = secret if half == "secret" else public
        return cls(role, half, installation, key_id, {key_id: key})


@dataclass
class Header:
    kind: str
    ring_key_id: bytes
    signer: bytes
    ephemeral: bytes

    @classmethod
    def parse(cls, envelope):
        words = {number: word for word, number in KINDS.items()}
        if len(envelope) < HEADER_SIZE or envelope[0] != VERSION or envelope[1] not in words:
            raise Unopened("header")
        kind = words[envelope[1]]
        return cls(kind, envelope[2:18], envelope[18:34], envelope[34:66])

    def __bytes__(self):
        start = bytes([VERSION, KINDS[self.kind]])
        return start + self.ring_key_id + self.signer + self.ephemeral


def padded(record):
    record += b"\x80"
    return record + bytes(-len(record) % PADDING)


def unpadded(record):
    return record.rstrip(b"\0")[:-1]


def _cipher(secret, public, header, installation, recipient, owner):
    ids = (header.kind, installation, header.ring_key_id, header.ephemeral)
    return xchacha(envelope_key(secret, public, *ids, recipient, owner))


def _wrapped(plain, header, ephemeral_secret, installation, recipient, owner):
    cipher = _cipher(ephemeral_secret, recipient, header, installation, recipient, owner)
    return bytes(header) + cipher.encrypt(_NONCE, plain, bytes(header))


def _unwrapped(ring_secret, owner, envelope):
    """Header, and signature and record, nothing of which is looked at."""
    header = Header.parse(envelope)
    if header.ring_key_id not in ring_secret.keys:
        raise Unopened("ids")
    secret = ring_secret.keys[header.ring_key_id]
    where = (ring_secret.installation, x25519_public(secret), owner)
    try:
        cipher = _cipher(secret, header.ephemeral, header, *where)
        return header, cipher.decrypt(_NONCE, envelope[HEADER_SIZE:], envelope[:HEADER_SIZE])
    except (InvalidTag, ValueError) as error:
        raise Unopened(type(error).__name__) from error


def signed_message(installation, header, record):
    return length_prefixed("usershell signature 1", header.kind, installation, header.signer, blake2b(record))


def sign(seed, installation, header, record):
    """The signature of a padded record."""
    return signing_key(seed).sign(signed_message(installation, header, record))


def seal(kind, signer, ring_public, owner, fields, seed=None):
    """An envelope as usershell-manage makes it. seed: signs with this one instead of the ring's."""
    ephemeral_secret = secrets.token_bytes(32)
    installation, ring_key_id = signer.installation, ring_public.active
    header = Header(kind, ring_key_id, signer.active, x25519_public(ephemeral_secret))
    record = padded(length_prefixed("usershell record 1", kind, installation, owner, *fields))
    signature = sign(seed or signer.keys[signer.active], installation, header, record)
    recipient = ring_public.keys[ring_key_id]
    return _wrapped(signature + record, header, ephemeral_secret, installation, recipient, owner)


def resealed(ring_secret, ring_public, envelope, owner, new_owner):
    """The record of one owner, as it was signed, sealed for another: what somebody can do who opens
    envelopes and has no key that signs."""
    old, plain = _unwrapped(ring_secret, owner, envelope)
    ephemeral_secret = secrets.token_bytes(32)
    header = Header(old.kind, ring_public.active, old.signer, x25519_public(ephemeral_secret))
    where = (ring_public.installation, ring_public.keys[ring_public.active], new_owner)
    return _wrapped(plain, header, ephemeral_secret, *where)


def open_envelope(ring_secret, signers, owner, envelope):
    """The record's own fields, after the owner; Unopened when any check fails."""
    header, plain = _unwrapped(ring_secret, owner, envelope)
    if header.signer not in signers.keys:
        raise Unopened("ids")
    installation = ring_secret.installation
    try:
        verifier = Ed25519PublicKey.from_public_bytes(signers.keys[header.signer])
        message = signed_message(installation, header, plain[SIGNATURE_SIZE:])
        verifier.verify(plain[:SIGNATURE_SIZE], message)
    except (InvalidSignature, ValueError) as error:
        raise Unopened(type(error).__name__) from error
    fields = split_fields(unpadded(plain[SIGNATURE_SIZE:]))
    common = ("usershell record 1", header.kind, installation, owner)
    if fields[:4] != [field.encode() for field in common]:
        raise Unopened("record")
    return fields[4:]
