"""The earlier vault's entries become providers and accounts when usershell-manage starts: every kind, within the
caps, the same however often, by however many at a time and whenever one is killed; and without opening a key."""

import json
import random
import re
import secrets
import signal
import subprocess
import unittest
import uuid

from harness.envelope import Ring, seal
from harness.processes import HarnessError
from harness.scenes import MODEL, ROUTE, id_of, listed, tested
from harness.suite import Later, shared_stack

KILLS = 50

stack = Later(shared_stack, manage=4, execute=2, mail=True)


def restart():
    stack.pools["manage"].restart()


def person():
    """(client, its id)"""
    client = stack.newcomer()
    return client, id_of(stack, client)


def entry(owner, kind, base_url="", key=None, label="An older key", bound=None):
    """Puts an entry there; returns (its id, its key). bound: the fields that the record has, where they are not
    those of the row."""
    rings = stack.folder.sub("rings")
    entry_id, key = str(uuid.uuid4()), key or f"sk-older-{secrets.token_hex(12)}"
    fields = bound(entry_id, key) if bound else [entry_id, kind, base_url, key]
    web, vault = Ring.load(rings / "web.secret"), Ring.load(rings / "vault.public")
    sealed = seal("vault entry", web, vault, owner, fields)
    stack.sql(
        "INSERT INTO usershell.legacy_vault (owner_id, entry_id, kind, label, base_url, sealed) VALUES "
        f"('{owner}', '{entry_id}', '{kind}', '{label}', '{base_url}', '\\x{sealed.hex()}')"
    )
    return entry_id, key


def left(owner):
    """Why entries stay, one a line."""
    return stack.sql(f"SELECT stays FROM usershell.legacy_vault WHERE owner_id = '{owner}' ORDER BY stays").split("\n")


def everything():
    """All keys that anybody has, and all entries: what folding is to leave alone."""
    return stack.sql(
        "SELECT owner_id, id, encode(sealed_key, 'hex') FROM usershell.providers UNION ALL "
        "SELECT owner_id, id, encode(sealed_key, 'hex') FROM usershell.accounts UNION ALL "
        "SELECT owner_id, entry_id, stays FROM usershell.legacy_vault ORDER BY 1, 2"
    )


def kinds():
    """(kind, default address, it has no other) of the catalogue, as the page has them."""
    option = r'<option value="([a-z-]+)" data-base-url="([^"]*)"[^>]* data-owned="(yes)?"'
    return re.findall(option, stack.newcomer().get(ROUTE).text)


class Folding(unittest.TestCase):
    def test_a_key_of_every_kind_with_and_without_an_address(self):
        made = []
        self.assertGreater(len(kinds()), 15)
        for kind, default, owned in kinds():
            client, owner = person()
            if default:
                made.append((client, kind, default, entry(owner, kind)[0]))
            if not owned:
                made.append((client, kind, "https://own.example/v1", entry(owner, kind, "https://own.example/v1")[0]))
        sealed = "SELECT entry_id, sealed FROM usershell.legacy_vault WHERE stays = '' ORDER BY 1"
        before = stack.sql(sealed)
        restart()
        for client, kind, address, entry_id in made:
            with self.subTest(kind=kind, address=address):
                shown = listed(stack.sign_in(client), entry_id)
                expected = {"type": kind, "baseUrl": address, "hasKey": True, "name": "An older key"}
                self.assertEqual(shown | expected, shown)
        # Not a byte was touched, so nothing was opened.
        ids = ", ".join(f"'{each}'" for *_, each in made)
        after = f"SELECT id, sealed_key FROM usershell.providers WHERE id IN ({ids}) ORDER BY 1"
        self.assertEqual(stack.sql(after), before)
        before = everything()
        restart()
        self.assertEqual(everything(), before)

    def test_calls_with_folded_keys_work(self):
        client, owner = person()
        address = f"{stack.stub.url}/v1"
        own, own_key = entry(owner, "generic-compatible", address)
        other, other_key = entry(owner, "generic-compatible", address, label="The second")
        restart()
        stack.sign_in(client)
        shown = listed(client, own)
        self.assertEqual([(a["id"], a["name"], a["hasKey"]) for a in shown["accounts"]], [(other, "The second", True)])
        self.assertEqual(client.post(f"{ROUTE}/{own}/models", {"modelId": MODEL}).status, 200)
        self.assertTrue(tested(client, own)["ok"])
        self.assertTrue(client.post(f"{ROUTE}/{own}/accounts/{other}/test").json()["ok"])
        seen = json.dumps(stack.stub.journal(), default=str)
        for key in (own_key, other_key):
            self.assertIn(key, seen)
        for log in (stack.pools["manage"].log, stack.pools["execute"].log):
            self.assertNotIn(own_key, log.read_text(encoding="utf-8"))
        # Like any key it is held back at another address.
        self.assertEqual(client.call("PUT", f"{ROUTE}/{own}", {"baseUrl": f"{stack.stub.url}/other/v1"}).status, 200)
        self.assertIn("another address", tested(client, own)["error"])

    def test_no_ciphertext_opens_in_another_place(self):
        address = f"{stack.stub.url}/v1"
        client, owner = person()
        _, stranger = person()
        moved = [
            entry(owner, kind, address, bound=bound)
            for kind, bound in (
                ("generic-compatible", lambda i, k: [str(uuid.uuid4()), "generic-compatible", address, k]),
                ("generic-compatible", lambda i, k: [i, "openai", address, k]),
                ("generic-compatible", lambda i, k: [i, "generic-compatible", "https://other.example", k]),
                ("generic-compatible", lambda i, k: [i, "generic-compatible", "", k]),
                ("openai", lambda i, k: [i, "openai", "", k]),  # the default's only, and whole
            )
        ]
        other_owners, _ = entry(stranger, "generic-compatible", address)
        restart()
        stack.sign_in(client)
        first, openai = moved[0][0], moved[4][0]
        for made in (first, openai):
            self.assertEqual(client.post(f"{ROUTE}/{made}/models", {"modelId": MODEL}).status, 200)
        calls = [f"{ROUTE}/{first}/test", *(f"{ROUTE}/{first}/accounts/{i}/test" for i, _ in moved[1:4])]
        for call in [*calls, f"{ROUTE}/{openai}/test"]:
            answer = client.post(call).json()
            self.assertEqual(answer["ok"], False, answer)
            self.assertIn("Enter the key again", answer["error"])
        stack.sql(f"UPDATE usershell.providers SET sealed_key = (SELECT sealed_key FROM "
                  f"usershell.providers WHERE id = '{other_owners}') WHERE id = '{first}'")
        self.assertIn("damaged", tested(client, first)["error"])
        seen = json.dumps(stack.stub.journal(), default=str)
        for _, key in moved:
            self.assertNotIn(key, seen)

    def test_what_does_not_fit_stays_and_is_shown(self):
        client, owner = person()
        for number in range(12):
            entry(owner, "generic-compatible", f"https://host-{number}.example/v1")
            entry(owner, "generic-compatible", "https://host-0.example/v1")
        entry(owner, "unheard-of")
        entry(owner, "openai", "nonsense")
        restart()
        stack.sign_in(client)
        shown = client.get(f"{ROUTE}/list").json()["providers"]
        self.assertEqual((len(shown), max(len(each["accounts"]) for each in shown)), (10, 10))
        self.assertEqual(left(owner), [*["full"] * 4, "no address", "unknown kind"])
        self.assertIn("Six older keys did not fit.", client.get(ROUTE).text)
        self.assertEqual(client.call("DELETE", f"{ROUTE}/{shown[-1]['id']}").status, 204)
        restart()
        stack.sign_in(client)
        self.assertIn("Five older keys did not fit.", client.get(ROUTE).text)
        self.assertIn("older keys did not fit", stack.pools["manage"].log.read_text(encoding="utf-8"))

    def test_killed_at_any_moment_the_end_is_the_same(self):
        owners = [person()[1] for _ in range(5)]
        addresses = [f"https://host-{number % 3}.example/v1" for number in range(6)]
        ids = [(owner, entry(owner, "openai", each)[0]) for owner in owners for each in addresses]
        stack.pools["manage"].stop()
        self.addCleanup(stack.pools["manage"].start)
        command = [*stack.pool_command("manage"), "--socket", stack.folder.run / "unused.sock"]
        dice = random.Random(20260131)
        for _ in range(KILLS):
            child = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            try:
                child.wait(dice.uniform(0.0, 0.2))
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGKILL)
            child.wait()
            entry(dice.choice(owners), "openai", "https://host-0.example/v1")  # there is always one to fold
        stack.pools["manage"].start()
        stack.pools["manage"].stop()
        for owner, entry_id in ids:
            places = stack.sql(
                f"SELECT count(*) FROM (SELECT id FROM usershell.providers WHERE owner_id = '{owner}' UNION ALL "
                f"SELECT id FROM usershell.accounts WHERE owner_id = '{owner}' UNION ALL SELECT entry_id FROM "
                f"usershell.legacy_vault WHERE owner_id = '{owner}') a WHERE a.id = '{entry_id}'"
            )
            self.assertEqual(places, "1", entry_id)
        waiting = "SELECT count(*) FROM usershell.legacy_vault WHERE stays = ''"
        self.assertEqual(stack.sql(waiting), "0")
        most = stack.sql(
            "SELECT max(count) FROM (SELECT count(*) FROM usershell.accounts GROUP BY provider_id UNION ALL "
            "SELECT count(*) FROM usershell.providers GROUP BY owner_id) caps"
        )
        self.assertLessEqual(int(most), 10)


class Import(unittest.TestCase):
    def file(self, *lines):
        path = stack.folder.sub(f"keys-{secrets.token_hex(4)}.jsonl")
        path.write_text("\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")
        return path

    def test_seals_keys_of_elsewhere_that_then_work(self):
        client, _ = person()
        key = f"sk-imported-{secrets.token_hex(12)}"
        path = self.file(
            {"email": client.email.upper(), "kind": "generic-compatible", "label": " Mine ", "key": key}
            | {"baseUrl": f"{stack.stub.url.upper()}/v1/".replace("HTTP", "http").replace("/V1", "/v1")},
        )
        said = stack.ctl("legacy", "import", path)
        self.assertIn("plain text", said)
        self.assertTrue(path.exists())
        self.assertNotIn(key, stack.dump().decode())
        said = stack.ctl("legacy", "import", "--wipe", path)
        self.assertFalse(path.exists())
        restart()
        stack.sign_in(client)
        (shown,) = client.get(f"{ROUTE}/list").json()["providers"]
        self.assertEqual((shown["name"], shown["baseUrl"]), ("Mine", f"{stack.stub.url}/v1"))
        self.assertEqual(client.post(f"{ROUTE}/{shown['id']}/models", {"modelId": MODEL}).status, 200)
        self.assertTrue(tested(client, shown["id"])["ok"])

    def test_takes_all_lines_or_none(self):
        client, owner = person()
        good = {"email": client.email, "kind": "openai", "key": "sk-canary-1234567890"}
        for bad, said in (
            ({"email": "nobody@example.org"}, "nobody with the address"),
            ({"kind": "unheard-of"}, "no provider type"),
            ({"kind": "generic-compatible"}, "give its baseUrl"),
            ({"baseUrl": "ftp://x"}, "line 2"),
            ({"key": "two words"}, "line 2"),
        ):
            with self.subTest(said=said), self.assertRaises(HarnessError) as caught:
                stack.ctl("legacy", "import", self.file(good, good | bad))
            self.assertIn(said, str(caught.exception))
            self.assertNotIn("sk-canary", str(caught.exception))
        self.assertEqual(stack.sql(f"SELECT count(*) FROM usershell.legacy_vault WHERE owner_id = '{owner}'"), "0")
