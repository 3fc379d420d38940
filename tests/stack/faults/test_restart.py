"""Workers come and go, callers do not notice: SIGTERM to all of them during a stream, a killed one,
and what nginx says when a whole pool is away."""

import os
import signal
import threading
import unittest

from harness.scenes import ROUTE, ask, listed, provider
from harness.suite import shared_stack

WORDS = " ".join(f"w{i}" for i in range(40))
CALLERS = 6
CALLS = 10


def setUpModule():
    global stack, client
    stack = shared_stack(manage=2, execute=4)
    client = stack.newcomer()


class Callers:
    """Threads that list and test all the while; `answers` collects (what, status)."""

    def __init__(self, provider_id):
        self.answers = []
        self._clients = [client.clone() for _ in range(CALLERS)]
        self._threads = [
            threading.Thread(target=self._call, args=(each, provider_id)) for each in self._clients
        ]
        for thread in self._threads:
            thread.start()

    def _call(self, mine, provider_id):
        for _ in range(CALLS):
            self.answers.append(("list", mine.get(f"{ROUTE}/list").status))
            self.answers.append(("test", mine.post(f"{ROUTE}/{provider_id}/test").status))
        mine.close()

    def join(self):
        for thread in self._threads:
            thread.join()
        return self.answers


class Restart(unittest.TestCase):
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
            callers = Callers(quick)
            frames = [frame for frame, _ in events]
        answers = callers.join()
        text += "".join(frame.get("token", "") for frame in frames)
        self.assertEqual(text, f"echo: {WORDS}")
        self.assertTrue(frames[-1].get("done"), frames[-1])
        self.assertEqual(len(answers), CALLERS * CALLS * 2)
        self.assertEqual([a for a in answers if a[1] != 200], [])
        for pool in pools:
            pool.wait_ready(without=before)

    def test_restarting_the_pools_refuses_nobody(self):
        quick = provider(client, f"{stack.stub.url}/v1", name="Quick too")
        callers = Callers(quick)
        for pool in stack.pools.values():
            pool.restart()
        self.assertEqual([a for a in callers.join() if a[1] != 200], [])

    def test_a_killed_worker_loses_nothing_acknowledged(self):
        pool = stack.pools["manage"]
        for number in range(5):
            made = provider(client, f"{stack.stub.url}/v1", name=f"Kept {number}", models=())
            victim = pool.pids()[0]
            os.kill(victim, signal.SIGKILL)
            pool.wait_ready(without={victim})
            self.assertEqual(listed(client, made)["name"], f"Kept {number}")
            self.assertEqual(client.call("DELETE", f"{ROUTE}/{made}").status, 204)


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
