"""How the stub can misbehave. The first segment of the path chooses, `name` or `name-NUMBER`, so
that tests share one stub and still do not meet: with the base URL http://…/slow-200/v1 a token
comes every 200 ms.

A behaviour is a coroutine of an Exchange and its number. It returns True when the connection may
serve another request. What it leaves unfinished ends with the connection. They are registered by
transport.py and content.py.
"""

_table = {}


def behaviour(name, number=0):
    """Registers the coroutine under this name; `number` stands in where the path has none."""

    def register(run):
        _table[name] = (run, number)
        return run

    return register


def choose(path):
    """(coroutine, number, path without the behaviour) for a request path."""
    segment, slash, rest = path[1:].partition("/")
    name, _, digits = segment.rpartition("-")
    if digits.isdigit() and name in _table:
        return _table[name][0], int(digits), slash + rest
    if segment in _table:
        return *_table[segment], slash + rest
    return normal, 0, path


async def normal(x, _):
    return await x.send()
