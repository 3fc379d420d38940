"""The first steps that many tests share: a provider that points at the stub, a mailed link; and forged keys, addresses and
mails in the store. A forger needs write access and the rings that seal."""

import base64
import re
import subprocess
import time

from .envelope import Ring, seal
from .processes import finished, wait_until
from .sanitizers import patient
from .servers.mail import link_in

MODEL = "stub-small"
KEY = "sk-test-0123456789abcdef"
ROUTE = "/user/providers"
PLAYGROUND = "/user/playground"
PROFILE = "/user/settings/profile"
SECURITY = "/user/settings/security"
ACCESS = "/user/settings/access"
APP = f"{SECURITY}/app"
SESSION = "__Host-usershell-session"
CALLS = "__Host-usershell-calls"


def provider(client, base_url, key=KEY, kind="generic-compatible", name="Stub", models=(MODEL,)):
    """Registers a provider with these models; returns its id."""
    body = {"name": name, "type": kind, "baseUrl": base_url, "apiKey": key}
    answer = client.post(f"{ROUTE}/create", body)
    if answer.status == 403:  # one that was deleted had the name, and the test has run for 5 minutes
        give_password(client)
        answer = client.post(f"{ROUTE}/create", body)
    provider_id = _good(answer)["id"]
    for model in models:
        _good(client.post(f"{ROUTE}/{provider_id}/models", {"modelId": model}))
    return provider_id


def give_password(client):
    """Signs that person in again, by a new session in place of this one."""
    fields = {"email": client.email, "password": client.password}
    assert client.form("/auth/login", fields, page="/auth/login?again=yes").status == 302
    client.forget_token()


class App:
    """An authenticator app: oathtool. Each code is good once, so a second one is of the next half minute, which may be used now."""

    def __init__(self, page):
        """secret: as the page shows it, and as its form brings it back."""
        self.secret = re.search(r'data-testid="app-secret">([a-z2-7 ]+)<', page)[1].replace(" ", "")
        self.field = re.search(r'name="Secret" value="([\w-]{27})"', page)[1]
        self._last = 0

    def code(self, late=0):
        """late: by so many seconds. Waits for one that was not used."""
        while int(time.time()) // 30 + 1 <= self._last:
            time.sleep(0.2)
        step = max(int(time.time()) // 30, self._last + 1)
        if not late:
            self._last = step
        command = ["oathtool", "--totp", "--base32", self.secret, "--now", f"@{step * 30 - late}"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def add_app(client, **fields):
    """Sets up an app; returns it and the recovery codes."""
    app = App(client.get(APP).text)
    form = {"Secret": app.field, "NewCode": app.code(), "CurrentPassword": client.password, **fields}
    answer = client.form(APP, form, page=SECURITY)
    codes = re.findall(r"\b(?:[a-z2-7]{4}-){5}[a-z2-7]{4}\b", answer.text)
    assert len(codes) == 10, answer.text
    return app, codes


def hidden_fields(answer):
    """Of the form that asks for a code."""
    return dict(re.findall(r'<input type="hidden" name="(user|signIn|returnUrl|rememberMe|Secret)" value="([^"]*)"', answer.text))


def _good(answer):
    assert answer.status == 200, f"{answer.status}: {answer.text}"
    return answer.json()


def access_token(client, **limits):
    """A new access token of that person, from the page."""
    fields = {"Name": "tool", "Days": "90", "RequestsAMinute": "6000", "CurrentPassword": client.password, **limits}
    if not any(field.startswith("Providers.") for field in limits):
        fields.setdefault("LaterProviders", "true")
    return re.search(r'data-testid="new-token">(ush_\w{66})<', client.form(ACCESS, fields).text)[1]


def listed(client, provider_id):
    """The provider as the list shows it, None when it is not there."""
    providers = client.get(f"{ROUTE}/list").json()["providers"]
    return next((p for p in providers if p["id"] == provider_id), None)


def ask(provider_id, message="ping", stream=False, **more):
    """A playground request."""
    return {"providerId": provider_id, "message": message, "stream": stream, **more}


def frames_of(client, body):
    """(status, all frames) of a streamed playground request."""
    with client.stream(f"{ROUTE}/playground", body) as stream:
        return stream.status, [frame for frame, _ in stream]


def account(client, provider_id, key, name=None, priority=None):
    """Adds an account with this key, named like it unless told otherwise; returns its id."""
    body = {"name": name or key, "apiKey": key, "priority": priority}
    return _good(client.post(f"{ROUTE}/{provider_id}/accounts", body))["id"]


def rotating(client, base_url, keys, **more):
    """A provider that rotates over accounts with these keys, in this order; returns its id."""
    provider_id = provider(client, base_url, **more)
    for key in keys:
        account(client, provider_id, key)
    _good(client.call("PUT", f"{ROUTE}/{provider_id}", {"roundRobinAccounts": True}))
    return provider_id


def remove_all(client):
    """Deletes every provider of that person."""
    for row in client.get(f"{ROUTE}/list").json()["providers"]:
        client.call("DELETE", f"{ROUTE}/{row['id']}")


def ask_for_address(client, address, **fields):
    """Posts the form that starts a change of address."""
    form = {"NewEmail": address, "CurrentPassword": client.password, **fields}
    return client.form(f"{PROFILE}/email", form, page=SECURITY)


def links_to(stack, address):
    """Of the messages to that address: a mail about an event has no link."""
    return [link for link in map(link_in, stack.mail.messages(address)) if link]


def mailed_link(stack, address, count=1):
    """The path and query of the link in the newest of `count` messages to that address that have one."""
    wait_until(lambda: len(links_to(stack, address)) >= count, f"mail with a link to {address}", 60)
    link = links_to(stack, address)[-1]
    assert link.startswith(stack.base_url), link
    return link.removeprefix(stack.base_url)


def start_change(stack, client, address):
    """Asks for a change of address; returns the path and query of the link in the mail."""
    before = len(links_to(stack, address))
    answer = ask_for_address(client, address)
    assert (answer.status, answer.headers["location"]) == (303, f"{SECURITY}#email"), answer.text
    return mailed_link(stack, address, before + 1)


def forms_of(secret):
    """The bytes by which it would be found: as it is, in hexadecimal, in base64 at each offset."""
    forms = {secret, secret.hex().encode(), secret.hex().upper().encode()}
    for offset in range(3):
        coded = base64.b64encode(b"\0" * offset + secret)
        forms.add(coded[-(-offset * 4 // 3) + 1 : -4])
    return forms


def tested(client, provider_id):
    """The answer to a connectivity check."""
    return client.post(f"{ROUTE}/{provider_id}/test").json()


def id_of(stack, client):
    """Who that person is in the store."""
    return stack.sql(f"SELECT id FROM usershell.users WHERE email = '{client.email}'")


def may_sign_in(stack, email, password):
    """Is that sign-in, from a browser never seen before, let in?"""
    fields = {"email": email, "password": password}
    return stack.visitor().form("/auth/login", fields).status == 302


def owner_of(stack, provider_id):
    return stack.sql(f"SELECT owner_id FROM usershell.providers WHERE id = '{provider_id}'")


def plant_key(stack, provider_id, kind, base_url, key):
    """The provider's own key becomes `key`, bound to that type and base URL."""
    web, vault = (Ring.load(stack.folder.sub("rings", r)) for r in ("web.secret", "vault.public"))
    fields = [provider_id, "provider", kind, base_url, key]
    envelope = seal("key", web, vault, owner_of(stack, provider_id), fields)
    plant_envelope(stack, provider_id, envelope)


def plant_envelope(stack, provider_id, envelope):
    unchecked = "SET session_replication_role = replica"  # by no trigger
    sql = f"UPDATE usershell.providers SET sealed_key = '\\x{envelope.hex()}'"
    stack.sql(f"{unchecked}; {sql} WHERE id = '{provider_id}'")


def plant_mail(stack, owner_id, mail_id, envelope):
    """A mail of that person's that waits to be sent."""
    columns = "owner_id, id, kind, sealed"
    values = f"'{owner_id}', '{mail_id}', 'notice', '\\x{envelope.hex()}'"
    stack.sql(f"INSERT INTO usershell.outbox ({columns}) VALUES ({values})")


def plant_file(stack, text, mode=0o600):
    """The path of a file with that text, the same one every time."""
    path = stack.folder.sub("planted")
    path.write_text(text, encoding="ascii")
    path.chmod(mode)
    return path


def started_with(stack, program, ring, path):
    """What the program left, started with that file for that ring, when it ended."""
    command = [*stack.pool_command(program)]
    command[command.index(f"--{ring.replace('.', '-')}") + 1] = path
    socket = () if program == "mail" else ("--socket", stack.folder.sub("unused.sock"))
    return finished([*command, *socket], timeout=patient(30))


def plant_address(stack, provider_id, base_url, key):
    """The provider points there, and its key opens for there."""
    sql = "UPDATE usershell.providers SET base_url = :'url' WHERE id = :'id' RETURNING type"
    told = stack.postgres.psql("-v", f"url={base_url}", "-v", f"id={provider_id}", sql=sql)
    plant_key(stack, provider_id, told.split()[0], base_url, key)
