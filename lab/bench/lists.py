"""The provider list, against PHP and Node."""

import functools
import os
import re
import statistics

from harness.envelope import blake2b, length_prefixed
from harness.processes import HarnessError, run

from . import requests
from .meter import Figure, at_least, at_most, by_round, median_of, rounds

_LIST = "/user/providers/list"
_CONNECTIONS = 16
_PEOPLE = 1000  # whose lists are asked for in turn


def hash_of(person):
    """What the store knows their session by, in hex."""
    return blake2b(length_prefixed("session", person.session)).hex()


def _people(scene):
    return scene.owners[:_PEOPLE]


def _wanted(scene):
    return [requests.get(person, _LIST) for person in _people(scene)]


def checked(result, *good):
    """The run, when all its answers have these statuses."""
    wrong = {status: count for status, count in result["statuses"].items() if status not in good}
    if wrong or result["failed"]:
        raise HarnessError(f"Of the answers {result['failed']} were lost, others were {wrong}.")
    return result


def _asked(scene, effort, wanted, port, program):
    """used: microseconds of CPU a request, of the program and of all that it needs."""
    options = {"connections": _CONNECTIONS, "rotate": True, "warm": 0.5, "seconds": effort.seconds}
    with scene.meter(program, "nginx", "postgres") as used:
        result = checked(scene.load(wanted, port, **options).result(), "200")
    spent = {name: 1e6 * seconds / result["requests"] for name, seconds in used.used.items()}
    return result | {"used": spent}


def ours(scene, effort):
    return _asked(scene, effort, _wanted(scene), None, "manage")


def _rival(scene, effort, name):
    scene.rival(name)
    wanted = [requests.bare(f"/{name}", f"Cookie: bench={hash_of(p)}") for p in _people(scene)]
    return _asked(scene, effort, wanted, scene.reference.port, name)


def pages(scene, effort):
    """Pages and lists of a few people, over four connections."""
    asked = [requests.get(p, path) for p in scene.owners[:16] for path in ("/user/providers", _LIST)]
    return scene.load(asked, connections=4, rotate=True, seconds=effort.seconds).result()


def pgbench(scene, effort, scripts, clients=_CONNECTIONS):
    """Transactions a second of scripts (texts), as usershell-manage."""
    files = []
    for number, text in enumerate(scripts):
        path = scene.folder / f"pgbench-{number}.sql"
        path.write_text(text, encoding="utf-8")
        files += ["-f", path]
    environment = {**os.environ, **scene.stack.postgres.environment("usershell_manage")}
    command = ["pgbench", "-n", "-M", "prepared", "-c", clients, "-j", 2, "-T", int(effort.seconds)]
    said = run([*command, *files], env=environment)
    return {"per_second": float(re.search(r"tps = ([0-9.]+)", said)[1])}


def warm(scene):
    """Every list has been asked for once."""
    scene.load(_wanted(scene), connections=_CONNECTIONS, rotate=True, seconds=2).result()


def listed(scene, effort):
    """The list against PHP-FPM and Node, which make it of the same tables."""
    warm(scene)
    runs = {"ours": functools.partial(ours, scene, effort)}
    runs |= {name: functools.partial(_rival, scene, effort, name) for name in ("php", "node")}
    samples = rounds(effort.rounds, runs)
    figures = []
    for name, words, goal in (("php", "PHP-FPM", 3), ("node", "Node", 4)):
        values = [o["per_second"] / other["per_second"] for o, other in by_round(samples, "ours", name)]
        note = "ours {:,.0f}/s, {:,.0f}/s".format(*(median_of(samples[each], "per_second") for each in ("ours", name)))
        figures.append(Figure(f"list beside {words}", values, at_least(goal), f"× {words}", note))
    cpu = {name: [sum(each["used"].values()) for each in samples[name]] for name in ("ours", "php")}
    spent = [each["used"] for each in samples["ours"]]
    parts = ", ".join(f"{name} {statistics.median(each[name] for each in spent):.0f}" for name in spent[0])
    parts += f" µs; {statistics.median(cpu['ours']):.0f} µs, {statistics.median(cpu['php']):.0f} µs"
    tails = [sample["p99_ms"] / sample["p50_ms"] for sample in samples["ours"]]
    return [
        *figures,
        Figure("CPU of all programs", [o / p for o, p in zip(cpu["ours"], cpu["php"])], at_most(0.33), "× PHP-FPM's", parts),
        Figure("p99 of the list", tails, at_most(2.5), "× p50", f"p50 {median_of(samples['ours'], 'p50_ms'):.2f} ms"),
    ]
