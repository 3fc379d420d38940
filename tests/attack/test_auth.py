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


class SignIns(Thief):
    who = book.AUTH

    def test_a_session(self):
        email, right = scene.stack.newcomer("Zoe").email, "$argon2id$v=19$m=8,t=1,p=1$YWFhYWFhYWFhYWFhYWFhYQ$right"
        hashed = f"password_hash = usershell.stored_hash('{right}'), rehashed_at = clock_timestamp()"
        owner = scene.stack.sql(f"UPDATE usershell.users SET {hashed} WHERE email = '{email}' RETURNING id").split()[0]
        keys = f"ROW({', '.join(['sha256(gen_random_uuid()::text::bytea)'] * 5)})::usershell.session_keys"
        check = f"SELECT sign_in FROM usershell.check_password('{email}', ARRAY['{right}'], '', '', 'session', 'mine')"
        for before, is_good in ((False, "f"), (True, "t")):
            role.ask(f"SELECT usershell.take_guess('{email}', '{right}')")
            sign_in = f"'{role.one(check)}'" if before else f"({check})"
            given = f"'{owner}', {sign_in}, 'mine', gen_random_uuid(), {keys}, false, 60, 60, '', ''"
            self.assertEqual(role.one(f"SELECT usershell.start_session({given})"), is_good)
        self.stopped("begin a session in the transaction that has set a password, and roll back the password",
                     "a sign-in is good in a later transaction alone")  # fmt: skip


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
