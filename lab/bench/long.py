"""Parts that take minutes: a million users, a build from clean."""

import functools
import os
import re
import shutil
import subprocess
import time

from harness.folders import REPOSITORY
from harness.stack import Stack

from . import lists
from .meter import Figure, at_least, at_most, by_round, median_of, rounds
from .people import add_owners
from .scene import Scene

_CROWD = """
SET session_replication_role = replica;
INSERT INTO usershell.users (id, email, normalized_email, display_name)
SELECT md5('crowd ' || n)::uuid, 'crowd-' || n || '@example.com', 'crowd-' || n || '@example.com', 'Crowd ' || n
  FROM generate_series(1, {count}) n;
INSERT INTO usershell.sessions (owner_id, security_stamp, id, token_hash, calls_token_hash, auth_token_hash,
                                antiforgery_key, auth_antiforgery_key, remembered, idle, max_expires_at, expires_at)
SELECT id, security_stamp, id, sha256(id::text::bytea), sha256(id::text::bytea), sha256(id::text::bytea),
       sha256(id::text::bytea), sha256(id::text::bytea), true, '1 day', now() + interval '2 days', now() + interval '1 day'
  FROM usershell.users WHERE display_name LIKE 'Crowd %';
INSERT INTO usershell.provider_lists (owner_id, build, document)
SELECT u.id, 'crowd', l.document
  FROM usershell.users u, (SELECT document FROM usershell.provider_lists WHERE document IS NOT NULL LIMIT 1) l
 WHERE u.display_name LIKE 'Crowd %';
"""


class _Crowd:
    """The scene with another stack: as many people again as a million has more."""

    load, meter, processes = Scene.load, Scene.meter, Scene.processes

    def __init__(self, scene, count):
        self.stack = scene.ends.enter_context(Stack(auth=1, manage=1, execute=1, durable=True))
        self.owners = add_owners(self.stack, scene.owner_count)
        lists.warm(self)
        self.stack.postgres.psql(sql=_CROWD.format(count=count))
        self.stack.sql("VACUUM ANALYZE")


def million(scene, effort):
    """The list with 1,000,000 users against the same with 10,000. What the route reads of the many is
    there: user, session and kept list; their providers are not."""
    crowd = _Crowd(scene, effort.crowd)
    lists.warm(scene)
    asked = functools.partial(lists.ours, effort=effort)
    samples = rounds(effort.rounds, {"many": lambda: asked(crowd), "few": lambda: asked(scene)})
    values = [m["per_second"] / f["per_second"] for m, f in by_round(samples, "many", "few")]
    note = "{:,.0f}/s, {:,.0f}/s".format(*(median_of(samples[name], "per_second") for name in ("many", "few")))
    people = effort.crowd + scene.owner_count
    return [Figure(f"list with {people:,} users", values, at_least(0.90), f"× with {scene.owner_count:,}", note)]


def build(scene, effort):
    """The release build from clean, without a cache, and after a change of one file."""
    folder = scene.folder / "build"
    environment = {**os.environ, "CMAKE_CXX_COMPILER_LAUNCHER": ""}
    configure = ["cmake", "--preset", "release", "-B", folder]
    make = ["cmake", "--build", folder, "-j2"]

    def seconds(*commands):
        began = time.monotonic()
        for command in commands:
            subprocess.run(command, cwd=REPOSITORY, env=environment, check=True, stdout=subprocess.DEVNULL)
        return time.monotonic() - began

    whole = seconds(configure, make)
    os.utime(REPOSITORY / "lib" / "manage" / "providers" / "providers.cpp")
    again = seconds(make)
    shutil.rmtree(folder)
    return [
        Figure("build from clean", [whole], at_most(110), "s"),
        Figure("build after a change of one file", [again], at_most(15), "s"),
    ]


def suites(scene, effort):
    """Every test, once they are built."""
    said = subprocess.run([REPOSITORY / "dev", "test"], cwd=REPOSITORY, check=False, capture_output=True, text=True).stdout
    seconds = float(re.search(r"Total Test time \(real\) = +([0-9.]+)", said)[1])
    return [Figure("every test", [seconds], at_most(180), "s")]
