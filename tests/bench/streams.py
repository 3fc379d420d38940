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


def _ours(scene, count, seconds, pace="40x25"):
    callers = scene.callers(math.ceil(count / _PLACES), pace)
    wanted = [requests.stream(callers[i % len(callers)]) for i in range(count)]
    with scene.meter("execute", "nginx", "postgres") as used:
        load = scene.load(wanted, **_loop(count, seconds), **OURS)
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


def _cpu(run, name):
    """Milliseconds a stream."""
    return 1000 * run["used"][name] / max(run["requests"], 1)


def streams(scene, effort):
    """1,000 streams of 40 tokens at once."""
    count = 1000
    scene.callers(math.ceil(count / _PLACES))
    idle = meter.memory(scene.processes("execute"))
    runs = {
        "ours": lambda: _ours(scene, count, effort.seconds),
        "nginx": lambda: _nginx(scene, count, effort.seconds),
    }
    samples = rounds(effort.rounds, runs)
    ours, nginx = samples["ours"], samples["nginx"]
    pairs = by_round(samples, "ours", "nginx")
    whole = "ours p50 {:.0f} p99 {:.0f} ms, nginx p50 {:.0f} p99 {:.0f} ms, nginx refused {}".format(
        *(median_of(side, name) for side in (ours, nginx) for name in ("p50_ms", "p99_ms")),
        sum(map(_refused, nginx)),
    )
    cpu = ", ".join(f"{n} {_cpu(ours[-1], n):.2f}" for n in ("nginx", "postgres"))
    cpu += f", nginx by proxy_pass {_cpu(nginx[-1], 'reference'):.2f}"
    memory = [(run["memory"] - idle) / count / 1024 for run in ours]
    return [
        Figure("p99 of a stream", [o["p99_ms"] / n["p99_ms"] for o, n in pairs], at_most(1.10), "× nginx", whole),
        Figure("refused or cut", [_refused(run) for run in ours], at_most(0), "streams"),
        Figure("CPU of the workers", [_cpu(run, "execute") for run in ours], at_most(0.5), "ms a stream", cpu),
        Figure("memory of the workers", memory, at_most(32), "KiB a stream", f"idle {idle / 2**20:.0f} MiB"),
    ]


def first_token(scene, effort):
    """What we add to a provider's first token, which comes 25 ms after its request."""
    figures = []
    for count, pace, name, bound in ((1, "1x25", "first_p50_ms", 1), (1000, "40x25", "first_p99_ms", 25)):
        runs = {
            "ours": functools.partial(_ours, scene, count, effort.seconds, pace),
            "nginx": functools.partial(_nginx, scene, count, effort.seconds, pace),
        }
        samples = rounds(effort.rounds, runs)
        added = [run[name] - 25 for run in samples["ours"]]
        nginx = median_of(samples["nginx"], name) - 25
        what = f"first token, {name[6:9]} of {count:,}"
        figures.append(Figure(what, added, at_most(bound), "ms added", f"nginx adds {nginx:.1f} ms"))
    return figures


def many(scene, effort):
    """10,000 open streams of a token a second, 100 new ones a second beside them, and pages."""
    count, places = effort.many, 8
    callers = scene.callers(math.ceil(count / places), "600x1000")
    new = scene.callers(250)
    owners = scene.owners[:16]
    pages = [requests.get(owner, "/user/providers") for owner in owners]
    wanted = [requests.stream(callers[i % len(callers)]) for i in range(count)]
    fresh = [requests.stream(person) for person in new]
    idle = meter.memory(scene.processes("execute"))

    def page_times():
        return scene.load(pages, connections=4, seconds=effort.seconds).result()

    def open_many():
        seconds = count / 500 + 3 * effort.seconds
        load = scene.load(wanted, connections=count, rate=500, once=True, linger=True, seconds=seconds, **OURS)
        is_open = load.wait_until_open(count / 500 + 5)
        memory = meter.memory(scene.processes("execute"))
        options = {"rate": 100, "connections": 100 * int(effort.seconds), "once": True}
        beside = scene.load(fresh, **options, seconds=effort.seconds + 1, **OURS)
        times = page_times()
        fresh_run = beside.result()
        run = load.result()
        return {"open": run["open_most"], "all": is_open, "refused": run["failed"],
                "new_refused": _refused(fresh_run), "new_p99": fresh_run["p99_ms"],
                "memory": (memory - idle) / count / 1024, "page_p99": times["p99_ms"],
                "page_failed": _refused(times)}

    quiet, busy = [], []
    for _ in range(effort.many_rounds):
        quiet.append(page_times())
        busy.append(open_many())
    slower = [b["page_p99"] / q["p99_ms"] for b, q in zip(busy, quiet)]
    note = "pages p99 {:.1f} ms alone, {:.1f} beside".format(
        median_of(quiet, "p99_ms"), median_of(busy, "page_p99")
    )
    new_note = "new streams p99 {:.0f} ms".format(median_of(busy, "new_p99"))
    return [
        Figure("streams open at the same time", [b["open"] for b in busy], at_least(count), "streams"),
        Figure("refused or cut", [b["refused"] for b in busy], at_most(0), "streams"),
        Figure("refused of 100 new ones a second", [b["new_refused"] for b in busy], at_most(0), "streams", new_note),
        Figure("memory of the workers", [b["memory"] for b in busy], at_most(32), "KiB a stream"),
        Figure("p99 of pages beside them", slower, at_most(3), "× without", note),
    ]
