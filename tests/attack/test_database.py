"""A thief who can write everything in the database, and has no ring: rows are what they want, and no key
opens for anybody but its owner, nor goes anywhere but where it was entered for."""


import book
from harness.envelope import HEADER_SIZE, Header, Ring, blake2b, length_prefixed, padded, seal, sign, xchacha
from harness.pictures import png
from harness.processes import wait_until
from harness.scenes import PROFILE, ROUTE, account, ask, plant_mail, provider
from scene import DAMAGED, HELD_BACK, MAIL_ID, MOVED, NO_RING, Thief, escaping_ids, the_scene

_P = 2**255 - 19
# u-coordinates of order 1, 2, 4 and 8 on the curve and its twist (RFC 7748, section 6), also not reduced.
_SMALL = (0, 1, 39382357235489614581723060781553021112529911719440698176882885853963445705823,
          325606250916557431795983626356110631294008115727848805560023387167927233504, _P - 1)  # fmt: skip
_SMALL_POINTS = [*_SMALL, _P, _P + 1, *(u + 2**255 for u in _SMALL)]
_INSTALLATION = "5f6f1c0e-0000-4000-8000-00000000000b"
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


def _thiefs_fields():
    return [scene.adas, "provider", "generic-compatible", scene.base_url, "sk-of-the-thief"]


class Case(Thief):
    who = book.DATABASE

    def setUp(self):
        self.envelope = scene.envelope()
        self.addCleanup(plant, scene.adas, self.envelope)
        self.owner = scene.ada_id
        self.before = len(stack.stub.journal())

    def error_of(self, client=None, made=None, path="test"):
        answer = (client or scene.ada).post(f"{ROUTE}/{made or scene.adas}/{path}").json()
        self.assertFalse(answer["ok"], answer)
        return answer["error"]

    def opens_not(self, envelope, *errors):
        plant(scene.adas, envelope)
        self.assertIn(self.error_of(), errors)

    def unchanged(self):
        """No call went out, and the key as it was still opens."""
        self.assertEqual(len(stack.stub.journal()), self.before)
        plant(scene.adas, self.envelope)
        self.assertTrue(scene.ada.post(f"{ROUTE}/{scene.adas}/test").json()["ok"])


class Envelopes(Case):
    def setUp(self):
        super().setUp()
        sql.ask("ALTER TABLE usershell.providers DROP CONSTRAINT providers_sealed_key_check")

    def tearDown(self):
        plant(scene.adas, self.envelope)
        check = "octet_length(sealed_key) BETWEEN 274 AND 16384 AND substr(sealed_key, 1, 2) IN ('\\x0101', '\\x0103')"
        sql.ask(f"ALTER TABLE usershell.providers ADD CONSTRAINT providers_sealed_key_check CHECK ({check})")

    def test_flipped(self):
        for at in range(len(self.envelope)):
            if at < HEADER_SIZE or at % 16 == 0 or at > len(self.envelope) - 4:
                changed = bytearray(self.envelope)
                changed[at] ^= 1 << at % 8
                self.opens_not(bytes(changed), DAMAGED, NO_RING)
        self.unchanged()
        self.stopped(f"flip a bit in each of the {HEADER_SIZE} bytes of a key's header", "the header is authenticated")
        self.stopped("flip bits in what is sealed, the tag and the signature", "XChaCha20-Poly1305")

    def test_truncated(self):
        for size in (1, 2, 18, 34, 65, 66, 67, 81, 82, 145, 146, 273, len(self.envelope) - 1):
            self.opens_not(self.envelope[:size], DAMAGED, NO_RING)
        self.opens_not(self.envelope + b"\0", DAMAGED)
        self.opens_not(self.envelope + self.envelope, DAMAGED)
        self.unchanged()
        self.stopped("cut a sealed key to 13 lengths, or lengthen it", "lengths and XChaCha20-Poly1305")

    def test_points_of_small_order(self):
        """Whatever the vault's secret key is, the product is zero: the thief knows K."""
        for point in _SMALL_POINTS:
            self.opens_not(self.forged(point, bytes(32)), DAMAGED)
        self.unchanged()
        self.stopped(f"seal a forged key under {len(_SMALL_POINTS)} ephemeral points of small order, also not reduced",
                     "a product of zero is refused; the signature")  # fmt: skip

    def test_other_encodings_of_a_point(self):
        """The base point gives the vault's public key for a product: no secret, in any encoding."""
        for point in (9, 9 + _P, 9 + 2**255):
            self.opens_not(self.forged(point, vault.keys[vault.active]), DAMAGED)
        top = bytearray(self.envelope)
        top[65] ^= 0x80
        self.opens_not(bytes(top), DAMAGED)
        self.unchanged()
        self.stopped("use another encoding of an ephemeral point", "the header's bytes go into K; the signature")

    def forged(self, point, product):
        """A key of the thief's own, signed by himself, under an ephemeral point whose product he knows."""
        ephemeral, signer = point.to_bytes(32, "little"), self.envelope[18:34]
        header = Header("key", vault.active, signer, ephemeral)
        ids = (vault.installation, vault.active, ephemeral, vault.keys[vault.active], self.owner)
        key = blake2b(length_prefixed("usershell envelope 1", "key", *ids), key=product)
        common = ("usershell record 1", "key", vault.installation, self.owner)
        record = padded(length_prefixed(*common, *_thiefs_fields()))
        signed = sign(_SECRET, vault.installation, header, record) + record
        return bytes(header) + xchacha(key).encrypt(bytes(12), signed, bytes(header))

    def test_a_signature_of_its_own(self):
        web = Ring("web", "secret", vault.installation, self.envelope[18:34], {})
        fields = _thiefs_fields()
        self.opens_not(seal("key", web, vault, self.owner, fields, seed=_SECRET), DAMAGED)
        self.stopped("enter a key of its own in Ada's name", "the signature: only `usershell-manage` can sign")
        planted = Ring.planted("web", "secret", vault.installation, _SECRET)
        key_id = planted.active.hex()
        self.addCleanup(sql.ask, f"DELETE FROM usershell.ring_keys WHERE id = '{key_id}'")
        sql.ask(f"INSERT INTO usershell.ring_keys (id, role) VALUES ('{key_id}', 'web')")
        self.opens_not(seal("key", planted, vault, self.owner, fields), NO_RING)
        self.unchanged()
        self.stopped(
            "register a signer's key of its own and sign with it", "keys come from ring files, never from rows"
        )

    def test_another_installation(self):
        web = Ring.planted("web", "secret", _INSTALLATION, _SECRET)
        theirs = Ring.planted("vault", "public", _INSTALLATION, _SECRET)
        fields = _thiefs_fields()
        other = seal("key", web, theirs, self.owner, fields)
        renamed = other[:2] + self.envelope[2:34] + other[34:]
        for envelope in (other, renamed):
            self.opens_not(envelope, NO_RING, DAMAGED)
        web.installation, web.active = vault.installation, self.envelope[18:34]
        self.opens_not(seal("key", web, theirs, self.owner, fields, seed=_SECRET), NO_RING)
        self.unchanged()
        self.stopped("bring a key from another installation, also under this one's ids", "the installation goes into K")

    def test_a_mail(self):
        mail = scene.mail_envelope()
        for envelope in (mail, mail[:1] + b"\1" + mail[2:], mail[:1] + b"\1" + self.envelope[2:18] + mail[18:]):
            self.opens_not(envelope, DAMAGED, NO_RING)
        self.unchanged()
        self.stopped("put a sealed mail in a key's place, under either kind and key id", "kind and ring key go into K")


class Rows(Case):
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

    def test_model_ids(self):
        ids = escaping_ids()
        for kind in ("azure-openai", "google-gemini"):
            made = provider(scene.ada, f"{stack.stub.url}/tenant-a", "sk-path-0123456789", kind, kind)
            for model in ids:
                quoted = model.replace("'", "''")
                sql.ask(f"UPDATE usershell.models SET model_id = '{quoted}' WHERE provider_id = '{made}'")
                answer = scene.ada.post(f"{ROUTE}/playground", ask(made))
                self.assertEqual(answer.status, 502)
                for error in (self.error_of(made=made), answer.json()["error"]):
                    self.assertIn("This call would leave the provider’s base URL", error)
            scene.ada.call("DELETE", f"{ROUTE}/{made}")
            self.assertEqual(len(stack.stub.journal()), self.before)
            self.stopped(f"lead a call to another path by one of {len(ids)} model ids in the store ({kind})",
                         "no URL is called that leaves the bound base URL")  # fmt: skip

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
