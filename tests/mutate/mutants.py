"""The checks that are removed, one a row: those of the promise, for keys, signing, sessions, egress and rights.

`old` stands exactly once in `file`, in any layout; `new` takes its place and leaves a program that compiles. The tests
are ctest's names, the one that should notice first in front.
"""

import re
from typing import NamedTuple


class Mutant(NamedTuple):
    id: str
    file: str
    old: str
    new: str
    rule: str  # what it breaks
    tests: tuple

    def places(self, text):
        """Where `old` stands in the text; white space may differ."""
        words = re.findall(r"\w+|[^\w\s]", self.old)
        return [found.span() for found in re.finditer(r"\s*".join(map(re.escape, words)), text)]


BASE = ("unit_base",)
DOMAIN = ("unit_domain",)
CRYPTO = ("unit_crypto",)
GUARDS = ("store_guards",)
PIPELINE = ("unit_pipeline",)
ATTACK = ("attack",)
BROWSER = ("browser",)
ADAPTERS = ("unit_adapters",)
EXECUTE = ("unit_execute",)
HTTP = ("unit_http_client",)
NOUNS = ("store_nouns",)
CASES = ("case_tests",)
AUTH = ("unit_auth",)

ADDRESS = "lib/domain/address/address.cpp"
URL = "lib/domain/address/url.cpp"
SQL_14 = "sql/0014_access_tokens.sql"
RELAY_BODY = "lib/execute/relay/relay_body.cpp"
OPENER = "lib/crypto/opening/envelope_opener.cpp"
VERIFIED = "lib/crypto/opening/verified_envelopes.cpp"
UNSEAL = "lib/crypto/unseal/unseal.cpp"
RING_TEXT = "lib/crypto/ring/ring_text.cpp"
INSTALLATION = "lib/store/installation.cpp"
GUARD = "lib/pipeline/guard.cpp"
DISPATCH = "lib/pipeline/dispatch.cpp"
EXECUTE_CONF = "deploy/nginx/snippets/execute.conf"
WORDS = "lib/adapters/errors/provider_words.cpp"
TRANSFER = "lib/net/transfer.cpp"
SQL_10 = "sql/0010_identity.sql"
SQL_1 = "sql/0001_foundation.sql"
SQL_3 = "sql/0003_passwords.sql"
SQL_5 = "sql/0005_calls.sql"
SQL_13 = "sql/0013_stored_hashes.sql"

MUTANTS = [
    Mutant("wiped-whole", "lib/base/wiping.cpp", "::explicit_bzero(bytes_, capacity_);",
           "::explicit_bzero(bytes_, size_);", "what a text was before it was shortened is wiped with it", BASE),
    Mutant("egress-private", ADDRESS, '"10.0.0.0/8",       // private', "", "10.0.0.0/8 is not called", DOMAIN),
    Mutant("egress-loopback", ADDRESS, '"127.0.0.0/8",      // loopback', "", "this machine is not called",
           DOMAIN),
    Mutant("egress-port", ADDRESS, "return is_public(address) && is_open_port(port) &&",
           "return is_public(address) &&", "no port of another service", DOMAIN),
    Mutant("egress-own", ADDRESS, " && std::ranges::find(own, address) == own.end();", " && own.size() < 1'000'000;",
           "this machine's own public addresses are not called", DOMAIN),
    Mutant("url-credentials", URL, "if (authority.find('@') != std::string_view::npos)", "if (false)",
           "a base URL has no user name or password", DOMAIN),
    Mutant("base-url-prefix", URL, "if (!url.starts_with(text_)) return false;", "",
           "a call stays below its base URL", DOMAIN),
    Mutant("envelope-signature", OPENER, "if (!is_signed(record, installation_, signer->second))",
           "if (record.signature.empty())", "only what our web ring has signed is opened", CRYPTO),
    Mutant("signed-anew", "lib/crypto/envelope/signing.cpp",
           "!is_signed(record, web_.installation, public_half(RingRole::web, signer->second))", "false",
           "only what our web ring has signed is signed again", CRYPTO),
    Mutant("signature-of-whom", VERIFIED, "crypto_generichash_update(&state, bytes_of(owner), owner.size());",
           "static_cast<void>(owner);", "a signature that was verified for one owner counts for no other", CRYPTO),
    Mutant("signature-remembered", VERIFIED, "return !digests_.empty() && digests_[place_of(digest)] == digest;",
           "return !digests_.empty();", "another envelope's signature is verified", CRYPTO),
    Mutant("envelope-header", OPENER, "bytes_of(envelope), EnvelopeHeader::size, nonce.data()",
           "nullptr, 0, nonce.data()", "no byte of the header can be changed", CRYPTO),
    Mutant("envelope-fields", OPENER, "if (next_field(record) != expected) throw UnsealError{Reason::damaged};",
           "next_field(record);", "the signed fields are the row's", ("stack_trust",)),
    Mutant("envelope-ring-key", OPENER, "const auto secret = secrets_.find(header.ring_key);",
           "const auto secret = secrets_.begin();", "a key of the ring is chosen by its id, never by trial", CRYPTO),
    Mutant("unseal-provider", UNSEAL, "if (record.provider != row.provider.text() ||", "if (",
           "a key is bound to its provider", CRYPTO),
    Mutant("unseal-account", UNSEAL,
           " || record.account != (row.account ? std::string_view{row.account->text()} : provider_level))",
           ")", "a key is bound to its account", CRYPTO),
    Mutant("unseal-type", UNSEAL, "if (record.type != row.type || !may", "if (!may",
           "a key is bound to its provider's type", CRYPTO),
    Mutant("unseal-address", UNSEAL, "if (record.type != row.type || !may_be_sent_to(record.base_url, row.base_url))",
           "if (record.type != row.type)", "a key is bound to the whole address that it was entered for", CRYPTO),
    Mutant("unseal-path-rule", UNSEAL, "return rule_ == AddressRule::path && BaseUrl",
           "return BaseUrl", "another path holds keys back unless the operator says otherwise", CRYPTO),
    Mutant("mail-id", "lib/mail/mail_opener.cpp",
           "if (record.mail != mail.id.text()) throw crypto::UnsealError{Reason::moved};", "",
           "a mail's content is bound to its row", ("unit_mail",)),
    Mutant("key-hint", "lib/crypto/envelope/key_sealer.cpp", 'if (text.size() < 12) return "••••";',
           "if (text.size() < 4) return {};", "of a short key no hint is shown", CRYPTO),
    Mutant("antiforgery-mac", "lib/crypto/token.cpp",
           "return equal_in_constant_time(antiforgery_mac(key, view.substr(0, nonce_size)),"
           "view.substr(nonce_size));", "return !view.empty();", "an anti-forgery token is of our key",
           CRYPTO),
    Mutant("ring-mode", RING_TEXT, "if (secret && (mode & S_IRWXO) != 0)", "if (false)",
           "a secret ring that everybody may read is refused", CRYPTO),
    Mutant("ring-owner", RING_TEXT, "if (owner != 0 && owner != self)", "if (false)",
           "a ring that another user owns is refused", CRYPTO),
    Mutant("ring-fingerprint", RING_TEXT, "if (fingerprint(kind_.role, *installation_, half) != id)",
           "if (half.empty())", "a ring key is the one that its id names", CRYPTO),
    Mutant("ring-small-order", RING_TEXT,
           "if (!is_usable_public_key(kind_.role, half)) refuse(\"the key can't be used.\");", "",
           "a public key of small order is refused", CRYPTO),
    Mutant("ring-installation", INSTALLATION, "if (ring.installation != installation)", "if (false)",
           "a ring of another installation stops the start", GUARDS),
    Mutant("ring-registered", INSTALLATION, "if (!registered.contains({name, id.text()}))",
           "if (name.empty())", "a ring key that was planted stops the start", GUARDS),
    Mutant("cookie-flags", "lib/web/message.cpp", "; Path=/; Secure; HttpOnly; SameSite=Lax",
           "; Path=/; Secure; SameSite=Lax", "no script reads a cookie", ("unit_web",)),
    Mutant("forgery-origin", GUARD, "return origin && *origin != origin_;", "return false;",
           "a change from another origin is refused", PIPELINE),
    Mutant("forgery-site", GUARD, 'if (request.header("sec-fetch-site") == "cross-site") return true;', "",
           "a change that the browser calls cross-site is refused", PIPELINE),
    Mutant("forgery-token", GUARD, "if (!token || std::ranges::none_of(keys, is_by)) throw forged();",
           "if (!token) throw forged();", "a change needs a good anti-forgery token", PIPELINE),
    Mutant("forgery-check", DISPATCH, "if (changes_state(request.method)) accept_change(context, route);",
           "static_cast<void>(&Dispatch::accept_change);", "every change is checked for forgery", PIPELINE),
    Mutant("not-signed-in", DISPATCH, "if (route.access == Access::json) require(context.signed_in);", "",
           "the API wants a session", PIPELINE),
    Mutant("calls-headers", EXECUTE_CONF, 'if not of_nginx[name:lower()] then refused = "header " .. name end', "",
           "an answer of what executes has no header but those of a list", ATTACK),
    Mutant("calls-statuses", EXECUTE_CONF, 'not statuses[ngx.status] and "status " .. ngx.status', "nil",
           "an answer of what executes has a status of a list", ATTACK),
    Mutant("pages-other-person", "deploy/nginx/assets/common/session.js",
           "if (read(page, 'user-id') !== userId) return wipe();", "",
           "what one person typed is never sent as another", BROWSER),
    Mutant("pages-key-forgotten", "deploy/nginx/assets/providers/adding.js",
           "saved = null; // no key stays in the page's memory", "", "a page forgets a key that was typed",
           BROWSER),
    Mutant("words-shown", WORDS, "return is_number || is_known(run);", "return is_number || !is_known(run);",
           "only known words of a provider are shown", ADAPTERS),
    Mutant("words-read", WORDS, "{ return run.size() < min_key_for_words || is_known(run); }",
           "{ return !run.empty(); }", "what an error means does not depend on a key", ADAPTERS),
    Mutant("words-short-key", "lib/adapters/errors/provider_error.cpp",
           "const bool shows_words = key.size() >= min_key_for_words || key == no_key;",
           "const bool shows_words = true; static_cast<void>(key);", "with a short key no words are shown",
           ADAPTERS),
    Mutant("value-translated", "lib/base/sentence.cpp", "whole += value->text;",
           "whole += translation(value->text);", "a text in a sentence is shown as it is", BASE),
    Mutant("words-stored", "lib/execute/calls/call_failure.cpp", "was_ended : error.sentence()},",
           "was_ended : Sentence::read(error.said().words)},", "no word of a provider is stored", EXECUTE),
    Mutant("url-below-base", "lib/adapters/calls.cpp",
           "if (target.type.model_in_path && !fits_into_path(request.model)) throw leads_out();", "",
           "a model's id leads to no other path", ADAPTERS),
    Mutant("redirect", TRANSFER, "set_option(easy, CURLOPT_FOLLOWLOCATION, 0L);",
           "set_option(easy, CURLOPT_FOLLOWLOCATION, 1L);", "no redirect is followed", HTTP),
    Mutant("egress-at-connection", TRANSFER, "if (!address || !parts_.egress.permits(*address, port, url_.host))",
           "if (!address)", "every address is asked for before it is called", HTTP),
    Mutant("owner-delete-provider", "lib/store/providers/providers.cpp",
           '"DELETE FROM usershell.providers WHERE owner_id = $1 AND id = $2"',
           '"DELETE FROM usershell.providers WHERE $1::uuid IS NOT NULL AND id = $2"',
           "a provider is deleted by its owner only", GUARDS),
    Mutant("owner-edit-account", "lib/store/providers/accounts.cpp",
           "WHERE owner_id = $1 AND provider_id = $2 AND id = $3",
           "WHERE $1::uuid IS NOT NULL AND provider_id = $2 AND id = $3",
           "an account is edited by its owner only", GUARDS),
    Mutant("owner-end-session", SQL_10, "WHERE s.owner_id = usershell.auth_user_id() AND s.id = given_session",
           "WHERE s.id = given_session", "a session is ended by its user only", GUARDS),
    Mutant("owner-of-password", SQL_14,
           "WHERE u.id = session.owner_id AND u.security_stamp = given_stamp", "WHERE u.security_stamp = given_stamp",
           "a password is set for one user", GUARDS),
    Mutant("stamp-of-password-change", SQL_14,
           "WHERE u.id = session.owner_id AND u.security_stamp = given_stamp", "WHERE u.id = session.owner_id",
           "a password is changed under the stamp it was verified under", NOUNS),
    Mutant("stamp-at-sign-in", SQL_10, "WHERE u.id = given_user AND u.security_stamp = given_stamp AND",
           "WHERE u.id = given_user AND", "a session begins under the stamp its password was verified under", NOUNS),
    Mutant("stamp-at-each-request", SQL_1, "AND u.security_stamp = s.security_stamp AND NOT u.is_disabled",
           "AND NOT u.is_disabled", "a session ends with its stamp", NOUNS),
    Mutant("stamp-of-link", SQL_10, "AND u.security_stamp = r.security_stamp AND NOT", "AND NOT",
           "a mailed link ends with its stamp", NOUNS),
    Mutant("password-compare", SQL_3,
           "AND sha256(convert_to(u.password_hash, 'UTF8')) = sha256(convert_to(given_hash, 'UTF8'));", ";",
           "a wrong password is wrong", NOUNS),
    Mutant("password-throttle", SQL_3, "WHERE t.expires_at <= moment OR t.failures < max_wrong;", ";",
           "the database throttles wrong passwords by itself", NOUNS),
    Mutant("owner-events", SQL_10, "WHERE e.owner_id = usershell.auth_user_id()) n", ") n",
           "what has happened is shown to its user only", GUARDS),
    Mutant("relay-second-model", RELAY_BODY,
           """if (has_model_) throw invalid("model", "The request names its model twice."_en);""", "",
           "a request names one model", EXECUTE + ATTACK),
    Mutant("relay-model-choice", RELAY_BODY,
           "if (limits_.has_model_limit && is_one_of(model_choices, key))", "if (false)",
           "a limited token has no other way to a model", EXECUTE + ATTACK),
    Mutant("relay-stored-objects", RELAY_BODY,
           "if (!limits_.may_use_stored_objects && refers_to_stored(depth, key, value))", "if (false)",
           "stored objects are for tokens that may use them", EXECUTE + ATTACK),
    Mutant("relay-allowed-model", "lib/execute/relay/model_names.cpp",
           "if (!contains(provider->allowed, model) || provider->type == nullptr) throw unknown_model(name);", "",
           "a token has the models that it allows", EXECUTE + ATTACK),
    Mutant("relay-error-bytes", "lib/adapters/reading/relay_reader.cpp",
           "if (state_ == State::failed) return; begin();", "begin();",
           "no byte of a failure is relayed", ADAPTERS + ("stack_api",)),
    Mutant("relay-header-characters", "lib/execute/relay/relay.cpp",
           "if (value && !std::ranges::all_of(*value, is_visible))", "if (false)",
           "headers that go on are visible ASCII", ATTACK),
    Mutant("token-verifier", SQL_14,
           "WHERE t.selector = given_selector AND t.verifier_hash = sha256(given_verifier);",
           "WHERE t.selector = given_selector;",
           "a call begins with the secret of a token", NOUNS),
    Mutant("token-stamp", SQL_14,
           "u.id = t.owner_id AND u.security_stamp = t.security_stamp AND NOT u.is_disabled",
           "u.id = t.owner_id AND NOT u.is_disabled",
           "a token ends with its stamp", NOUNS),
    Mutant("token-expired", SQL_14, "WHERE t.expires_at > now();", ";",
           "a token expires", NOUNS),
    Mutant("token-cap", SQL_14, "count(*) >= 20", "count(*) >= 20000",
           "a user has so many tokens at most", NOUNS),
    Mutant("token-of-others-provider", SQL_14,
           "WHERE p.owner_id = who AND p.id::text = given.id", "WHERE p.id::text = given.id",
           "a token is limited to providers of its owner", NOUNS),
    Mutant("token-revoked-by-owner", SQL_14,
           "WHERE t.owner_id = usershell.auth_user_id() AND t.id = given_token;", "WHERE t.id = given_token;",
           "a token is revoked by its owner only", NOUNS),
    Mutant("token-kept", SQL_14,
           " AND t.security_stamp = given_stamp AND t.id = ANY (kept_tokens);", " AND t.security_stamp = given_stamp;",
           "a change of the password ends the tokens that were not chosen", NOUNS),
    Mutant("handle-asks", SQL_14, "IF is_renamed OR is_moved OR is_taken THEN", "IF is_moved OR is_taken THEN",
           "a handle is changed by the password", NOUNS),
    Mutant("move-asks", SQL_14, "IF is_renamed OR is_moved OR is_taken THEN", "IF is_renamed OR is_taken THEN",
           "a provider is pointed elsewhere by the password", NOUNS),
    Mutant("freed-handle-asks", SQL_14, "TG_OP = 'INSERT' AND usershell.is_freed(NEW.owner_id, NEW.handle);", "false;",
           "a handle that another provider had is taken by the password", NOUNS),
    Mutant("password-of-late", SQL_14, "now() - interval '5 minutes'", "now() - interval '5 hours'",
           "the password was given in the last five minutes", NOUNS),
    Mutant("announced-once", SQL_14, "AND e.id = given_event AND e.announced_at IS NULL", "AND e.id = given_event",
           "an event has one mail, however many processes announce it", NOUNS),
    Mutant("bounds", SQL_1, "IF given BETWEEN least_value AND most_value THEN", "IF true THEN",
           "a program chooses times and counts within bounds", GUARDS),
    Mutant("link-with-its-mail", "sql/0002_profile_and_mail.sql",
           "IF NOT EXISTS (SELECT FROM usershell.outbox o WHERE", "IF false AND NOT EXISTS (SELECT FROM usershell.outbox o WHERE",
           "a link is made with its mail or not at all", GUARDS),
    Mutant("owner-of-link", SQL_10, "WHERE r.owner_id = usershell.auth_user_id() AND given_kind", "WHERE given_kind",
           "a mailed link is ended by its user only", GUARDS),
    Mutant("token-route", SQL_14, "IF given_route <> ALL (token.routes) THEN", "IF false THEN",
           "a token calls by its routes only", NOUNS),
    Mutant("token-reserve", SQL_14, "(SELECT coalesce(sum(c.reserved_tokens), 0) FROM", "(SELECT 0 FROM",
           "what runs counts against the tokens of the day", NOUNS),
    Mutant("token-minute", SQL_14, "IF rate.requests > token.max_requests_a_minute THEN", "IF false THEN",
           "a token makes so many requests a minute at most", NOUNS),
    Mutant("token-model", SQL_14,
           "AND given_provider || '/' || given_model = ANY ((given).models) IS NOT FALSE;", ";",
           "a token loads its own models only", NOUNS),
    Mutant("token-early-model", SQL_14,
           "AND usershell.permits(token, p.id, m.model_id));", ");",
           "a model that is named early is one that the token allows", NOUNS),
    Mutant("token-early-meaning", SQL_14, "HAVING count(*) = 1 AND bool_and(", "HAVING bool_and(",
           "a name with two meanings loads no key", NOUNS),
    Mutant("token-call-renewed", SQL_14,
           "WHERE t.owner_id = (given).owner_id AND t.id = (given).token_id)", ")",
           "a call does not outlive its token", NOUNS),
    Mutant("token-password", "lib/auth/access/access.cpp", "if (!verified) {", "if (false) {",
           "a token is made by the password", CASES),
    Mutant("token-shown-once", "lib/auth/access/access.cpp",
           "return each.id == id && each.selector == proof.selector;", "return each.id == id;",
           "a form that is sent twice shows no second token", CASES),
    Mutant("tool-model", "lib/auth/access/tool_models.cpp", "is_plain(model) && allows", "allows",
           "no provider's model id is a command in a tool's settings", AUTH),
    Mutant("csv-formula", "lib/auth/access/usage.cpp",
           "may_be_formula(text) ? ", "false ? ",
           "a name is no formula of a spreadsheet", AUTH),
    Mutant("call-expired", SQL_5, "AND c.id = e.call AND c.expires_at > now()", "AND c.id = e.call",
           "a call that is not renewed authorises nothing", NOUNS),
    Mutant("call-read", SQL_14,
           "WHERE s.calls_token_hash = stored;", "LIMIT 1;",
           "keys are read by a token for calls only", NOUNS),
    Mutant("call-hashed", SQL_14,
           "stored CONSTANT bytea := sha256(given_hash);", "stored CONSTANT bytea := given_hash;",
           "what is stored of a token begins no call", NOUNS),
    Mutant("call-reads-own", SQL_14,
           "WHERE p.owner_id = given_owner AND CASE", "WHERE CASE",
           "keys are read by a token of their owner only", NOUNS),
    Mutant("call-renewed", SQL_14,
           "WHERE s.owner_id = (given).owner_id AND s.calls_token_hash = (given).token_hash)", ")",
           "a call does not outlive its session", NOUNS),
    Mutant("call-of-provider", SQL_14,
           "AND p.id = (given).provider_id AND (p.status", "AND (p.status",
           "a call does not outlive its provider", NOUNS),
    Mutant("user-deleted", SQL_3, "u.id = usershell.current_user_id() AND u.security_stamp = given_stamp",
           "u.id = usershell.current_user_id() AND given_stamp IS NOT NULL",
           "a user is deleted under the stamp their password was verified under", NOUNS),
    Mutant("row-security-forced", SQL_1,
           "EXECUTE format('ALTER TABLE usershell.%I FORCE ROW LEVEL SECURITY', secured.name);", "",
           "row security holds the owner of a table too", GUARDS),
    Mutant("row-security-policy", SQL_1,
           "USING (%I = (SELECT usershell.current_user_id()))', secured.name, secured.owner);",
           "USING (%I IS NOT NULL)', secured.name, secured.owner);", "row security shows the identity's rows only",
           GUARDS),
    Mutant("ring-key-known", "sql/0009_ring_keys.sql", "IF NOT FOUND THEN", "IF false THEN",
           "nothing is sealed to a key that was dropped", GUARDS),
    Mutant("ring-key-in-use", "lib/store/rings.cpp", "look(uses_in(transaction.run(select_uses))[id.text()]);",
           "look(RingUses{});", "a key on which something hangs is not dropped unasked", GUARDS),
]  # fmt: skip
