"""The table of parts: each a row of docs/benchmarks.md, by the name that `./dev bench` takes."""

from dataclasses import dataclass
from typing import Callable

from . import lists, long, streams, workers


@dataclass
class Effort:
    """rounds: of what is compared. seconds: of one run. many: how many streams are open in the part
    "many". owners: people with full lists. crowd: people beside them in the part "million"."""

    rounds: int = 5
    seconds: float = 5
    many: int = 10_000
    many_rounds: int = 2
    owners: int = 10_000
    crowd: int = 990_000
    soak_minutes: int = 60


QUICK = Effort(2, 4, many=2_000, many_rounds=1, owners=200, crowd=20_000, soak_minutes=2)


@dataclass
class Part:
    """measure(scene, effort) returns the figures. usual: it is run when none is named."""

    name: str
    what: str
    measure: Callable
    usual: bool = True


PARTS = [
    Part("list", "the provider list, against the machine's limit", lists.listed),
    Part("list-others", "the provider list, against PHP-FPM and Node", lists.against_others),
    Part("list-unchanged", "304 against the full list", lists.unchanged),
    Part("changes", "a model added and removed, against pgbench", workers.changes),
    Part("streams", "1,000 streams of 40 tokens at once, against nginx's proxy_pass", streams.streams),
    Part("first-token", "what is added to a provider's first token", streams.first_token),
    Part("many", "10,000 streams open, 100 new ones a second, pages beside them", streams.many),
    Part("portkey", "400 streams, against the Portkey gateway", workers.portkey),
    Part("beside", "pages and list while 1,000 streams run", workers.beside),
    Part("gone", "how soon a caller's leaving ends the call to the provider", workers.gone),
    Part("burst", "memory after 1,000 and 10,000 streams", workers.burst),
    Part("footprint", "idle workers, and how long one takes to start", workers.footprint),
    Part("million", "the provider list with 1,000,000 users", long.million),
    Part("build", "the release build, from clean and after a change", long.build),
    Part("request", "instructions a request (callgrind)", workers.request),
    Part("soak", "memory over an hour of mixed load", long.soak, usual=False),
]
