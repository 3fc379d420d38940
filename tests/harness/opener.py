"""What usershell-execute asks usershell-opener, in its place: made from lib/opener/wire/protocol.hpp alone. The rows of an
answer stay bytes, in which a key can be looked for."""

import socket
import struct

from .envelope import token_verifier
from .sanitizers import patient

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ROWS_FOLLOW = 0


class Ended(Exception):
    """The opener has ended the connection."""


def number(value):
    return struct.pack(">Q", value)


def text(value):
    if value is None:
        return number(0)
    value = value.encode() if isinstance(value, str) else value
    return number(len(value) + 1) + value


def question(statement, *values):
    return number(statement) + b"".join(map(text, values))


def flag(value):
    return "t" if value else "f"


def begin_call(calls_token_hash, call, provider=None, only=None, takes_turn=False):
    return question(0, calls_token_hash, call, provider, only, flag(takes_turn))


def begin_token_call(proof, call, route="chat", network="", model=None, tokens="1"):
    return question(1, *proof, call, route, network, tokens, tokens, model)


def load_provider(owner, call, provider, model, tokens="1"):
    return question(2, owner, call, provider, model, tokens, tokens)


def next_key(owner, call, provider, account=None, with_headers=True):
    return question(3, owner, call, provider, account, flag(with_headers))


def proof_of(token, installation):
    """What is shown for an access token: selector and verifier."""
    value = 0
    for digit in token[4:64]:
        value = value * 62 + _DIGITS.index(digit)
    parts = value.to_bytes(44, "big")
    return parts[:12], token_verifier(installation, parts[:12], parts[12:])


class Opener:
    """Its socket: a connection for each question."""

    def __init__(self, path):
        self.path = str(path)

    def ask(self, request):
        """The bytes of an answer; None where the store has found no right to it. Ended, AssertionError for trouble."""
        answer = b""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(patient(30))
            connection.connect(self.path)
            connection.sendall(number(len(request)) + request)
            try:
                while piece := connection.recv(1 << 16):
                    answer += piece
            except ConnectionError as error:
                raise Ended from error
        if not answer:
            raise Ended
        size, state, columns = struct.unpack(">QQQ", answer[:16] + (answer[16:24] or number(0)))
        assert size == len(answer) - 8, size
        assert state == _ROWS_FOLLOW, state
        rest = answer[24:]
        for _ in range(columns):
            size = struct.unpack(">Q", rest[:8])[0]
            rest = rest[7 + size :]
        rows = struct.unpack(">Q", rest[:8])[0]
        return rest[8:] if rows else None


def opener_of(stack):
    """In the place of usershell-execute."""
    return Opener(stack.pools["opener"].path)
