"""How to get every documented status out of every route: for each a recipe, a function of the World
and the operation that returns the answer."""

import gzip
import json
import re
import urllib.parse
from functools import partial

from harness.client import HEADER
from harness.pictures import png
from harness.scenes import ACCESS, KEY, access_token, listed, MODEL, PROFILE, ROUTE, SECURITY, ask, mailed_link, provider, remove_all
from harness.passkey import Passkey, add_passkey
from harness.scenes import APP, App, add_app, hidden_fields, id_of, rotating, start_change, tested

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
MULTIPART = "multipart/form-data"
_BOUNDARY = "a-boundary"
_FRESH = "a long enough password"
_REFUSED = "key-refused-0123456789"
_LIMITED = "key-limited-3600-0123456789"  # its sentence has a time in it
_TOKEN = {"Name": "laptop", "Days": "90", "RequestsAMinute": "60", "LaterProviders": "true"}
# The request to a route of tools; the others take messages.
_ASKED = {"toolCompletion": {"prompt": "hello"}, "toolEmbeddings": {"input": "hello"}, "toolResponse": {"input": "hello"},
          "toolCompact": {"input": "hello"}, "toolImage": {"prompt": "hello"},
          "toolSpeech": {"input": "hello", "voice": "alloy"}, "toolRerank": {"query": "hello", "documents": ["a", "b"]}}
_MESSAGES = {"messages": [{"role": "user", "content": "hello"}], "max_tokens": 9}
_NO_SESSION = "3e2b8a7e-5a0c-4c6e-9d1f-0123456789ab"

# The body of a successful request by operation; operations without a body are left out.
GOOD = {
    "createProvider": {"name": "New", "baseUrl": "https://api.example.com", "apiKey": KEY},
    "editProvider": {"name": "Edited", "handle": "edited", "roundRobinAccounts": True},
    "replaceProviderKey": {"apiKey": KEY},
    "setProviderStatus": {"status": "active"},
    "addModel": {"modelId": "another", "capabilities": "vision"},
    "setModelEnabled": {"isEnabled": True},
    "setModelCapabilities": {"capabilities": "code"},
    "setModelName": {"displayName": "Another name"},
    "setModelPosition": {"position": 1},
    "addAccount": {"name": "New", "apiKey": KEY},
    "editAccount": {"name": "Edited"},
    "editAccountByPost": {"priority": 7},
    "replaceAccountKey": {"apiKey": KEY},
    "replaceAccountKeyByPut": {"apiKey": KEY},
    "setHeader": {"name": "X-Other", "value": "other"},
    "playground": {"providerId": "{providerId}", "message": "hello"},
}


def _multipart(picture):
    head = f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="Avatar"; filename="a.png"\r\n'
    head += "Content-Type: image/png\r\n\r\n"
    return head.encode() + picture + f"\r\n--{_BOUNDARY}--\r\n".encode()


def page_of(operation):
    """A page of the program that serves it, whose tokens are good there."""
    return SECURITY if operation.is_credentials else PROFILE


class World:
    """Two people, and what the first of them owns: the provider and account in `ids`. Whatever ends
    a session or an address is done by newcomers."""

    def __init__(self, stack):
        self.stack = stack
        self.owner = stack.newcomer("Owner")
        self.stranger = stack.newcomer("Stranger")
        self.tokens = {page: self.owner.token(page) for page in (PROFILE, SECURITY)}
        self.ids = {}
        self.tool_token = access_token(self.owner, TokenId=_NO_SESSION)
        self.renew()

    def at(self, behaviour="", version="v1", **more):
        """A provider of the owner's whose calls meet that behaviour of the stub; its id."""
        path = f"/{behaviour}/{version}" if behaviour else f"/{version}"
        return provider(self.owner, self.stack.stub.url + path, **more)

    def rotating(self, key):
        """One that rotates over one account with that key; its id."""
        return rotating(self.owner, f"{self.stack.stub.url}/v1", [key])

    def renew(self):
        """The owner has one provider with one account, both as new."""
        remove_all(self.owner)
        self.stack.sql("DELETE FROM usershell.freed_handles")
        self.use(self.at())

    def use(self, provider_id):
        """Recipes work on that provider now, and on a new account of it."""
        body = {"name": "Account", "apiKey": KEY}
        made = self.owner.post(f"{ROUTE}/{provider_id}/accounts", body)
        self.owner.post(f"{ROUTE}/{provider_id}/headers", {"name": "X-Tenant", "value": "acme"})
        nobodys = {"name": "x-tenant", "sessionId": _NO_SESSION, "passkeyId": _NO_SESSION, "tokenId": _NO_SESSION, "kind": "no-such-kind"}
        model = f"{listed(self.owner, provider_id)['handle']}/{MODEL}"
        self.ids = {"providerId": provider_id, "accountId": made.json()["id"], "model": model, **nobodys}

    def path(self, operation):
        path = operation.path.format(**self.ids)
        return f"{path}?modelId={MODEL}" if ("query", "modelId") in operation.parameters else path

    def body(self, operation):
        body = GOOD.get(operation.id, {})
        return {k: v.format(**self.ids) if isinstance(v, str) else v for k, v in body.items()}

    def send_as_tool(self, operation, token=None, body=None, headers=None):
        """The same of a tool's operation."""
        headers = {"Authorization": f"Bearer {token or self.tool_token}", **(headers or {})}
        path, client = operation.path.format(**self.ids), self.stack.visitor()
        if operation.method == "GET":
            return client.get(path, headers)
        body = {"model": self.ids["model"], **_ASKED.get(operation.id, _MESSAGES)} if body is None else body
        return client.request("POST", path, json.dumps(body), {"Content-Type": JSON, **headers})

    def send(self, operation, client=None, body=None, headers=None, path=None, token=None):
        """The operation as it should be, but for what is given."""
        if operation.is_of_tools:
            return self.send_as_tool(operation, token, body, headers)
        client, path = client or self.owner, path or self.path(operation)
        if operation.method == "GET":
            return client.get(path, headers)
        body = self.body(operation) if body is None else body
        headers = {HEADER: self.tokens[page_of(operation)], **(headers or {})}
        if FORM in operation.body_types:
            return client.request("POST", path, urllib.parse.urlencode(body), {"Content-Type": FORM, **headers})
        if MULTIPART in operation.body_types:
            kind = {"Content-Type": f"{MULTIPART}; boundary={_BOUNDARY}"}
            return client.request("POST", path, _multipart(body or png()), kind | headers)
        return client.call(operation.method, path, body, headers)


# For any operation.


def good(world, operation, **options):
    return world.send(operation, **options)


no_token = partial(good, headers={HEADER: None})


def signed_out(world, operation):
    return world.send(operation, world.stack.visitor())


def of_somebody_else(world, operation):
    return world.send(operation, world.stranger, headers={HEADER: world.stranger.token(page_of(operation))})


def oversized(world, operation):
    if MULTIPART in operation.body_types:
        return world.send(operation, body=b"x" * 330_000)
    large = operation.path in ("/user/providers/playground", "/user/settings/profile/import")
    return world.send(operation, body={"x": "x" * (1_049_000 if large else 66_000)})


def not_the_type(world, operation):
    body = b"x" if MULTIPART in operation.body_types else {"x": "x"}
    return world.send(operation, body=body, headers={"Content-Type": "text/plain"})


# JSON routes.


def bad_field(world, operation):
    """The answer names the field at fault."""
    body = dict.fromkeys(world.body(operation), "") | {"priority": "", "isEnabled": ""}
    if "providerId" in body:
        body |= {"providerId": world.ids["providerId"]}
    answer = world.send(operation, body=body)
    assert answer.json().get("field"), answer.text
    return answer


def without_model_id(world, operation):
    return world.send(operation, path=world.path(operation).partition("?")[0])


def of(world, operation, **options):
    """With such a provider in place of the usual one."""
    world.use(world.at(**options))
    return world.send(operation)


failing = partial(of, key=_REFUSED)
broken = partial(of, behaviour="status-500")  # its sentence has a place


def by_the_key(world, operation, key):
    """Of a provider with that account alone."""
    world.ids["providerId"] = world.rotating(key)
    return world.send(operation)


def good_and_bad(world, operation, **options):
    world.at(key=_REFUSED)
    world.at("status-500")
    return world.send(operation, **options)


def after_a_check(world, operation):
    tested(world.owner, world.ids["providerId"])
    return world.send(operation)


def after_a_refusal(world, operation):
    world.use(world.rotating(_LIMITED))
    return after_a_check(world, operation)


def with_keys_that_are_not_used(world, operation):
    """A provider's and an account's rest; a provider's, an account's and a header are held back."""
    world.use(world.at())
    world.owner.call("PUT", f"{ROUTE}/{world.ids['providerId']}", {"baseUrl": "https://api.example.com/v1"})
    tested(world.owner, world.at(key=_LIMITED))
    return after_a_refusal(world, operation)


def played(world, operation, behaviour="", stream=False, account=None, reasoning=False, **more):
    """The playground with such a provider, or by the key of an account."""
    made = world.rotating(account) if account else world.at(behaviour, **more)
    return world.send(operation, body=ask(made, "hello there", stream, reasoning=reasoning))


def inactive(world, operation):
    world.owner.post(f"{ROUTE}/{world.ids['providerId']}/status", {"status": "inactive"})
    return world.send(operation)


# Signing in, out, and passwords.


def as_visitor(world, operation, page="/auth/login", **fields):
    """A form that needs no session, with the token of that page."""
    good_fields = {"email": world.owner.email, "password": world.owner.password}
    return world.stack.visitor().form(operation.path, {**good_fields, **fields}, page)


def by_mailed_link(world, operation, **fields):
    """The page that the link of "forgot password" leads to; with fields, its form."""
    email, _ = world.stack.new_person()
    visitor = world.stack.visitor()
    visitor.form("/auth/forgot", {"email": email})
    path = mailed_link(world.stack, email)
    if not fields:
        return visitor.get(path)
    token = urllib.parse.parse_qs(path.partition("?")[2])["token"][0]
    return visitor.form(operation.path, {"token": token, **fields}, path)


def first_refusal(attempt):
    return next(answer for answer in (attempt() for _ in range(20)) if answer.status != 200)


def guess_a_password(world, operation):
    """Until it is refused; the owner's own page or the sign-in page alike."""
    if operation.id == "login":
        return first_refusal(lambda: as_visitor(world, operation, password="wrong"))
    if operation.id == "addPasskey":
        return first_refusal(lambda: new_passkey(world, operation, world.owner, CurrentPassword="wrong"))
    factor = {"Factor": "app", "NewCode": "000000"}
    fields = {"CurrentPassword": "wrong", "NewPassword": _FRESH, **_TOKEN, **factor, "ConfirmEmail": world.owner.email}
    return first_refusal(lambda: world.send(operation, body=fields))


# Second factors, of newcomers.


def code_asked(world, operation, code=None):
    """After a right password; the code of the app unless another one is given."""
    client = world.stack.newcomer()
    app, _ = add_app(client)
    visitor = world.stack.visitor()
    asked = visitor.form("/auth/login", {"email": client.email, "password": client.password})
    return visitor.form(operation.path, {**hidden_fields(asked), "Code": code or app.code()}, "/auth/login")


def new_app(world, operation, client=None, **fields):
    client = client or world.stack.newcomer()
    app = App(client.get(APP).text)
    form = {"Secret": app.field, "NewCode": app.code(), "CurrentPassword": client.password, **fields}
    return client.form(operation.path, form, SECURITY)


def with_app(world, operation, answer, **fields):
    """What is done by a recovery code of a newcomer with an app."""
    client = world.stack.newcomer()
    _, codes = add_app(client)
    return answer(world, operation, client, Code=codes[0], **fields)


def proven(world, operation, client, **fields):
    return client.form(operation.path, {"CurrentPassword": client.password, **fields}, SECURITY)


def new_passkey(world, operation, client=None, **fields):
    client = client or world.stack.newcomer()
    where = urllib.parse.urlsplit(world.stack.base_url)
    return add_passkey(client, Passkey(world.stack.base_url, where.hostname), **fields)


def renamed_passkey(world, operation):
    client = world.stack.newcomer()
    new_passkey(world, operation, client)
    shown = client.get(SECURITY).text.partition(f'action="{SECURITY}/passkeys/')[2].partition('"')[0]
    return client.form(operation.path.format(passkeyId=shown), {"Name": "Another"}, SECURITY)


# The profile.


def as_newcomer(world, operation, **fields):
    """A form of its page; {email} and {password} are the newcomer's, {new} is nobody's."""
    client = world.stack.newcomer()
    known = {"email": client.email, "password": client.password, "new": f"new-{client.email}"}
    filled = {name: value.format(**known) for name, value in fields.items()}
    return client.form(operation.path, filled, page_of(operation))


def own_session(world, operation):
    """The only session that the security page of a newcomer shows."""
    client = world.stack.newcomer()
    prefix, _, suffix = operation.path.partition("{sessionId}")
    shown = client.get(SECURITY).text.partition(f'action="{prefix}')[2].partition(suffix)[0]
    return client.form(prefix + shown + suffix, {}, SECURITY)


def of_a_kind(world, operation):
    """A link of a newcomer's, whether there is one or not."""
    return world.stack.newcomer().form(operation.path.format(kind="password-reset"), {}, SECURITY)


def a_while_after_the_sign_in(world, operation):
    """A change that the tools of a newcomer follow."""
    client, url = world.stack.newcomer(), f"{world.stack.stub.url}/v1"
    made = provider(client, url)
    world.stack.sql("UPDATE usershell.sessions SET signed_in_at = now() - interval '1 hour' "
                    f"WHERE owner_id = '{id_of(world.stack, client)}'")  # fmt: skip
    if operation.id == "editProvider":
        return client.call("PUT", f"{ROUTE}/{made}", {"handle": "another"})
    if operation.id == "setHeader":
        return client.post(operation.path.format(providerId=made), GOOD["setHeader"])
    if operation.id == "addModel":
        other = provider(client, url, name="Other")
        return client.post(f"{ROUTE}/{other}/models", {"modelId": "stub/any"})
    client.call("DELETE", f"{ROUTE}/{made}")
    fields = {"name": "Stub", "baseUrl": url, "apiKey": KEY}
    return client.post(operation.path, {"providers": [fields]} if operation.id == "importData" else fields)


def another_body(world, operation):
    """With the Idempotency-Key of the request before."""
    client, url = world.stack.newcomer(), f"{world.stack.stub.url}/v1"
    path = operation.path.format(providerId=provider(client, url))
    for name in ("One", "Other"):
        fields = {"name": name, "baseUrl": url, "apiKey": KEY}
        body = {"providers": [fields]} if operation.id == "importData" else fields
        answer = client.post(path, body, {"Idempotency-Key": "again"})
    return answer


def own_token(world, operation, **fields):
    """The token that a newcomer has just made."""
    client = world.stack.newcomer()
    client.form(ACCESS, {**_TOKEN, "TokenId": _NO_SESSION, "CurrentPassword": client.password}, SECURITY)
    selector = re.search(r'name="Selector" value="([\w-]+)"', client.get(f"{ACCESS}/{_NO_SESSION}").text)[1]
    form = {"Selector": selector, "CurrentPassword": client.password, **fields}
    return client.form(operation.path.format(tokenId=_NO_SESSION), form, SECURITY)


def confirmed(world, _, headers=None):
    client = world.stack.newcomer()
    return client.get(start_change(world.stack, client, f"new-{client.email}"), headers)


def taken_meanwhile(world, _):
    one, other = world.stack.newcomer(), world.stack.newcomer()
    first, second = (start_change(world.stack, client, f"wanted-{one.email}") for client in (one, other))
    assert one.get(first).status == 303
    return other.get(second)


def with_a_file(world, operation):
    """What one person has exported, taken over by another."""
    world.renew()
    return world.stack.newcomer().post(operation.path, world.owner.get(f"{PROFILE}/export").json())


def guess_an_address(world, operation):
    body = {"NewEmail": world.stranger.email, "CurrentPassword": world.owner.password}
    return first_refusal(lambda: world.send(operation, body=body))


def with_picture(world, operation):
    assert world.owner.upload(f"{PROFILE}/avatar", "Avatar", png(), PROFILE).status == 303
    answer = world.send(operation)
    assert answer.headers["content-type"] == "image/png", answer.headers
    return answer


def handle_taken(world, operation):
    other = listed(world.owner, world.at(name="Other"))
    return world.send(operation, body={"handle": other["handle"]})


def known_already(world, operation):
    etag = world.send(operation).headers["etag"]
    return world.send(operation, headers={"If-None-Match": etag})


# Tools.


def of_the_protocol(world, operation, **options):
    """By a provider that speaks the route's."""
    if operation.path.startswith("/v1/messages"):
        options["kind"] = "anthropic"
    return of(world, operation, **options)


def as_anthropic(world, operation):
    world.use(world.at(kind="anthropic"))
    return world.send(operation, headers=AS_ANTHROPIC)


def with_limited_token(world, operation):
    other = "chat" if operation.id != "toolChat" else "messages"
    return world.send(operation, token=access_token(world.owner, **{f"Routes.{other}": "true"}))


def bomb(world, operation):
    """Small as it is sent, and larger than allowed."""
    packed = gzip.compress(b" " * 33 * 1024 * 1024, 1)
    headers = {"Authorization": f"Bearer {world.tool_token}", "Content-Encoding": "gzip"}
    return world.stack.visitor().request("POST", operation.path, packed, headers)


def of_no_model(world, operation, **options):
    world.ids["model"] = "stub/none"
    return world.send(operation, **options)


AS_ANTHROPIC = {"anthropic-version": "2023-06-01"}


ANY = {200: [good], 204: [good], 302: [signed_out], 400: [no_token], 401: [signed_out]}
ANY |= {404: [of_somebody_else], 413: [oversized], 415: [not_the_type]}
TOOLS = {200: [of_the_protocol], 400: [partial(good, body={})], 401: [partial(good, token="none")]}
TOOLS |= {403: [with_limited_token], 404: [of_no_model], 502: [partial(of_the_protocol, behaviour="reset")]}
TOOLS[413] = [partial(good, headers={"Content-Length": "40000000"}), bomb]
TOOLS |= {415: [partial(good, headers={"Content-Encoding": "br"})]}
TOOLS[402] = [partial(of_the_protocol, behaviour="status-402")]
TOOLS[529] = [partial(of_the_protocol, behaviour="status-529")]
_OF_RESPONSES = ("toolResponse", "toolCompact")
OWN = {
    ("toolModels", 200): [good, as_anthropic],
    ("toolModel", 200): [good, as_anthropic],
    **{(name, 401): [partial(good, token="none", headers=each) for each in ({}, AS_ANTHROPIC)]
       for name in ("toolModels", "toolModel")},
    ("toolModel", 404): [partial(of_no_model, headers=each) for each in ({}, AS_ANTHROPIC)],
    **{(name, 400): [partial(good, body={}), partial(of, key=_REFUSED), of_no_model] for name in _OF_RESPONSES},
    ("home", 302): [good],
    ("loginPage", 200): [signed_out],
    ("loginPage", 302): [good],
    ("login", 200): [partial(as_visitor, password="wrong")],
    ("login", 302): [as_visitor],
    ("factorPage", 302): [good],
    ("showFactor", 200): [partial(code_asked, code="000000")],
    ("showFactor", 302): [code_asked],
    ("showFactor", 404): [partial(as_visitor, user="x")],
    ("addApp", 200): [new_app, partial(new_app, NewCode="x")],
    ("addApp", 303): [partial(with_app, answer=new_app)],
    ("addPasskey", 200): [new_passkey, partial(new_passkey, NewChallenge="x")],
    ("addPasskey", 303): [partial(with_app, answer=new_passkey)],
    ("renamePasskey", 303): [renamed_passkey],
    ("renamePasskey", 404): [partial(good, body={"Name": "Another"})],
    ("removeFactor", 200): [partial(as_newcomer, Factor="app", CurrentPassword="wrong")],
    ("removeFactor", 303): [partial(with_app, answer=proven, Factor="app")],
    ("removeFactor", 404): [partial(as_newcomer, Factor="x")],
    ("makeRecoveryCodes", 200): [partial(with_app, answer=proven)],
    ("logout", 302): [as_newcomer, signed_out],
    ("forgotPage", 200): [signed_out],
    ("forgot", 200): [partial(as_visitor, page="/auth/forgot", email=e) for e in ("nonsense", "nobody@example.com")],
    ("resetPage", 200): [by_mailed_link],
    ("resetPage", 400): [signed_out],
    ("reset", 200): [partial(by_mailed_link, password="short")],
    ("reset", 303): [partial(by_mailed_link, password=_FRESH)],
    ("reset", 400): [no_token, partial(as_visitor, token="x")],
    ("listProviders", 200): [good, after_a_check, with_keys_that_are_not_used],
    ("listProviders", 304): [known_already],
    ("createProvider", 409): [another_body],
    ("addAccount", 409): [another_body],
    ("importData", 409): [another_body],
    ("editProvider", 409): [handle_taken],
    ("addModel", 403): [a_while_after_the_sign_in],
    ("setHeader", 403): [a_while_after_the_sign_in],
    ("addModel", 409): [partial(good, body={"modelId": MODEL})],
    ("keyFacts", 200): [good, after_a_refusal],
    ("availableModels", 200): [good, failing, broken, partial(of, version="v1beta", kind="google-gemini"),
                               partial(of, behaviour="many-models")],
    ("testProvider", 200): [good, failing, broken, partial(by_the_key, key=KEY), partial(by_the_key, key=_REFUSED),
                            partial(of, kind="openrouter")],
    ("testAccount", 200): [good, failing],
    ("testBatch", 200): [good_and_bad, partial(good_and_bad, headers={"Accept": "text/event-stream"}),
                         partial(by_the_key, key=KEY), partial(of, kind="openrouter")],
    ("playground", 200): [
        good,
        partial(played, stream=True),
        partial(played, behaviour="error-in-stream-1", stream=True, kind="anthropic"),
        partial(played, behaviour="empty-choices", stream=True),
        *(partial(played, behaviour="unusual-finish", stream=stream) for stream in (False, True)),
        *(partial(played, behaviour="reasoning", reasoning=True, stream=stream) for stream in (False, True)),
        *(partial(played, account="key-of-an-account", stream=stream) for stream in (False, True)),
        partial(played, stream=True, kind="tavily", models=()),
    ],
    ("playground", 409): [inactive, partial(played, models=())],
    ("playground", 502): [partial(played, behaviour="status-500"), partial(played, key=_REFUSED)],
    ("saveDisplayName", 200): [partial(as_newcomer, DisplayName=" ")],
    ("saveDisplayName", 303): [partial(as_newcomer, DisplayName="Renamed")],
    ("startEmailChange", 200): [
        partial(as_newcomer, NewEmail=given, CurrentPassword="{password}") for given in ("nonsense", "{email}")
    ],
    ("startEmailChange", 303): [partial(as_newcomer, NewEmail="{new}", CurrentPassword="{password}")],
    ("endLink", 303): [of_a_kind],
    ("createProvider", 403): [a_while_after_the_sign_in],
    ("editProvider", 403): [a_while_after_the_sign_in],
    ("importData", 403): [a_while_after_the_sign_in],
    ("confirmEmailChange", 204): [partial(confirmed, headers={"Sec-Purpose": "prefetch"})],
    ("confirmEmailChange", 303): [confirmed],
    ("confirmEmailChange", 400): [good],
    ("confirmEmailChange", 409): [taken_meanwhile],
    ("showAvatar", 200): [good, with_picture],
    ("showAvatar", 304): [known_already],
    ("saveAvatar", 200): [partial(good, body=b"GIF89a")],
    ("saveAvatar", 303): [good],
    ("changePassword", 200): [
        partial(as_newcomer, CurrentPassword="wrong", NewPassword=_FRESH),
        partial(as_newcomer, CurrentPassword="{password}", NewPassword="short"),
    ],
    ("changePassword", 303): [partial(as_newcomer, CurrentPassword="{password}", NewPassword=_FRESH)],
    ("endSessions", 303): [as_newcomer],
    ("deleteOwnUser", 200): [
        partial(as_newcomer, ConfirmEmail="nobody@example.org", CurrentPassword="{password}"),
        partial(as_newcomer, ConfirmEmail="{email}", CurrentPassword="wrong"),
    ],
    ("deleteOwnUser", 303): [partial(as_newcomer, ConfirmEmail="{email}", CurrentPassword="{password}")],
    ("importData", 200): [with_a_file],
    ("importData", 400): [no_token, bad_field],
    ("endOneSession", 303): [own_session],
    ("makeAccessToken", 200): [
        partial(as_newcomer, CurrentPassword="wrong", **_TOKEN),
        partial(as_newcomer, CurrentPassword="{password}", **_TOKEN),
    ],
    **{(f"{deed}AccessToken", 200): [partial(own_token, CurrentPassword="wrong", **_TOKEN)]
       for deed in ("change", "enable")},
    ("renewAccessToken", 200): [own_token],
    ("changeAccessToken", 303): [partial(own_token, **_TOKEN)],
    **{(f"{deed}AccessToken", 303): [own_token] for deed in ("enable", "disable", "revoke")},
}  # fmt: skip
OWN |= {(name, 400): [no_token, bad_field] for name in GOOD}
OWN |= {(name, 400): [no_token, without_model_id]
        for name in ("deleteModel", "setModelEnabled", "setModelCapabilities", "setModelName", "setModelPosition")}  # fmt: skip
# 429, too: for these it takes tries.
TRIES = dict.fromkeys(("deleteOwnUser", "login", "changePassword", "makeAccessToken", "changeAccessToken", "renewAccessToken",
                       "enableAccessToken", "addApp", "addPasskey", "removeFactor", "makeRecoveryCodes"), guess_a_password)  # fmt: skip
SILENT = partial(of_the_protocol, behaviour="silent")
TRIES["startEmailChange"] = guess_an_address
