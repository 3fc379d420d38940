"""The first steps that many tests share: a provider that points at the stub, a mailed link."""

import base64
import re

from .processes import wait_until
from .servers.mail import link_in

MODEL = "stub-small"
KEY = "sk-test-0123456789abcdef"
ROUTE = "/user/providers"
PLAYGROUND = "/user/playground"
PROFILE = "/user/settings/profile"
SECURITY = "/user/settings/security"
ACCESS = "/user/settings/access"
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
