"""A thief of usershell-auth has its role, the auth ring, the mail ring's public half, its socket; one of usershell-mail has
its role and the mail ring."""

import secrets
import unittest

import book
from harness.envelope import Unopened, open_envelope, seal
from harness.memory import copies
from harness.processes import is_root
from harness.sanitizers import patient
from harness.scenes import ACCESS, ROUTE, access_token
from rights import OF_AUTH, OF_MAIL, OUT_OF_BOUNDS
from scene import EVES_KEY, NO_RING, Thief, the_scene

AUTH_COOKIE = "__Host-usershell-auth"


def setUpModule():
    global scene, role, presented
    scene = the_scene()
    role = scene.as_role("usershell_auth")
    presented = scene.present(role, scene.ada_id)


class Grants(Thief):
    who = book.AUTH

    def test_the_database(self):
        self.refused([role], OF_AUTH, scene.facts)

    def test_what_it_chooses(self):
        stamp = scene.stack.sql(f"SELECT security_stamp FROM usershell.users WHERE id = '{scene.ada_id}'")
        facts = {**scene.facts, "stamp": stamp, "mail": f"\\x{scene.mail_envelope().hex()}"}
        facts |= {f"of_{deed}": scene.proven(scene.ada_id, deed, presented) for deed in ("token", "address")}
        self.refused([role], OUT_OF_BOUNDS, facts)

    def test_a_password_by_its_salt(self):
        said = role.one(f"SELECT salt_and_cost FROM usershell.find_password('{scene.ada.email}', '')")
        whole = scene.stack.sql(f"SELECT password_hash FROM usershell.users WHERE id = '{scene.ada_id}'")
        self.assertTrue(whole.startswith(said))
        self.assertEqual(len(whole) - len(said), 44)
        self.stopped(
            "take a password's hash home by asking for its salt", "`find_password` says salt and cost, not the hash"
        )


_KEYS = f"ROW({', '.join(f'sha256($${n}$$)' for n in range(5))})::usershell.session_keys"
_LIMITS = '{"name": "n", "requests_a_minute": 1, "stored_objects": true, "lifetime": 60}'
_DEEDS = {
    "token": f"usershell.make_token(%s, gen_random_uuid(), substr(sha256('s'), 1, 12), sha256('v'), '{_LIMITS}', NULL, '')",
    "password": f"usershell.change_password(%s, '$argon2id$x', {_KEYS}, NULL)",
    "address": "usershell.start_email_change(%s, 't@example.org', 't@example.org', sha256('l'), 60, gen_random_uuid(), '')",
    "deletion": "usershell.delete_own_user(%s)",
}


def password_of_eve(test):
    """What usershell-auth hands in of her password, for the time of the test."""
    given = "$argon2id$v=19$m=8,t=1,p=1$YWFhYWFhYWFhYWFhYWFhYQ$right"
    stored = scene.stack.sql(f"SELECT password_hash FROM usershell.users WHERE id = '{scene.eve_id}'")

    def store(value):
        values = f"password_hash = {value}, rehashed_at = clock_timestamp()"
        scene.stack.sql(f"UPDATE usershell.users SET {values} WHERE id = '{scene.eve_id}'")

    store(f"usershell.stored_hash('{given}')")
    test.addCleanup(store, f"'{stored}'")
    return given


class OfEve(Thief):
    """With a session of Ada's, and Eve's password."""

    who = book.AUTH

    def begins(self, owner, sign_in, visitor="mine"):
        given = f"'{owner}', {sign_in}, '{visitor}', gen_random_uuid(), {_KEYS}, false, 60, 60, '', ''"
        return role.one(f"SELECT usershell.start_session({given})") == "t"

    def of_eve(self, deed):
        """Opened by what is right, which this thief has seen when she signed in."""
        right = password_of_eve(self)
        self.addCleanup(scene.stack.sql, "DELETE FROM usershell.wrong_guesses")
        role.ask(f"SELECT usershell.take_guess('{scene.eve.email}', '{right}')")
        return role.one(f"SELECT sign_in FROM usershell.check_password('{scene.eve.email}', ARRAY['{right}'], '', '', '{deed}', 'mine')")


class SignIns(OfEve):
    def test_a_session(self):
        stamp = role.one(f"SELECT security_stamp FROM usershell.find_password('{scene.ada.email}', '')")
        found = (f"encode('{stamp}'::bytea, 'hex')::uuid", "NULL", "gen_random_uuid()", f"'{scene.ada_id}'")
        self.assertFalse(any(self.begins(scene.ada_id, sign_in) for sign_in in found))
        self.stopped("begin a session of Ada's with what is told of any address", "a session begins with a sign-in that a right password has opened")
        of_eve = f"'{self.of_eve('session')}'"
        right = password_of_eve(self)
        role.ask(f"SELECT usershell.take_guess('{scene.eve.email}', '{right}')")
        check = f"SELECT sign_in FROM usershell.check_password('{scene.eve.email}', ARRAY['{right}'], '', '', 'session', 'mine')"
        self.assertFalse(self.begins(scene.eve_id, f"({check})"))
        self.stopped("begin a session in the transaction that has set a password, and roll back the password",
                     "a sign-in is good in a later transaction alone")  # fmt: skip
        self.assertFalse(self.begins(scene.ada_id, of_eve))
        self.stopped("begin a session of Ada's with a sign-in of Eve's", "a sign-in is of one person")
        self.assertFalse(self.begins(scene.eve_id, of_eve, "another"))
        self.stopped("begin a session with a sign-in from another browser", "a sign-in is of one visitor")
        self.assertTrue(self.begins(scene.eve_id, of_eve))
        scene.stack.sql("DELETE FROM usershell.sessions WHERE token_hash = sha256(sha256('0'))")
        self.assertFalse(self.begins(scene.eve_id, of_eve))
        self.stopped("begin two sessions with one sign-in", "a sign-in is taken once")

    def test_deeds(self):
        self.assertIsNone(self.of_eve("token"))
        self.stopped("open a sign-in for a deed in Ada's session by Eve's password", "it takes the password of the session's own person")
        for made in (None, *_DEEDS):
            sign_in = f"'{scene.proven(scene.ada_id, made, presented)}'" if made else "gen_random_uuid()"
            for deed, call in _DEEDS.items():
                if deed != made:
                    self.assertIn(role.one(f"SELECT {call % sign_in}"), ("session_ended", None, "f"), deed)
        self.stopped("make an access token, set a password, change the address or delete the account in a session of Ada's",
                     "each takes a sign-in that a right password has opened")  # fmt: skip
        self.stopped("do one deed by the sign-in for another", "a sign-in is for one deed")


class Factors(OfEve):
    """An app's mask follows from the auth ring, which is the thief's; its secret does not."""

    def setUp(self):
        self.secret, self.known, self.mask = (f"'\\x{secrets.token_hex(20)}'::bytea" for _ in range(3))
        self.right, self.made_up = (self.code_of(secret) for secret in (self.secret, self.known))
        app = f"SELECT '{scene.eve_id}', a.ring_key_id, a.salt, usershell.masked_with(a.secret, a.mask), sha256(a.secret), 0"
        self.addCleanup(scene.stack.sql, "DELETE FROM usershell.apps; DELETE FROM usershell.recovery_codes")
        scene.stack.sql("INSERT INTO usershell.apps (owner_id, ring_key_id, salt, masked, secret_hash, last_step) "
                        f"{app} FROM (SELECT ({self.app(self.secret, self.right)}).*) a; "
                        f"INSERT INTO usershell.recovery_codes VALUES ('{scene.eve_id}', sha256(sha256('r')))")  # fmt: skip
        self.half = self.of_eve("session")
        self.given = f"'{scene.eve_id}', '{self.half}', 'mine'"

    def code_of(self, secret):
        """Of the next half minute, which is good for the longest time."""
        step = "ceil(extract(epoch FROM clock_timestamp()) / 30)::bigint"
        return f"'{scene.stack.sql(f'SELECT usershell.code_of({secret}, {step})')}'"

    def app(self, secret, code):
        ring = scene.ring("auth.secret").active.hex()
        return f"ROW('{ring}', substr(sha256({secret}), 1, 16), {self.mask}, {secret}, {code})::usershell.new_app"

    def take(self, code):
        return role.one(f"SELECT usershell.take_code({self.given}, {code})")

    def shows(self, code, mask=None, counted=True):
        """The thief rolls back what would count it."""
        take = "" if counted else f"SELECT usershell.take_code({self.given}, {code});"
        show = f"SELECT usershell.show_code({self.given}, {code}, {mask or self.mask}, '')"
        return role.attempt(f"{take} {show}")[-1] == ["t"]

    def test_half_a_sign_in(self):
        self.assertFalse(self.begins(scene.eve_id, f"'{self.half}'"))
        app = self.app(self.known, self.made_up)
        enrolled = f"usershell.add_factor({self.given}, {app}, NULL, ARRAY[sha256('r')], false)"
        self.assertEqual(role.one(f"SELECT {enrolled}"), "ended")
        self.stopped("begin a session by the password alone of a person with a second factor, or add one of its own by it",
                     "whoever has a factor shows it")  # fmt: skip
        stored = scene.stack.sql("SELECT code_hash FROM usershell.recovery_codes")
        self.assertEqual(role.one(f"SELECT usershell.show_recovery({self.given}, '{stored}', '')"), "f")
        self.stopped("hand in what a backup has of a recovery code", "what is handed in is hashed once more")

    def test_tries(self):
        self.assertFalse(self.shows(self.right) or self.shows(self.right, counted=False))
        self.take(self.right)
        self.assertTrue(self.shows(self.right))
        self.stopped("try codes in transactions that it rolls back",
                     "a code is counted by a transaction before the one that looks at it")  # fmt: skip
        self.take(self.made_up)
        mask = scene.stack.sql(f"SELECT usershell.masked_with(masked, {self.known}) FROM usershell.apps")
        self.assertFalse(self.shows(self.made_up, mask=f"'{mask}'"))
        self.stopped("try one code under a million masks", "the database has a hash of the secret")
        scene.stack.sql("UPDATE usershell.guesses SET taken_at = taken_at - interval '61 s'")
        self.assertFalse(self.shows(self.right))
        self.stopped("try one code in every half minute to come", "what was counted is looked at for a minute")
        seen = [self.take(self.right) for _ in range(9)]
        self.assertEqual([wait is None for wait in seen], [True] * 8 + [False])
        self.stopped("try eleven codes", "the database's own throttle: ten an hour")


class Passwords(Thief):
    who = book.AUTH

    def tries(self, guess, together):
        """Was it looked at? The thief rolls back what would count it."""
        email = scene.eve.email
        taken = f"SELECT usershell.take_guess('{email}', '{guess}')"
        if not together:
            wait = role.one(taken)
            if wait:
                return "wait"
        try:
            role.ask("BEGIN; SAVEPOINT before")
            if together:
                role.ask(taken)
                role.ask("RELEASE before")
            return role.one(f"SELECT user_id FROM usershell.check_password('{email}', ARRAY['{guess}'], '', '', 'session', '')")
        finally:
            role.ask("ROLLBACK")

    def test_tries(self):
        right = password_of_eve(self)
        self.addCleanup(scene.stack.sql, "DELETE FROM usershell.wrong_guesses")
        scene.stack.sql("DELETE FROM usershell.guesses")  # of Eve's own sign-in
        stored = scene.stack.sql(f"SELECT password_hash FROM usershell.users WHERE id = '{scene.eve_id}'")
        self.assertIsNone(self.tries(stored, together=False))
        self.stopped("hand in what a backup has of Eve's password", "what is handed in is hashed once more")
        self.assertIsNone(self.tries(right, together=True))
        self.assertEqual(self.tries(right, together=False), scene.eve_id)
        self.stopped("try passwords in transactions that it rolls back",
                     "a guess is counted by a transaction before the one that looks at it")  # fmt: skip
        scene.stack.sql("DELETE FROM usershell.wrong_guesses")
        seen = [self.tries(f"guess {number}", together=False) for number in range(300)]
        self.assertEqual(seen.count(None), 240)
        self.assertEqual(seen[240:], ["wait"] * 60)
        self.stopped("try 300 passwords of Eve's", "the database's own throttle: 240 an hour")
        for subject in scene.stack.sql("SELECT subject FROM usershell.wrong_guesses").split():
            role.ask(f"SELECT usershell.clear_attempts('{subject}'), usershell.forgive_attempt('{subject}')")
        self.assertEqual(self.tries(right, together=False), "wait")
        self.stopped("lift that throttle by the subject under which it counts",
                     "the database counts apart from what the program counts")  # fmt: skip

    def test_forms(self):
        """In which form a password was hashed is not known, so several hashes are handed in."""
        right = password_of_eve(self)
        self.addCleanup(scene.stack.sql, "DELETE FROM usershell.wrong_guesses")
        scene.stack.sql("DELETE FROM usershell.guesses")  # of Eve's own sign-in
        role.ask(f"SELECT usershell.take_guess('{scene.eve.email}', 'counted')")
        hashes = ", ".join(f"'guess {number}'" for number in range(1000))
        for several in (f"'counted', '{right}'", f"'{right}', 'counted'", f"'counted', {hashes}, '{right}'"):
            tried = f"SELECT user_id FROM usershell.check_password('{scene.eve.email}', ARRAY[{several}], '', '', 'session', '')"
            self.assertIsNone(role.one(tried))
        self.stopped("try several passwords at the price of one, as if they were its forms", "of each form a guess is counted")

    def test_what_an_error_shows(self):
        for arguments in (f"'{scene.eve.email}', NULL", "NULL, 'x'", "NULL, NULL"):
            with self.assertRaises(Exception) as told:
                role.ask(f"SELECT usershell.take_guess({arguments})")
            self.assertNotIn("\\x", str(told.exception))
        self.stopped("read the throttle's subject in an error", "PostgreSQL shows no row under row-level security")

    def test_holding_a_person(self):
        """While its transaction is open the operator disables them."""
        other = scene.as_role("usershell_auth")
        other.ask(f"BEGIN; SELECT usershell.announce_event('{scene.eve_id}', gen_random_uuid(), gen_random_uuid(), '')")
        try:
            scene.stack.sql(f"SELECT FROM usershell.users WHERE id = '{scene.eve_id}' FOR UPDATE NOWAIT")
        finally:
            other.ask("ROLLBACK")
        self.stopped("hold a person's row by the announcement of no event", "only an event that waits is locked for")


@unittest.skipIf(patient(1) > 1 or not is_root(), "a sanitizer's allocator keeps what was freed; only root reads a program's memory")
class Memory(Thief):
    who = book.AUTH

    def test_of_requests_that_have_ended(self):
        client = scene.stack.newcomer("Meg")
        secrets = {"cookie": client.cookies[AUTH_COOKIE], "token": access_token(client), "password": client.password}
        client.get(ACCESS)
        found = copies(scene.stack.pools["auth"].pids(), {name: value.encode() for name, value in secrets.items()})
        self.assertEqual(found, dict.fromkeys(secrets, 0))
        self.stopped("find passwords, cookies and tokens of before in the program's memory", "memory is wiped when it is given back")


class Rings(Thief):
    who = book.AUTH

    def test_a_key_that_it_has_signed(self):
        """Planted with the database's help: its role may not."""
        fields = [scene.eves, "provider", "generic-compatible", scene.base_url, EVES_KEY]
        sealed = seal("key", scene.ring("auth.secret"), scene.ring("vault.public"), scene.eve_id, fields)
        row = f"FROM usershell.providers WHERE id = '{scene.eves}'"
        ours = scene.stack.sql(f"SELECT encode(sealed_key, 'hex') {row}")
        change = "UPDATE usershell.providers SET sealed_key = '\\x{}' " + row.removeprefix("FROM usershell.providers ")
        self.addCleanup(scene.stack.sql, change.format(ours))
        scene.stack.sql(change.format(sealed.hex()))
        self.assertEqual(scene.eve.post(f"{ROUTE}/{scene.eves}/test").json()["error"], NO_RING)
        self.stopped("have a key used that its ring has signed", "keys are signed by the web ring")

    def test_a_stored_key_does_not_open(self):
        self.assert_shut(self.keys_of("auth.secret", "mail.public"))
        self.stopped("open a key from a backup with all that its rings hold", "only the vault ring's secret half opens")


class Mail(Thief):
    who = book.MAIL

    def test_the_database(self):
        self.refused([scene.as_role("usershell_mail")], OF_MAIL, scene.facts)

    def test_a_stored_key_does_not_open_with_the_mail_ring(self):
        """Stolen from a backup, say."""
        ring, web = scene.ring("mail.secret"), scene.ring("web.public")
        envelope = scene.envelope()
        forms = [envelope, envelope[:1] + b"\2" + envelope[2:]]
        forms += [form[:2] + ring.active + form[18:] for form in forms]
        for form in forms:
            with self.assertRaises(Unopened):
                open_envelope(ring, web, scene.ada_id, form)
        self.stopped("open a stored key with the mail ring, under either kind and key id", "another ring's key pair")
