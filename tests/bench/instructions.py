"""Instructions that usershell-manage executes for a request, counted by callgrind: a figure that
does not wobble with whatever else the machine does. Requests go to the worker's socket as nginx
sends them (deploy/nginx/snippets/fastcgi.conf)."""

import re

from harness import fastcgi
from harness.processes import HarnessError, run
from harness.servers.pool import Pool

from .people import add_owners

LIMIT = 1.10  # of what stands in EXPECTED
# Thousands a request, with the compiler and libraries of Debian 12. A change that raises one by more
# than a tenth fails the test; one that lowers it much belongs here, too.
EXPECTED = {
    "redirect": 42.9,
    "list": 96.0,
    "list unchanged": 90.9,
    "page": 439,
}
_WARM, _COUNTED = 30, 100
_START_TIMEOUT = 240  # seconds: callgrind is fifty times slower
_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"


def _parameters(path, cookies, **headers):
    """What nginx tells of a browser's request."""
    fixed = {
        "REQUEST_METHOD": "GET",
        "REQUEST_URI": path,
        "QUERY_STRING": "",
        "CONTENT_TYPE": "",
        "CONTENT_LENGTH": "",
        "SERVER_PROTOCOL": "HTTP/2.0",
        "REQUEST_SCHEME": "https",
        "HTTPS": "on",
        "REMOTE_ADDR": "192.0.2.10",
        "GATEWAY_INTERFACE": "CGI/1.1",
        "HTTP_PROXY": "",
        "HTTP_COOKIE": cookies,
        "HTTP_HOST": "shell.example.org",
        "HTTP_USER_AGENT": _AGENT,
        "HTTP_ACCEPT": "*/*",
        "HTTP_ACCEPT_LANGUAGE": "en-US,en;q=0.5",
        "HTTP_ACCEPT_ENCODING": "gzip, deflate, br",
        "HTTP_SEC_FETCH_SITE": "same-origin",
        "HTTP_SEC_FETCH_MODE": "cors",
        "HTTP_SEC_FETCH_DEST": "empty",
    }
    return list((fixed | headers).items())


class Counter:
    """A worker of that stack under callgrind. `people`: signed in at it, with full lists."""

    def __init__(self, stack, people=()):
        self._folder = stack.folder
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={self._out}"]
        command += ["--quiet", *stack.pool_command("manage"), "--threads", "1"]
        self._pool = Pool("counted", command, 1, stack.folder)
        self._person = people[0] if people else add_owners(stack, 1)[0]

    @property
    def _out(self):
        return self._folder.sub("callgrind.out")

    def __enter__(self):
        self._pool.start(wait=False)
        try:
            self._pool.wait_ready(timeout=_START_TIMEOUT)
        except HarnessError:
            self._pool.stop()
            raise
        return self

    def __exit__(self, *_):
        self._pool.stop()

    def count(self):
        """{route: instructions a request}"""
        plain = f"__Host-usershell-session={self._person.session}"
        listed = _parameters("/user/providers/list", plain)
        tag = dict(self._ask(listed, 200)[1])["ETag"]
        return {
            "redirect": self._count(_parameters("/", ""), 302),
            "list": self._count(listed, 200),
            "list unchanged": self._count([*listed, ("HTTP_IF_NONE_MATCH", tag)], 304),
            "page": self._count(_parameters("/user/providers", plain), 200),
        }

    def _ask(self, parameters, expected):
        answer = fastcgi.serve(self._pool.path, parameters)
        assert answer[0] == expected, answer
        return answer

    def _count(self, parameters, expected):
        for _ in range(_WARM):
            self._ask(parameters, expected)
        pid = self._pool.pids()[0]
        run(["callgrind_control", "--zero", pid])
        for _ in range(_COUNTED):
            self._ask(parameters, expected)
        run(["callgrind_control", "--dump", pid])
        newest = max(self._folder.path.glob("callgrind.out.*"), key=lambda p: int(p.suffix[1:]))
        total = re.search(r"^(?:totals|summary): (\d+)", newest.read_text(), re.MULTILINE)
        return int(total[1]) / _COUNTED
