"""A browser's manners in a few lines, for tests: TLS with the stack's authority, cookies, the
anti-forgery token from the page, JSON calls, event streams; and many of them at a time."""

import http.client
import json
import queue
import re
import secrets
import socket
import ssl
import threading
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

from .sanitizers import patient

FIELD = "__RequestVerificationToken"
HEADER = "RequestVerificationToken"
_HIDDEN = re.compile(rf'name="{FIELD}"\s+value="([^"]+)"')
_TIMEOUT = patient(60.0)


class Response:
    """A whole answer. `headers` has lower-case names; of repeated ones the last; `pairs` are all of
    them as they came."""

    def __init__(self, response, body):
        self.status = response.status
        self.pairs = response.getheaders()
        self.headers = {name.lower(): value for name, value in self.pairs}
        self.set_cookies = response.headers.get_all("Set-Cookie") or []
        self.body = body

    @property
    def text(self):
        return self.body.decode()

    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """Of an error as in docs/contract.md, section 1; '' for anything else."""
        try:
            return self.json().get("code", "")
        except (ValueError, AttributeError):
            return ""


class Stream:
    """An open event stream. Iterating yields (data, seconds since the request) for each event whose
    data is JSON; comments are skipped. close() leaves in mid-stream, as a closed tab does."""

    def __init__(self, connection, response, began):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self._connection = connection
        self._response = response
        self._began = began
        self._socket = connection.sock

    def __iter__(self):
        for line in self._response:
            if line.startswith(b"data: "):
                yield json.loads(line[6:]), time.monotonic() - self._began

    def raw(self):
        """All that is still to come, as it comes."""
        return self._response.read()

    def close(self):
        if self._socket:
            self._socket.shutdown(socket.SHUT_RDWR)
        self._response.close()
        self._connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.close()
        except OSError:
            self._connection.close()


class Client:
    """One person's browser: a cookie jar and one kept connection. Not safe across threads; clone()
    gives another tab of the same browser for another thread. source: the IPv4 address it comes
    from, None for any. `email` and `password` are those of the last sign-in."""

    def __init__(self, base_url, ca, source=None):
        self.base_url = base_url
        self._ca = ca
        self._source = (source, 0) if source else None
        self._context = ssl.create_default_context(cafile=ca)
        self._where = urllib.parse.urlsplit(base_url)
        self._connection = None
        self._token = None
        self.email = self.password = None
        self.cookies = {}

    def clone(self):
        other = Client(self.base_url, self._ca)
        other._source = self._source
        other.email, other.password = self.email, self.password
        other.cookies = dict(self.cookies)
        return other

    def close(self):
        if self._connection:
            self._connection.close()
            self._connection = None

    def _connect(self):
        options = {"context": self._context, "source_address": self._source, "timeout": _TIMEOUT}
        return http.client.HTTPSConnection(self._where.hostname, self._where.port, **options)

    def _headers(self, headers):
        merged = dict(headers or {})
        if self.cookies:
            merged.setdefault("Cookie", "; ".join(f"{n}={v}" for n, v in self.cookies.items()))
        return {name: value for name, value in merged.items() if value is not None}

    def request(self, method, path, body=None, headers=None):
        """One call. A kept connection that the server has closed meanwhile is opened again."""
        for attempt in (1, 2):
            kept = self._connection is not None
            self._connection = self._connection or self._connect()
            try:
                self._connection.request(method, path, body, self._headers(headers))
                response = self._connection.getresponse()
                break
            except (http.client.RemoteDisconnected, ConnectionError):
                self.close()
                if not kept or attempt == 2:
                    raise
        answer = Response(response, response.read())
        self._keep_cookies(answer)
        return answer

    def _keep_cookies(self, answer):
        for line in answer.set_cookies:
            pair, *attributes = (part.strip() for part in line.split(";"))
            name, _, value = pair.partition("=")
            if value == "" or "max-age=0" in (a.lower() for a in attributes):
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value

    def get(self, path, headers=None):
        return self.request("GET", path, headers=headers)

    def token(self, page="/user/providers"):
        """A fresh anti-forgery token, from the page's hidden input."""
        answer = self.get(page)
        found = _HIDDEN.search(answer.text)
        if not found:
            raise AssertionError(f"{page} ({answer.status}) has no anti-forgery token.")
        return found[1]

    def form(self, path, fields, page=None, headers=None):
        """Posts a form, with the token of the page it is on unless there is one among the fields."""
        token = fields.get(FIELD) or self.token(page or path)
        body = urllib.parse.urlencode({**fields, FIELD: token})
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.request("POST", path, body, {**kind, **(headers or {})})

    def upload(self, path, field, content, page, name="picture", kind="image/png"):
        """Posts a file as a multipart form, with the token of the page it is on."""
        edge = secrets.token_hex(16)
        disposition = f'--{edge}\r\nContent-Disposition: form-data; name="'
        head = f'{disposition}{FIELD}"\r\n\r\n{self.token(page)}\r\n'
        head += f'{disposition}{field}"; filename="{name}"\r\nContent-Type: {kind}\r\n\r\n'
        body = head.encode() + content + f"\r\n--{edge}--\r\n".encode()
        kind = {"Content-Type": f"multipart/form-data; boundary={edge}"}
        return self.request("POST", path, body, kind)

    def sign_in(self, email, password, **fields):
        """Through the form; AssertionError unless it is let in."""
        fields = {"email": email, "password": password, **fields}
        answer = self.form("/auth/login", fields)
        if answer.status != 302:
            raise AssertionError(f"Sign-in of {email} answered {answer.status}.")
        self._token = None
        self.email, self.password = email, password
        return self

    def forget_token(self):
        """Of a session that another one has replaced."""
        self._token = None

    def learn_token(self):
        """Fetches the token that call() sends, where it has none yet."""
        if self._token is None:
            self._token = self.token()

    def _json_headers(self, headers):
        if HEADER not in (headers or {}):
            self.learn_token()
        kind = {"Content-Type": "application/json", HEADER: self._token}
        return {**kind, **(headers or {})}

    def call(self, method, path, value=None, headers=None):
        """A JSON call with the session's token. A header given as None is left out."""
        body = None if value is None else json.dumps(value)
        return self.request(method, path, body, self._json_headers(headers))

    def post(self, path, value=None, headers=None):
        return self.call("POST", path, value, headers)

    def send(self, path, value=None, headers=None):
        """The connection of its own on which it has posted JSON, the answer unread."""
        body = None if value is None else json.dumps(value)
        connection = self._connect()
        connection.request("POST", path, body, self._headers(self._json_headers(headers)))
        return connection

    def stream(self, path, value=None, headers=None):
        """Opens an event stream on a connection of its own."""
        headers = self._json_headers(headers)
        began = time.monotonic()
        connection = self.send(path, value, headers)
        return Stream(connection, connection.getresponse(), began)


class Crowd:
    """`size` tabs, shared out over the given browsers; close() closes them. learn: they fetch the
    anti-forgery token before they start.

    A user may have eight calls to providers under way, so a crowd of callers needs a browser (and a
    person) for every eight tabs.
    """

    def __init__(self, size, *browsers, learn=True):
        self._tabs = [browsers[number % len(browsers)].clone() for number in range(size)]
        self._free = queue.SimpleQueue()
        for tab in self._tabs:
            if learn:
                tab.learn_token()
            self._free.put(tab)
        self._threads = ThreadPoolExecutor(size)

    def run(self, work, items):
        """[work(tab, item) for each item], made side by side; raises what any of them raises."""

        def one(item):
            tab = self._free.get()
            try:
                return work(tab, item)
            finally:
                self._free.put(tab)

        return list(self._threads.map(one, items))

    def close(self):
        self._threads.shutdown()
        for tab in self._tabs:
            tab.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def together(*calls):
    """What the callables return, begun at the same moment."""
    barrier = threading.Barrier(len(calls))

    def run(call):
        barrier.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(run, calls))
