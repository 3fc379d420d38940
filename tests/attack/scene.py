"""The scene of the thieves: one running stack, in it Ada with all that is hers, and Eve, whose session and password the
thief has; the thief's connection to the database, and a program in the place of a worker."""

import contextlib
import functools
import json
import os
import secrets
import socket
import struct
import threading
import unittest

from book import stopped
from harness.envelope import Ring, Unopened, blake2b, length_prefixed, open_envelope, seal
from harness.fastcgi import END, PARAMS, STDIN, STDOUT, record, records, stream
from harness.scenes import CALLS, account, owner_of, provider
from harness.servers.postgres import DATABASE
from harness.suite import shared_stack

ADAS_KEY = "sk-ada-4b1c7e90f2a83d560bd1"
ACCOUNTS_KEY = "sk-account-91d3c20a77be45f6"
EVES_KEY = "sk-eve-5a0e6b3c18d7f294"
MAIL_ID = "5f6f1c0e-0000-4000-8000-0000000000aa"
HELD_BACK = "The provider now points to another address. Enter the key again."
DAMAGED = "The stored key is damaged. Enter the key again."
MOVED = "The stored key belongs to another record. Enter the key again."
NO_RING = "The key ring that protects this key is not available. Ask your administrator, or enter the key again."


def presented(client):
    """What usershell-execute hands to the database when that person calls: a hash of the cookie's token."""
    return "\\x" + blake2b(length_prefixed("calls", client.cookies[CALLS])).hex()


class Scene:
    def __init__(self):
        self.stack = shared_stack(settings=[("api", "true")], auth=1, manage=1, execute=1, mail=True)
        self.ada, self.eve = self.stack.newcomer(), self.stack.newcomer("Eve")
        self.base_url = f"{self.stack.stub.url}/tenant-a/v1"
        self.adas = provider(self.ada, self.base_url, ADAS_KEY, name="Of Ada")
        self.account = account(self.ada, self.adas, ACCOUNTS_KEY, "Second")
        self.eves = provider(self.eve, self.base_url, EVES_KEY, name="Of Eve")
        self.ada_id, self.eve_id = (owner_of(self.stack, made) for made in (self.adas, self.eves))
        self.facts = {"ada": self.ada_id, "eve": self.eve_id, "adas": self.adas, "eves": self.eves}
        self.facts |= {"account": self.account, "email": self.ada.email, "url": self.base_url}

    def envelope(self):
        """Ada's key as it is stored."""
        column = "encode(sealed_key, 'hex')"
        row = f"SELECT {column} FROM usershell.providers WHERE id = '{self.adas}'"
        return bytes.fromhex(self.stack.sql(row))

    def mail_envelope(self):
        """A mail to Ada, as it waits in the outbox."""
        auth, mail = self.ring("auth.secret"), self.ring("mail.public")
        content = json.dumps({"to": self.ada.email, "subject": "s", "text": "t", "html": "h"})
        return seal("mail", auth, mail, self.ada_id, [MAIL_ID, str(2**33), content])

    def ring(self, name):
        return Ring.load(self.stack.folder.sub("rings", name))

    def present(self, role, owner):
        """The role presents a session of that person, as while it answers a request of theirs."""
        presented, other = secrets.token_hex(32), secrets.token_hex(32)
        self.stack.sql(
            "INSERT INTO usershell.sessions (owner_id, id, token_hash, auth_token_hash, calls_token_hash, antiforgery_key, "
            "auth_antiforgery_key, security_stamp, remembered, idle, max_expires_at, expires_at) SELECT id, "
            f"gen_random_uuid(), sha256('\\x{presented}'), sha256('\\x{presented}'), "
            f"'\\x{other}', '\\x{other}', '\\x{other}', security_stamp, false, '1 h', now() + interval '1 h', "
            f"now() + interval '1 h' FROM usershell.users WHERE id = '{owner}'"
        )
        role.ask(f"SELECT set_config('usershell.session', '{presented}', false)")
        return presented

    def proven(self, owner, deed, presented):
        """A sign-in for that deed, as if that person had just given the password in the session with that hash."""
        return self.stack.sql(
            "INSERT INTO usershell.sign_ins (owner_id, security_stamp, visitor_hash, deed, shown) SELECT id, security_stamp, "
            f"sha256('\\x{presented}'), '{deed}', '{{password}}' FROM usershell.users WHERE id = '{owner}' RETURNING id"
        ).split()[0]

    def as_role(self, role):
        database = Database(self.stack.postgres, role)
        unittest.addModuleCleanup(database.close)
        return database


@functools.cache
def the_scene():
    return Scene()


class Thief(unittest.TestCase):
    """who: as the book names it."""

    who = ""

    def stopped(self, tried, by):
        stopped(self.who, tried, by)

    def assert_shut(self, keys):
        """None of these opens Ada's stored key as the vault's secret key."""
        scene = the_scene()
        envelope, web = scene.envelope(), scene.ring("web.public")
        for key in keys:
            ring = Ring("vault", "secret", web.installation, envelope[2:18], {envelope[2:18]: key})
            with self.assertRaises(Unopened):
                open_envelope(ring, web, scene.ada_id, envelope)

    def keys_of(self, *names):
        return [key for name in names for key in the_scene().ring(name).keys.values()]

    def refused(self, roles, rows, facts):
        """rows: what is tried, as words and as a statement, what stops it, and what PostgreSQL says."""
        for tried, statement, (by, said) in rows:
            with self.subTest(tried=tried):
                for role in roles:
                    with self.assertRaises(Refused) as told:
                        role.attempt(statement.format(**facts))
                    self.assertRegex(str(told.exception), said)
                self.stopped(tried, by)


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


def _parameters(data):
    """Pairs, each length in one byte or, above 127, in four."""
    found, at = {}, 0
    while at < len(data):
        sizes = []
        for _ in range(2):
            size, width = data[at], 1
            if size > 127:
                size, width = struct.unpack_from(">I", data, at)[0] & 0x7FFFFFFF, 4
            sizes.append(size)
            at += width
        name, value = data[at : at + sizes[0]], data[at + sizes[0] : at + sum(sizes)]
        found[name.decode()] = value.decode()
        at += sum(sizes)
    return found


class Responder:
    """Listens at `path`. `answer` is what it says to everybody, head and body; `handed` are the
    parameters of the last request."""

    def __init__(self, path):
        self.answer = b""
        self.handed = {}
        self._path = path
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()
        os.unlink(self._path)

    def _serve(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):
                self._respond(connection)

    def _respond(self, connection):
        parameters = b""
        for kind, content in records(connection):
            if kind == PARAMS:
                parameters += content
            if kind == STDIN and not content:
                break
        self.handed = _parameters(parameters)
        connection.sendall(stream(STDOUT, self.answer) + record(END, bytes(8)))


class Answering(Thief):
    """pool: whose place it takes. kind: the media type of its answers. ask(): a request that comes there."""

    pool = kind = ""

    @classmethod
    def setUpClass(cls):
        pool = the_scene().stack.pools[cls.pool]
        pool.stop()
        cls.addClassCleanup(pool.start)
        cls.thief = Responder(pool.path)
        cls.addClassCleanup(cls.thief.close)

    def said(self, head, body=b"data", status="200 OK", kind=None):
        """What the browser gets when the thief answers that."""
        kind = self.kind if kind is None else kind
        kind = f"Content-Type: {kind}\r\n" if kind else ""
        self.thief.answer = f"Status: {status}\r\n{kind}{head}\r\n\r\n".encode() + body
        return self.ask()

    def orders(self, orders):
        for tried, header in orders:
            with self.subTest(tried=tried, header=header):
                answer = self.said(header)
                self.assertEqual((answer.status, answer.body), (200, b"data"))
                self.assertNotIn("x-accel", " ".join(name.lower() for name, _ in answer.pairs))
                self.assertNotIn("utf-7", str(answer.pairs))
                name, _, value = header.partition(": ")
                self.stopped(f"{tried} (`{name}: {value}`)", "nginx ignores it")
