"""Everything that runs: PostgreSQL, the schema, the rings, the provider stub, the programs, nginx.

Tests use it as a context manager, with a temporary folder and free ports; `./dev up` (__main__.py)
keeps one in .dev/.
"""

import contextlib
import functools
import itertools
import re
import secrets
import subprocess

from .servers.certificate import Certificate
from .client import Client
from .folders import REPOSITORY, Folder, build
from .scenes import hidden_fields
from .servers.mail import MailServer
from .servers.nginx import Nginx
from .servers.pool import Pool
from .ports import bound, claim
from .servers.postgres import DATABASE, OWNER, Postgres
from .processes import HarnessError, run, wait_until
from .servers.stub import Stub

DEMO_EMAIL = "demo@example.com"
_PROGRAMS = {name: f"usershell-{name}" for name in ("auth", "manage", "execute", "opener", "mail")}
_PROGRAMS["ctl"] = "usershellctl"
_LISTS = ("egress-allow", "catalogue-base-url")
_QUICK_PASSWORDS = [("password-opslimit", "1"), ("password-memlimit", "8388608")]


def _filled(value, facts):
    for mark, fact in facts.items():
        value = str(value).replace(mark, fact)
    return value


def programs():
    """The folder of the programs under test."""
    return build() / "bin"


@functools.cache
def settings_of(program):
    """The names of the settings that it reads; it refuses those of others."""
    dump = run([programs() / program, "--dump-config", "--config", "/dev/null"])
    return set(re.findall(r"^(?:# )?([a-z-]+) (?:=|is not set)", dump, re.MULTILINE))


class Stack:
    """settings: (name, value) pairs, which go into the files of the programs that read them (`configs`)
    and win over the stack's own; those that may be repeated come on top of them; {stub} in a value
    stands for the stub's address, {closed} for `closed`: an address, host:port, that may be called
    and where nobody listens. durable: PostgreSQL really writes. limits: nginx's request limits hold for the tests, too. https_ports,
    http_ports, stub_port: what is tried first, 0 for any free one. stub_tls: the stub listens with
    TLS besides. mail: there is a mail server, too, and usershell-mail sends the service's mail to
    it; mail_port and mail_password as those of the others. connections: as nginx's."""

    def __init__(
        self, folder=None, settings=(), auth=2, manage=2, execute=4, durable=False, limits=False, https_ports=(0,),
        http_ports=(0,), stub_port=0, stub_tls=False, mail=False, mail_port=0, mail_password=None, connections=4096,
    ):
        self.folder = Folder(folder)
        self._settings = [*([] if durable else _QUICK_PASSWORDS), *settings]
        self._sizes = {"auth": auth, "manage": manage, "execute": execute}
        self._limits = limits
        self._connections = connections
        self._ports = (https_ports, http_ports)
        self._ends = contextlib.ExitStack()  # what to undo, last first
        self.configs = {name: self.folder.sub(f"{name}.conf") for name in _PROGRAMS}
        where = (self.folder.sub("postgres"), self.folder.run / "postgres", self.folder.log("postgres"))
        self.postgres = Postgres(*where, durable)
        self.stub = Stub(self.folder.log("stub"), stub_port, stub_tls)
        self.certificate = Certificate(self.folder.sub("tls"))
        self.mail = None
        if mail:
            where = self.folder.sub("mail")
            self.mail = MailServer(where, self.certificate, mail_port, mail_password)
        self._closed = bound()
        self._ends.callback(self._closed.close)
        self.closed = f"127.0.0.1:{self._closed.getsockname()[1]}"
        self.pools = {}
        self._numbers = itertools.count(1)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def start(self):
        """Brings everything up, or leaves nothing behind."""
        self._ends.callback(self.folder.remove)
        try:
            self._start_one(self.postgres)
            self.postgres.prepare_database(REPOSITORY / "sql" / "roles.sql")
            self._start_one(self.stub)
            if self.mail:
                self._start_one(self.mail)
            self._claim_ports()
            self._write_configs()
            self.ctl("migrate")
            if not self.folder.sub("rings", "vault.secret").exists():
                self.folder.sub("rings").mkdir(mode=0o700, exist_ok=True)
                self.ctl("ring", "init")
            self._start_pools()
            self._start_one(self.nginx)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self):
        """Ends everything, the last started first."""
        self._ends.close()

    def _start_one(self, part):
        self._ends.callback(part.stop)
        part.start()

    def _claim_ports(self):
        https, http = (self._ends.enter_context(contextlib.closing(claim(*p))) for p in self._ports)
        self.http_port = http.port
        sockets = {name: self.folder.run / f"{name}.sock" for name in self._sizes}
        where = (self.folder.sub("nginx"), self.folder.log("nginx"), https, http, self.certificate)
        limits = (self._limits, self._connections)
        api = ("api", "true") in self._settings
        self.nginx = Nginx(*where, sockets, *limits, programs().parent / "share", api)
        self.base_url = self.nginx.base_url
        self.https_port = https.port

    def _write_configs(self):
        own = {
            "base-url": self.base_url,
            "templates": REPOSITORY / "templates",
            "rings": self.folder.sub("rings"),
            "common-passwords": programs().parent / "share" / "common-passwords",
            "database": self.postgres.conninfo(OWNER),
            "opener-socket": self.folder.run / "opener.sock",
        }
        facts = {"{stub}": self.stub.url, "{closed}": self.closed}
        given = [(name, _filled(value, facts)) for name, value in self._settings]
        own |= {name: value for name, value in given if name not in _LISTS}
        ports = [port for port in (self.stub.port, self.stub.tls_port) if port]
        lists = [("egress-allow", f"127.0.0.1:{port}") for port in ports]
        lists += [("egress-allow", self.closed)]
        lists += [(name, value) for name, value in given if name in _LISTS]
        mail = self.mail.settings() if self.mail else {}
        self._in_force = [*own.items(), *mail.items(), *lists]
        self._write_each(self._in_force)

    def _write_each(self, settings):
        """Writes the file of each program; returns the names of those that are other than before."""
        changed = set()
        unread = {name for name, _ in settings}
        for name, program in _PROGRAMS.items():
            read = settings_of(program)
            unread -= read
            lines = [f"{setting} = {value}\n" for setting, value in settings if setting in read]
            file, text = self.configs[name], "".join(lines)
            file.touch(mode=0o600)
            if file.read_text(encoding="utf-8") != text:
                file.write_text(text, encoding="utf-8")
                changed.add(name)
        if unread:
            raise HarnessError(f"No program reads {', '.join(sorted(unread))}.")
        return changed

    def ring_options(self, name):
        """Where a program finds its rings, as words of a command line."""
        mine = {
            "auth": ["auth.secret", *(["mail.public"] if self.mail else [])],
            "manage": ["vault.public", "web.secret"],
            "execute": [],
            "opener": ["vault.secret", "web.public"],
            "mail": ["mail.secret", "auth.public"],
            "ctl": ["mail.public", "auth.secret"],
        }[name]
        rings = self.folder.sub("rings")
        return [word for file in mine for word in (f"--{file.replace('.', '-')}", rings / file)]

    def pool_command(self, name):
        """The command line of a program, without its socket."""
        command = [programs() / f"usershell-{name}", "--config", self.configs[name]]
        command += ["--database", self.postgres.conninfo(f"usershell_{name}")]
        return command + self.ring_options(name)

    def _start_pools(self):
        sizes = {"opener": 1} | self._sizes | ({"mail": 1} if self.mail else {})
        for name, size in sizes.items():
            command, mode = self.pool_command(name), 0o600 if name == "opener" else 0o660
            self.pools[name] = Pool(name, command, size, self.folder, name != "mail", mode)
            self._ends.callback(self.pools[name].stop)
            self.pools[name].start(wait=False)
        for pool in self.pools.values():
            pool.wait_ready()

    def ctl(self, *words, stdin=""):
        """usershellctl's output. Its words are the command's; the configuration is this stack's."""
        return run(self.ctl_command(*words), input=stdin)

    def ctl_command(self, *words):
        return [programs() / "usershellctl", "--config", self.configs["ctl"], *words]

    @property
    def mailer(self):
        """The pool of the program that sends the mail."""
        return self.pools["mail"]

    @contextlib.contextmanager
    def configured(self, **settings):
        """While in the block the workers have these settings, an underscore standing for a hyphen,
        over the others; after it the old ones."""
        given = {name.replace("_", "-"): value for name, value in settings.items()}
        kept = [(name, value) for name, value in self._in_force if name not in given]
        try:
            self._reconfigure([*kept, *given.items()])
            yield
        finally:
            self._reconfigure(self._in_force)

    def _reconfigure(self, settings):
        for name in self._write_each(settings) & self.pools.keys():
            self.pools[name].restart()

    def sql(self, statement):
        """What psql says to it, as the superuser."""
        return self.postgres.psql("-c", statement).strip()

    def wait_for_mail(self):
        """Until everything queued has been sent or given up."""
        queued = "SELECT count(*) FROM usershell.outbox WHERE state = 'queued'"
        wait_until(lambda: self.sql(queued) == "0", "an empty outbox")

    def dump(self, *options):
        """The database as pg_dump writes it, in bytes."""
        command = ["pg_dump", "--inserts", "-h", self.postgres.host, "-U", "postgres", *options]
        return subprocess.run([*command, DATABASE], check=True, capture_output=True).stdout

    def add_user(self, email=DEMO_EMAIL, name="Demo", password=None):
        """Makes a person; returns the password."""
        password = password or secrets.token_urlsafe(12)
        self.ctl("user", "add", email, "--name", name, stdin=f"{password}\n")
        return password

    def visitor(self, source=None):
        """A browser without a session. source: the loopback address it comes from, else one of its
        own, so that nobody pays for what others do."""
        return Client(self.base_url, self.certificate.ca, source or self._new_address())

    def newcomer(self, name="Ada"):
        """A new person's browser, signed in; it knows `email` and `password`."""
        return self.sign_in(self.new_person(name))

    def new_person(self, name="Ada"):
        """(e-mail, password) of a person who has not signed in yet."""
        email = f"{name.lower()}-{next(self._numbers)}@example.com"
        return email, self.add_user(email, name)

    def sign_in(self, person, source=None):
        """Another browser of that person: a client that knows who it is, or (e-mail, password)."""
        email, password = person if isinstance(person, tuple) else (person.email, person.password)
        return self.visitor(source).sign_in(email, password)

    def sign_in_by(self, person, app):
        """Another browser of that person, who has that app."""
        visitor = self.visitor()
        answer = visitor.form("/auth/login", {"email": person.email, "password": person.password})
        answer = visitor.form("/auth/factor", {**hidden_fields(answer), "Code": app.code()}, page="/auth/login")
        assert answer.status == 302, answer.text
        visitor.email, visitor.password = person.email, person.password
        return visitor

    def sign_in_with(self, person, key):
        """Another browser of that person, by that passkey."""
        visitor = self.visitor()
        challenge = re.search(r'data-challenge="([\w-]+)"', visitor.get("/auth/login").text)[1]
        assert visitor.form("/auth/login", key.show(challenge)).status == 302
        visitor.email, visitor.password = person.email, person.password
        return visitor

    def _new_address(self):
        """Of 127.1.0.0 to 127.255.255.254; 127.0.0.0/16 is left to the tests."""
        number = (1 << 16) + next(self._numbers)
        return f"127.{number >> 16}.{number >> 8 & 255}.{number & 255}"
