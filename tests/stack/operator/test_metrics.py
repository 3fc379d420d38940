"""Metrics: each worker answers for the whole pool, and no label contains user data."""

import re
import socket
import unittest
from concurrent.futures import ThreadPoolExecutor
from secrets import token_hex

from harness.folders import REPOSITORY
from harness.processes import patient, run, wait_until
from harness.scenes import KEY, MODEL, ROUTE, ask, id_of, provider
from harness.suite import Later, shared_stack
from prometheus_client.parser import text_string_to_metric_families

METRICS = REPOSITORY / "docs" / "metrics.md"

stack = Later(shared_stack, manage=2, execute=2, mail=True)


def value(program, name, **labels):
    """By name and labels, of what one of the program's workers says."""
    status, text = stack.pools[program].ask()
    assert status == 200, text
    samples = (sample for family in text_string_to_metric_families(text) for sample in family.samples)
    return next((each.value for each in samples if (each.name, each.labels) == (name, labels)), 0)


class Metrics(unittest.TestCase):
    def test_nobody_is_named_and_all_that_is_told_is_described(self):
        client = stack.newcomer()
        ids = [provider(client, f"{stack.stub.url}/v1", name="Told apart")]
        client.post(f"{ROUTE}/playground", ask(ids[0]))
        ids.append(id_of(stack, client))
        told = "".join(pool.ask()[1] for pool in stack.pools.values())
        for secret in (*ids, KEY, MODEL, "Told apart", "example.org", "127.0.0"):
            self.assertNotIn(secret, told)
        described = re.findall(r"^\| `(\w+)` \| (?!check )", METRICS.read_text(encoding="utf-8"), re.M)
        self.assertEqual(set(re.findall(r"^# TYPE (\w+)", told, re.M)), set(described))

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
            return value("execute", "usershell_upstream_calls_total", type="generic-compatible", outcome=outcome)

        client = stack.newcomer()
        good, gone = f"{stack.stub.url}/v1", f"http://{stack.closed}/v1"
        for where, status, outcome in ((good, 200, "answered"), (gone, 502, "unreachable")):
            before = ended(outcome)
            made = provider(client, where)
            self.assertEqual(client.post(f"{ROUTE}/playground", ask(made)).status, status)
            self.assertEqual(ended(outcome), before + 1)
        wait_until(lambda: value("execute", "usershell_calls_open") == 0, "no call")

    def test_the_outbox(self):
        with stack.configured(smtp_url=f"smtp://{stack.closed}"):
            client = stack.newcomer()
            self.addCleanup(stack.sql, f"DELETE FROM usershell.outbox WHERE owner_id = '{id_of(stack, client)}'")
            client.form("/auth/forgot", {"email": client.email})
            wait_until(lambda: value("mail", "usershell_outbox_queued") >= 1, "a queued mail")

    def test_health(self):
        for pool in stack.pools.values():
            self.assertEqual((pool.ask("/health"), pool.ask("/else")[0]), ((200, "ok\n"), 404), pool.name)

    def test_alive_is_what_all_programs_say(self):
        path, word = stack.folder.run / "alive.sock", stack.nginx.http2
        text = (REPOSITORY / "deploy" / "nginx" / "snippets" / "alive.conf").read_text(encoding="utf-8")
        text = text.replace('/run/usershell-metrics/" .. program .. ".sock', f'{stack.folder.run}/" .. program .. "-metrics.sock')

        def answer(snippet, kept=None):
            """kept: names what is known of a question; none: each is a new one."""
            for name in ("asked", "verdict"):
                snippet = snippet.replace(f'"{name}"', f'"{name} {kept or token_hex(4)}"')
            stack.nginx.add("alive.conf", f"server {{ listen unix:{path}{word}; {'' if word else 'http2 on;'} {snippet} }}")
            asked = ["curl", "--silent", "--http2-prior-knowledge", "--unix-socket", path, "--cookie", "a=secret", "http://localhost/alive"]
            return run([*asked, "--write-out", "%{http_code}", "--output", "/dev/null"], 30)

        self.addCleanup(stack.nginx.add, "alive.conf", "")
        self.assertEqual(answer(text), "200")
        slowly = re.sub(r", (?:1|10)\)", ", 60)", text)
        self.assertEqual(answer(slowly, "one"), "200")
        self.assertEqual(answer(slowly.replace('"auth"', '"gone"'), "one"), "200", "one question for all who ask")
        for program in ("auth", "manage", "execute", "opener"):
            with self.subTest(gone=program):
                self.assertEqual(answer(text.replace(f'"{program}"', f'"{program}-gone"')), "503")
        self.assertEqual(answer(text.replace("/health", "/else")), "503")
        with socket.socket(socket.AF_UNIX) as program, ThreadPoolExecutor(1) as asker:
            program.bind(str(stack.folder.run / "heard-metrics.sock"))
            program.listen()
            program.settimeout(patient(30))
            asked = asker.submit(answer, text.replace('"auth"', '"heard"'))
            with program.accept()[0] as heard:
                self.assertEqual(heard.recv(4096), b"GET /health HTTP/1.0\r\n\r\n", "no header of the caller's")
            self.assertEqual(asked.result(), "503")
