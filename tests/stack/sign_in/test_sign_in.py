"""Sessions and the throttle, as far as a single request does not show them: the operator's lifetimes, the sweeping of what
has lapsed, how the delay grows, many guesses at once, equal work for known and unknown addresses, and a password's hash
made anew when its cost has risen. The rest: cases/sign_in.case, cases/throttle.case."""

import collections
import functools
import re
import unittest
import urllib.parse
from pathlib import Path

from harness.client import FIELD, together
from harness.processes import wait_until
from harness.sanitizers import patient
from harness.scenes import PROFILE, ROUTE, SECURITY, id_of
from harness.suite import Later, shared_stack

IDLE, ABSOLUTE = 7200, 36000

stack = Later(shared_stack, manage=2, execute=2, mail=True)


def of(client):
    return f"owner_id = '{id_of(stack, client)}'"


class Lifetimes(unittest.TestCase):
    """How they count, and that use never leads beyond the end: store_nouns."""

    def test_are_the_operators(self):
        with stack.configured(session_idle=IDLE, session_absolute=ABSOLUTE):
            row = f"FROM usershell.sessions WHERE {of(stack.newcomer())}"
            for lasts, seconds in (("expires_at", IDLE), ("max_expires_at", ABSOLUTE), ("created_at + idle", IDLE)):
                told = stack.sql(f"SELECT extract(epoch FROM {lasts} - created_at) {row}")
                self.assertEqual(float(told), seconds, lasts)

    def test_what_has_expired_is_swept(self):
        lapsed = of(stack.newcomer())
        stack.sql(f"UPDATE usershell.sessions SET expires_at = now() - interval '1 second' WHERE {lapsed}")
        stack.pools["auth"].restart()  # each worker sweeps when it starts
        left = f"SELECT count(*) FROM usershell.sessions WHERE {lapsed}"
        wait_until(lambda: stack.sql(left) == "0", "the sweeping")


class Ended(unittest.TestCase):
    """One by one, by the ids that the security page shows; nobody else's: store_guards (owner_nets)."""

    @staticmethod
    def shown(client):
        """The ids of the sessions on the page."""
        return set(re.findall(rf'action="{PROFILE}/sessions/([0-9a-f-]+)/end"', client.get(SECURITY).text))

    def test_another_of_ones_own(self):
        client = stack.newcomer()
        this = self.shown(client)
        other = stack.sign_in(client)
        (that,) = self.shown(client) - this
        path = f"{PROFILE}/sessions/{that}/end"
        self.assertEqual(client.form(path, {}, page=SECURITY).headers["location"], f"{SECURITY}#sessions")
        self.assertIn("The device is signed out.", client.get(SECURITY).text)
        self.assertEqual(other.get(f"{ROUTE}/list").status, 401)
        self.assertEqual(self.shown(client), this)
        self.assertEqual(client.form(path, {}, page=SECURITY).status, 404)


class Cost(unittest.TestCase):
    def test_that_has_risen_makes_the_hash_anew_at_the_next_sign_in(self):
        person = stack.new_person()

        def hash_after_sign_in():
            stack.sign_in(person).close()
            return stack.sql(f"SELECT password_hash FROM usershell.users WHERE email = '{person[0]}'")

        first = hash_after_sign_in()
        self.assertIn(",t=1,", first)
        self.assertEqual(hash_after_sign_in(), first)
        with stack.configured(password_opslimit=3):
            second = hash_after_sign_in()
        self.assertIn(",t=3,", second)
        self.assertEqual(hash_after_sign_in(), second)


_FASTER = 4  # times that the work for one address may be that of another; without it: 50


def said(script):
    """What it prints, in a transaction, where now() is constant, that is undone."""
    return stack.postgres.psql(sql=f"BEGIN; {script} ROLLBACK;").split()


class Delay(unittest.TestCase):
    def waits(self, longest):
        """The whole seconds that one subject has to wait after each of 14 tries."""
        one = "decode(repeat('5a', 32), 'hex')"
        left = "floor(extract(epoch FROM greatest(blocked_until, now()) - now()))"
        attempt = f"SELECT usershell.take_attempt(ARRAY[{one}], ARRAY[5], ARRAY[interval '{longest}']);"
        attempt += f"SELECT {left} FROM usershell.attempts WHERE subject = {one};"
        attempt += f"UPDATE usershell.attempts SET blocked_until = '-infinity' WHERE subject = {one};"
        return [float(line) for line in said(attempt * 14)]

    def test_doubles_after_five_free_tries_up_to_its_limit(self):
        free = [0.0] * 4
        self.assertEqual(self.waits("60 seconds"), [*free, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60])
        self.assertEqual(self.waits("900 seconds")[-1], 512)


class Rows(unittest.TestCase):
    """Of the table of attempts, which whoever makes up addresses must not fill."""

    CLIENT, ACCOUNT = (f"decode(repeat('{byte}', 32), 'hex')" for byte in ("5b", "5c"))

    def insert(self, rows):
        return f"INSERT INTO usershell.attempts (subject, failures, blocked_until, expires_at) VALUES {rows};"

    def test_who_is_blocked_writes_nothing(self):
        self.addCleanup(stack.sql, f"DELETE FROM usershell.attempts WHERE subject = {self.CLIENT}")
        blocked = f"({self.CLIENT}, 9, now() + interval '50 seconds', now() + interval '1 hour')"
        stack.sql(self.insert(blocked))
        attempt = f"usershell.take_attempt(ARRAY[{self.CLIENT}, {self.ACCOUNT}], '{{5, 5}}', '{{60 s, 60 s}}')"
        # A transaction gets an id with the first byte that it writes.
        told = said(f"SELECT {attempt} > 40; SELECT pg_current_xact_id_if_assigned() IS NULL;")
        self.assertEqual(told, ["t", "t"])

    def test_what_has_lapsed_is_swept(self):
        lapsed = f"({self.CLIENT}, 3, '-infinity', now()), ({self.ACCOUNT}, 0, '-infinity', '-infinity')"
        lasting = "(decode(repeat('5d', 32), 'hex'), 3, '-infinity', now() + interval '1 minute')"
        told = said(
            f"DELETE FROM usershell.attempts; {self.insert(f'{lapsed}, {lasting}')}"
            " SELECT usershell.sweep_leftovers(1000) >= 2;"
            " SELECT left(encode(subject, 'hex'), 2) FROM usershell.attempts;"
        )
        self.assertEqual(told, ["t", "5d"])


class Siege(unittest.TestCase):
    """Guesses at one account, from an address each and at the same moment."""

    CROWD = 60 // patient(1)
    FREE = 5

    def test_few_are_looked_at_and_a_known_browser_gets_in_meanwhile(self):
        owner = stack.newcomer()
        owner.form("/auth/logout", {}, page="/user/providers")
        strangers = [stack.visitor() for _ in range(self.CROWD)]
        fields = {"email": owner.email, "password": "a wrong password"}
        # The page comes first: with all threads taken it may be 503, too.
        tries = [(stranger, {FIELD: stranger.token("/auth/login"), **fields}) for stranger in strangers]
        answers = together(*(functools.partial(tab.form, "/auth/login", filled) for tab, filled in tries))
        owner.sign_in(owner.email, owner.password)
        counts = collections.Counter(answer.status for answer in answers)
        # 503: both permits for anybody, or all threads, were taken.
        self.assertLessEqual(set(counts), {200, 429, 503})
        # The delays after the free ones are 1, 2, 4 … seconds: the crowd is not there that long.
        self.assertLessEqual(counts[200], self.FREE + 6)


class SameWork(unittest.TestCase):
    """For an address that somebody has and for one that nobody has: the answer, what the database is
    asked, and the processor time of the workers. Not the time on the clock, which others share."""

    ROUNDS = 20

    def assert_alike(self, path, fields, known, unknown):
        self.assertEqual(*(self.bare(path, {**fields, "email": each}) for each in (known, unknown)))
        statements, seconds = zip(*(self.work(path, fields, each) for each in (known, unknown)))
        self.assertEqual(*statements)
        self.assertLess(max(seconds), _FASTER * min(seconds), seconds)

    @staticmethod
    def bare(path, fields):
        """The answer without what differs by chance."""
        answer = stack.visitor().form(path, fields)
        token = rf'name="{FIELD}" +value="[^"]+"|verification-token" content="[^"]+"|data-challenge="[^"]+"'
        text = re.sub(token, "", answer.text).replace(fields["email"], "ADDRESS")
        return answer.status, text, sorted(answer.headers)

    def work(self, path, fields, email):
        """(what the database was asked, in order; processor seconds) of that many requests."""
        client = stack.visitor()
        token = {"RequestVerificationToken": client.token(path), "Content-Type": "application/x-www-form-urlencoded"}
        body = urllib.parse.urlencode({**fields, "email": email})
        log = stack.folder.log("postgres")
        begin, before = log.stat().st_size, self.processor_seconds()
        for _ in range(self.ROUNDS):
            stack.sql("DELETE FROM usershell.attempts")
            self.assertEqual(client.request("POST", path, body, token).status, 200)
        seconds = self.processor_seconds() - before
        text = log.read_bytes()[begin:].decode()
        return re.findall(r"usershell_auth LOG:  execute (?!sweep|present_session|events_to_announce)(\w+)", text), seconds

    @staticmethod
    def processor_seconds():
        """Of all threads of the workers."""
        files = (file for pid in stack.pools["auth"].pids() for file in Path(f"/proc/{pid}/task").glob("*/schedstat"))
        return sum(int(file.read_text(encoding="ascii").split()[0]) for file in files) / 1e9

    def setUp(self):
        self.addCleanup(stack.sql, "SELECT pg_reload_conf()")
        for name, value in (("log_statement", "all"), ("log_line_prefix", "%u ")):
            stack.sql(f"ALTER SYSTEM SET {name} = '{value}'")
            self.addCleanup(stack.sql, f"ALTER SYSTEM RESET {name}")
        stack.sql("SELECT pg_reload_conf()")

    def test_signing_in_and_asking_for_another_password(self):
        known = stack.new_person()[0]
        for path, fields in (("/auth/login", {"password": "a wrong password"}), ("/auth/forgot", {})):
            self.assert_alike(path, fields, known, "nobody@example.com")
        stack.wait_for_mail()
