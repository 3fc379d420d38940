"""A thief of usershell-manage has its role, the web ring, the public halves, its socket."""

import json
from dataclasses import replace

import book
from harness.envelope import Ring, seal
from harness.processes import wait_until
from harness.scenes import ROUTE, plant_file, plant_mail, started_with
from rights import OF_EACH, OF_MANAGE
from scene import ADAS_KEY, HELD_BACK, MAIL_ID, Thief, the_scene

# Where Ada's key would have to go, by what its thief may edit.
_BOUND = ("the address in the sealed record: held back", HELD_BACK)
_READ = ("base URLs are read strictly again before a call", "^The base URL can’t have|dot segment in it")
_PLACES = (
    ("another host", "base_url = 'http://localhost:{port}/tenant-a/v1'", _BOUND),
    ("another port", "base_url = 'http://127.0.0.1:1/tenant-a/v1'", _BOUND),
    ("another scheme", "base_url = 'https://127.0.0.1:{port}/tenant-a/v1'", _BOUND),
    ("another path of the same host", "base_url = '{stub}/tenant-b/v1'", _BOUND),
    ("a path below its own", "base_url = '{url}/deeper'", _BOUND),
    ("a path that begins like its own", "base_url = '{url}x'", _BOUND),
    ("another path by dot segments", "base_url = '{url}/../../tenant-b/v1'", _READ),
    ("another host behind an @", "base_url = 'http://127.0.0.1:{port}@example.org/v1'", _READ),
    ("a protocol that sends it in another header", "type = 'anthropic'", _BOUND),
)


def setUpModule():
    global scene, role
    scene = the_scene()
    role = scene.as_role("usershell_manage")
    scene.present(role, scene.ada_id)


class Grants(Thief):
    who = book.MANAGE

    def test_the_database(self):
        self.refused([role], OF_MANAGE, scene.facts)

    def test_statistics(self):
        scene.stack.sql("ANALYZE usershell.providers")
        seen = "SELECT count(*) FROM pg_stats WHERE schemaname = 'usershell' AND attname = 'sealed_key'"
        self.assertNotEqual(scene.stack.sql(seen), "0")
        self.assertEqual(role.one(seen), "0")
        by = "the view shows columns that one may read, and none under row-level security"
        self.stopped("read a key in pg_stats", by)

    def test_an_error_that_depends_on_a_row(self):
        other = scene.as_role("usershell_manage")
        other.ask("SELECT set_config('usershell.session', 'zz', false)")
        for address in (scene.ada.email, "nobody@example.org"):
            with self.assertRaisesRegex(Exception, "hexadecimal"):
                other.ask(f"SELECT 1 FROM usershell.users WHERE email = ANY ('{{{address}}}')")
        self.stopped("learn whether somebody has an address by a session that can't be read",
                     "no function is leakproof: it is read for every statement")  # fmt: skip

    def test_the_detail_of_an_error(self):
        """A row that breaks a constraint is shown as far as one may see it."""
        statement = "UPDATE usershell.providers SET status = 'x'"
        with self.assertRaises(Exception) as told:
            role.attempt(statement)
        self.assertIn("violates check constraint", str(told.exception))
        self.assertNotIn(scene.envelope().hex()[:40], str(told.exception))
        self.stopped("have a broken constraint show the row", "PostgreSQL shows no row under row-level security")


class Terminals(Thief):
    who = book.MANAGE

    def test_a_name_on_the_operators_terminal(self):
        tried = "move the cursor or turn the text of the operator's terminal by a name"
        name = "UPDATE usershell.users SET display_name = 'Ada\u009b31m\u202e\u2066\u200fx\u2028y'"
        self.refused([role], [(tried, name, ("a name's CHECK in the database", "users_display_name_check"))], {})


class EachRole(Thief):
    who = book.EACH

    def test_the_database(self):
        roles = [role, *(scene.as_role(f"usershell_{name}") for name in ("auth", "execute", "opener", "mail"))]
        self.refused(roles, OF_EACH, scene.facts)


class MovedKeys(Thief):
    """It may edit the columns that say where a key goes; only the sealed record says where it may go."""

    who = book.MANAGE

    def test_sent_elsewhere(self):
        facts = {"port": scene.stack.stub.port, "stub": scene.stack.stub.url, "url": scene.base_url}
        before = len(scene.stack.stub.journal(key=ADAS_KEY))
        for where, edit, (by, error) in _PLACES:
            with self.subTest(where=where):
                role.ask(f"UPDATE usershell.providers SET {edit.format(**facts)} WHERE id = '{scene.adas}'")
                try:
                    answer = scene.ada.post(f"{ROUTE}/{scene.adas}/test").json()
                finally:
                    undo = f"base_url = '{scene.base_url}', type = 'generic-compatible'"
                    role.ask(f"UPDATE usershell.providers SET {undo} WHERE id = '{scene.adas}'")
                self.assertFalse(answer["ok"])
                self.assertEqual(len(scene.stack.stub.journal(key=ADAS_KEY)), before)
                self.assertRegex(answer["error"], error)
                self.stopped(f"have Ada's key sent to {where}", by)
        self.assertTrue(scene.ada.post(f"{ROUTE}/{scene.adas}/test").json()["ok"])


class Rings(Thief):
    who = book.MANAGE

    def start(self, program, ring, text):
        """The sentence with which a program ends that is started with this file for that ring."""
        path = plant_file(scene.stack, text)
        ended = started_with(scene.stack, program, ring, path)
        path.unlink()
        self.assertEqual(ended.returncode, 1)
        return ended.stderr

    def test_ring_files(self):
        ours, secret = scene.ring("vault.public"), bytes(range(32))
        planted = Ring.planted("vault", "public", ours.installation, secret)
        both = replace(planted, keys=ours.keys | planted.keys)
        named = replace(ours, keys={ours.active: planted.keys[planted.active]})
        other = Ring.planted("vault", "public", "5f6f1c0e-0000-4000-8000-00000000000b", secret)
        swapped = scene.ring("mail.public").text()
        signer, mailer = (Ring.planted(role, "public", ours.installation, secret) for role in ("web", "auth"))
        for tried, program, ring, text, said in (
            ("a vault key of its own, to which keys are sealed from now on", "manage", "vault.public", planted.text(),
             "does not know"),
            ("a vault key of its own beside ours", "manage", "vault.public", both.text(), "does not know"),
            ("a vault key of its own under our key's id", "manage", "vault.public", named.text(), "its id names"),
            ("another installation's vault file", "manage", "vault.public", other.text(), "installation"),
            ("the mail ring's file in the vault ring's place", "manage", "vault.public", swapped, "this is not the"),
            ("a public file in a secret one's place", "opener", "vault.secret", ours.text(), "this is not the"),
            ("a signer's key of its own at the opening program", "opener", "web.public", signer.text(),
             "does not know"),
            ("a signer's key of its own at the mail sender", "mail", "auth.public", mailer.text(), "does not know"),
            ("its own ring's file at the mail sender", "mail", "auth.public", scene.ring("web.public").text(),
             "this is not the"),
        ):  # fmt: skip
            with self.subTest(tried=tried):
                self.assertIn(said, self.start(program, ring, text))
                by = "the start is refused: fingerprints, registered and of this installation"
                self.stopped(f"plant {tried}", by)

    def test_a_mail_that_it_has_signed(self):
        """Planted with the database's help: its role may not."""
        content = json.dumps({"to": "x@example.org", "subject": "s", "text": "t", "html": "h"})
        fields = [MAIL_ID, str(2**33), content]
        mail = seal("mail", scene.ring("web.secret"), scene.ring("mail.public"), scene.eve_id, fields)
        plant_mail(scene.stack, scene.eve_id, MAIL_ID, mail)
        self.addCleanup(scene.stack.sql, f"DELETE FROM usershell.outbox WHERE id = '{MAIL_ID}'")
        reason = f"SELECT reason FROM usershell.outbox WHERE id = '{MAIL_ID}'"
        wait_until(lambda: scene.stack.sql(reason) == "the queued mail can't be opened", "a refusal")
        self.stopped("have a mail sent that its ring has signed", "mails are signed by the auth ring")

    def test_a_stored_key_does_not_open(self):
        self.assert_shut(self.keys_of("web.secret", "web.public", "vault.public"))
        self.stopped("open a key from a backup with all that its rings hold", "only the vault ring's secret half opens")
