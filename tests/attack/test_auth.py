"""A thief of usershell-auth has its role, the auth ring, the mail ring's public half, its socket; one of usershell-mail has
its role and the mail ring."""

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


class SignIns(Thief):
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

    def test_a_session(self):
        stamp = role.one(f"SELECT security_stamp FROM usershell.find_password('{scene.ada.email}', '')")
        found = (f"encode('{stamp}'::bytea, 'hex')::uuid", "NULL", "gen_random_uuid()", f"'{scene.ada_id}'")
        self.assertFalse(any(self.begins(scene.ada_id, sign_in) for sign_in in found))
        self.stopped("begin a session of Ada's with what is told of any address", "a session begins with a sign-in that a right password has opened")
        of_eve = f"'{self.of_eve('session')}'"
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
