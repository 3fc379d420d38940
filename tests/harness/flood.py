"""Many wrong sign-ins against one account, from many loopback addresses, in a process of its own:

    python3 -m harness.flood BASE_URL CA EMAIL COUNT

Prints how often which status came, as JSON. Each address sends a few dozen over one connection.
"""

import collections
import concurrent.futures
import json
import os
import sys

from harness.client import Client

_AT_ONCE = 8
_EACH = 40
_FIELDS = "email={}&password=guess-{}-{}"


def address(number):
    """A loopback address; 127.0.0.0/16 is left to others."""
    return f"127.{1 + number // 250}.1.{1 + number % 250}"


class Flood:
    def __init__(self, base_url, ca, email, count):
        self._base_url = base_url
        self._ca = ca
        self._email = email
        self._left = count
        visitor = Client(base_url, ca)
        self._token = visitor.token("/auth/login")
        self._cookies = visitor.cookies
        visitor.close()

    def _from_one_address(self, number, count):
        stranger = Client(self._base_url, self._ca, address(number))
        stranger.cookies = dict(self._cookies)
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "RequestVerificationToken": self._token,
        }
        statuses = collections.Counter()
        for guess in range(count):
            body = _FIELDS.format(self._email, number, guess)
            statuses[stranger.request("POST", "/auth/login", body, headers).status] += 1
        stranger.close()
        return statuses

    def run(self):
        shares = [min(_EACH, self._left - sent) for sent in range(0, self._left, _EACH)]
        with concurrent.futures.ThreadPoolExecutor(_AT_ONCE) as pool:
            counts = pool.map(self._from_one_address, range(len(shares)), shares)
            return sum(counts, collections.Counter())


if __name__ == "__main__":
    os.nice(19)  # it is the server's work that is to be seen, not this program's
    print(json.dumps(Flood(*sys.argv[1:4], int(sys.argv[4])).run()))
