"""The first steps that the tests about people share."""

import urllib.parse

from .mail import link_in

PROFILE = "/user/settings/profile"
SESSION = "__Host-usershell-session"


def ask_for_address(client, address, **fields):
    """Posts the form that starts a change of address."""
    return client.form(f"{PROFILE}/email", {"NewEmail": address, **fields}, page=PROFILE)


def mailed_link(stack, address, count=1):
    """The path and query of the link in the newest of `count` messages to that address."""
    link = link_in(stack.mail.wait_for(address, count))
    assert link.startswith(stack.base_url), link
    return link.removeprefix(stack.base_url)


def start_change(stack, client, address):
    """Asks for a change of address; returns the path and query of the link in the mail."""
    before = len(stack.mail.messages(address))
    answer = ask_for_address(client, address)
    assert (answer.status, answer.headers["location"]) == (303, PROFILE), answer.text
    return mailed_link(stack, address, before + 1)


def with_query(path, **changes):
    """The link with some parameters changed; None takes one out."""
    where, _, query = path.partition("?")
    fields = {**dict(urllib.parse.parse_qsl(query)), **changes}
    kept = {name: value for name, value in fields.items() if value is not None}
    return f"{where}?{urllib.parse.urlencode(kept)}"


def may_sign_in(stack, email, password):
    """Is that sign-in, from a browser never seen before, let in?"""
    fields = {"email": email, "password": password}
    return stack.client().form("/auth/login", fields).status == 302
