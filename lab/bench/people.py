"""Users in bulk, signed in, with providers, models and accounts, written straight into the database:
ten thousand through the pages would take longer than the bench."""

import base64
import hashlib
import secrets
import uuid
from dataclasses import dataclass

from harness.envelope import Ring, access_token_of, blake2b, length_prefixed, seal, token_verifier

MODEL = "bench"
_KEY = "sk-bench-0123456789abcdef"
_SESSION = "__Host-usershell-session"
_CALLS = "__Host-usershell-calls"
PROVIDERS, MODELS, ACCOUNTS = 5, 6, 3  # a user; the last two: a provider

# Users "owner-1@…" with providers whose keys do not open: for pages and lists.
_OWNERS = """
SET session_replication_role = replica; -- no trigger, no check of foreign keys
INSERT INTO usershell.users (id, email, normalized_email, display_name)
SELECT md5('owner ' || n)::uuid, 'owner-' || n || '@example.com', 'owner-' || n || '@example.com', 'Owner ' || n
  FROM generate_series({first}, {last}) n;
INSERT INTO usershell.providers (owner_id, id, name, type, handle, base_url, sealed_key, key_hint, created_at)
SELECT md5('owner ' || n)::uuid, md5(n || ' provider ' || p)::uuid, 'Provider ' || p, 'generic-compatible', 'provider-' || p,
       'https://api-' || p || '.example.com/v1', '\\x0101' || decode(repeat('5a', 400), 'hex'), 'sk-…cdef',
       now() - make_interval(days => p)
  FROM generate_series({first}, {last}) n, generate_series(1, {providers}) p;
INSERT INTO usershell.models (owner_id, provider_id, model_id, position, display_name, capabilities)
SELECT md5('owner ' || n)::uuid, md5(n || ' provider ' || p)::uuid, 'vendor/model-' || m, m, 'Model ' || m,
       'generation,assistant'
  FROM generate_series({first}, {last}) n, generate_series(1, {providers}) p, generate_series(1, {models}) m;
INSERT INTO usershell.accounts (owner_id, provider_id, id, name, priority, sealed_key, key_hint)
SELECT md5('owner ' || n)::uuid, md5(n || ' provider ' || p)::uuid, md5(n || ' account ' || p || ' ' || a)::uuid,
       'Account ' || a, a, '\\x0101' || decode(repeat('5a', 400), 'hex'), 'sk-…cdef'
  FROM generate_series({first}, {last}) n, generate_series(1, {providers}) p, generate_series(1, {accounts}) a;
"""

_SESSIONS = """
CREATE TEMP TABLE given (owner uuid, id uuid, token bytea, calls bytea, antiforgery bytea);
COPY given FROM STDIN;
{rows}
\\.
INSERT INTO usershell.sessions (owner_id, security_stamp, id, token_hash, calls_token_hash, auth_token_hash,
                                antiforgery_key, auth_antiforgery_key, remembered, idle, max_expires_at, expires_at, browser, client_address)
SELECT u.id, u.security_stamp, g.id, sha256(g.token), sha256(g.calls), sha256(g.calls), g.antiforgery,
       g.antiforgery, true, '1 day', now() + interval '2 days',
       now() + interval '1 day', 'Bench', '127.0.0.1'
  FROM given g JOIN usershell.users u ON u.id = g.owner;
"""

_TOKENS = """
CREATE TEMP TABLE given (owner uuid, selector bytea, verifier bytea);
COPY given FROM STDIN;
{rows}
\\.
INSERT INTO usershell.access_tokens (owner_id, id, name, selector, verifier_hash, security_stamp, max_requests_a_minute,
                                     may_use_stored_objects, expires_at)
SELECT u.id, gen_random_uuid(), 'Bench', g.selector, sha256(g.verifier), u.security_stamp, 6000, false, now() + interval '1 day'
  FROM given g JOIN usershell.users u ON u.id = g.owner;
"""

_PROVIDERS = """
CREATE TEMP TABLE given (owner uuid, id uuid, base_url text, sealed bytea);
COPY given FROM STDIN;
{rows}
\\.
INSERT INTO usershell.providers (owner_id, id, name, type, base_url, sealed_key, key_hint)
SELECT owner, id, 'Bench', 'generic-compatible', base_url, sealed, 'sk-…cdef' FROM given;
INSERT INTO usershell.models (owner_id, provider_id, model_id, position, display_name, capabilities)
SELECT owner, id, '{model}', 1, 'Bench', 'generation' FROM given;
"""


def _md5_uuid(text):
    return str(uuid.UUID(hashlib.md5(text.encode()).hexdigest()))


def _token():
    return base64.urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=").decode()


def _bytea(value):
    return "\\\\x" + value.hex()


@dataclass
class Person:
    """A signed-in user: what their browser would send."""

    id: str
    session: str
    calls: str
    antiforgery_key: bytes
    provider: str = ""
    access_token: str = ""

    @property
    def cookies(self):
        return f"{_SESSION}={self.session}; {_CALLS}={self.calls}"

    def antiforgery(self):
        nonce = secrets.token_bytes(16)
        mac = blake2b(length_prefixed("antiforgery", nonce), key=self.antiforgery_key)
        return base64.urlsafe_b64encode(nonce + mac).rstrip(b"=").decode()


def _sign_in(stack, ids):
    people = [Person(each, _token(), _token(), secrets.token_bytes(32)) for each in ids]
    rows = []
    for number, person in enumerate(people):
        hashes = [
            blake2b(length_prefixed(purpose, token))
            for purpose, token in (("session", person.session), ("calls", person.calls))
        ]
        columns = map(_bytea, (*hashes, person.antiforgery_key))
        rows.append("\t".join([person.id, _md5_uuid(f"session {person.id} {number}"), *columns]))
    stack.postgres.psql(sql=_SESSIONS.format(rows="\n".join(rows)))
    return people


def _give_tokens(stack, people, installation):
    """Access tokens, whose proofs are computed as the programs do."""
    rows = []
    for person in people:
        selector, secret = secrets.token_bytes(12), secrets.token_bytes(32)
        person.access_token = access_token_of(selector, secret)
        verifier = token_verifier(installation, selector, secret)
        rows.append("\t".join([person.id, _bytea(selector), _bytea(verifier)]))
    stack.postgres.psql(sql=_TOKENS.format(rows="\n".join(rows)))


def add_owners(stack, count):
    """`count` people with 5 providers, 30 models and 15 accounts each."""
    stack.postgres.psql(
        sql=_OWNERS.format(first=1, last=count, providers=PROVIDERS, models=MODELS, accounts=ACCOUNTS)
    )
    people = _sign_in(stack, [_md5_uuid(f"owner {n}") for n in range(1, count + 1)])
    for number, person in enumerate(people, 1):
        person.provider = _md5_uuid(f"{number} provider 1")
    stack.sql("VACUUM ANALYZE")
    return people


def add_callers(stack, count, base_url, group):
    """`count` people with one provider at that address, whose key opens. group: a word that no other
    callers were made with."""
    names = [f"{group}-{n}" for n in range(count)]
    users = "\n".join(
        f"INSERT INTO usershell.users (id, email, normalized_email, display_name) VALUES "
        f"('{_md5_uuid(name)}', '{name}@example.com', '{name}@example.com', '{name}');"
        for name in names
    )
    stack.postgres.psql(sql=f"BEGIN;\n{users}\nCOMMIT;")
    people = _sign_in(stack, [_md5_uuid(name) for name in names])
    web, vault = (Ring.load(stack.folder.sub("rings", r)) for r in ("web.secret", "vault.public"))
    rows = []
    for person in people:
        person.provider = _md5_uuid(f"provider of {person.id}")
        fields = [person.provider, "provider", "generic-compatible", base_url, _KEY]
        sealed = seal("key", web, vault, person.id, fields)
        rows.append("\t".join([person.id, person.provider, base_url, _bytea(sealed)]))
    stack.postgres.psql(sql=_PROVIDERS.format(rows="\n".join(rows), model=MODEL))
    _give_tokens(stack, people, web.installation)
    return people
