"""The playground's streams: a thousand at once, ten thousand open, their first token."""

import functools
import math
import time

from . import meter, requests
from .load import OURS, PROVIDERS
from .rounds import Figure, at_least, at_most, by_round, median_of, rounds

_PLACES = 4  # of a user's eight: a stream's place may be free a moment after its end


def _refused(run):
    return run["failed"] + run["unfinished"]


def _loop(count, seconds):
    """`count` streams under way at all times, their beginnings spread over a second."""
    return {"connections": count, "rate": count, "warm": 2, "seconds": seconds}


def start_loop(scene, count, seconds, pace="40x25"):
    """A run of `count` streams at all times."""
    callers = scene.callers(math.ceil(count / _PLACES), pace)
    wanted = [requests.stream(callers[i % len(callers)]) for i in range(count)]
    return scene.load(wanted, **_loop(count, seconds), **OURS)


def run_loop(scene, count, seconds, pace="40x25"):
    """memory: of the executing workers while it runs. used: CPU seconds."""
    scene.callers(math.ceil(count / _PLACES), pace)
    with scene.meter("execute", "nginx", "postgres") as used:
        load = start_loop(scene, count, seconds, pace)
        time.sleep(seconds * 0.75)
        memory = meter.memory(scene.processes("execute"))
        run = load.result()
    return run | {"memory": memory, "used": used.used}


def _nginx(scene, count, seconds, pace="40x25"):
    with scene.meter("reference") as used:
        wanted = [requests.completion(f"/provider/{pace}/v1/chat/completions")]
        load = scene.load(wanted, scene.reference.port, **_loop(count, seconds), **PROVIDERS)
        run = load.result()
    return run | {"used": used.used}


def cpu_of(run, name):
    """Milliseconds a stream."""
    return 1000 * run["used"][name] / max(run["requests"], 1)


def streams(scene, effort):
    """1,000 streams of 40 tokens at once."""
    count = 1000
    scene.callers(math.ceil(count / _PLACES))
    scene.stack.pools["execute"].restart()
    idle = meter.memory(scene.processes("execute"))
    runs = {
        "ours": lambda: run_loop(scene, count, effort.seconds),
        "nginx": lambda: _nginx(scene, count, effort.seconds),
    }
    samples = rounds(effort.rounds, runs)
    ours, nginx = samples["ours"], samples["nginx"]
    pairs = by_round(samples, "ours", "nginx")
    whole = "ours p50 {:.0f} p99 {:.0f} ms, nginx p50 {:.0f} p99 {:.0f} ms, nginx refused {}".format(
        *(median_of(side, name) for side in (ours, nginx) for name in ("p50_ms", "p99_ms")),
        sum(map(_refused, nginx)),
    )
    cpu = ", ".join(f"{n} {cpu_of(ours[-1], n):.2f}" for n in ("nginx", "postgres"))
    cpu += f", nginx by proxy_pass {cpu_of(nginx[-1], 'reference'):.2f}"
    memory = [(run["memory"] - idle) / count / 1024 for run in ours]
    return [
        Figure("p99 of a stream", [o["p99_ms"] / n["p99_ms"] for o, n in pairs], at_most(1.10), "× nginx", whole),
        Figure("refused or cut", [_refused(run) for run in ours], at_most(0), "streams"),
        Figure("CPU of the workers", [cpu_of(run, "execute") for run in ours], at_most(0.5), "ms a stream", cpu),
        Figure("memory of the workers", memory, at_most(32), "KiB a stream", f"idle {idle / 2**20:.0f} MiB"),
    ]


def first_token(scene, effort):
    """What we add to a provider's first token, which comes 25 ms after its request."""
    figures = []
    for count, pace, name, bound in ((1, "1x25", "first_p50_ms", 1), (1000, "40x25", "first_p99_ms", 25)):
        runs = {
            "ours": functools.partial(run_loop, scene, count, effort.seconds, pace),
            "nginx": functools.partial(_nginx, scene, count, effort.seconds, pace),
        }
        samples = rounds(effort.rounds, runs)
        added = [run[name] - 25 for run in samples["ours"]]
        nginx = median_of(samples["nginx"], name) - 25
        what = f"first token, {name[6:9]} of {count:,}"
        figures.append(Figure(what, added, at_most(bound), "ms added", f"nginx adds {nginx:.1f} ms"))
    return figures


def open_many(scene, count, seconds, beside=None):
    """`count` streams of a token a second, opened 500 a second; what beside() returns while all are
    open; `bytes`: memory of the workers then."""
    callers = scene.callers(math.ceil(count / 8), "600x1000")
    wanted = [requests.stream(callers[i % len(callers)]) for i in range(count)]
    options = {"connections": count, "rate": 500, "once": True, "linger": True}
    load = scene.load(wanted, **options, seconds=count / 500 + 3 * seconds, **OURS)
    load.wait_until_open(count / 500 + 5)
    memory = meter.memory(scene.processes("execute"))
    told = beside() if beside else {}
    return load.result() | {"bytes": memory} | told


def many(scene, effort):
    """10,000 open streams of a token a second, 100 new ones a second beside them, and pages."""
    count = effort.many
    fresh = [requests.stream(person) for person in scene.callers(250)]
    pages = [requests.get(owner, "/user/providers") for owner in scene.owners[:16]]
    scene.callers(math.ceil(count / 8), "600x1000")
    idle = meter.memory(scene.processes("execute"))

    def page_times():
        return scene.load(pages, connections=4, seconds=effort.seconds).result()

    def beside():
        options = {"rate": 100, "connections": 100 * int(effort.seconds), "once": True}
        new = scene.load(fresh, **options, seconds=effort.seconds + 1, **OURS)
        return {"pages": page_times(), "new": new.result()}

    quiet, busy = [], []
    for _ in range(effort.many_rounds):
        quiet.append(page_times())
        busy.append(open_many(scene, count, effort.seconds, beside))
    slower = [b["pages"]["p99_ms"] / q["p99_ms"] for b, q in zip(busy, quiet)]
    page_note = "pages p99 {:.1f} ms alone, {:.1f} beside".format(
        median_of(quiet, "p99_ms"), median_of([b["pages"] for b in busy], "p99_ms")
    )
    new_note = "new streams p99 {:.0f} ms".format(median_of([b["new"] for b in busy], "p99_ms"))
    memory = [(b["bytes"] - idle) / max(b["open_most"], 1) / 1024 for b in busy]
    new_refused = [_refused(b["new"]) for b in busy]
    return [
        Figure("streams open at the same time", [b["open_most"] for b in busy], at_least(count), "streams"),
        Figure("refused or cut", [b["failed"] for b in busy], at_most(0), "streams"),
        Figure("refused of 100 new ones a second", new_refused, at_most(0), "streams", new_note),
        Figure("memory of the workers", memory, at_most(32), "KiB a stream"),
        Figure("p99 of pages beside them", slower, at_most(3), "× without", page_note),
    ]
