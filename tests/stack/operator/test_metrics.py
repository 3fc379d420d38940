"""Metrics: each worker answers for the whole pool, a killed worker loses no count, and no label
contains user data."""

import re
import unittest

from harness.folders import REPOSITORY
from harness.processes import wait_until
from harness.scenes import KEY, MODEL, ROUTE, ask, id_of, provider
from harness.suite import shared_stack
from prometheus_client.parser import text_string_to_metric_families

METRICS = REPOSITORY / "docs" / "metrics.md"


def setUpModule():
    global stack
    stack = shared_stack(manage=2, execute=2, mail=True)


def samples(program):
    """Value by name and labels, of what one of the program's workers says."""
    status, text = stack.pools[program].ask()
    assert status == 200, text
    families = text_string_to_metric_families(text)
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def value(program, name, **labels):
    return samples(program).get((name, *sorted(labels.items())), 0)


class Metrics(unittest.TestCase):
    def test_nobody_is_named(self):
        client = stack.newcomer()
        ids = [provider(client, f"{stack.stub.url}/v1", name="Told apart")]
        client.post(f"{ROUTE}/playground", ask(ids[0]))
        ids.append(id_of(stack, client))
        told = "".join(stack.pools[program].ask()[1] for program in stack.pools)
        for secret in (*ids, KEY, MODEL, "Told apart", "example.org", "127.0.0"):
            self.assertNotIn(secret, told)

    def test_checks_of_passwords(self):
        def outcome(name):
            return value("auth", "usershell_password_checks_total", outcome=name)

        before = outcome("wrong"), outcome("throttled")
        visitor = stack.visitor("127.0.77.1")
        form = {"email": "nobody@example.org", "password": "wrong wrong wrong"}
        statuses = [visitor.form("/auth/login", form).status for _ in range(8)]
        self.assertEqual(outcome("wrong") - before[0], statuses.count(200))
        self.assertEqual(outcome("throttled") - before[1], statuses.count(429))
        self.assertGreater(statuses.count(429), 0)

    def test_calls(self):
        def ended(outcome):
            name = "usershell_upstream_calls_total"
            return value("execute", name, type="generic-compatible", outcome=outcome)

        client = stack.newcomer()
        before = ended("answered"), ended("unreachable")
        good = provider(client, f"{stack.stub.url}/v1")
        self.assertEqual(client.post(f"{ROUTE}/playground", ask(good)).status, 200)
        gone = provider(client, f"http://{stack.closed}/v1", name="Gone")
        self.assertEqual(client.post(f"{ROUTE}/playground", ask(gone)).status, 502)
        self.assertEqual((ended("answered"), ended("unreachable")), (before[0] + 1, before[1] + 1))
        wait_until(lambda: value("execute", "usershell_calls_open") == 0, "no call")

    def test_all_that_is_told_is_described(self):
        described = re.findall(r"^\| `(\w+)` \|", METRICS.read_text(encoding="utf-8"), re.M)
        told = set()
        for pool in stack.pools.values():
            told |= set(re.findall(r"^# TYPE (\w+)", pool.ask()[1], re.M))
        self.assertEqual(told, set(described))

    def test_the_outbox(self):
        with stack.configured(smtp_url=f"smtp://{stack.closed}"):
            client = stack.newcomer()
            owner = id_of(stack, client)
            self.addCleanup(stack.sql, f"DELETE FROM usershell.outbox WHERE owner_id = '{owner}'")
            client.form("/auth/forgot", {"email": client.email})
            wait_until(lambda: value("mail", "usershell_outbox_queued") >= 1, "a queued mail")

    def test_health(self):
        for program, pool in stack.pools.items():
            with self.subTest(program=program):
                self.assertEqual(pool.ask("/health"), (200, "ok\n"))
                self.assertEqual(pool.ask("/else")[0], 404)
