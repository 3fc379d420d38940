"""A real mail server, written by others: aiosmtpd (Debian's python3-aiosmtpd) as a library, in a
thread. It insists on STARTTLS and AUTH and keeps what it accepted in a Maildir, which inbox_text() shows.

A test can take it away (go_down), bring it back (come_up), let it refuse or dawdle (behave).
"""

import asyncio
import contextlib
import email
import email.policy
import email.utils
import logging
import re
import secrets
import ssl
import threading
import weakref
from dataclasses import dataclass
from pathlib import Path

from aiosmtpd.handlers import Mailbox
from aiosmtpd.smtp import SMTP, AuthResult

from ..ports import bound
from ..processes import wait_until

HOST = "127.0.0.1"
USER = "usershell"
FROM = "usershell@shell.example"
logging.getLogger("mail.log").setLevel(logging.ERROR)  # aiosmtpd's, about its own future versions


def link_in(message):
    """The link in a message's plain text, "" without one."""
    found = re.search(r"https://\S+/\S+", message.get_body(("plain",)).get_content())
    return found[0] if found else ""


@dataclass(frozen=True)
class Attempt:
    """What the server saw of one try to deliver, up to RCPT or, where it got there, past DATA."""

    step: str  # "RCPT" or "DATA"
    tls: str  # the version, "" without TLS
    user: str  # "" without AUTH
    mechanism: str
    sender: str
    recipient: str
    content: bytes = b""


def parsed(path):
    """The message in that file."""
    return email.message_from_bytes(path.read_bytes(), policy=email.policy.default)


def stored_messages(folder):
    """The messages in that Maildir, the oldest first."""
    files = sorted(Path(folder, "new").glob("*"), key=lambda path: path.stat().st_mtime_ns)
    return map(parsed, files)


class _Protocol(SMTP):
    """One conversation, whose connection the server can break."""

    def __init__(self, connections, *arguments, **options):
        super().__init__(*arguments, **options)
        self._connections = connections

    def connection_made(self, transport):
        if not transport.get_extra_info("ssl_object"):  # it comes again, wrapped, after STARTTLS
            self._connections.add(transport)
        super().connection_made(transport)


class _Post(Mailbox):
    """aiosmtpd's own store, and before it what the test wants."""

    def __init__(self, folder, owner):
        super().__init__(folder)
        self._owner = owner

    async def _attempt(self, step, server, session, envelope, recipient):
        reply = self._owner.replies.get(step, "")
        await asyncio.sleep(self._owner.pause)
        tls = server.transport.get_extra_info("ssl_object")
        version, (mechanism, user) = tls.version() if tls else "", session.auth_data or ("", "")
        facts = (user, mechanism, envelope.mail_from, recipient, envelope.original_content or b"")
        self._owner.attempts.append(Attempt(step, version, *facts))
        return reply

    async def handle_RCPT(self, server, session, envelope, address, _options):
        self._owner.seen.append(address)
        if reply := await self._attempt("RCPT", server, session, envelope, address):
            return reply
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        refusal = await self._attempt("DATA", server, session, envelope, envelope.rcpt_tos[0])
        return refusal or await super().handle_DATA(server, session, envelope)


class MailServer:
    """`folder` is the Maildir. `attempts` collects every Attempt, `seen` every recipient as soon as
    it was named. The port is kept while the server is down."""

    def __init__(self, folder, certificate, port=0, password=None):
        self.folder = folder
        self.host = HOST
        self.user = USER
        self.password = password or secrets.token_urlsafe(12)
        self.sender = FROM
        self.attempts = []
        self.seen = []
        self.replies = {}
        self.pause = 0.0
        self._read = {}  # path: (time, message)
        self._context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._context.load_cert_chain(certificate.certificate, certificate.key)
        self._ca = certificate.ca
        self._reserved = self._reserve(port)
        self.port = self._reserved.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="mail", daemon=True)
        self._server = None
        self._connections = weakref.WeakSet()

    @staticmethod
    def _reserve(preferred):
        """So that the port stays ours and refuses while we are down."""
        with contextlib.suppress(OSError):
            return bound(preferred)
        return bound()

    def settings(self):
        """For usershell-mail."""
        return {
            "smtp-url": f"smtp://{self.host}:{self.port}",
            "smtp-user": self.user,
            "smtp-password": self.password,
            "smtp-from": self.sender,
            "smtp-ca": self._ca,
        }

    def start(self):
        self._post = _Post(self.folder, self)
        self._thread.start()
        self.come_up()

    def stop(self):
        if not self._thread.is_alive():
            return
        self.go_down()
        self._call(self._cancel_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._reserved.close()

    def come_up(self):
        if not self._server:
            listener = bound(self.port)
            self._server = self._call(self._loop.create_server(self._protocol, sock=listener))

    def go_down(self):
        """Refuses connections from now on; those under way break."""
        if self._server:
            self._call(self._close())
            self._server = None

    def behave(self, rcpt="", data="", pause=0.0):
        """From now on: these replies in place of "250 OK", each after `pause` seconds."""
        self.replies = {"RCPT": rcpt, "DATA": data}
        self.pause = pause

    def messages(self, to=None):
        """What was accepted, for that recipient, parsed, the oldest first."""
        for path in sorted(Path(self.folder, "new").glob("*")):
            if path not in self._read:
                self._read[path] = (path.stat().st_mtime_ns, parsed(path))
        kept = [message for _, message in sorted(self._read.values(), key=lambda each: each[0])]
        return [message for message in kept if to in (None, message["X-RcptTo"])]

    def wait_for(self, to, count=1, timeout=60.0):
        """The newest message to that address once there are `count`; HarnessError if never."""
        wait_until(lambda: len(self.messages(to)) >= count, f"mail to {to}", timeout)
        return self.messages(to)[-1]

    # The rest runs in the loop's thread, but for _call.

    def _call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(30)

    def _protocol(self):
        return _Protocol(
            self._connections, self._post, hostname="mail.example", enable_SMTPUTF8=True, tls_context=self._context,
            require_starttls=True, auth_required=True, authenticator=self._authenticate, loop=self._loop,
        )

    def _authenticate(self, _server, _session, _envelope, mechanism, given):
        login, password = given.login.decode(), given.password.decode()
        good = secrets.compare_digest(f"{login}\n{password}".encode(), f"{self.user}\n{self.password}".encode())
        return AuthResult(success=good, handled=good, auth_data=(mechanism, login))

    async def _close(self):
        self._server.close()
        for connection in list(self._connections):
            connection.abort()
        await self._server.wait_closed()

    async def _cancel_all(self):
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


def _line(number, message):
    when = email.utils.parsedate_to_datetime(message["Date"]).astimezone()
    return f"{number:>4}  {when:%Y-%m-%d %H:%M:%S}  {message['X-RcptTo']}  {message['Subject']}"


def _whole(message):
    heads = "".join(f"{name}: {message[name]}\n" for name in ("From", "To", "Date", "Subject"))
    return f"{heads}\n{message.get_body(('plain',)).get_content()}"


def inbox_text(folder, number=None):
    """The list, then the newest message; or only the message of that number. In a terminal nothing
    but text: control characters are shown as '?'."""
    messages = list(stored_messages(folder))
    if number is not None:
        if not 1 <= number <= len(messages):
            return f"There is no message {number}.\n"
        text = _whole(messages[number - 1])
    elif messages:
        lines = [_line(number, message) for number, message in enumerate(messages, 1)]
        text = "\n".join(lines) + f"\n\n{_whole(messages[-1])}"
    else:
        text = "No mail yet.\n"
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text)
