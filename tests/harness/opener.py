"""What usershell-execute asks usershell-opener, in its place: made from lib/opener/wire/protocol.hpp alone. An answer stays
bytes, in which a key can be looked for."""

import contextlib
import socket
import struct

from .envelope import token_verifier
from .sanitizers import patient

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_TROUBLE = 0


class Ended(Exception):
    """The opener has ended the connection."""


def number(value):
    return struct.pack(">Q", value)


def text(value):
    value = value.encode() if isinstance(value, str) else value
    return number(len(value)) + value


def maybe(value):
    return number(0) if value is None else number(1) + text(value)


def flag(value):
    return number(1 if value else 0)


def begin_call(calls_token_hash, call, provider=None, only=None, takes_turn=False):
    return number(0) + text(calls_token_hash) + text(call) + maybe(provider) + maybe(only) + flag(takes_turn)


def begin_token_call(proof, call, route="chat", network="", model=None):
    selector, verifier = proof
    words = text(call) + text(selector) + text(verifier) + text(route) + text(network)
    return number(1) + words + number(1) + number(1) + maybe(model)


def load_provider(owner, call, provider, model):
    return number(2) + text(owner) + text(call) + text(provider) + text(model) + number(1) + number(1)


def next_key(owner, call, provider, account=None, with_headers=True):
    return number(3) + text(owner) + text(call) + text(provider) + maybe(account) + flag(with_headers)


def proof_of(token, installation):
    """What is shown for an access token: selector and verifier."""
    value = 0
    for digit in token[4:64]:
        value = value * 62 + _DIGITS.index(digit)
    parts = value.to_bytes(44, "big")
    return parts[:12], token_verifier(installation, parts[:12], parts[12:])


class Opener:
    """A connection to its socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(patient(30))
        self.socket.connect(str(path))

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, request):
        self.socket.send(request)

    def receive(self):
        """The bytes of an answer; None where the store has found no right to it. Ended, AssertionError for trouble."""
        answer, more = b"", True
        while more:
            try:
                packet = self.socket.recv(1 << 16)
            except ConnectionError as error:
                raise Ended from error
            if not packet:
                raise Ended
            more, answer = packet[0] == 0, answer + packet[1:]
        kind, found = struct.unpack(">QQ", answer[:16])
        assert kind != _TROUBLE, found
        return answer[16:] if found else None

    def ask(self, request):
        self.send(request)
        return self.receive()


@contextlib.contextmanager
def opener_of(stack):
    """A connection in the place of usershell-execute."""
    with Opener(stack.pools["opener"].path) as opener:
        yield opener
