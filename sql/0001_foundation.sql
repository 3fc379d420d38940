-- Oldest program that can run on it: 0.1.0
--
-- The installation, users, their sessions, and their providers, models and accounts.
--
-- Three nets under the programs' own checks:
--   * row-level security: a worker's connection sees the rows of the user named by the setting
--     `usershell.user_id`, which the statement that signs a request in sets; without it, no row;
--   * grants: usershell_manage writes ciphertext and can't read it; usershell_execute may touch no table at all, only
--     call functions that take what a caller's own cookie has brought (0005);
--   * CHECK constraints.
--
-- A text that is a key has the collation "C": the order of letters of a server or a release may change under a built index.
-- Rows of a user have owner_id first in their primary key, so that they can be sharded by owner.

-- No role may call a function that is not granted to it.
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

CREATE FUNCTION usershell.current_user_id() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN NULLIF(current_setting('usershell.user_id', true), '')::uuid;
COMMENT ON FUNCTION usershell.current_user_id() IS 'The user whose rows this connection sees; NULL: no rows.';
GRANT EXECUTE ON FUNCTION usershell.current_user_id() TO usershell_manage;

CREATE FUNCTION usershell.microseconds(moment timestamptz) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (date_part('epoch', moment) * 1000000)::bigint;
COMMENT ON FUNCTION usershell.microseconds(timestamptz) IS 'Since 1970: how the programs read a moment, whatever time zone the server is set to.';
GRANT EXECUTE ON FUNCTION usershell.microseconds(timestamptz) TO usershell_manage;

-- A program chooses a time, a count or a size within these bounds alone, whoever controls it. Its fault is shown and not mended.
CREATE FUNCTION usershell.bounded(given anycompatible, least_value anycompatible, most_value anycompatible, what text)
    RETURNS anycompatible
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $function$
BEGIN
    IF given BETWEEN least_value AND most_value THEN
        RETURN given;
    END IF;
    RAISE EXCEPTION '% is out of bounds', what USING ERRCODE = 'invalid_parameter_value';
END
$function$;
COMMENT ON FUNCTION usershell.bounded(anycompatible, anycompatible, anycompatible, text) IS
    'The given value; NULL, NaN and what is out of bounds are refused. For the functions.';

CREATE FUNCTION usershell.batch_size(given integer) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN usershell.bounded(given, 1, 10000, 'the size of a batch');
COMMENT ON FUNCTION usershell.batch_size(integer) IS 'As many rows as a statement for all users may take or remove. For the functions.';

-- The installation -----------------------------------------------------------------------------------
-- The programs compare their key rings with it when they start. No program may write it.

CREATE TABLE usershell.installation (
    id       uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    only_row boolean NOT NULL DEFAULT true UNIQUE CHECK (only_row)
);
COMMENT ON COLUMN usershell.installation.id IS 'part of every sealed key''s derivation: it goes with a backup, and is never changed';
INSERT INTO usershell.installation DEFAULT VALUES;

CREATE TABLE usershell.ring_keys (
    id            text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[0-9a-f]{32}$'),
    role          text NOT NULL CHECK (role IN ('vault', 'web', 'mail')),
    registered_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE usershell.ring_keys IS 'Every key that this installation''s rings may hold; id: its fingerprint.';

GRANT SELECT ON usershell.installation, usershell.ring_keys
    TO usershell_manage, usershell_execute, usershell_mail, usershell_rewrap;

-- Users ----------------------------------------------------------------------------------------------

CREATE FUNCTION usershell.random_stamp() RETURNS bytea
    LANGUAGE sql VOLATILE
    RETURN substring(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) FROM 1 FOR 16);
COMMENT ON FUNCTION usershell.random_stamp() IS '128 random bits: a version 4 UUID has 122 of them.';
GRANT EXECUTE ON FUNCTION usershell.random_stamp() TO usershell_manage;

CREATE TABLE usershell.users (
    id               uuid PRIMARY KEY,
    email            text NOT NULL CHECK (octet_length(email) <= 254 AND email !~ '[\x01-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'),
    normalized_email text COLLATE "C" NOT NULL UNIQUE
                     CHECK (octet_length(normalized_email) <= 1024 AND normalized_email !~ '[\x01-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'),
    display_name     text NOT NULL
                     CHECK (char_length(display_name) BETWEEN 1 AND 120
                     AND display_name !~ '[\x01-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'
                     AND display_name ~ '[^\x01-\x20\x7f-\xa0\xad\u034f\u061c\u115f-\u1160\u1680\u17b4-\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]'),
    password_hash    text NOT NULL DEFAULT '' CHECK (octet_length(password_hash) <= 256),
    rehashed_at      timestamptz,
    is_disabled      boolean NOT NULL DEFAULT false,
    security_stamp   bytea NOT NULL DEFAULT usershell.random_stamp() CHECK (octet_length(security_stamp) = 16),
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT nobody_signs_in_as_the_global_owner CHECK (
        id <> '00000000-0000-0000-0000-000000000000' OR (is_disabled AND password_hash = ''))
);
COMMENT ON COLUMN usershell.users.password_hash IS 'crypto_pwhash_str; empty: none set yet';
COMMENT ON COLUMN usershell.users.rehashed_at IS 'when the same password was last hashed at a higher cost';
COMMENT ON COLUMN usershell.users.security_stamp IS
    'redrawn by every security event; sessions, links and pending changes are good under the stamp they were made under';

-- A trigger, so that each statement that changes a password, an address or is_disabled ends the sessions and links of
-- before. No program can choose a stamp: a written stamp is replaced by a random one.
CREATE FUNCTION usershell.redraw_stamp() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    IF NEW.security_stamp <> OLD.security_stamp OR NEW.is_disabled <> OLD.is_disabled
       OR NEW.email <> OLD.email OR NEW.normalized_email <> OLD.normalized_email
       OR (NEW.password_hash <> OLD.password_hash AND NEW.rehashed_at IS NOT DISTINCT FROM OLD.rehashed_at) THEN
        NEW.security_stamp := usershell.random_stamp();
    END IF;
    RETURN NEW;
END
$function$;
CREATE TRIGGER redraw_stamp BEFORE UPDATE ON usershell.users
    FOR EACH ROW EXECUTE FUNCTION usershell.redraw_stamp();

-- Owner of the administrator's global providers. It has no sign-in.
INSERT INTO usershell.users (id, email, normalized_email, display_name, is_disabled)
VALUES ('00000000-0000-0000-0000-000000000000', '', '', 'Administrator', true);

-- Sessions -------------------------------------------------------------------------------------------

CREATE TABLE usershell.sessions (
    owner_id        uuid NOT NULL REFERENCES usershell.users ON DELETE CASCADE,
    id              uuid NOT NULL,
    token_hash      bytea NOT NULL CHECK (octet_length(token_hash) = 32),
    calls_token_hash bytea NOT NULL CHECK (octet_length(calls_token_hash) = 32),
    antiforgery_key bytea NOT NULL CHECK (octet_length(antiforgery_key) = 32),
    security_stamp  bytea NOT NULL CHECK (octet_length(security_stamp) = 16),
    remembered      boolean NOT NULL,
    browser         text NOT NULL DEFAULT '' CHECK (char_length(browser) <= 160 AND browser !~ '[\x01-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'),
    client_address  text NOT NULL DEFAULT '' CHECK (octet_length(client_address) <= 64),
    idle            interval NOT NULL CHECK (idle BETWEEN interval '1 second' AND interval '336 hours'),
    created_at      timestamptz NOT NULL DEFAULT now(),
    signed_in_at    timestamptz NOT NULL DEFAULT now(),
    last_seen_at    timestamptz NOT NULL DEFAULT now(),
    max_expires_at  timestamptz NOT NULL CHECK (max_expires_at <= created_at + interval '336 hours'),
    expires_at      timestamptz NOT NULL CHECK (expires_at <= max_expires_at),
    PRIMARY KEY (owner_id, id)
);
COMMENT ON COLUMN usershell.sessions.security_stamp IS 'the user''s when the password was verified; good as long as it is theirs';
COMMENT ON COLUMN usershell.sessions.token_hash IS 'of the token that usershell-manage takes';
COMMENT ON COLUMN usershell.sessions.calls_token_hash IS 'of the one that usershell-execute takes';
COMMENT ON COLUMN usershell.sessions.browser IS 'browser and system: a sentence as Sentence::stored() writes it';
COMMENT ON COLUMN usershell.sessions.client_address IS 'where it was signed in from';
COMMENT ON COLUMN usershell.sessions.idle IS 'how long it lasts without being used';
COMMENT ON COLUMN usershell.sessions.signed_in_at IS 'when the password was last given';
COMMENT ON COLUMN usershell.sessions.max_expires_at IS 'however much it is used';
COMMENT ON COLUMN usershell.sessions.expires_at IS 'if it is not used again: last_seen_at + idle, at most max_expires_at';
-- Not unique: 256 random bits don't collide, and a unique index without owner_id could not be sharded.
CREATE INDEX sessions_token_hash ON usershell.sessions (token_hash);
CREATE INDEX sessions_calls_token_hash ON usershell.sessions (calls_token_hash);
CREATE INDEX sessions_expires_at ON usershell.sessions (expires_at);

-- At most 50 a user, whatever role adds one. Sign-ins of one user wait for each other here, so that the count is exact.
CREATE FUNCTION usershell.end_oldest_sessions() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    PERFORM FROM usershell.users u WHERE u.id = NEW.owner_id FOR NO KEY UPDATE;
    DELETE FROM usershell.sessions s
     WHERE s.owner_id = NEW.owner_id AND s.id IN (
           SELECT o.id FROM usershell.sessions o WHERE o.owner_id = NEW.owner_id AND o.id <> NEW.id
           ORDER BY o.created_at DESC, o.id OFFSET 49);
    RETURN NEW;
END
$function$;
CREATE TRIGGER end_oldest_sessions BEFORE INSERT ON usershell.sessions
    FOR EACH ROW EXECUTE FUNCTION usershell.end_oldest_sessions();

-- Providers, models, accounts --------------------------------------------------------------------------

CREATE TABLE usershell.providers (
    owner_id             uuid NOT NULL REFERENCES usershell.users ON DELETE CASCADE,
    id                   uuid NOT NULL,
    name                 text NOT NULL
                         CHECK (char_length(name) BETWEEN 1 AND 100
                     AND name !~ '[\x01-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'
                     AND name ~ '[^\x01-\x20\x7f-\xa0\xad\u034f\u061c\u115f-\u1160\u1680\u17b4-\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]'),
    type                 text NOT NULL CHECK (type ~ '^[a-z0-9-]{1,40}$'),
    base_url             text NOT NULL
                         CHECK (octet_length(base_url) <= 2048 AND base_url ~ '^https?://[^[:space:]]+$'),
    status               text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive')),
    round_robin_accounts boolean NOT NULL DEFAULT false,
    sealed_key           bytea CHECK (octet_length(sealed_key) BETWEEN 274 AND 16384
                                      AND substr(sealed_key, 1, 2) IN ('\x0101', '\x0103')),
    has_key              boolean GENERATED ALWAYS AS (sealed_key IS NOT NULL) STORED,
    ring_key_id          text GENERATED ALWAYS AS (encode(substr(sealed_key, 3, 16), 'hex')) STORED,
    signer_id            text GENERATED ALWAYS AS (encode(substr(sealed_key, 19, 16), 'hex')) STORED,
    key_hint             text NOT NULL DEFAULT '' CHECK (octet_length(key_hint) <= 32),
    key_address          text NOT NULL DEFAULT '' CHECK (octet_length(key_address) <= 2089),
    health_status        text NOT NULL DEFAULT 'unknown'
                         CHECK (health_status IN ('unknown', 'healthy', 'degraded', 'unhealthy')),
    health_message       text NOT NULL DEFAULT '' CHECK (char_length(health_message) <= 3600),
    health_checked_at    timestamptz,
    cooldown_until        timestamptz,
    recent_errors        jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_array_length(recent_errors) <= 5),
    created_at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (owner_id, id)
);
COMMENT ON COLUMN usershell.providers.sealed_key IS 'an envelope (docs/security.md): version and kind, ring key id, signer''s id, …';
COMMENT ON COLUMN usershell.providers.ring_key_id IS 'the vault key that opens it; signer_id: the web key that signed it';
COMMENT ON COLUMN usershell.providers.key_address IS 'type and base URL that the key was entered for; empty: not known';
COMMENT ON COLUMN usershell.providers.cooldown_until IS 'the provider-level key was refused or rate limited: last choice until then';
COMMENT ON COLUMN usershell.providers.health_message IS 'a sentence as Sentence::stored() writes it (lib/base/sentence.hpp)';
COMMENT ON COLUMN usershell.providers.recent_errors IS 'why calls with the provider-level key have failed: {at, message}, the newest first; a message is a sentence as in health_message';

CREATE TABLE usershell.models (
    owner_id     uuid NOT NULL,
    provider_id  uuid NOT NULL,
    model_id     text COLLATE "C" NOT NULL
                 CHECK (char_length(model_id) BETWEEN 1 AND 200 AND model_id !~ '[\x01-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'),
    position     integer NOT NULL CHECK (position > 0),
    display_name text NOT NULL
                 CHECK (char_length(display_name) BETWEEN 1 AND 200
                     AND display_name !~ '[\x01-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'
                     AND display_name ~ '[^\x01-\x20\x7f-\xa0\xad\u034f\u061c\u115f-\u1160\u1680\u17b4-\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]'),
    capabilities text NOT NULL CHECK (capabilities ~ '^[a-z]+(,[a-z]+)*$' AND octet_length(capabilities) <= 400),
    is_enabled   boolean NOT NULL DEFAULT true,
    PRIMARY KEY (owner_id, provider_id, model_id),
    FOREIGN KEY (owner_id, provider_id) REFERENCES usershell.providers ON DELETE CASCADE
);
COMMENT ON COLUMN usershell.models.position IS 'the order in which they were added';

CREATE TABLE usershell.accounts (
    owner_id          uuid NOT NULL,
    provider_id       uuid NOT NULL,
    id                uuid NOT NULL,
    name              text NOT NULL
                      CHECK (char_length(name) BETWEEN 1 AND 100
                     AND name !~ '[\x01-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'
                     AND name ~ '[^\x01-\x20\x7f-\xa0\xad\u034f\u061c\u115f-\u1160\u1680\u17b4-\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]'),
    priority          integer NOT NULL CHECK (priority BETWEEN 0 AND 1000),
    is_enabled        boolean NOT NULL DEFAULT true,
    sealed_key        bytea CHECK (octet_length(sealed_key) BETWEEN 274 AND 16384
                                   AND substr(sealed_key, 1, 2) IN ('\x0101', '\x0103')),
    has_key           boolean GENERATED ALWAYS AS (sealed_key IS NOT NULL) STORED,
    ring_key_id       text GENERATED ALWAYS AS (encode(substr(sealed_key, 3, 16), 'hex')) STORED,
    signer_id         text GENERATED ALWAYS AS (encode(substr(sealed_key, 19, 16), 'hex')) STORED,
    key_hint          text NOT NULL DEFAULT '' CHECK (octet_length(key_hint) <= 32),
    key_address       text NOT NULL DEFAULT '' CHECK (octet_length(key_address) <= 2089),
    health_status     text NOT NULL DEFAULT 'unknown'
                      CHECK (health_status IN ('unknown', 'healthy', 'degraded', 'unhealthy')),
    health_message    text NOT NULL DEFAULT '' CHECK (char_length(health_message) <= 3600),
    health_checked_at timestamptz,
    cooldown_until     timestamptz,
    recent_errors     jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_array_length(recent_errors) <= 5),
    created_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (owner_id, provider_id, id),
    FOREIGN KEY (owner_id, provider_id) REFERENCES usershell.providers ON DELETE CASCADE
);

-- Sealed as keys are, with its name; sent with each call.
CREATE TABLE usershell.provider_headers (
    owner_id    uuid NOT NULL,
    provider_id uuid NOT NULL,
    name        text COLLATE "C" NOT NULL CHECK (name ~ '^[a-z][a-z0-9-]*$' AND octet_length(name) <= 64),
    sealed_key  bytea NOT NULL CHECK (octet_length(sealed_key) BETWEEN 274 AND 16384
                                      AND substr(sealed_key, 1, 2) = '\x0101'),
    ring_key_id text GENERATED ALWAYS AS (encode(substr(sealed_key, 3, 16), 'hex')) STORED,
    signer_id   text GENERATED ALWAYS AS (encode(substr(sealed_key, 19, 16), 'hex')) STORED,
    key_address text NOT NULL CHECK (octet_length(key_address) <= 2089),
    PRIMARY KEY (owner_id, provider_id, name),
    FOREIGN KEY (owner_id, provider_id) REFERENCES usershell.providers ON DELETE CASCADE
);
COMMENT ON TABLE usershell.provider_headers IS 'HTTP headers that a person gives a provider.';

-- The statements of the programs keep these caps, and say so in words (lib/domain/rules.hpp). Here they hold for any statement.
CREATE FUNCTION usershell.bound_rows() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    others bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM usershell.%I t WHERE t.owner_id = $1.owner_id', TG_TABLE_NAME)
            || CASE WHEN TG_TABLE_NAME <> 'providers' THEN ' AND t.provider_id = $1.provider_id' ELSE '' END
       INTO others USING NEW;
    -- The administrator's own are not counted.
    IF NOT pg_has_role(session_user, 'usershell_owner', 'MEMBER') THEN
        PERFORM usershell.bounded(others, 0, TG_ARGV[0]::bigint - 1, 'the number of ' || TG_TABLE_NAME);
    END IF;
    RETURN NEW;
END
$function$;
CREATE TRIGGER bound_rows BEFORE INSERT ON usershell.providers FOR EACH ROW EXECUTE FUNCTION usershell.bound_rows(10);
CREATE TRIGGER bound_rows BEFORE INSERT ON usershell.models FOR EACH ROW EXECUTE FUNCTION usershell.bound_rows(20);
CREATE TRIGGER bound_rows BEFORE INSERT ON usershell.accounts FOR EACH ROW EXECUTE FUNCTION usershell.bound_rows(10);
CREATE TRIGGER bound_rows BEFORE INSERT ON usershell.provider_headers FOR EACH ROW EXECUTE FUNCTION usershell.bound_rows(8);

-- Health is what calls have shown. usershell-manage, which makes none, may forget it, and may write no other.
CREATE FUNCTION usershell.bound_health() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    IF session_user = 'usershell_manage'
       AND (NEW.health_status, NEW.health_message, NEW.health_checked_at, NEW.cooldown_until, NEW.recent_errors)
           IS DISTINCT FROM (OLD.health_status, OLD.health_message, OLD.health_checked_at, OLD.cooldown_until, OLD.recent_errors)
       AND (NEW.health_status, NEW.health_message, NEW.health_checked_at, NEW.cooldown_until, NEW.recent_errors)
           IS DISTINCT FROM ('unknown', '', NULL::timestamptz, NULL::timestamptz, '[]'::jsonb) THEN
        RAISE EXCEPTION 'health that no call has shown' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN NEW;
END
$function$;
CREATE TRIGGER bound_health BEFORE UPDATE OF health_status, health_message, health_checked_at, cooldown_until, recent_errors
    ON usershell.providers FOR EACH ROW EXECUTE FUNCTION usershell.bound_health();
CREATE TRIGGER bound_health BEFORE UPDATE OF health_status, health_message, health_checked_at, cooldown_until, recent_errors
    ON usershell.accounts FOR EACH ROW EXECUTE FUNCTION usershell.bound_health();

-- A key is sent only to the address that it was entered for. A page shows that before a call is refused.
CREATE FUNCTION usershell.key_entered_for(key_address text, type text, base_url text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE
        WHEN key_address IN ('', type || ' ' || base_url) THEN NULL
        WHEN substring(key_address FROM '^[^ ]+ [a-z]+://[^/]+')
             = substring(type || ' ' || base_url FROM '^[^ ]+ [a-z]+://[^/]+') THEN 'another_path'
        ELSE 'another_address'
    END;
COMMENT ON FUNCTION usershell.key_entered_for(text, text, text) IS
    'What else a key was entered for than its provider''s type and base URL of today; NULL: for those.';
GRANT EXECUTE ON FUNCTION usershell.key_entered_for(text, text, text) TO usershell_manage;

-- Row-level security -----------------------------------------------------------------------------------

DO $policies$
DECLARE
    secured record;
BEGIN
    FOR secured IN
        SELECT * FROM (VALUES
            ('users', 'id'), ('sessions', 'owner_id'), ('providers', 'owner_id'), ('models', 'owner_id'),
            ('accounts', 'owner_id'), ('provider_headers', 'owner_id')) AS t (name, owner)
    LOOP
        EXECUTE format('ALTER TABLE usershell.%I ENABLE ROW LEVEL SECURITY', secured.name);
        EXECUTE format('ALTER TABLE usershell.%I FORCE ROW LEVEL SECURITY', secured.name);
        EXECUTE format(
            'CREATE POLICY own_rows ON usershell.%I TO usershell_manage
             USING (%I = (SELECT usershell.current_user_id()))', secured.name, secured.owner);
        EXECUTE format(
            'CREATE POLICY all_rows ON usershell.%I TO usershell_owner USING (true)', secured.name);
    END LOOP;
END
$policies$;

-- Grants -------------------------------------------------------------------------------------------------
-- No role may SELECT a token's or a password's hash: the functions below compare them.

GRANT SELECT (id, email, normalized_email, display_name, is_disabled, security_stamp, created_at),
      UPDATE (display_name, password_hash, security_stamp)
    ON usershell.users TO usershell_manage;
GRANT SELECT (owner_id, id, security_stamp, browser, client_address, remembered, created_at, signed_in_at,
              last_seen_at, max_expires_at, expires_at),
      INSERT, DELETE, UPDATE (token_hash, calls_token_hash, antiforgery_key, security_stamp)
    ON usershell.sessions TO usershell_manage;
GRANT SELECT (owner_id, id, name, type, base_url, status, round_robin_accounts, has_key, key_hint, key_address,
              health_status, health_message, health_checked_at, cooldown_until, recent_errors, created_at),
      UPDATE (name, type, base_url, status, round_robin_accounts, sealed_key, key_hint, key_address,
              health_status, health_message, health_checked_at, cooldown_until, recent_errors),
      INSERT (owner_id, id, name, type, base_url, round_robin_accounts, sealed_key, key_hint, key_address), DELETE
    ON usershell.providers TO usershell_manage;
GRANT SELECT, DELETE, UPDATE (display_name, capabilities, is_enabled),
      INSERT (owner_id, provider_id, model_id, position, display_name, capabilities)
    ON usershell.models TO usershell_manage;
GRANT SELECT (owner_id, provider_id, id, name, priority, is_enabled, has_key, key_hint, key_address,
              health_status, health_message, health_checked_at, cooldown_until, recent_errors, created_at),
      UPDATE (name, priority, is_enabled, sealed_key, key_hint, key_address,
              health_status, health_message, health_checked_at, cooldown_until, recent_errors),
      INSERT (owner_id, provider_id, id, name, priority, sealed_key, key_hint, key_address), DELETE
    ON usershell.accounts TO usershell_manage;
GRANT SELECT (owner_id, provider_id, name, key_address), UPDATE (sealed_key, key_address),
      INSERT (owner_id, provider_id, name, sealed_key, key_address), DELETE
    ON usershell.provider_headers TO usershell_manage;

-- Signing in, which happens before there is an identity ------------------------------------------------

CREATE VIEW usershell.good_sessions AS
    SELECT s.*, u.email, u.display_name
      FROM usershell.sessions s
      JOIN usershell.users u ON u.id = s.owner_id AND u.security_stamp = s.security_stamp AND NOT u.is_disabled
     WHERE s.expires_at > now();
COMMENT ON VIEW usershell.good_sessions IS 'The sessions that have not ended, with their users. For the functions that sign requests in; no role may read it.';

CREATE FUNCTION usershell.renew_session(given_owner uuid, given_session uuid) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    -- A renewal lost in a crash is no loss: the request does not wait for the disk.
    PERFORM set_config('synchronous_commit', 'off', true);
    UPDATE usershell.sessions s
       SET last_seen_at = now(), expires_at = least(s.max_expires_at, now() + s.idle)
     WHERE s.owner_id = given_owner AND s.id IN (
           -- The holder of the lock renews or ends the row: no request of the other program waits for that.
           SELECT o.id FROM usershell.sessions o WHERE o.owner_id = given_owner AND o.id = given_session
           FOR NO KEY UPDATE SKIP LOCKED);
END
$function$;
COMMENT ON FUNCTION usershell.renew_session(uuid, uuid) IS 'Restarts its idle time. For the functions that sign requests in.';

CREATE FUNCTION usershell.sign_request_in(given_hash bytea)
    RETURNS TABLE (user_id uuid, session_id uuid, email text, display_name text, antiforgery_key bytea,
                   since_sign_in bigint, remembered boolean)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    due boolean;
BEGIN
    SELECT s.owner_id, s.id, s.email, s.display_name, s.antiforgery_key,
           floor(extract(epoch FROM now() - s.signed_in_at))::bigint, s.remembered,
           s.last_seen_at < now() - interval '1 minute'
      INTO user_id, session_id, email, display_name, antiforgery_key, since_sign_in, remembered, due
      FROM usershell.good_sessions s
     WHERE s.token_hash = given_hash;
    PERFORM set_config('usershell.user_id', coalesce(user_id::text, ''), false);
    IF user_id IS NULL THEN
        RETURN;
    END IF;
    IF due THEN
        PERFORM usershell.renew_session(user_id, session_id);
    END IF;
    RETURN NEXT;
END
$function$;
COMMENT ON FUNCTION usershell.sign_request_in(bytea) IS
    'The good session of a token and its user, its idle time renewed at most once a minute; makes that user (or nobody) the connection''s identity.';
GRANT EXECUTE ON FUNCTION usershell.sign_request_in(bytea) TO usershell_manage;

CREATE FUNCTION usershell.sweep_sessions(max_rows integer)
    RETURNS bigint
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        WITH expired AS (
            SELECT s.owner_id, s.id FROM usershell.sessions s WHERE s.expires_at <= now()
            ORDER BY s.expires_at LIMIT usershell.batch_size(max_rows) FOR UPDATE SKIP LOCKED
        ), swept AS (
            DELETE FROM usershell.sessions s USING expired l
            WHERE s.owner_id = l.owner_id AND s.id = l.id
            RETURNING 1
        )
        SELECT count(*) FROM swept;
    END;
COMMENT ON FUNCTION usershell.sweep_sessions(integer) IS 'Removes expired sessions, of all users; returns how many.';
GRANT EXECUTE ON FUNCTION usershell.sweep_sessions(integer) TO usershell_manage;
