"""The provider list: against the machine's limit, against PHP and Node, unchanged; and changes."""

import functools
import os
import re
import statistics

from harness.envelope import blake2b, length_prefixed
from harness.processes import HarnessError, run

from . import requests
from .rounds import Figure, at_least, at_most, by_round, median_of, rounds

_LIST = "/user/providers/list"
_CONNECTIONS = 16
_PEOPLE = 1000  # whose lists are asked for in turn
_SCRIPTS = 100  # pgbench takes 128 at most
_STATEMENT = """SELECT s.*, l.version, l.document FROM usershell.sign_request_in('\\x{hash}') s LEFT JOIN LATERAL (
 SELECT version, document FROM usershell.provider_lists WHERE owner_id = s.user_id OFFSET 0) l ON true;
"""


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


def _asked(scene, wanted, effort, port=None):
    options = {"connections": _CONNECTIONS, "rotate": True, "warm": 0.5, "seconds": effort.seconds}
    return checked(scene.load(wanted, port, **options).result(), "200", "304")


def asked_by(scene, effort):
    return _asked(scene, _wanted(scene), effort)


def ours(scene, effort, wanted=None):
    """used: microseconds of CPU a request."""
    wanted = wanted or _wanted(scene)
    with scene.meter("manage", "nginx", "postgres") as used:
        result = _asked(scene, wanted, effort)
    spent = {name: 1e6 * seconds / result["requests"] for name, seconds in used.used.items()}
    return result | {"used": spent}


def _spent(samples):
    names = samples[0]["used"]
    median = {name: statistics.median(each["used"][name] for each in samples) for name in names}
    return "µs of CPU a request: " + ", ".join(f"{name} {value:.0f}" for name, value in median.items())


def hello(scene, effort, size=0):
    """size: bytes of the answer; 0: hello."""
    query = f"?{size}" if size else ""
    return _asked(scene, [requests.bare(f"/hello{query}")], effort, scene.rival("hello").port)


def _list_size(scene):
    answer = scene.stack.visitor().get(_LIST, {"Cookie": scene.owners[0].cookies})
    return len(answer.body)


def rival(scene, effort, name, query=""):
    port = scene.rival(name).port
    wanted = [requests.bare(f"/{name}{query}", f"Cookie: bench={hash_of(p)}") for p in _people(scene)]
    return _asked(scene, wanted, effort, port)


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


def database(scene, effort):
    return pgbench(scene, effort, [_STATEMENT.format(hash=hash_of(p)) for p in _people(scene)[:_SCRIPTS]])


def warm(scene):
    """Every list has been asked for once."""
    scene.load(_wanted(scene), connections=_CONNECTIONS, rotate=True, seconds=2).result()


def listed(scene, effort):
    """The list against L = 1 / (1/fcgi + 1/db)."""
    warm(scene)
    size = _list_size(scene)
    runs = {"ours": ours, "hello": hello, "bytes": functools.partial(hello, size=size), "db": database}
    samples = rounds(effort.rounds, {n: functools.partial(f, scene, effort) for n, f in runs.items()})
    together = [[s["per_second"] for s in each] for each in by_round(samples, *runs)]
    limits = [o * (1 / h + 1 / d) for o, h, _, d in together]
    carrying = [o * (1 / b + 1 / d) for o, _, b, d in together]
    rates = [median_of(samples[name], "per_second") for name in runs]
    note = f"ours {{:,.0f}}/s, hello {{:,.0f}}/s, {size:,} bytes {{:,.0f}}/s, pgbench {{:,.0f}}/s".format(*rates)
    note += f"; × L with those bytes in place of hello: {statistics.median(carrying):.2f}"
    tails = [sample["p99_ms"] / sample["p50_ms"] for sample in samples["ours"]]
    times = f"p50 {median_of(samples['ours'], 'p50_ms'):.2f} ms"
    note += f"; {_spent(samples['ours'])}"
    return [
        Figure("list, 16 connections", limits, at_least(0.80), "× L", note),
        Figure("p99 of the list", tails, at_most(3), "× p50", times),
        Figure("its statement by pgbench", [d for *_, d in together], at_least(18_000), "/s"),
    ]


def against_others(scene, effort):
    """The list against PHP-FPM and Node, which make it of the same tables."""
    warm(scene)
    runs = {"ours": functools.partial(ours, scene, effort)}
    for name in ("php", "node"):
        runs[name] = functools.partial(rival, scene, effort, name)
        runs[f"{name} kept"] = functools.partial(rival, scene, effort, name, "?kept")
    samples = rounds(effort.rounds, runs)
    figures = []
    for name, words in (("php", "PHP-FPM"), ("node", "Node")):
        pairs = by_round(samples, "ours", name)
        note = "ours {:,.0f}/s, {:,.0f}/s; sending our kept document: {:,.0f}/s".format(
            *(median_of(samples[each], "per_second") for each in ("ours", name, f"{name} kept"))
        )
        values = [o["per_second"] / other["per_second"] for o, other in pairs]
        figures.append(Figure(f"list beside {words}", values, at_least(3), f"× {words}", note))
    return figures


def _tags(scene):
    client = scene.stack.visitor()
    for person in _people(scene):
        answer = client.get(_LIST, {"Cookie": person.cookies})
        yield requests.get(person, _LIST, f"If-None-Match: {answer.headers['etag']}")


_FORGET = """
CREATE FUNCTION public.forget() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN NEW.build := NULL; NEW.document := NULL; RETURN NEW; END';
CREATE TRIGGER forget BEFORE UPDATE ON usershell.provider_lists FOR EACH ROW EXECUTE FUNCTION public.forget();
UPDATE usershell.provider_lists SET build = NULL;
"""
_REMEMBER = "DROP TRIGGER forget ON usershell.provider_lists; DROP FUNCTION public.forget()"


def _made(scene, effort):
    """The list made of its rows each time: what is kept is forgotten."""
    scene.stack.postgres.psql(sql=_FORGET)
    try:
        return ours(scene, effort)
    finally:
        scene.stack.sql(_REMEMBER)


def unchanged(scene, effort):
    """304 against the full answer, made and kept."""
    tagged = list(_tags(scene))
    runs = {
        "304": lambda: ours(scene, effort, tagged),
        "kept": lambda: ours(scene, effort),
        "made": lambda: _made(scene, effort),
    }
    samples = rounds(effort.rounds, runs)
    note = "304: {:,.0f}/s, kept: {:,.0f}/s, made: {:,.0f}/s".format(
        *(median_of(samples[name], "per_second") for name in runs)
    )
    figures = []
    for other, words in (("made", "an answer made of its rows"), ("kept", "a kept answer")):
        pairs = by_round(samples, "304", other)
        values = [a["per_second"] / b["per_second"] for a, b in pairs]
        spent = f"{note}; 304: {_spent(samples['304'])}" if other == "made" else _spent(samples["kept"])
        figures.append(Figure("list unchanged", values, at_least(2), f"× {words}", spent))
    return figures
