"""The table of parts: each a row of docs/benchmarks.md, by the name that `./dev bench` takes."""

from dataclasses import dataclass

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


QUICK = Effort(2, 4, many=2_000, many_rounds=1, owners=200, crowd=20_000)

# Name: (what it is, the function of scene and effort that returns its figures).
PARTS = {
    "list": ("the provider list, against PHP-FPM and Node", lists.listed),
    "changes": ("a model added and removed, against pgbench", workers.changes),
    "streams": ("1,000 streams of 40 tokens at once, against nginx's proxy_pass", streams.streams),
    "relay": ("a tool's calls through /v1, against nginx's proxy_pass", streams.relay),
    "first-token": ("what is added to a provider's first token", streams.first_token),
    "many": ("10,000 streams open, 100 new ones a second beside them", streams.many),
    "beside": ("pages and list while 1,000 streams run", workers.beside),
    "gone": ("how soon a caller's leaving ends the call to the provider", workers.gone),
    "footprint": ("idle workers, and how long one takes to start", workers.footprint),
    "million": ("the provider list with 1,000,000 users", long.million),
    "build": ("the release build, from clean and after a change", long.build),
}
