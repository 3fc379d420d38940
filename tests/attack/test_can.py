"""The acts that each thief can do: the other half of the table."""

import ctypes
import json
import unittest

import book
from harness.envelope import open_envelope, seal
from harness.opener import begin_call, opener_of
from harness.scenes import ROUTE, add_app, ask, may_sign_in, owner_of, provider, tested
from harness.suite import Later
from scene import ADAS_KEY, EVES_KEY, MAIL_ID, presented, the_scene

_THIEFS_KEY = "sk-of-the-thief-0123456789"
_PASSWORD = "a password that the thief sets 3"

scene, stack = Later(the_scene), Later(lambda: the_scene().stack)


def argon2(password):
    text = ctypes.create_string_buffer(128)
    size, passes, memory = ctypes.c_ulonglong(len(password)), ctypes.c_ulonglong(1), ctypes.c_size_t(8192)
    assert ctypes.CDLL("libsodium.so.23").crypto_pwhash_str(text, password.encode(), size, passes, memory) == 0
    return text.value.decode()


class Can(unittest.TestCase):
    """Each on somebody of its own."""

    def person(self, name):
        client = stack.newcomer(name)
        made = provider(client, scene.base_url, EVES_KEY, name=f"Of {name}")
        return client, made, owner_of(stack, made)

    def test_auth(self):
        client, made, owner = self.person("Ava")
        self.avas = client.email
        role = scene.as_role("usershell_auth")
        content = json.dumps({"to": "x@example.org", "subject": "s", "text": "of the thief", "html": "h"})
        mail = seal("mail", scene.ring("auth.secret"), scene.ring("mail.public"), owner, [MAIL_ID, str(2**33), content])
        link = "SELECT usershell.ask_password_reset(user_id, security_stamp, sha256('x'), 60, %s, '\\x{}') FROM usershell.find_recipient('{}', '')"
        link = link.format(mail.hex(), client.email)
        role.ask(link % f"'{MAIL_ID}'")
        self.assertIn("of the thief", stack.mail.wait_for("x@example.org").as_string())
        book.can(book.AUTH, "send mail in the service's name")
        hashed = argon2(_PASSWORD)
        role.ask(f"SELECT usershell.finish_password_reset(sha256('x'), '{hashed}')")
        self.assertEqual(client.get("/user/providers").status, 302)
        keys = f"ROW({', '.join(f'sha256($${n}$$)' for n in ('thief 1', 'thief 2', 'thief 3', 'thief 4', 'thief 5'))})"
        keys = f"{keys}::usershell.session_keys"
        start = f"'x', gen_random_uuid(), {keys}, false, 60, 60, '', ''"
        role.ask(f"SELECT usershell.start_session('{owner}', '{self.sign_in(role, client.email, hashed, 'session')}', {start})")
        role.ask("SELECT set_config('usershell.session', encode(sha256('thief 3'), 'hex'), false)")
        token = self.sign_in(role, client.email, hashed, "token")
        self.assertEqual(role.one(f"SELECT usershell.renew_sign_in('{token}', {keys})"), "t")
        self.auth_reads_and_makes(role, token, link % "gen_random_uuid()")
        entered = stack.sign_in((client.email, _PASSWORD))
        self.assertTrue(tested(entered, made)["ok"])
        self.auth_meets_factors(role, link, start, hashed)
        book.can(book.AUTH, "set anybody's password by a link of its own, which ends their sessions and access tokens, and so sign in, "
                            "have calls made with their keys, replace and delete them, and delete the account; "
                            "of who has an authenticator app alone, and does not sign in meanwhile, it gets no session")  # fmt: skip

    def auth_meets_factors(self, role, link, start, hashed):
        """Whose password it has set, and who has an app; then a passkey besides."""
        client, _, owner = self.person("Amy")
        # Unknown addresses draw the cost of any user; that of this thief's hash is not the others'.
        self.addCleanup(stack.sql, f"DELETE FROM usershell.users WHERE id = '{owner}'")
        add_app(client)
        role.ask(link.replace("sha256('x')", "sha256('y')").replace(self.avas, client.email) % "gen_random_uuid()")
        role.ask(f"SELECT usershell.finish_password_reset(sha256('y'), '{hashed}')")
        begin = f"SELECT usershell.start_session('{owner}', '{{}}', {start})"
        begin = begin.replace("thief ", "thief of Amy ")
        sign_in = self.sign_in(role, client.email, hashed, "session")
        role.ask(f"SELECT usershell.show_code('{owner}', '{sign_in}', 'x', '123456', '\\x{'00' * 20}', '')")
        self.assertEqual(role.one(begin.format(sign_in)), "f")
        stack.sql(f"INSERT INTO usershell.passkeys VALUES ('{owner}', gen_random_uuid(), 'amys', 'x', -7, 0, false, 'x', 'x')")
        (credential,) = role.ask(f"SELECT credential_id FROM usershell.passkeys_of_sign_in('{owner}', '{sign_in}', 'x')")[0]
        shown = f"'{sign_in}', 'x', 'session', '{credential}', 'made up', 1, true, ''"
        role.ask(f"SELECT usershell.show_passkey({shown})")
        self.assertEqual(role.one(begin.format(sign_in)), "t")
        book.can(book.AUTH, "pass off a passkey of a person whose password it has set")

    def sign_in(self, role, email, hashed, deed):
        role.ask(f"SELECT usershell.take_guess('{email}', '{hashed}')")
        return role.one(f"SELECT sign_in FROM usershell.check_password('{email}', ARRAY['{hashed}'], '', '', '{deed}', 'x')")

    def auth_reads_and_makes(self, role, sign_in, link):
        seen = role.ask("SELECT name FROM usershell.token_choices()") + role.ask("SELECT kind FROM usershell.latest_events(9, 9)")
        self.assertIn(["Of Ava"], seen)
        self.assertIn(["key_added"], seen)
        self.assertEqual(role.ask("SELECT day FROM usershell.own_usage(400)"), [])
        book.can(book.AUTH, "read anybody's address, providers, models, access tokens, usage, devices and events, "
                            "by a session that it makes; that session lasts for 14 days at most")  # fmt: skip
        token = f"'{sign_in}', gen_random_uuid(), substr(sha256('s'), 1, 12), sha256('v')"
        limits = '{"name": "thief", "requests_a_minute": 1, "stored_objects": true, "lifetime": 60}'
        self.assertEqual(role.one(f"SELECT usershell.make_token({token}, '{limits}', NULL, '')"), "made")
        self.assertEqual(role.ask("SELECT name FROM usershell.own_tokens()"), [["thief"]])
        book.can(book.AUTH, "make access tokens in anybody's name without a mail about them, for 366 days at most; "
                            "a security event ends them, and the person sees them")  # fmt: skip
        role.ask(link)
        self.assertEqual(role.ask("SELECT kind FROM usershell.open_links()"), [["password-reset"]])
        role.ask("SELECT usershell.end_link('password-reset')")
        self.assertEqual(role.ask("SELECT kind FROM usershell.open_links()"), [])
        book.can(book.AUTH, "make links that set a password or change an address, for 24 hours at most and each with a mail "
                            "that may be nonsense, and end such links; the person sees them")  # fmt: skip
        role.ask("SELECT email FROM usershell.events_to_announce(10000)")  # usershell-auth itself may have been faster
        book.can(book.AUTH, "read the addresses of those whose providers have just been changed, and keep back the mail about it; "
                            "the event stays")  # fmt: skip
        role.ask("SELECT usershell.take_attempt(ARRAY[sha256('x')], '{0}', ARRAY[interval '1 hour'])")
        role.ask("SELECT usershell.clear_attempts(sha256('x'))")
        book.can(book.AUTH, "lift the throttles of the sign-in page, but not the database's own, and keep a client out for an hour")
        role.ask("SELECT usershell.sweep_events(10000, interval '7 days')")
        book.can(book.AUTH, "remove events that are older than a week")

    def test_manage(self):
        client, made, owner = self.person("Mia")
        role = scene.as_role("usershell_manage")
        presented = scene.present(role, owner)
        found = role.ask("SELECT base_url, key_hint FROM usershell.providers")
        self.assertEqual(found[0][0], scene.base_url)
        book.can(book.MANAGE, "read names, addresses, providers, models, hints and avatars of those who call while it is there")
        web, vault = scene.ring("web.secret"), scene.ring("vault.public")
        fields = [made, "provider", "generic-compatible", scene.base_url, _THIEFS_KEY]
        envelope = seal("key", web, vault, owner, fields)
        role.ask(f"UPDATE usershell.providers SET sealed_key = '\\x{envelope.hex()}' WHERE id = '{made}'")
        self.assertTrue(tested(client, made)["ok"])
        self.assertEqual(len(stack.stub.journal(key=_THIEFS_KEY)), 1)
        book.can(book.MANAGE, "replace and delete their keys, and point a provider elsewhere for a key of its own")
        stack.sql(f"DELETE FROM usershell.sessions WHERE token_hash = sha256('\\x{presented}')")
        self.assertEqual(role.ask("SELECT base_url FROM usershell.providers"), [])
        self.assertIn("/auth/login", stack.visitor().get("/auth/login").text)
        book.can(book.MANAGE, "show a page of ours that asks for a password, and give that away")

    def test_execute(self):
        client, made, _ = self.person("Ely")
        token = bytes.fromhex(presented(client)[2:])
        told = opener_of(stack).ask(begin_call(token, stack.sql("SELECT gen_random_uuid()"), made))
        self.assertIn(EVES_KEY.encode(), told)
        book.can(book.EXECUTE, "read the keys of those who call while it is there, what they ask and are answered")

    def test_opener(self):
        client, made, owner = self.person("Ona")
        role = scene.as_role("usershell_opener")
        told = role.one(
            "SELECT sealed_key FROM usershell.begin_call("
            f"'{presented(client)}', gen_random_uuid(), '{made}', NULL, false)"
        )
        sealed = bytes.fromhex(told[2:])
        fields = open_envelope(scene.ring("vault.secret"), scene.ring("web.public"), owner, sealed)
        self.assertEqual(fields[-1].decode(), EVES_KEY)
        book.can(book.OPENER, "read the keys of those who call while it is there")
        fields = open_envelope(scene.ring("vault.secret"), scene.ring("web.public"), scene.ada_id, scene.envelope())
        self.assertEqual(fields[-1].decode(), ADAS_KEY)
        book.can(book.OPENER, "read every key with a backup or the database besides: its ring opens them")

    def test_mail(self):
        client, _, owner = self.person("Max")
        role = scene.as_role("usershell_mail")
        stack.wait_for_mail()
        stack.mail.go_down()
        self.addCleanup(stack.mail.come_up)
        stack.visitor().form("/auth/forgot", {"email": client.email})
        told = role.one(f"SELECT sealed FROM usershell.outbox WHERE owner_id = '{owner}'")
        mail_id = role.one(f"SELECT id FROM usershell.outbox WHERE owner_id = '{owner}'")
        fields = open_envelope(scene.ring("mail.secret"), scene.ring("auth.public"), owner, bytes.fromhex(told[2:]))
        self.assertEqual(fields[0].decode(), mail_id)
        text = json.loads(fields[-1])["text"]
        role.ask(f"SELECT usershell.mail_sent('{owner}', '{mail_id}')")
        token = text.partition("token=")[2].split()[0]
        form = {"token": token, "password": _PASSWORD}
        self.assertEqual(stack.visitor().form("/auth/reset", form, page="/auth/login").status, 303)
        self.assertTrue(may_sign_in(stack, client.email, _PASSWORD))
        book.can(book.MAIL, "read and hide queued mail, and so take an account over by a reset link that it asks for: "
                            "use its keys, and replace them")  # fmt: skip

    def test_session(self):
        client, made, _ = self.person("Sam")
        stolen = client.clone()
        self.assertEqual(stolen.post(f"{ROUTE}/playground", ask(made)).status, 200)
        self.assertEqual(stolen.post(f"{ROUTE}/{made}/apikey", {"apiKey": _THIEFS_KEY}).status, 200)
        self.assertEqual(stolen.call("DELETE", f"{ROUTE}/{made}").status, 204)
        book.can(book.SESSION, "call with the person's keys, replace and delete them, until the session ends")

    def test_database(self):
        client, made, owner = self.person("Dan")
        hashed = stack.sql(f"SELECT password_hash FROM usershell.users WHERE email = '{scene.eve.email}'")
        stack.sql(f"UPDATE usershell.users SET password_hash = '{hashed}' WHERE id = '{owner}'")
        entered = stack.sign_in((client.email, scene.eve.password))
        self.assertTrue(tested(entered, made)["ok"])
        book.can(book.DATABASE, "sign in as anybody by a password of its own, have calls made with that person's keys, "
                                "and delete everything")  # fmt: skip

    def test_backup(self):
        dump = stack.dump().decode()
        for seen in (scene.ada.email, scene.base_url, "$argon2id$", "sk-"):
            self.assertIn(seen, dump)
        book.can(book.BACKUP, "read addresses, names, providers, hints and events, and try passwords at their hashes "
                              "for as long as it likes")  # fmt: skip
