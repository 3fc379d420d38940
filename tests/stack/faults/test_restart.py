"""Workers come and go, callers do not notice: SIGTERM to all of them during a stream, a killed one,
and what nginx says when a whole pool is away."""

import collections
import contextlib
import os
import signal
import unittest
from concurrent.futures import ThreadPoolExecutor

from harness.client import Crowd
from harness.processes import wait_until
from harness.scenes import KEY, ROUTE, ask, listed, provider
from harness.suite import Later, shared_stack

WORDS = " ".join(f"w{i}" for i in range(40))
CALLERS = 6
PEOPLE, STREAMS = 25, 200
CALLS = 10

stack = Later(shared_stack, manage=2, execute=4)
client = Later(lambda: stack.newcomer())


def listed_and_tested(tab, provider_id):
    """The statuses of one caller's requests."""
    calls = (lambda: tab.get(f"{ROUTE}/list"), lambda: tab.post(f"{ROUTE}/{provider_id}/test"))
    return [call().status for _ in range(CALLS) for call in calls]


def locked(table):
    """Nobody else reads or writes it while the block runs."""
    return stack.postgres.session(f"BEGIN; LOCK TABLE {table}")


class Restart(unittest.TestCase):
    @contextlib.contextmanager
    def callers(self, provider_id):
        """Some list and test while the block runs; each of their requests is answered well."""
        with Crowd(CALLERS, client, learn=False) as crowd, ThreadPoolExecutor(1) as aside:
            answers = aside.submit(crowd.run, listed_and_tested, [provider_id] * CALLERS)
            yield
        self.assertEqual(collections.Counter(sum(answers.result(), [])), {200: CALLERS * CALLS * 2})

    def test_sigterm_to_every_worker_during_a_stream(self):
        quick = provider(client, f"{stack.stub.url}/v1", name="Quick")
        slow = provider(client, f"{stack.stub.url}/slow-50/v1", name="Slow")
        pools = stack.pools.values()
        before = {pid for pool in pools for pid in pool.pids()}
        body = ask(slow, WORDS, stream=True)
        with client.stream(f"{ROUTE}/playground", body) as stream:
            events = iter(stream)
            text = "".join(next(events)[0]["token"] for _ in range(2))
            for pool in pools:
                pool.signal(signal.SIGTERM)
            with self.callers(quick):
                frames = [frame for frame, _ in events]
        text += "".join(frame.get("token", "") for frame in frames)
        self.assertEqual(text, f"echo: {WORDS}")
        self.assertTrue(frames[-1].get("done"), frames[-1])
        for pool in pools:
            pool.wait_ready(without=before)

    def test_restarting_the_pools_refuses_nobody(self):
        quick = provider(client, f"{stack.stub.url}/v1", name="Quick too")
        with self.callers(quick):
            for pool in stack.pools.values():
                pool.restart()

    def test_a_killed_worker_loses_nothing_acknowledged(self):
        pool = stack.pools["manage"]
        for number in range(5):
            made = provider(client, f"{stack.stub.url}/v1", name=f"Kept {number}", models=())
            victim = pool.pids()[0]
            os.kill(victim, signal.SIGKILL)
            pool.wait_ready(without={victim})
            self.assertEqual(listed(client, made)["name"], f"Kept {number}")
            self.assertEqual(client.call("DELETE", f"{ROUTE}/{made}").status, 204)


    def test_a_change_of_a_killed_worker_may_have_been_made(self):
        pool = stack.pools["manage"]
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'usershell_manage' AND wait_event_type = 'Lock'"
        body = {"name": "Killed", "type": "generic-compatible", "baseUrl": f"{stack.stub.url}/v1", "apiKey": KEY}
        calls = {"unavailable": ("GET", f"{ROUTE}/list"), "outcome_unknown": ("POST", f"{ROUTE}/create", body)}
        for code, call in calls.items():
            with self.subTest(code), ThreadPoolExecutor(1) as aside:
                with locked("usershell.providers"):
                    answer = aside.submit(client.clone().call, *call)
                    wait_until(lambda: stack.sql(waiting) == "1", "the worker that waits for the lock")
                    pids = set(pool.pids())
                    for pid in pids:
                        os.kill(pid, signal.SIGKILL)
                    told = answer.result()
                pool.wait_ready(without=pids)
                self.assertEqual((told.status, told.code), (503, code))
                self.assertEqual("retry-after" in told.headers, code == "unavailable")
                self.assertEqual(told.headers["cache-control"], "no-store")


class Opener(unittest.TestCase):
    """Calls under way have their keys. What begins meanwhile waits at the socket, or is told to come back."""

    @contextlib.contextmanager
    def stream_under_way(self):
        """While the block runs; then it comes to its end."""
        slow = provider(client, f"{stack.stub.url}/slow-50/v1", name="Slow")
        with client.stream(f"{ROUTE}/playground", ask(slow, WORDS, stream=True)) as stream:
            events = iter(stream)
            text = next(events)[0]["token"]
            yield
            frames = [frame for frame, _ in events]
        self.assertEqual(text + "".join(frame.get("token", "") for frame in frames), f"echo: {WORDS}")
        self.assertTrue(frames[-1].get("done"), frames[-1])

    @contextlib.contextmanager
    def two_hundred_streams(self):
        people = [stack.newcomer() for _ in range(PEOPLE)]
        slow = {person.email: provider(person, f"{stack.stub.url}/slow-500/v1", name="Slow") for person in people}

        def stream_of(tab, _):
            with tab.stream(f"{ROUTE}/playground", ask(slow[tab.email], WORDS, stream=True)) as stream:
                return [frame for frame, _ in stream][-1].get("done")

        under_way = "SELECT count(*) FROM usershell.calls WHERE expires_at > now()"
        with Crowd(STREAMS, *people) as crowd, ThreadPoolExecutor(1) as aside:
            ends = aside.submit(crowd.run, stream_of, range(STREAMS))
            wait_until(lambda: int(stack.sql(under_way)) >= STREAMS, "200 streams")
            yield
            self.assertEqual(collections.Counter(ends.result()), {True: STREAMS})

    def test_a_killed_one_ends_no_call_and_refuses_none(self):
        pool = stack.pools["opener"]
        quick = provider(client, f"{stack.stub.url}/v1", name="Quick")
        with self.two_hundred_streams():
            for _ in range(3):
                (victim,) = pool.pids()
                os.kill(victim, signal.SIGKILL)
                self.assertEqual(client.post(f"{ROUTE}/playground", ask(quick)).status, 200)
                pool.wait_ready(without={victim})

    def test_a_frozen_one_holds_up_no_end_of_a_call(self):
        """More calls wait for it than there are threads that ask."""
        pool = stack.pools["opener"]
        quick = provider(client, f"{stack.stub.url}/v1", name="Quick")
        others = [stack.newcomer() for _ in range(3)]
        with ThreadPoolExecutor(24) as aside:
            with self.stream_under_way():
                pool.signal(signal.SIGSTOP)
                self.addCleanup(pool.signal, signal.SIGCONT)
                waiting = [aside.submit(client.clone().post, f"{ROUTE}/playground", ask(quick)) for _ in range(3)]
                waiting += [aside.submit(other.clone().post, f"{ROUTE}/playground", ask(quick)) for other in others for _ in range(7)]
            self.assertFalse(any(answer.done() for answer in waiting))
            pool.signal(signal.SIGCONT)
            self.assertEqual({answer.result().status for answer in waiting[:3]}, {200})

    def test_without_one_calls_are_told_to_come_back(self):
        pool = stack.pools["opener"]
        quick = provider(client, f"{stack.stub.url}/v1", name="Quick")
        with self.stream_under_way():
            pool.stop()
            try:
                answer = client.post(f"{ROUTE}/playground", ask(quick))
                self.assertEqual((answer.status, answer.code), (503, "unavailable"))
                self.assertEqual(answer.headers["retry-after"], "1")
                self.assertIsNotNone(listed(client, quick))
            finally:
                pool.start()
        self.assertEqual(client.post(f"{ROUTE}/playground", ask(quick)).status, 200)


class PoolAway(unittest.TestCase):
    def test_nginx_says_so_in_the_right_shape(self):
        visitor = stack.newcomer()
        token = {"RequestVerificationToken": visitor.token()}
        for pool in stack.pools.values():
            pool.stop()
            self.addCleanup(pool.start)
        for path in ("/user/providers/playground", "/user/providers/create"):
            answer = visitor.call("POST", path, {}, token)
            self.assertEqual((answer.status, answer.code), (503, "unavailable"))
            self.assertEqual(answer.json()["requestId"], answer.headers["x-request-id"])
            self.assertIn("error", answer.json())
            self.assertGreater(int(answer.headers["retry-after"]), 0)
            self.assertEqual(answer.headers["cache-control"], "no-store")
        page = visitor.get("/user/providers")
        self.assertEqual(page.status, 503)
        self.assertTrue(page.headers["content-type"].startswith("text/html"))
        self.assertIn(page.headers["x-request-id"], page.text)
        self.assertIn("retry-after", page.headers)
        self.assertEqual(visitor.get("/assets/app.css").status, 200)
