"""A closed tab ends the call to the provider at once, so unread tokens cost nothing. Tokens are shown
as they arrive."""

import contextlib
import time
import unittest

from common import calls_stack
from harness.scenes import ROUTE, ask, provider
from harness.suite import Later

# Half of the 15 s after which a keep-alive comment would notice the closed connection.
AT_ONCE = 7.5

stack = Later(calls_stack)
client = Later(lambda: stack.newcomer())


class Leaving(unittest.TestCase):
    def base(self, behaviour):
        made = provider(client, f"{stack.stub.url}/{behaviour}/v1", name=behaviour)
        self.addCleanup(client.call, "DELETE", f"{ROUTE}/{made}")
        return made

    def assert_ended_after(self, left, marker):
        """The stub saw its caller go within AT_ONCE of the moment ours went."""
        entry = stack.stub.wait_for(lambda e: e["ended"], 30.0, marker=marker)
        self.assertEqual(entry["endedBy"], "peer")
        self.assertLess(entry["time"] + entry["ms"] / 1000 - left, AT_ONCE)
        return entry

    def test_in_mid_stream(self):
        for behaviour in ("slow-100", "silent-after-3"):
            body = ask(self.base(behaviour), f"mid-stream-{behaviour} " + "word " * 200, stream=True)
            with client.stream(f"{ROUTE}/playground", body) as stream:
                events = iter(stream)
                for _ in range(3):  # they are here while the provider has not ended
                    self.assertIn("token", next(events)[0])
                self.assertFalse(stack.stub.journal(marker=f"mid-stream-{behaviour}")[0]["ended"])
            entry = self.assert_ended_after(time.time(), f"mid-stream-{behaviour}")
            self.assertLess(entry["tokens"], 200)

    def test_before_the_provider_says_anything_and_the_slot_is_free_again(self):
        """Of 8 calls at a time a user may have, those whose callers left do not count."""
        made = self.base("silent")
        for number in range(12):
            marker = f"never-answered-{number}-"
            with contextlib.closing(client.send(f"{ROUTE}/playground", ask(made, marker, stream=number % 2 == 0))):
                stack.stub.wait_for(lambda e: not e["ended"], marker=marker)
            self.assert_ended_after(time.time(), marker)
