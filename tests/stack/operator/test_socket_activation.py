"""Socket activation: systemd's own tool starts a worker with the first connection, and it serves.
--check-config checks a configuration before a restart."""

import unittest

from harness.processes import end, finished, spawn, wait_until
from harness.scenes import provider, tested
from harness.sanitizers import patient
from harness.suite import shared_stack


def setUpModule():
    global stack
    stack = shared_stack(manage=2, execute=2, mail=True)


class Activated(unittest.TestCase):
    def activate(self, name):
        """Puts systemd-socket-activate in the pool's place."""
        pool = stack.pools[name]
        pool.stop()
        self.addCleanup(pool.start)
        command = ["systemd-socket-activate", "-l", pool.path, *stack.pool_command(name)]
        tool = spawn(command, pool.log)
        self.addCleanup(end, tool)
        wait_until(pool.path.exists, "the socket", process=tool, log=pool.log)
        return tool

    def test_all_programs_serve_and_end_when_told(self):
        tools = [self.activate(name) for name in ("auth", "manage", "execute")]
        client = stack.newcomer()
        made = provider(client, f"{stack.stub.url}/v1")
        self.assertTrue(tested(client, made)["ok"])
        self.assertEqual([end(tool) for tool in tools], [0, 0, 0])


class Checked(unittest.TestCase):
    def check(self, name, option=None, value=None):
        """With another value of an option of its command line, or with one more."""
        command = [str(word) for word in [*stack.pool_command(name), "--check-config"]]
        if option in command:
            command[command.index(option) + 1] = value
        elif option:
            command.append(option)
        return finished(command, timeout=patient(60))

    def test_what_serves_passes_and_what_would_not_start_is_refused(self):
        rings = {"auth": "auth-secret", "manage": "web-secret", "execute": "web-public", "mail": "auth-public"}
        for name, ring in rings.items():
            passed = self.check(name)
            self.assertEqual((passed.returncode, passed.stdout, passed.stderr), (0, "", ""), name)
            unreachable = self.check(name, "--database", "host=/nonexistent")
            self.assertEqual(unreachable.returncode, 1, name)
            self.assertIn("can't be reached", unreachable.stderr)
            self.assertEqual(self.check(name, f"--{ring}", "/dev/null").returncode, 1, name)
            self.assertEqual(self.check(name, "--no-such-setting=1").returncode, 2, name)
