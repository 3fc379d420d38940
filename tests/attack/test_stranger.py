"""A stranger without an account: a request costs what its bytes cost. That each expression of nginx takes steps in line
with its text: tests/rules/test_expressions.py. A stranger's text on another person's screen: a name on the operator's
terminal, an answer on a page. More answers are in tests/browser/test_long_answers.py."""

import json
import socket
import ssl
import unicodedata
from pathlib import Path

import book
from browser.visits import Scripted
from harness.browser import Browser
from harness.scenes import ACCESS, MODEL, PLAYGROUND, PROFILE, ROUTE, account, owner_of, provider
from harness.suite import Later
from scene import EVES_KEY, Thief, the_scene

_TIMES = 20  # as much as plain bytes may a request take; a quadratic expression takes thousands of times
_LENGTH = 7800  # of a header; nginx takes 8 KB

scene, stack = Later(the_scene), Later(lambda: the_scene().stack)


def cpu_time():
    """Of nginx's workers, in nanoseconds."""
    master = stack.nginx.pid
    workers = Path(f"/proc/{master}/task/{master}/children").read_text(encoding="ascii").split()
    return sum(int(Path(f"/proc/{worker}/schedstat").read_text(encoding="ascii").split()[0]) for worker in workers)


def cost(cookie, languages):
    """The least of three requests that nginx answers with its page for too large ones."""
    context = ssl.create_default_context(cafile=stack.certificate.ca)
    head = f"POST /auth/login HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\nAccept-Language: {languages}\r\n"
    costs = []
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", stack.https_port)) as plain:
            with context.wrap_socket(plain, server_hostname="localhost") as tls:
                before = cpu_time()
                tls.sendall(f"{head}Content-Length: 9999999\r\n\r\n".encode())
                assert tls.recv(65536).startswith(b"HTTP/1.1 413 "), head[:80]
                costs.append(cpu_time() - before)
    return min(costs)


class Stranger(Thief):
    who = book.STRANGER

    def test_costly_headers(self):
        plain = cost("x" * _LENGTH, "x" * _LENGTH)
        for cookie, languages in (("|", ","), (";", " "), ("; ", ", "), ("; language=", "de"), (" ", "e,")):
            with self.subTest(cookie=cookie, languages=languages):
                most = cost(cookie * (_LENGTH // len(cookie)), "a" + languages * (_LENGTH // len(languages)))
                self.assertLess(most, _TIMES * max(plain, 1_000_000))
        self.stopped("hold nginx by 16 KB of separators in two headers",
                     "each expression of nginx takes steps in line with its text")  # fmt: skip


# Clear the screen in one character and in two, name the window, turn the text around, begin another line.
STEERING = "\x1b[2J \x9b2J \x1b]0;x\x07 \u202egnp.exe\u2066\u200e\u061c \u2028\x85\x7f"
DROPPED = "\u200e\u061c"  # of a name
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


class Names(Thief):
    who = book.SESSION

    def test_names(self):
        client = stack.newcomer("Nan")
        made = provider(client, scene.base_url, EVES_KEY)
        path = f"{ROUTE}/{made}"
        key = account(client, made, EVES_KEY, "Second")
        model = f"{path}/models/name?modelId={MODEL}"
        for letter in sorted(set(STEERING) - set(" 0;2J[]gnp.ex")):
            name = f"a{letter}b"
            given = (
                client.call("PUT", path, {"name": name}),
                client.call("PUT", f"{path}/accounts/{key}", {"name": name}),
                client.post(model, {"displayName": name}),
                client.post(f"{path}/models", {"modelId": name}),
            )
            for answer in given if letter not in DROPPED else ():
                self.assertEqual((answer.status, answer.code), (400, "invalid_field"), (letter, answer.text))
            shown = client.form(PROFILE, {"DisplayName": name}, page=PROFILE)
            self.assertIn(shown.status, (303,) if letter in DROPPED else (200, 400))
        self.assertFalse(set(client.get(f"{ROUTE}/list").text + client.get(PROFILE).text) & set(DROPPED))
        self.assertEqual(client.form(PROFILE, {"DisplayName": FAMILY}, page=PROFILE).status, 303)
        self.stopped("set a name that steers a terminal or turns the text around", "names have no such character")
        for name in ("\u200b", "\u2800\u3164", "\u115f \u1160", "\xad\u034f", "\ufeff\u2060", "\U000e0041"):
            for answer in (client.call("PUT", path, {"name": name}), client.call("PUT", f"{path}/accounts/{key}", {"name": name})):
                self.assertEqual((answer.status, answer.code in ("invalid_field", "missing_field")), (400, True), (ascii(name), answer.text))
            fields = {"Name": name, "Days": "1", "RequestsAMinute": "1", "CurrentPassword": client.password}
            self.assertNotIn("new-token", client.form(ACCESS, fields).text)
        self.stopped("hide a provider, a key or a token in the lists by a name that shows nothing", "such a name is empty")


class Terminal(Thief):
    who = book.DATABASE

    def test_terminal(self):
        client = stack.newcomer("Tea")
        owner = owner_of(stack, provider(client, scene.base_url, EVES_KEY))
        stack.visitor().form("/auth/forgot", {"email": client.email})
        rule = "WHERE conname = 'users_display_name_check'"
        kept = stack.sql(f"SELECT pg_get_constraintdef(oid) FROM pg_constraint {rule}")
        self.addCleanup(stack.sql, f"ALTER TABLE usershell.users ADD CONSTRAINT users_display_name_check {kept}")
        self.addCleanup(stack.sql, f"DELETE FROM usershell.users WHERE id = '{owner}'")
        text = "U&'" + "".join(f"\\{ord(letter):04x}" for letter in STEERING) + "'"
        stack.sql("ALTER TABLE usershell.users DROP CONSTRAINT users_display_name_check")
        stack.sql(f"UPDATE usershell.users SET display_name = {text} WHERE id = '{owner}'")
        stack.sql(f"UPDATE usershell.events SET about = {text} WHERE owner_id = '{owner}'")
        stack.sql(f"UPDATE usershell.outbox SET reason = {text} WHERE owner_id = '{owner}'")
        seen = 0
        for words in (("user", "list"), ("user", "show", client.email), ("events",), ("events", client.email), ("mail",)):
            for json_too in ((), ("--json",)):
                shown = stack.ctl(*words, *json_too)
                steering = {c for c in shown if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")} - set("\n\t\u200d")  # a joiner of emoji
                self.assertEqual(steering, set(), words)
                seen += shown.count("\\u009b2J \\u001b]0;x\\u0007 \\u202egnp.exe\\u2066\\u200e\\u061c")
        self.assertGreaterEqual(seen, 8)
        (row,) = json.loads(stack.ctl("user", "show", client.email, "--json"))
        self.assertEqual(row["name"], STEERING)
        self.stopped("steer the operator's terminal by a stored text", "`usershellctl` writes an escape in its place")


class Page(Thief):
    who = book.PROVIDER

    def test_page(self):
        browser = Browser()
        self.addCleanup(browser.close)
        browser.visit(scene.ada, PLAYGROUND)
        browser.part("playground-message")
        page = Scripted(browser)
        for tried, text in (
            ("overflow the page's stack by 15,000 signs of quotation", ">" * 15_000),
            ("freeze the page by 5,000 beginnings of emphasis", "*a " * 5000),
        ):
            page.ask("?")
            page.say(text)
            self.assertIn(text[:3000], browser.all("playground-answer-text")[-1].get_attribute("textContent"))
            self.stopped(tried, "a block that takes too many steps is plain text")
