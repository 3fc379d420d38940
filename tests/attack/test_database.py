"""A thief who can write everything in the database, and has no ring: rows are what they want, and no key
opens for anybody but its owner, nor goes anywhere but where it was entered for."""

import book
from harness.envelope import Ring, seal
from harness.pictures import png
from harness.processes import wait_until
from harness.scenes import PROFILE, ROUTE, account, plant_mail, provider
from scene import DAMAGED, HELD_BACK, MAIL_ID, MOVED, NO_RING, Thief, the_scene

_SECRET = bytes(range(1, 33))


def setUpModule():
    global scene, stack, sql, vault
    scene = the_scene()
    stack = scene.stack
    sql = scene.as_role("postgres")
    sql.ask("SET session_replication_role = replica")
    vault = scene.ring("vault.public")


def plant(made, envelope):
    """Whatever the database itself would say: its owner's checks are the thief's to drop."""
    sql.ask(f"UPDATE usershell.providers SET sealed_key = '\\x{envelope.hex()}' WHERE id = '{made}'")


class Case(Thief):
    who = book.DATABASE

    def setUp(self):
        self.envelope = scene.envelope()
        self.addCleanup(plant, scene.adas, self.envelope)
        self.before = len(stack.stub.journal())

    def error_of(self, client=None, made=None, path="test"):
        answer = (client or scene.ada).post(f"{ROUTE}/{made or scene.adas}/{path}").json()
        self.assertFalse(answer["ok"], answer)
        return answer["error"]

    def opens_not(self, envelope, error):
        plant(scene.adas, envelope)
        self.assertEqual(self.error_of(), error)

    def unchanged(self):
        """No call went out, and the key as it was still opens."""
        self.assertEqual(len(stack.stub.journal()), self.before)
        plant(scene.adas, self.envelope)
        self.assertTrue(scene.ada.post(f"{ROUTE}/{scene.adas}/test").json()["ok"])


class Rows(Case):
    def test_a_signature_of_its_own(self):
        web = Ring("web", "secret", vault.installation, self.envelope[18:34], {})
        fields = [scene.adas, "provider", "generic-compatible", scene.base_url, "sk-of-the-thief"]
        self.opens_not(seal("key", web, vault, scene.ada_id, fields, seed=_SECRET), DAMAGED)
        self.stopped("enter a key of its own in Ada's name", "the signature: only `usershell-manage` can sign")
        planted = Ring.planted("web", "secret", vault.installation, _SECRET)
        key_id = planted.active.hex()
        self.addCleanup(sql.ask, f"DELETE FROM usershell.ring_keys WHERE id = '{key_id}'")
        sql.ask(f"INSERT INTO usershell.ring_keys (id, role) VALUES ('{key_id}', 'web')")
        self.opens_not(seal("key", planted, vault, scene.ada_id, fields), NO_RING)
        self.unchanged()
        self.stopped(
            "register a signer's key of its own and sign with it", "keys come from ring files, never from rows"
        )

    def test_moved(self):
        other = provider(scene.ada, scene.base_url, "sk-other-0123456789abcdef", name="Other")
        self.addCleanup(scene.ada.call, "DELETE", f"{ROUTE}/{other}")
        label = account(scene.ada, other, "sk-label-0123456789abcdef", "Label")
        eves = sql.one(f"SELECT sealed_key FROM usershell.providers WHERE id = '{scene.eves}'")
        plant(scene.eves, self.envelope)
        self.assertEqual(self.error_of(scene.eve, scene.eves), DAMAGED)
        plant(scene.eves, bytes.fromhex(eves[2:]))
        self.stopped("copy Ada's key to a provider of its own", "the owner goes into K")
        plant(other, self.envelope)
        self.assertEqual(self.error_of(made=other), MOVED)
        self.stopped("copy it to another provider of Ada's", "the record names its row")
        sql.ask(f"UPDATE usershell.accounts SET sealed_key = '\\x{self.envelope.hex()}' WHERE id = '{label}'")
        self.assertEqual(self.error_of(made=other, path=f"accounts/{label}/test"), MOVED)
        self.stopped("copy it to an account", "the record names its row")
        accounts = sql.one(f"SELECT sealed_key FROM usershell.accounts WHERE id = '{scene.account}'")
        self.opens_not(bytes.fromhex(accounts[2:]), MOVED)
        self.unchanged()
        self.stopped("copy an account's key to its provider", "the record names its row")

    def test_a_provider_given_to_another(self):
        """The whole row, with the key and its id, in Eve's name."""
        rows = "SET CONSTRAINTS ALL DEFERRED; UPDATE usershell.{} SET owner_id = '{}' WHERE owner_id = '{}' AND {} = '{}'"
        tables = (("providers", "id"), ("models", "provider_id"), ("accounts", "provider_id"))
        sql.ask("SET session_replication_role = replica")
        try:
            for table, column in tables:
                sql.ask(rows.format(table, scene.eve_id, scene.ada_id, column, scene.adas))
            self.assertEqual(self.error_of(scene.eve), DAMAGED)
        finally:
            for table, column in tables:
                sql.ask(rows.format(table, scene.ada_id, scene.eve_id, column, scene.adas))
            sql.ask("RESET session_replication_role")
        self.unchanged()
        self.stopped("make Ada's provider its own, with all its rows", "the owner goes into K")

    def test_addresses(self):
        port, stub = stack.stub.port, stack.stub.url
        for where, edit in (
            ("another host", f"base_url = 'http://localhost:{port}/tenant-a/v1'"),
            ("another scheme and port", f"base_url = 'https://{stack.closed}/tenant-a/v1'"),
            ("another path", f"base_url = '{stub}/tenant-b/v1'"),
            ("a path in other capitals", f"base_url = '{stub}/Tenant-A/v1'"),
            ("a longer path", f"base_url = '{scene.base_url}/more'"),
            ("another protocol", "type = 'google-gemini'"),
        ):
            with self.subTest(where=where):
                sql.ask(f"UPDATE usershell.providers SET {edit} WHERE id = '{scene.adas}'")
                error = self.error_of()
                back = f"base_url = '{scene.base_url}', type = 'generic-compatible'"
                sql.ask(f"UPDATE usershell.providers SET {back} WHERE id = '{scene.adas}'")
                self.assertEqual(error, HELD_BACK)
                self.stopped(f"point Ada's provider to {where}", "the address in the sealed record: held back")
        self.assertEqual(len(stack.stub.journal()), self.before)

    def test_texts(self):
        script = "<script>alert(1)</script>"
        sql.ask(f"UPDATE usershell.users SET display_name = '{script}' WHERE id = '{scene.ada_id}'")
        text = f"'{script}\"' || $$'onload='x$$"
        adas = f"WHERE id = '{scene.adas}'"
        back = "name = 'Of Ada', health_message = '', key_hint = 'sk-'"
        self.addCleanup(sql.ask, f"UPDATE usershell.providers SET {back} {adas}")
        back = f"UPDATE usershell.users SET display_name = 'Ada' WHERE id = '{scene.ada_id}'"
        self.addCleanup(sql.ask, back)
        texts = f"name = {text}, health_message = {text}, key_hint = '<script>x'"
        sql.ask(f"UPDATE usershell.providers SET {texts} {adas}")
        for path in (ROUTE, PROFILE):
            page = scene.ada.get(path)
            self.assertIn("script&gt;", page.text)
            self.assertNotIn("<script>", page.text)
            self.assertIn(f"script-src {scene.stack.base_url}/assets/;", page.headers["content-security-policy"])
        self.stopped("have a page run a script from a name or a health message", "templates escape; the pages' policy")

    def test_avatars(self):
        for client, colour in ((scene.ada, (1, 2, 3)), (scene.eve, (4, 5, 6))):
            client.upload(f"{PROFILE}/avatar", "Avatar", png(colour=colour), PROFILE)
        self.assertEqual(scene.ada.get(f"{PROFILE}/avatar").body, png(colour=(1, 2, 3)))
        take = "SELECT id, sealed FROM usershell.avatars WHERE owner_id = '{}'"
        ((row, sealed),) = sql.ask(take.format(scene.ada_id))
        sql.ask(f"UPDATE usershell.avatars SET id = '{row}', sealed = '{sealed}' WHERE owner_id = '{scene.eve_id}'")
        self.assertNotIn(png(colour=(1, 2, 3))[33:], scene.eve.get(f"{PROFILE}/avatar").body)
        self.stopped("look at Ada's avatar in its own profile", "a subkey for each user")
        sql.ask(f"UPDATE usershell.avatars SET sealed = '<script>alert(1)</script>' WHERE owner_id = '{scene.ada_id}'")
        self.assertNotIn(b"alert", scene.ada.get(f"{PROFILE}/avatar").body)
        self.stopped("put a page in an avatar's place", "authenticated encryption")


class Outbox(Case):
    """The sender is running; what it refuses it gives up."""

    def test_mails(self):
        mail = scene.mail_envelope()
        flipped = bytearray(mail)
        flipped[-1] ^= 1
        planted = Ring.planted("auth", "secret", vault.installation, _SECRET)
        content = (scene.ring("mail.public"), scene.ada_id, [MAIL_ID, str(2**33), "{}"])
        forged = seal("mail", planted, *content)
        auth = Ring("auth", "secret", vault.installation, mail[18:34], {})
        signed = seal("mail", auth, *content, seed=_SECRET)
        as_mail = self.envelope[:1] + b"\2" + mail[2:18] + self.envelope[18:]
        rows = (
            ("send Ada's mail in another's name", scene.eve_id, MAIL_ID, mail, "the owner goes into K"),
            ("send a mail again under another id", scene.ada_id, other_id(1), mail, "the record names its row"),
            ("change a queued mail", scene.ada_id, MAIL_ID, bytes(flipped), "XChaCha20-Poly1305"),
            ("have a mail of its own sent, signed by a key of its own", scene.ada_id, other_id(2), forged,
             "the signer's key is not in the auth ring"),
            ("have a mail of its own sent under the auth ring's id", scene.ada_id, other_id(3), signed, "the signature"),
            ("have a key sent by mail", scene.ada_id, other_id(4), as_mail, "kind and ring key go into K"),
        )  # fmt: skip
        stack.wait_for_mail()
        sent = len(stack.mail.messages())
        for _, owner, mail_id, sealed, _ in rows:
            plant_mail(stack, owner, mail_id, sealed)
        ids = ", ".join(f"'{row[2]}'" for row in rows)
        done = f"SELECT count(*) FROM usershell.outbox WHERE id IN ({ids}) AND reason = 'the queued mail can''t be opened'"
        wait_until(lambda: sql.one(done) == str(len(rows)), "refusals")
        self.assertEqual(len(stack.mail.messages()), sent)
        sql.ask(f"DELETE FROM usershell.outbox WHERE id IN ({ids})")
        for tried, _, _, _, by in rows:
            self.stopped(tried, by)
        plant_mail(stack, scene.ada_id, MAIL_ID, mail)  # it was a good one
        stack.mail.wait_for(scene.ada.email)


def other_id(number):
    return MAIL_ID[:-1] + str(number)
