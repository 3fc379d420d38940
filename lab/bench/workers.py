"""The cost of the workers alone: memory and start, how soon a caller's leaving is passed on, changes, pages beside
streams."""

import functools
import socket
import ssl
import statistics
import time

from harness import fastcgi
from harness.servers.pool import Pool

from . import lists, meter, requests, streams
from .meter import Figure, at_least, at_most, by_round, median_of, rounds

_POOLS = ("auth", "manage", "execute", "opener")
_MODEL = "bench-extra"
_LEAVERS = 20


def footprint(scene, effort):
    """All workers, freshly started, and how long one takes to its first answer."""
    idle, start = [], []
    for _ in range(effort.rounds):
        for name in _POOLS:
            scene.stack.pools[name].restart()
        idle.append(sum(meter.memory(scene.processes(name)) for name in _POOLS) / 2**20)
        fresh = Pool("fresh", scene.stack.pool_command("manage"), 1, scene.stack.folder)
        began = time.monotonic()
        fresh.start()
        fastcgi.serve(fresh.path, [("REQUEST_METHOD", "GET"), ("REQUEST_URI", "/")])
        start.append(1000 * (time.monotonic() - began))
        fresh.stop()
    return [
        Figure("idle workers, PSS", idle, at_most(24), "MiB", "1 of each pool, and the opener"),
        Figure("start to the first answer", start, at_most(150), "ms"),
    ]


def _leave(scene, request):
    """Seconds until the provider sees that a caller has left, between two tokens."""
    context = ssl.create_default_context(cafile=scene.stack.certificate.ca)
    before = len(scene.upstream.left())
    with socket.create_connection(("127.0.0.1", scene.stack.https_port)) as plain:
        caller = context.wrap_socket(plain, server_hostname="localhost")
        caller.sendall(request.encode())
        while b'"token"' not in caller.recv(65536):
            pass
        left = time.monotonic()
        caller.close()
    while len(scene.upstream.left()) == before:
        time.sleep(0.001)
    return scene.upstream.left()[before] - left


def gone(scene, effort):
    """From the caller's leaving to the end of the connection to the provider."""
    request = requests.stream(scene.callers(1, "600x1000")[0])
    times = sorted(1000 * _leave(scene, request) for _ in range(_LEAVERS))
    note = f"of {_LEAVERS}: median {statistics.median(times):.1f} ms"
    return [Figure("caller gone, the slowest", [times[-1]], at_most(50), "ms", note)]


def _changes(scene, effort):
    scene.stack.sql(f"DELETE FROM usershell.models WHERE model_id = '{_MODEL}'")
    people = scene.owners[:16]
    where = [f"/user/providers/{person.provider}/models" for person in people]
    wanted = [requests.call(p, "POST", w, {"modelId": _MODEL}) for p, w in zip(people, where)]
    wanted += [requests.call(p, "DELETE", f"{w}?modelId={_MODEL}") for p, w in zip(people, where)]
    load = scene.load(wanted, connections=len(people), rotate=True, seconds=effort.seconds)
    return lists.checked(load.result(), "200", "204")


_CHANGE = """\\set id random(1, 1000000000)
SELECT * FROM usershell.sign_request_in('\\x{hash}');
SELECT name, type, base_url, round_robin_accounts FROM usershell.providers WHERE owner_id = '{owner}' AND id = '{provider}';
BEGIN;
SELECT 1 FROM usershell.providers WHERE owner_id = '{owner}' AND id = '{provider}' FOR NO KEY UPDATE;
INSERT INTO usershell.models (owner_id, provider_id, model_id, display_name, capabilities, position)
 SELECT '{owner}', '{provider}', 'bench-' || :id, 'Bench', 'generation', coalesce(max(position), 0) + 1
 FROM usershell.models WHERE owner_id = '{owner}' AND provider_id = '{provider}' HAVING count(*) < 20;
COMMIT;
SELECT * FROM usershell.sign_request_in('\\x{hash}');
DELETE FROM usershell.models WHERE owner_id = '{owner}' AND provider_id = '{provider}' AND model_id = 'bench-' || :id;
"""


def _changes_by_pgbench(scene, effort):
    owners = scene.owners[:100]  # pgbench takes 128 scripts at most
    scripts = [_CHANGE.format(hash=lists.hash_of(p), owner=p.id, provider=p.provider) for p in owners]
    return {"per_second": 2 * lists.pgbench(scene, effort, scripts)["per_second"]}


def changes(scene, effort):
    """A model added and removed, durably, against the same statements by pgbench."""
    runs = {"ours": functools.partial(_changes, scene, effort), "db": functools.partial(_changes_by_pgbench, scene, effort)}
    samples = rounds(effort.rounds, runs)
    values = [o["per_second"] / d["per_second"] for o, d in by_round(samples, "ours", "db")]
    note = "ours {:,.0f}/s, pgbench {:,.0f}/s".format(*(median_of(samples[n], "per_second") for n in runs))
    return [Figure("model added, model removed", values, at_least(0.60), "× pgbench", note)]


def beside(scene, effort):
    """Pages and list while 1,000 streams a second begin, against themselves with none."""
    quiet = functools.partial(lists.pages, scene, effort)

    def busy():
        load = streams.start_loop(scene, 1000, effort.seconds + 4)
        time.sleep(3)
        result = quiet()
        load.result()
        return result

    samples = rounds(effort.rounds, {"quiet": quiet, "busy": busy})
    values = [b["p99_ms"] / q["p99_ms"] for b, q in by_round(samples, "busy", "quiet")]
    note = "p99 {:.1f} ms alone, {:.1f} ms beside".format(*(median_of(samples[n], "p99_ms") for n in ("quiet", "busy")))
    return [Figure("p99 of pages and list beside 1,000 streams, saturated", values, None, "× without", note)]
