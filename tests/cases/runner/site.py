"""The site that a case speaks to: the workers of a running stack, asked at their sockets, so that a request
arrives as it was written. Which of them a path belongs to is read from deploy/nginx."""

import contextlib
import re

from harness import fastcgi
from harness.folders import REPOSITORY
from harness.scenes import ROUTE, ask, mailed_link, provider

from .verdict import Reply

__unittest = True  # failures are told without the frames of the runner

_SERVER = REPOSITORY / "deploy" / "nginx" / "snippets" / "server.conf"
_LOCATION = re.compile(r"\nlocation (=|~) (\S+) \{[^}]*usershell/(auth|execute)\.conf;")


def _pools():
    """[(what nginx hands to a pool, its name)]; usershell-manage has the rest."""
    found = _LOCATION.findall(_SERVER.read_text(encoding="utf-8"))
    return [(re.compile(path if kind == "~" else re.escape(path)), pool) for kind, path, pool in found]


class Site:
    """close() ends the calls that a case holds."""

    def __init__(self, stack):
        self._stack = stack
        self._held = contextlib.ExitStack()
        self._pools = _pools()
        self._seen = {}
        self.new_person = stack.new_person
        self.sql = stack.sql
        self.close = self._held.close

    def facts(self):
        """The variables of every case."""
        stack = self._stack
        return {"origin": stack.base_url, "closed": stack.closed, "stub": stack.stub.url}

    def pool_of(self, path):
        return next((pool for paths, pool in self._pools if paths.fullmatch(path)), "manage")

    def serve(self, method, target, headers, body, source):
        path, _, query = target.partition("?")
        content_type = next((v for n, v in headers if n.lower() == "content-type"), "")
        parameters = [
            ("REQUEST_METHOD", method),
            ("REQUEST_URI", target),
            ("QUERY_STRING", query),
            ("CONTENT_TYPE", content_type),
            ("CONTENT_LENGTH", str(len(body.encode("utf-8", "surrogateescape"))) if body else ""),
            ("REMOTE_ADDR", source),
        ]
        parameters += [(f"HTTP_{n.upper().replace('-', '_')}", v) for n, v in headers]
        return Reply(*fastcgi.serve(self._stack.pools[self.pool_of(path)].path, parameters, body))

    def hold_calls(self, person, count):
        """So many calls of that person are under way until close()."""
        client = self._stack.sign_in(person)
        made = provider(client, f"{self._stack.stub.url}/silent-after-1/v1")
        for _ in range(count):
            stream = client.stream(f"{ROUTE}/playground", ask(made, "one two", stream=True))
            next(iter(self._held.enter_context(stream)))
        client.call("DELETE", f"{ROUTE}/{made}")
        self._held.callback(client.close)

    def next_link(self, address):
        """Path and query of the link in the next message to that address."""
        self._seen[address] = self._seen.get(address, 0) + 1
        return mailed_link(self._stack, address, self._seen[address])

    def more_mail(self, address):
        """How many messages to it came beyond those that next_link() gave, once all are sent."""
        self._stack.wait_for_mail()
        return len(self._stack.mail.messages(address)) - self._seen.get(address, 0)
