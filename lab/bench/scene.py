"""The programs that the parts measure and compare, each started when a part first asks for it and ended together:
the stack as `./dev up` runs it (durable commits, release build), the references behind its nginx, the provider that
streams come from, people."""

import contextlib
import functools
import tempfile
from pathlib import Path

from harness.processes import end
from harness.stack import Stack

from . import meter
from .load import Load, Upstream
from .people import add_callers, add_owners
from .reference import RIVALS, Reference


class Scene:
    def __init__(self, owners, execute=1):
        """execute: processes of usershell-execute."""
        self.owner_count = owners
        self._execute = execute
        self.ends = contextlib.ExitStack()

    def __enter__(self):
        self.folder = Path(self.ends.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        self.folder.chmod(0o711)
        return self

    def __exit__(self, *_):
        self.ends.close()

    @functools.cached_property
    def upstream(self):
        upstream = Upstream(self.folder)
        self.ends.callback(end, upstream.process)
        return upstream

    @functools.cached_property
    def stack(self):
        allowed = ("egress-allow", f"127.0.0.1:{self.upstream.port}")
        options = {"auth": 1, "manage": 1, "execute": self._execute, "durable": True, "connections": 32768}
        return self.ends.enter_context(Stack(settings=[allowed, ("api", "true")], **options))

    @functools.cached_property
    def reference(self):
        return Reference(self.stack, self.upstream.port)

    @functools.lru_cache(maxsize=None)
    def rival(self, name):
        """The process of that program, which is behind /NAME of the reference."""
        return RIVALS[name](self)

    @functools.cached_property
    def owners(self):
        """People with full lists."""
        return add_owners(self.stack, self.owner_count)

    @functools.lru_cache(maxsize=None)
    def callers(self, count, pace):
        """People whose provider streams at that pace (provider.mjs)."""
        base_url = f"http://127.0.0.1:{self.upstream.port}/{pace}/v1"
        return add_callers(self.stack, count, base_url, f"caller-{pace}-{count}")

    def load(self, requests, port=None, **options):
        """Starts a run of the load client over TLS, against the stack unless told otherwise."""
        return Load(port or self.stack.https_port, requests, **options)

    def processes(self, name):
        """The pids of a pool, of nginx, of postgres, or of a rival."""
        if name in RIVALS:
            return meter.family(self.rival(name).pid)
        if name == "postgres":
            return meter.family(self.stack.postgres.pid)
        if name == "nginx":
            return meter.family(self.stack.nginx.pid)
        return self.stack.pools[name].pids()

    def meter(self, *names):
        return meter.Meter({name: functools.partial(self.processes, name) for name in names})
