"""The playground's streams: a thousand at once, ten thousand open, their first token."""

import functools
import math
import time

from harness.processes import wait_until

from . import lists, meter, requests
from .load import OURS, PROVIDERS
from .meter import Figure, at_least, at_most, by_round, median_of, rounds
from .scene import Scene

_CALLERS = 8  # of small calls by turns, for a token may make 6,000 a minute
_PLACES = 4  # of a user's eight: a stream's place may be free a moment after its end
_QUIET = 5  # seconds after a burst, in which memory is given back


def refused(run):
    return run["failed"] + run["unfinished"]


def _loop(count, seconds, together=False):
    """`count` streams under way at all times, their beginnings spread over a second, or together."""
    return {"connections": count, "rate": 0 if together else count, "warm": 2, "seconds": seconds}


def start_loop(scene, count, seconds, pace="40x25", by_token=False, together=False):
    """A run of `count` streams at all times."""
    callers = scene.callers(math.ceil(count / _PLACES), pace)
    request, marks = (requests.by_token, PROVIDERS) if by_token else (requests.stream, OURS)
    wanted = [request(callers[i % len(callers)]) for i in range(count)]
    return scene.load(wanted, **_loop(count, seconds, together), **marks)


def run_loop(scene, count, seconds, pace="40x25", by_token=False, together=False):
    """memory: of the executing workers while it runs. used: CPU seconds."""
    scene.callers(math.ceil(count / _PLACES), pace)
    with scene.meter("execute", "opener", "nginx", "postgres") as used:
        load = start_loop(scene, count, seconds, pace, by_token, together)
        time.sleep(seconds * 0.75)
        memory = meter.memory(scene.processes("execute"))
        run = load.result()
    return run | {"memory": memory, "used": used.used}


def by_nginx(scene, count, seconds, pace="40x25", together=False):
    with scene.meter("nginx") as used:
        wanted = [requests.completion(f"/provider/{pace}/v1/chat/completions")]
        load = scene.load(wanted, scene.reference.port, **_loop(count, seconds, together), **PROVIDERS)
        run = load.result()
    return run | {"used": used.used}


def _cpu_of(run, name):
    """Milliseconds a stream."""
    return 1000 * run["used"][name] / max(run["requests"], 1)


def _figures(scene, effort, by_token):
    """1,000 streams of 40 tokens at once, beside nginx. They take more than two processors have."""
    count = 1000
    scene.callers(math.ceil(count / _PLACES), "40x25")
    scene.stack.pools["execute"].restart()
    idle = meter.memory(scene.processes("execute"))
    runs = {
        "ours": lambda: run_loop(scene, count, effort.seconds, by_token=by_token),
        "nginx": lambda: by_nginx(scene, count, effort.seconds),
    }
    samples = rounds(effort.rounds, runs)
    ours, nginx = samples["ours"], samples["nginx"]
    pairs = by_round(samples, "ours", "nginx")
    whole = "ours p50 {:.0f} p99 {:.0f} ms, nginx p50 {:.0f} p99 {:.0f} ms, nginx refused {}".format(
        *(median_of(side, name) for side in (ours, nginx) for name in ("p50_ms", "p99_ms")),
        sum(map(refused, nginx)),
    )
    others = ", ".join(f"{n} {_cpu_of(ours[-1], n):.2f}" for n in ("nginx", "postgres"))
    others += f", nginx by proxy_pass {_cpu_of(nginx[-1], 'nginx'):.2f}"
    memory = [(run["memory"] - idle) / count / 1024 for run in ours]
    time.sleep(_QUIET)
    kept = (meter.memory(scene.processes("execute")) - idle) / (ours[-1]["memory"] - idle)
    return [
        Figure("p99 of a stream, saturated", [o["p99_ms"] / n["p99_ms"] for o, n in pairs], None, "× nginx", whole),
        Figure("refused or cut", [refused(run) for run in ours], at_most(0), "streams"),
        Figure("CPU of the workers, saturated", [_cpu_of(run, "execute") for run in ours], None, "ms a stream", others),
        Figure("memory of the workers", memory, at_most(32), "KiB a stream", f"idle {idle / 2**20:.0f} MiB"),
        Figure("memory kept after them", [kept], at_most(0.35), "of it", f"{_QUIET} s after the last"),
    ]


def _closed(scene, effort, count=1000):
    """All begin together, and each again as soon as it has ended."""
    ways = {"ours": run_loop, "nginx": by_nginx}
    runs = {name: functools.partial(way, scene, count, effort.seconds, together=True) for name, way in ways.items()}
    samples = rounds(effort.rounds, runs)
    ratios = [o["p99_ms"] / n["p99_ms"] for o, n in by_round(samples, "ours", "nginx")]
    note = "CPU of the workers {:.2f} ms a stream".format(_cpu_of(samples["ours"][-1], "execute"))
    return Figure("p99 in a closed loop, saturated", ratios, None, "× nginx", note)


def streams(scene, effort):
    """The playground's."""
    return [*_figures(scene, effort, False), _closed(scene, effort)]


def _portkey(scene, count, seconds):
    host = f"http://127.0.0.1:{scene.upstream.port}/40x25/v1"
    headers = ("x-portkey-provider: openai", f"x-portkey-custom-host: {host}")
    wanted = [requests.completion("/portkey/v1/chat/completions", *headers)]
    with scene.meter("portkey") as used:
        run = scene.load(wanted, scene.reference.port, **_loop(count, seconds), **PROVIDERS).result()
    return run | {"used": used.used}


def _beside_portkey(scene, effort, count=200):
    """So many streams as leave it room."""
    runs = {
        "ours": lambda: run_loop(scene, count, effort.seconds, by_token=True),
        "portkey": lambda: _portkey(scene, count, effort.seconds),
    }
    samples = rounds(effort.rounds, runs)
    pairs = by_round(samples, "ours", "portkey")
    cpu = [_cpu_of(theirs, "portkey") / _cpu_of(ours, "execute") for ours, theirs in pairs]
    note = "first token p50: ours {:.1f}, Portkey {:.1f} ms".format(*(median_of(samples[n], "first_p50_ms") for n in runs))
    return Figure(f"CPU of Portkey for {count} streams", cpu, None, "× our workers'", note)


def relay(scene, effort):
    """A tool's, by an access token; and what /v1 adds to one call whose body has that size."""
    figures = [*_figures(scene, effort, True), _beside_portkey(scene, effort)]
    callers = scene.callers(_CALLERS, "1x1")
    one = {"connections": 1, "rotate": True, "warm": 1, "seconds": effort.seconds, **PROVIDERS}
    for size, bound in ((1024, 1), (10 * 2**20, 30)):
        ways = {
            "ours": ([requests.by_token(caller, size) for caller in callers], scene.stack.https_port),
            "nginx": ([requests.completion("/provider/1x1/v1/chat/completions", size=size)], scene.reference.port),
        }
        runs = {name: functools.partial(lambda way: lists.checked(scene.load(*way, **one).result(), "200"), way) for name, way in ways.items()}
        samples = rounds(effort.rounds, runs)
        added = [o["p50_ms"] - n["p50_ms"] for o, n in by_round(samples, "ours", "nginx")]
        times = "ours {:.1f} ms, nginx {:.1f} ms".format(*(median_of(samples[name], "p50_ms") for name in ways))
        figures.append(Figure(f"a body of {size // 1024:,} KiB, p50", added, at_most(bound), "ms more than nginx", times))
    return figures


def first_token(scene, effort):
    """What we add to a provider's first token, which comes 25 ms after its request."""
    figures = []
    for count, pace, name, bound in ((1, "1x25", "first_p50_ms", at_most(1)), (1000, "40x25", "first_p99_ms", None)):
        runs = {
            "ours": functools.partial(run_loop, scene, count, effort.seconds, pace),
            "nginx": functools.partial(by_nginx, scene, count, effort.seconds, pace),
        }
        samples = rounds(effort.rounds, runs)
        added = [run[name] - 25 for run in samples["ours"]]
        nginx = median_of(samples["nginx"], name) - 25
        what = f"first token, {name[6:9]} of {count:,}" + ("" if bound else ", saturated")
        figures.append(Figure(what, added, bound, "ms added", f"nginx adds {nginx:.1f} ms"))
    return figures


def wait_until_all_have_ended(scene):
    """A user's slots are free again then."""
    under_way = "SELECT count(*) FROM usershell.calls WHERE id IS NOT NULL AND expires_at > now()"
    wait_until(lambda: scene.stack.postgres.psql(sql=under_way).strip() == "0", "the end of all calls")


def many(_, effort):
    """Of two processes, because one takes 8,192 calls."""
    with Scene(0, execute=2) as scene:
        return _many(scene, effort)


def _many(scene, effort):
    """10,000 open streams of a token a second, opened 500 a second, and 100 new ones a second beside them."""
    count = effort.many
    fresh = [requests.stream(person) for person in scene.callers(250, "40x25")]
    callers = scene.callers(math.ceil(count / 8), "600x1000")
    wanted = [requests.stream(callers[i % len(callers)]) for i in range(count)]
    options = {"connections": count, "rate": 500, "once": True, "linger": True}
    beside = {"connections": 100 * int(effort.seconds), "rate": 100, "once": True, "seconds": effort.seconds + 1}
    runs, new = [], []
    for _ in range(effort.many_rounds):
        load = scene.load(wanted, **options, seconds=count / 500 + 3 * effort.seconds, **OURS)
        load.wait_until_open(count / 500 + 5)
        new.append(scene.load(fresh, **beside, **OURS).result())
        runs.append(load.result())
        wait_until_all_have_ended(scene)
    note = f"new streams p99 {median_of(new, 'p99_ms'):.0f} ms"
    return [
        Figure("streams open at the same time", [run["open_most"] for run in runs], at_least(count), "streams"),
        Figure("refused or cut", [run["failed"] for run in runs], at_most(0), "streams"),
        Figure("refused of 100 new ones a second", [refused(run) for run in new], at_most(0), "streams", note),
    ]
