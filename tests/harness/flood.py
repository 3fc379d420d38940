"""Many requests from many loopback addresses at once, in a process of its own: wrong sign-ins
against one account, or as many harmless visits to the sign-in page.

    python3 -m harness.flood guess|visit BASE_URL CA EMAIL COUNT

Prints how often which status came, as JSON. Each address sends a few dozen over one connection.
"""

import collections
import concurrent.futures
import json
import sys

from harness.client import Client

_AT_ONCE = 8
_EACH = 40
_PAGE = "/auth/login"


def address(number):
    """A loopback address; 127.0.0.0/16 is left to others."""
    return f"127.{1 + number // 250}.1.{1 + number % 250}"


class Flood:
    def __init__(self, what, base_url, ca, email, count):
        self._request = {"guess": self._guess, "visit": self._visit}[what]
        self._base_url = base_url
        self._ca = ca
        self._email = email
        self._count = count
        visitor = Client(base_url, ca)
        self._token = visitor.token(_PAGE)
        self._cookies = visitor.cookies
        visitor.close()

    def _guess(self, stranger, guess):
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "RequestVerificationToken": self._token,
        }
        body = f"email={self._email}&password=guess-{guess}"
        return stranger.request("POST", _PAGE, body, headers)

    @staticmethod
    def _visit(stranger, _guess):
        return stranger.get(_PAGE)

    def _from_one_address(self, number, count):
        stranger = Client(self._base_url, self._ca, address(number))
        stranger.cookies = dict(self._cookies)
        statuses = collections.Counter(
            self._request(stranger, f"{number}-{each}").status for each in range(count)
        )
        stranger.close()
        return statuses

    def run(self):
        shares = [min(_EACH, self._count - sent) for sent in range(0, self._count, _EACH)]
        with concurrent.futures.ThreadPoolExecutor(_AT_ONCE) as pool:
            counts = pool.map(self._from_one_address, range(len(shares)), shares)
            return sum(counts, collections.Counter())


if __name__ == "__main__":
    print(json.dumps(Flood(*sys.argv[1:5], int(sys.argv[5])).run()))
