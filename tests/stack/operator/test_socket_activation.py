"""systemd's own tool hands a worker its socket: it starts with the first caller, and serves."""

import time
import unittest

from harness.processes import end, spawn
from harness.scenes import ROUTE, provider
from harness.suite import shared_stack

_TIMEOUT = 10.0


def setUpModule():
    global stack
    stack = shared_stack(manage=2, execute=2, mail=True)


class Activated(unittest.TestCase):
    def activate(self, name):
        """Puts systemd-socket-activate in the pool's place."""
        pool = stack.pools[name]
        pool.stop()
        self.addCleanup(pool.start)
        tool = spawn(
            ["systemd-socket-activate", "-l", pool.path, *stack.pool_command(name)], pool.log
        )
        self.addCleanup(end, tool)
        deadline = time.monotonic() + _TIMEOUT
        while not pool.path.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        return tool

    def test_both_programs_serve_and_end_when_told(self):
        tools = [self.activate(name) for name in ("manage", "execute")]
        client = stack.newcomer()
        made = provider(client, f"{stack.stub.url}/v1")
        self.assertTrue(client.post(f"{ROUTE}/{made}/test").json()["ok"])
        self.assertEqual([end(tool) for tool in tools], [0, 0])


if __name__ == "__main__":
    unittest.main()
