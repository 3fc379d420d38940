"""The cost and the time of a call while the machine has processors left."""

import functools
import math

from . import lists, meter, requests, streams
from .load import OURS, PROVIDERS
from .meter import Figure, at_least, at_most, by_round, median_of, rounds

_SERVING = ("execute", "opener", "nginx", "postgres")
_POOLS = ("auth", "manage", "execute", "opener")
_TOKENS = 100  # each of 6,000 calls a minute
_SMALL = {"connections": 10, "rotate": True, "warm": 1}
_LONG = "600x50"
_OPEN = 1000  # long streams


def _cost(run):
    """Milliseconds of all programs a call."""
    return 1000 * sum(run["used"].values()) / run["requests"]


def _parts(run):
    return ", ".join(f"{name} {1000 * used / run['requests']:.2f}" for name, used in run["used"].items())


def _ratios(samples, one, other, value):
    return [value(a) / value(b) for a, b in by_round(samples, one, other)]


def _rate(scene, effort, count, p99, by_token=False):
    """Streams of a second each, so many at once, beside nginx."""
    runs = {
        "ours": functools.partial(streams.run_loop, scene, count, effort.seconds, by_token=by_token),
        "nginx": functools.partial(streams.by_nginx, scene, count, effort.seconds),
    }
    samples = rounds(effort.rounds, runs)
    caller = "tool" if by_token else "page"
    times = "ours {:.0f} ms, nginx {:.0f} ms".format(*(median_of(samples[name], "p99_ms") for name in runs))
    parts = f"ms: {_parts(samples['ours'][-1])}; nginx by proxy_pass {_cost(samples['nginx'][-1]):.2f}"
    ratios = [_ratios(samples, "ours", "nginx", value) for value in (lambda run: run["p99_ms"], _cost)]
    refused = [streams.refused(run) for run in samples["ours"]]
    return [
        Figure(f"{count} streams a second of a {caller}, p99", ratios[0], at_most(p99), "× nginx", times),
        Figure(f"{count} streams a second of a {caller}, CPU", ratios[1], at_most(2.0), "× nginx", parts),
        Figure(f"{count} streams a second of a {caller}, refused", refused, at_most(0), "streams"),
    ]


def rates(scene, effort):
    """300 and 600 beginnings a second."""
    return [
        *_rate(scene, effort, 300, 1.03),
        *_rate(scene, effort, 300, 1.03, by_token=True),
        *_rate(scene, effort, 600, 1.08),
    ]


def small(scene, effort):
    """Calls of tools that are not streamed, beside nginx and Portkey."""
    host = f"http://127.0.0.1:{scene.upstream.port}/json/v1"
    headers = ("x-portkey-provider: openai", f"x-portkey-custom-host: {host}")
    completion = functools.partial(requests.completion, streamed=False)
    tools = [requests.by_token(caller, streamed=False) for caller in scene.callers(_TOKENS, "json")]
    scene.rival("portkey")
    rivals = scene.reference.port
    wanted = {
        "ours": (_SERVING, _POOLS, tools, scene.stack.https_port),
        "nginx": (("nginx",), ("nginx",), [completion("/provider/json/v1/chat/completions")], rivals),
        "portkey": (("portkey",), ("portkey",), [completion("/portkey/v1/chat/completions", *headers)], rivals),
    }

    def run(programs, memory, asked, port):
        with scene.meter(*programs) as used:
            result = lists.checked(scene.load(asked, port, seconds=effort.seconds, **_SMALL).result(), "200")
        return result | {"used": used.used, "memory": sum(meter.memory(scene.processes(name)) for name in memory) / 2**20}

    samples = rounds(effort.rounds, {name: functools.partial(run, *way) for name, way in wanted.items()})

    def beside(name, goal, unit):
        ratios = _ratios(samples, "ours", "portkey", lambda run: run[name])
        note = "ours {:,.1f}{unit}, Portkey {:,.1f}{unit}".format(
            *(median_of(samples[each], name) for each in ("ours", "portkey")), unit=unit
        )
        return Figure(f"small calls, {name.removesuffix('_ms')}", ratios, goal, "× Portkey", note)

    parts = f"ms: {_parts(samples['ours'][-1])}; nginx by proxy_pass {_cost(samples['nginx'][-1]):.2f}"
    return [
        Figure("small calls, CPU", _ratios(samples, "ours", "nginx", _cost), at_most(2.5), "× nginx", parts),
        beside("per_second", at_least(4), "/s"),
        beside("p50_ms", None, " ms"),
        beside("p99_ms", at_most(0.33), " ms"),
        beside("memory", at_most(0.33), " MiB"),  # of the four pools: both have nginx before them
    ]


def _beside_long(scene, effort, is_ours):
    """Pages, then new streams, while 1,000 long ones are open: (pages, streams)."""
    count = math.ceil(_OPEN / 8)
    if is_ours:
        callers = scene.callers(count, _LONG)
        wanted, port, marks = [requests.stream(callers[i % count]) for i in range(_OPEN)], None, OURS
        fresh = [requests.stream(person) for person in scene.callers(100, "40x25")]
    else:
        wanted, port, marks = [requests.completion(f"/provider/{_LONG}/v1/chat/completions")], scene.reference.port, PROVIDERS
        fresh = [requests.completion("/provider/40x25/v1/chat/completions")]
    options = {"connections": _OPEN, "rate": 250, "once": True, "linger": True, "seconds": 10 + 2 * effort.seconds}
    load = scene.load(wanted, port, **options, **marks)
    load.wait_until_open(20)
    pages = lists.pages(scene, effort) if is_ours else None
    beside = {"connections": int(40 * effort.seconds), "rate": 40, "once": True, "seconds": effort.seconds + 1}
    new = scene.load(fresh, port, **beside, **marks).result()
    result = load.result()
    streams.wait_until_all_have_ended(scene)
    return new | {"pages": pages, "cut": result["failed"], "open": result["open_most"]}


def open_streams(scene, effort):
    """1,000 long streams, a token every 50 ms: what is done beside them."""
    runs = {
        "alone": functools.partial(lists.pages, scene, effort),
        "ours": functools.partial(_beside_long, scene, effort, True),
        "nginx": functools.partial(_beside_long, scene, effort, False),
    }
    samples = rounds(effort.rounds, runs)
    ours = samples["ours"]
    pages = [o["pages"]["p99_ms"] / a["p99_ms"] for o, a in by_round(samples, "ours", "alone")]
    added = [o["first_p99_ms"] - n["first_p99_ms"] for o, n in by_round(samples, "ours", "nginx")]
    times = "alone {:.1f} ms, beside {:.1f} ms".format(
        median_of(samples["alone"], "p99_ms"), median_of([run["pages"] for run in ours], "p99_ms")
    )
    first = "ours {:.0f} ms, nginx {:.0f} ms".format(*(median_of(samples[name], "first_p99_ms") for name in ("ours", "nginx")))
    return [
        Figure("open at the same time", [run["open"] for run in ours], at_least(_OPEN), "streams"),
        Figure("refused or cut", [run["cut"] + streams.refused(run) for run in ours], at_most(0), "streams"),
        Figure("pages and list beside them, p99", pages, at_most(3), "× alone", times),
        Figure("first token of a new one, p99", added, at_most(50), "ms more than nginx", first),
    ]
