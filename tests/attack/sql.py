"""PostgreSQL's own protocol (version 3, simple queries) as far as a thief needs it: one connection, kept
for hundreds of attempts, that shows all of an error, its detail and hint besides its first line."""

import socket
import struct

from harness.servers.postgres import DATABASE

_VERSION = 3 << 16


class Refused(Exception):
    """An error of the database. Its text is all that it says."""

    def __init__(self, fields):
        super().__init__(" ".join(fields[code] for code in "MDHW" if code in fields))
        self.state = fields["C"]


class Database:
    """As one role. The socket is this cluster's; who it lets in as whom is not attacked here."""

    def __init__(self, postgres, role):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(f"{postgres.host}/.s.PGSQL.5432")
        self._stream = self._socket.makefile("rb")
        words = f"user\0{role}\0database\0{DATABASE}\0\0".encode()
        self._socket.sendall(struct.pack(">II", len(words) + 8, _VERSION) + words)
        self._answer()

    def close(self):
        self._stream.close()
        self._socket.close()

    def ask(self, statement):
        """The rows, each a list of texts (None: NULL); of COPY its lines. Refused when it fails."""
        words = statement.encode() + b"\0"
        self._socket.sendall(b"Q" + struct.pack(">I", len(words) + 4) + words)
        return self._answer()

    def one(self, statement):
        """The only column of the only row."""
        ((value,),) = self.ask(statement)
        return value

    def attempt(self, statement):
        """As ask(), undone afterwards."""
        try:
            self.ask("BEGIN")
            return self.ask(statement)
        finally:
            self.ask("ROLLBACK")

    def _answer(self):
        rows, error = [], None
        while True:
            kind, size = struct.unpack(">cI", self._stream.read(5))
            body = self._stream.read(size - 4)
            if kind == b"D":
                rows.append(list(_columns(body)))
            elif kind == b"d":
                rows.append([body.decode()])
            elif kind == b"E":
                error = {part[:1].decode(): part[1:].decode() for part in body.split(b"\0") if part}
            elif kind == b"Z":
                if error:
                    raise Refused(error)
                return rows


def _columns(body):
    at = 2
    for _ in range(struct.unpack_from(">H", body)[0]):
        (size,) = struct.unpack_from(">i", body, at)
        at += 4
        yield None if size < 0 else body[at : at + size].decode()
        at += max(size, 0)
