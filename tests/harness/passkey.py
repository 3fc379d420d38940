"""A passkey in software: the bytes of an authenticator are python3-fido2's, and the signatures python3-cryptography's."""

import base64
import hashlib
import json
import re
import secrets

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from fido2.cose import ES256, RS256, EdDSA

try:
    from fido2.webauthn import AttestedCredentialData, AuthenticatorData
except ImportError:  # before version 1
    from fido2.ctap2 import AttestedCredentialData, AuthenticatorData

from .scenes import SECURITY

NEW = f"{SECURITY}/passkey"
PRESENT, VERIFIED, ELIGIBLE, BACKED_UP, ATTESTED = 0x01, 0x04, 0x08, 0x10, 0x40


def coded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _key(algorithm):
    if algorithm == -8:
        return ed25519.Ed25519PrivateKey.generate(), EdDSA
    if algorithm == -257:
        return rsa.generate_private_key(65537, 2048), RS256
    return ec.generate_private_key(ec.SECP256R1()), ES256


class Passkey:
    """Of the site `origin`. Flags and what is signed can be overridden, as a forger's would be."""

    def __init__(self, origin, rp_id, algorithm=-7, flags=PRESENT | VERIFIED):
        self.origin, self.rp_id, self.algorithm, self.flags = origin, rp_id, algorithm, flags
        self.id = secrets.token_bytes(32)
        self.counter = 0
        self._private, self._cose = _key(algorithm)

    def _client_data(self, kind, challenge, **more):
        data = {"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False, **more}
        return json.dumps({name: value for name, value in data.items() if value is not None}).encode()

    def _data(self, flags, rp_id=None, credential=b""):
        return bytes(AuthenticatorData.create(hashlib.sha256((rp_id or self.rp_id).encode()).digest(), flags, self.counter, credential))

    def _sign(self, data):
        if self.algorithm == -8:
            return self._private.sign(data)
        if self.algorithm == -257:
            return self._private.sign(data, padding.PKCS1v15(), hashes.SHA256())
        return self._private.sign(data, ec.ECDSA(hashes.SHA256()))

    def register(self, challenge, flags=None, **client):
        """The fields of the form that adds it."""
        public = self._private.public_key()
        credential = AttestedCredentialData.create(bytes(16), self.id, self._cose.from_cryptography_key(public))
        return {
            "NewClientData": coded(self._client_data("webauthn.create", challenge, **client)),
            "NewAuthenticatorData": coded(self._data((flags or self.flags) | ATTESTED, credential=credential)),
            "NewPublicKey": coded(public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)),
            "NewAlgorithm": str(self.algorithm),
            "NewChallenge": challenge,
        }

    def show(self, challenge, flags=None, rp_id=None, **client):
        """The fields of a form that is sent by it."""
        client_data = self._client_data("webauthn.get", challenge, **client)
        data = self._data(self.flags if flags is None else flags, rp_id)
        return {
            "Credential": coded(self.id),
            "ClientData": coded(client_data),
            "AuthenticatorData": coded(data),
            "Signature": coded(self._sign(data + hashlib.sha256(client_data).digest())),
            "Challenge": challenge,
        }


def challenge_in(page, testid=None):
    """Of a new passkey; else of the button that uses one."""
    place = rf'data-challenge="([\w-]+)"[^>]*data-testid="{testid}"' if testid else r'data-creates data-challenge="([\w-]+)"'
    return re.search(place, page)[1]


def add_passkey(person, key, **fields):
    """Registers it by the password."""
    made = key.register(challenge_in(person.get(NEW).text))
    return person.form(NEW, {"Name": "Key", "CurrentPassword": person.password, **made, **fields}, page=SECURITY)
