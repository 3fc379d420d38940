"""Rings change while everything runs: a key is added, made active, sealed to, and dropped; no stored key is entered
again, and none is lost."""

import contextlib
import json
import os
import re
import secrets
import socket
import subprocess
import threading
import unittest

from harness.pictures import png
from harness.processes import HarnessError, run
from harness.scenes import PROFILE, ROUTE, SECURITY, account, ask_for_address, provider, tested
from harness.servers.postgres import DATABASE
from harness.suite import Later, shared_stack

# Whom the harness's server lets in: its own user. An installation has usershell-rewrap.
AS_USER = ("--user", "postgres")

stack = Later(shared_stack, manage=2, execute=2, mail=True)


def listing():
    return json.loads(stack.ctl("ring", "list", "--json"))


def active(ring):
    return next(row["id"] for row in listing() if (row["ring"], row["state"]) == (ring, "active"))


def uses(key, what="keys"):
    return next(row[what] for row in listing() if row["id"] == key)


def restart(*names):
    for name in names:
        stack.pools[name].restart()


def rotate(ring, first, then="manage"):
    """A new active key, in the order in which an operator brings it about; (the old id, the new one)."""
    old = active(ring)
    said = stack.ctl("ring", "rotate", ring)
    new = re.search(r"[0-9a-f]{32}", said)[0]
    assert active(ring) == old
    restart(*first)
    stack.ctl("ring", "activate", ring, new)
    assert active(ring) == new
    restart(then)
    return old, new


class Case(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        self.made = provider(self.client, f"{stack.stub.url}/v1")
        self.other = self.add_account()

    def works(self, account_id):
        answer = self.client.post(f"{ROUTE}/{self.made}/accounts/{account_id}/test").json()
        self.assertTrue(answer["ok"], answer)

    def all_keys_work(self):
        answer = tested(self.client, self.made)
        self.assertTrue(answer["ok"], answer)
        self.works(self.other)

    def add_account(self):
        return account(self.client, self.made, f"sk-{secrets.token_hex(16)}")

    def refused(self, words, *command):
        with self.assertRaises(HarnessError) as caught:
            stack.ctl(*command)
        self.assertIn(words, str(caught.exception))

    def kinds_of_events(self):
        return [line.split("\t")[2] for line in stack.ctl("events", self.client.email).splitlines()]


class Vault(Case):
    @unittest.skipUnless(os.geteuid() == 0, "only root may become the other user")
    def test_from_a_new_key_to_the_end_of_the_old_one(self):
        header = {"name": "X-Tenant", "value": "acme"}
        self.assertEqual(self.client.post(f"{ROUTE}/{self.made}/headers", header).status, 200)
        old, new = rotate("vault", ["opener"])
        self.all_keys_work()
        self.works(self.add_account())
        self.assertEqual(uses(new), 1)
        self.refused(f"{uses(old)} keys", "ring", "drop", "vault", old)
        # A held-back key is sealed again and stays held back.
        held = provider(self.client, f"{stack.stub.url}/v1")
        stack.sql(f"UPDATE usershell.providers SET base_url = 'https://elsewhere.example' WHERE id = '{held}'")
        before = self.kinds_of_events()

        self.assertIn(f"keys to {new}", stack.ctl("ring", "rewrap", *AS_USER))
        self.assertEqual(uses(old), 0)
        self.assertEqual(self.kinds_of_events(), before)
        self.all_keys_work()
        self.assertIn("Sealed 0 keys", stack.ctl("ring", "rewrap", *AS_USER))

        self.refused("is active", "ring", "drop", "vault", new)
        stack.ctl("ring", "drop", "vault", old)
        self.assertNotIn(old, [row["id"] for row in listing()])
        restart("opener", "manage")
        self.all_keys_work()

    @unittest.skipUnless(os.geteuid() == 0, "only root may become the other user")
    def test_what_does_not_open_stays_and_is_counted(self):
        rotate("vault", ["opener"])
        column = f"usershell.providers SET sealed_key = {{}} WHERE id = '{self.made}'"
        stack.sql(f"UPDATE {column}".format("set_byte(sealed_key, 200, 255 - get_byte(sealed_key, 200))"))
        envelope = f"SELECT encode(sealed_key, 'hex') FROM usershell.providers WHERE id = '{self.made}'"
        damaged = stack.sql(envelope)
        self.refused("1 keys do not open", "ring", "rewrap", *AS_USER)
        self.assertEqual(stack.sql(envelope), damaged)
        stack.sql(f"DELETE FROM usershell.providers WHERE id = '{self.made}'")

    def test_its_role_can_put_nothing_else_there(self):
        """Another record's envelope, another signer, a key that is no key of the vault."""
        row = f"FROM usershell.providers WHERE id = '{self.made}'"
        owner, mine = stack.sql(f"SELECT owner_id, encode(sealed_key, 'hex') {row}").split("|")
        web, vault = active("web"), active("vault")
        others = (mine.replace(web, vault), mine.replace(vault, web), f"{mine}00", f"0102{mine[4:]}")
        for changed in others:
            swap = f"SELECT usershell.swap_envelope('provider', '{owner}', '{self.made}', '\\x{mine}', '\\x{changed}')"
            said = stack.postgres.psql("-c", swap, user="usershell_rewrap", database=DATABASE).strip()
            self.assertEqual(said, "f")
        with self.assertRaises(HarnessError):
            stack.postgres.psql("-c", "SELECT sealed_key FROM usershell.providers", user="usershell_rewrap")

    def test_works_without_a_network_or_says_so(self):
        command = ["--database", "host=db.example dbname=usershell", "ring", "rewrap"]
        self.refused("without a network", *command)
        self.refused("can reach the network", "ring", "rewrap", "--user", "root")


@contextlib.contextmanager
def signer():
    """`ring resign` behind a socket, as systemd starts it; yields the socket's path. It ends without a fault."""
    path = stack.folder.path / "resign.sock"
    command = stack.ctl_command("ring", "resign", *AS_USER)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(path))
        listener.listen(1)
        listener.settimeout(60)
        ended = []

        def serve():
            with listener.accept()[0] as connection:
                ended.append(subprocess.run(command, stdin=connection, capture_output=True, text=True, check=False))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield path
        finally:
            thread.join(60)
            path.unlink()
    if ended[0].returncode:
        raise HarnessError(ended[0].stderr)


class Web(Case):
    @unittest.skipUnless(os.geteuid() == 0, "only root may become the other user")
    def test_from_a_new_key_to_the_end_of_the_old_one(self):
        self.assertEqual(self.client.upload(f"{PROFILE}/avatar", "Avatar", png(), PROFILE).status, 303)
        shown = self.client.get(f"{PROFILE}/avatar").body
        old, new = rotate("web", ["opener"])
        self.all_keys_work()
        later = self.add_account()
        self.works(later)
        self.assertEqual(uses(new), 1)
        self.refused("never open again", "ring", "drop", "web", old)

        with signer() as path:
            stack.ctl("ring", "rewrap", "--signer", path, *AS_USER)
        self.assertEqual(uses(old), 0)
        stack.ctl("ring", "drop", "web", old)
        self.assertNotIn(old, [row["id"] for row in listing()])
        restart("opener", "manage")
        self.client = stack.sign_in(self.client)
        self.all_keys_work()
        self.works(later)
        self.assertEqual(self.client.get(f"{PROFILE}/avatar").body, shown)

    @unittest.skipUnless(os.geteuid() == 0, "only root may become the other user")
    def test_a_signer_signs_no_digest_of_another_s_choice(self):
        rotate("web", ["opener"])
        for request, words in ((b"x", "no request"), (b"\1" * 113, "not signed by a key of this web ring"),
                               (b"\2" * 113, "Only stored keys")):  # fmt: skip
            with self.assertRaises(HarnessError) as caught, signer() as path:
                with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
                    connection.connect(str(path))
                    connection.send(request)
                    self.assertEqual(connection.recv(100), b"")
            self.assertIn(words, str(caught.exception))

    def test_no_signer_is_said(self):
        self.refused("No signer listens", "ring", "rewrap", "--signer", "/nowhere", *AS_USER)


class Others(Case):
    def test_after_a_theft_what_the_old_key_signed_is_entered_again(self):
        old, _ = rotate("web", ["opener"])
        later = self.add_account()
        stack.ctl("ring", "drop", "--invalidate", "web", old)  # the answer to a stolen web ring
        restart("opener", "manage")
        self.client = stack.sign_in(self.client)
        self.assertIn("enter the key again", tested(self.client, self.made)["error"])
        self.works(later)
        unused = next(row for row in listing() if row["id"] == old)
        self.assertEqual((unused["ring"], unused["state"]), ("?", "not in the files"))
        stack.sql("DELETE FROM usershell.users WHERE normalized_email <> ''")

    def test_mail_is_signed_by_a_new_key_and_sealed_to_one(self):
        keys = [rotate(ring, ["mail"], "auth")[1] for ring in ("auth", "mail")]
        stack.mail.go_down()
        self.addCleanup(stack.wait_for_mail)
        self.addCleanup(stack.sql, "UPDATE usershell.outbox SET next_attempt_at = now()")
        self.addCleanup(stack.mail.come_up)
        self.assertEqual(ask_for_address(self.client, f"new-{self.client.email}").status, 303)
        self.assertEqual([uses(key, "mails") for key in keys], [1, 1])
        rotate("auth", ["mail"], "auth")
        self.refused("1 mails", "ring", "drop", "auth", keys[0])

    def code(self, page, *moment):
        """Of an authenticator app that has the secret of that page."""
        secret = re.search(r'"app-secret">([^<]+)<', page)[1].replace(" ", "")
        return run(["oathtool", "--totp", "--base32", *moment, secret]).strip()

    def test_apps_go_on_after_the_end_of_a_key_of_the_auth_ring(self):
        page = self.client.get(f"{SECURITY}/app").text
        form = {"Secret": re.search(r'name="Secret" value="([^"]+)"', page)[1], "NewCode": self.code(page)}
        added = self.client.form(f"{SECURITY}/app", {**form, "CurrentPassword": self.client.password})
        self.assertEqual(added.status, 200, added.text)
        old, new = rotate("auth", ["mail"], "auth")
        stack.wait_for_mail()
        self.assertEqual(uses(old, "apps"), 1)
        stack.ctl("ring", "drop", "auth", old)
        self.assertEqual(uses(new, "apps"), 1)
        restart("mail", "auth")
        visitor = stack.visitor()
        asked = visitor.form("/auth/login", {"email": self.client.email, "password": self.client.password}).text
        # Each code is good once: the next one, for which a clock may be fast.
        code = self.code(page, "--now", "now + 30 seconds")
        fields = {name: re.search(f'name="{name}" value="([^"]+)"', asked)[1] for name in ("user", "signIn")}
        self.assertEqual(visitor.form("/auth/factor", {**fields, "Code": code}, page="/auth/login").status, 302)
        self.assertEqual(visitor.get(f"{ROUTE}/list").status, 200)

    def test_what_is_not_there_is_said(self):
        self.refused("vault, web, auth and mail", "ring", "rotate", "other")
        self.refused("32 hexadecimal digits", "ring", "activate", "vault", "x")
        self.refused("has no key", "ring", "activate", "vault", "0" * 32)
        self.refused("no user nobody-here", "ring", "rewrap", "--user", "nobody-here")
