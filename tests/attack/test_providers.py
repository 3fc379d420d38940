"""A thief with a stolen session and a server: what its provider can do to the calls of
others, and what their own calls tell of the network."""


import book
from harness.canary import Canary
from harness.planted import plant_address
from harness.processes import wait_until
from harness.scenes import KEY, ROUTE, ask, id_of, listed, provider, remove_all, rotating, tested
from harness.suite import Later
from scene import Thief, the_scene

_REFUSED = "key-refused-0123456789"
_CALLS = 5

scene, stack = Later(the_scene), Later(lambda: the_scene().stack)


class Providers(Thief):
    who = book.SESSION

    def setUp(self):
        self.client = stack.newcomer()
        self.addCleanup(self.client.close)

    def test_an_answer_that_was_compressed_twice(self):
        made = provider(self.client, f"{stack.stub.url}/compressed-twice/v1")
        before = stack.pools["execute"].pids()
        self.assertEqual(tested(self.client, made).get("reason"), "not_this_protocol")
        self.assertEqual(stack.pools["execute"].pids(), before)  # the loop's watch has ended nobody
        self.stopped("stop everybody's calls by some KiB that were compressed twice", "one compression is taken off")

    def test_many_requests_by_one(self):
        """Ten keys each, and a model that makes the service ask again."""
        marks = [f"{self.client.email.partition('@')[0]}-{number}" for number in range(3)]
        for mark in marks:
            keys = [f"{_REFUSED}-{number}" for number in range(10)]
            rotating(self.client, f"{stack.stub.url}/{mark}/v1", keys, name=mark)
        self.assertEqual(self.client.post(f"{ROUTE}/test-batch").json()["failed"], len(marks))
        self.assertEqual([len(stack.stub.journal(path=mark)) for mark in marks], [3] * len(marks))
        self.stopped("cause 100 requests to providers by one of a batch", "3 are made of each provider")

    def test_internal_names(self):
        """What a person sees of an address where somebody listens who may not be called, and of one where
        nobody listens."""
        canary = Canary()
        self.addCleanup(canary.close)
        self.assertEqual(self.shown_of(stack.closed), self.shown_of(f"127.0.0.1:{canary.port}"))
        self.assertEqual(canary.connections(), 0)
        wait_until(lambda: self.logged() >= _CALLS, "the lines of the log")
        self.assertEqual(self.logged(), _CALLS)  # of the second address alone
        self.stopped("tell by the answers which internal names there are", "one answer for all that is not reached")

    def shown_of(self, address):
        """All that is shown of _CALLS calls there."""
        remove_all(self.client)
        made = provider(self.client, f"{stack.stub.url}/v1")
        plant_address(stack, made, f"http://{address}/v1", KEY)
        shown = [tested(self.client, made), self.client.get(f"{ROUTE}/{made}/models/available").json()]
        shown += [self.client.post(f"{ROUTE}/test-batch").json()]
        for stream in (False, True):
            answer = self.client.post(f"{ROUTE}/playground", ask(made, "hello", stream))
            shown += [answer.status, answer.headers.get("retry-after"), answer.json()]
        row = listed(self.client, made)
        return without_chance([*shown, row["healthStatus"], row["healthMessage"]])

    def logged(self):
        lines = stack.folder.log("execute").read_text(encoding="utf-8").splitlines()
        user = f'user="{id_of(stack, self.client)}"'
        return sum("address not allowed" in line and user in line for line in lines)


def without_chance(shown):
    """Without what differs from one call to the next."""
    if isinstance(shown, list):
        return [without_chance(each) for each in shown]
    if not isinstance(shown, dict):
        return shown
    changing = ("requestId", "latencyMs", "providerId")
    return {name: without_chance(value) for name, value in shown.items() if name not in changing}
