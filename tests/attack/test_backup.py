"""A thief with a backup of the database and no ring opens no envelope in it."""

import base64
import re

import book
from harness.pictures import png
from harness.scenes import CALLS, MODEL, PROFILE, ROUTE, SESSION, ask, ask_for_address, forms_of, mailed_link
from scene import ACCOUNTS_KEY, ADAS_KEY, EVES_KEY, Thief, the_scene

_MESSAGE = "what Ada asks 61c09f"
_PICTURE = png(colour=(11, 22, 33))
_BLOB = re.compile(rb"\\x([0-9a-f]{64})'")


def setUpModule():
    """Ada does all that leaves something behind; then the backup is taken."""
    global scene, stack, dump, reset, change, tokens
    scene = the_scene()
    stack, ada = scene.stack, scene.ada
    ada.upload(f"{PROFILE}/avatar", "Avatar", _PICTURE, PROFILE)
    ada.post(f"{ROUTE}/{scene.adas}/test")
    ada.post(f"{ROUTE}/playground", ask(scene.adas, _MESSAGE, system=_MESSAGE, modelId=MODEL))
    ask_for_address(ada, f"new-{ada.email}")
    stack.visitor().form("/auth/forgot", {"email": ada.email})
    reset, change = mailed_link(stack, ada.email), mailed_link(stack, f"new-{ada.email}")
    stack.mail.go_down()
    stack.visitor().form("/auth/forgot", {"email": scene.eve.email})
    tokens = {name: ada.cookies[name] for name in (SESSION, CALLS)}
    dump = stack.dump()
    stack.sql("DELETE FROM usershell.outbox")  # nobody waits for its next attempt
    stack.mail.come_up()


class Backup(Thief):
    who = book.BACKUP

    def absent(self, what, by, *secrets):
        for secret in secrets:
            for form in forms_of(secret):
                self.assertFalse(form in dump, what)
        self.stopped(f"find {what}", by)

    def test_secrets_in_it(self):
        self.assertIn(scene.adas.encode(), dump)
        self.assertIn(f"{scene.ada.email}".encode(), dump)
        self.absent(
            "providers' and accounts' keys", "sealed", *(k.encode()[6:-4] for k in (ADAS_KEY, ACCOUNTS_KEY, EVES_KEY))
        )
        self.absent("passwords", "Argon2id", *(c.password.encode() for c in (scene.ada, scene.eve)))
        for name, value in tokens.items():
            raw = base64.urlsafe_b64decode(value + "=")
            self.absent(f"the token of `{name}`", "only its BLAKE2b-256 is kept", value.encode(), raw)
        for what, link in (("a reset link's token", reset), ("the token of a change of address", change)):
            token = link.rpartition("token=")[2]
            raw = base64.urlsafe_b64decode(token + "=")
            self.absent(what, "only its BLAKE2b-256 is kept", token.encode(), raw)
        self.absent("the text of queued mail", "sealed", b"/auth/reset?token=", stack.base_url.encode())
        self.absent("avatars", "sealed", _PICTURE[:24], _PICTURE[40:64])
        self.absent("what people ask and are answered", "it is not kept", _MESSAGE.encode())
        for name in ("vault.secret", "web.secret", "auth.secret", "mail.secret"):
            self.absent(f"the keys of `{name}`", "rings are files, not rows", *self.keys_of(name))

    def test_what_it_holds_as_what_it_is_of(self):
        def column(name, table, owner="owner_id"):
            row = f"SELECT encode({name}, 'hex') FROM usershell.{table} WHERE {owner} = '{scene.ada_id}' LIMIT 1"
            found = stack.sql(row)
            self.assertIn(found.encode(), dump)
            return bytes.fromhex(found)

        def cookie_of(hashed):
            return base64.urlsafe_b64encode(hashed).rstrip(b"=").decode()

        for name, hashed in (("managing", "token_hash"), ("calling", "calls_token_hash")):
            token = cookie_of(column(hashed, "sessions"))
            sent = {"Cookie": f"{SESSION}={token}; {CALLS}={token}"}
            for path in (f"{ROUTE}/list", f"{ROUTE}/{scene.adas}/models/available"):
                self.assertEqual(stack.visitor().get(path, sent).status, 401)
            self.stopped(f"use a {name} token's hash as the token", "what comes in is hashed first")
        token = cookie_of(column("token_hash", "password_resets"))
        visitor = stack.visitor()
        fields = {"token": token, "password": "of whoever has the backup"}
        self.assertEqual(visitor.form("/auth/reset", fields, page="/auth/login").status, 400)
        self.stopped("use a reset link's hash as the link", "what comes in is hashed first")
        stored = stack.sql(f"SELECT password_hash FROM usershell.users WHERE id = '{scene.ada_id}'")
        self.assertIn(stored.encode(), dump)
        fields = {"email": scene.ada.email, "password": stored}
        self.assertEqual(stack.visitor().form("/auth/login", fields).status, 200)
        self.stopped("sign in with a password's hash", "what comes in is hashed first")
        key = column("antiforgery_key", "sessions")
        answer = stack.visitor().request("POST", f"{ROUTE}/create", "{}", {
            "RequestVerificationToken": cookie_of(key), "Content-Type": "application/json"})  # fmt: skip
        self.assertEqual(answer.status, 401)
        self.stopped("act with a session's anti-forgery key", "it is nothing without the session's cookie")

    def test_keys_from_what_it_holds(self):
        """Every value of 32 bytes in the dump, and what needs no dump, as the vault's secret key."""
        envelope = scene.envelope()
        self.assertIn(envelope.hex().encode(), dump)
        guesses = {bytes.fromhex(found.decode()) for found in _BLOB.findall(dump)}
        self.assertGreater(len(guesses), 4)
        self.assert_shut({*guesses, bytes(32), b"\xff" * 32, envelope[34:66], *self.keys_of("vault.public")})
        self.stopped(
            "open a key with any value of 32 bytes that the backup holds", "only the vault ring's secret half opens"
        )

    def test_lengths(self):
        """Keys of very different lengths."""
        self.addCleanup(scene.eve.post, f"{ROUTE}/{scene.eves}/apikey", {"apiKey": EVES_KEY})
        sizes = set()
        for size in range(1, 130, 8):
            scene.eve.post(f"{ROUTE}/{scene.eves}/apikey", {"apiKey": "k" * size})
            row = f"SELECT octet_length(sealed_key) FROM usershell.providers WHERE id = '{scene.eves}'"
            sizes.add(int(stack.sql(row)))
        self.assertEqual(len(sizes), 2)
        self.assertEqual(max(sizes) - min(sizes), 128)
        self.stopped("tell a key by its length", "records are padded to steps of 128 bytes")
