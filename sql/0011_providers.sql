-- Oldest program that can run on it: 0.1.0
--
-- Providers, and the handles by which tools name them.

CREATE TABLE usershell.providers (
    owner_id             uuid NOT NULL REFERENCES usershell.users ON DELETE CASCADE,
    id                   uuid NOT NULL,
    name                 text NOT NULL
                         CHECK (char_length(name) BETWEEN 1 AND 100
                     AND name !~ '[\x01-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'
                     AND name ~ '[^\x01-\x20\x7f-\xa0\xad\u034f\u061c\u115f-\u1160\u1680\u17b4-\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]'),
    handle               text COLLATE "C" NOT NULL CHECK (handle ~ '^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$'),
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
    PRIMARY KEY (owner_id, id),
    CONSTRAINT providers_handle_key UNIQUE (owner_id, handle)
);
COMMENT ON COLUMN usershell.providers.handle IS 'names the provider to tools, as in handle/model; survives a rename';
COMMENT ON COLUMN usershell.providers.sealed_key IS 'an envelope (docs/security.md): version and kind, ring key id, signer''s id, …';
COMMENT ON COLUMN usershell.providers.ring_key_id IS 'the vault key that opens it; signer_id: the web key that signed it';
COMMENT ON COLUMN usershell.providers.key_address IS 'type and base URL that the key was entered for; empty: not known';
COMMENT ON COLUMN usershell.providers.health_message IS 'a sentence as Sentence::stored() writes it (lib/base/sentence.hpp)';
COMMENT ON COLUMN usershell.providers.cooldown_until IS 'the provider-level key was refused or rate limited: last choice until then';
COMMENT ON COLUMN usershell.providers.recent_errors IS 'why calls with the provider-level key have failed: {at, message}, the newest first; a message is a sentence as in health_message';

-- The statements of the programs keep these caps, and say so in words (lib/domain/rules.hpp). Here they hold for any statement.
CREATE FUNCTION usershell.bound_rows() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    others bigint;
BEGIN
    -- Inserts wait for each other here, so that the count is exact. The programs lock the same row.
    PERFORM usershell.require_fresh_rows();
    IF TG_TABLE_NAME = 'providers' THEN
        PERFORM FROM usershell.users u WHERE u.id = NEW.owner_id FOR NO KEY UPDATE;
    ELSE
        PERFORM FROM usershell.providers p WHERE p.owner_id = NEW.owner_id AND p.id = NEW.provider_id FOR NO KEY UPDATE;
    END IF;
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

-- Handles -----------------------------------------------------------------------------------------------------------

-- The small letters of ASCII: a Turkish server has another one for I.
CREATE FUNCTION usershell.free_handle(given_owner uuid, given_name text) RETURNS text
    LANGUAGE sql STABLE
    RETURN (WITH base AS (
        SELECT coalesce(NULLIF(btrim(left(regexp_replace(lower(given_name COLLATE "C"), '[^a-z0-9]+', '-', 'g'), 36), '-'), ''), 'provider') AS word)
        SELECT each FROM base, LATERAL (SELECT CASE n WHEN 1 THEN word ELSE word || '-' || n END AS each, n
                                          FROM generate_series(1, 100) n) candidates
         WHERE NOT EXISTS (SELECT FROM usershell.providers p WHERE p.owner_id = given_owner AND p.handle = each)
         ORDER BY n LIMIT 1);
COMMENT ON FUNCTION usershell.free_handle(uuid, text) IS 'A handle that no other provider of the owner has, made from a name.';

-- Tools call whatever has the handle that they were given. So a handle that a provider had stays its owner's in a list: who takes
-- one of these has given the password lately, as who changes a handle or what is behind it. That holds for every statement.

CREATE TABLE usershell.freed_handles (
    owner_id uuid NOT NULL REFERENCES usershell.users ON DELETE CASCADE,
    handle   text COLLATE "C" NOT NULL CHECK (octet_length(handle) <= 40),
    PRIMARY KEY (owner_id, handle)
);
COMMENT ON TABLE usershell.freed_handles IS 'Handles that providers had which were renamed or deleted: tools may still use them.';

CREATE FUNCTION usershell.max_freed_handles() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 1000;
COMMENT ON FUNCTION usershell.max_freed_handles() IS 'Freed handles of a user that are kept; with so many, every handle counts as one.';

CREATE FUNCTION usershell.is_freed(given_owner uuid, given_handle text) RETURNS boolean
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    RETURN EXISTS (SELECT FROM usershell.freed_handles f WHERE f.owner_id = given_owner AND f.handle = given_handle)
        OR (SELECT count(*) >= usershell.max_freed_handles() FROM usershell.freed_handles f WHERE f.owner_id = given_owner);

-- Creations of one owner take turns by the lock of the owner's row, so that the handle is still free.
CREATE FUNCTION usershell.set_handle() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    NEW.handle := coalesce(NEW.handle, usershell.free_handle(NEW.owner_id, NEW.name));
    -- Nobody can be asked for the password while older keys are folded (fold_legacy_vault()): no freed handle is taken then.
    IF NOT EXISTS (SELECT FROM usershell.current_session) AND usershell.is_freed(NEW.owner_id, NEW.handle) THEN
        NEW.handle := 'provider-' || left(NEW.id::text, 8);
    END IF;
    RETURN NEW;
END
$function$;
CREATE TRIGGER set_handle BEFORE INSERT ON usershell.providers FOR EACH ROW EXECUTE FUNCTION usershell.set_handle();

CREATE FUNCTION usershell.guard_names() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    is_renamed CONSTANT boolean := TG_OP = 'UPDATE' AND NEW.handle <> OLD.handle;
    is_moved   CONSTANT boolean := TG_OP = 'UPDATE' AND (NEW.type, NEW.base_url) <> (OLD.type, OLD.base_url);
    is_taken   CONSTANT boolean := TG_OP = 'INSERT' AND usershell.is_freed(NEW.owner_id, NEW.handle);
BEGIN
    IF is_renamed OR is_moved OR is_taken THEN
        PERFORM usershell.require_password();
    END IF;
    IF TG_OP = 'DELETE' OR is_renamed THEN
        INSERT INTO usershell.freed_handles (owner_id, handle)
        SELECT u.id, OLD.handle FROM usershell.users u
         WHERE u.id = OLD.owner_id
           AND (SELECT count(*) FROM usershell.freed_handles f WHERE f.owner_id = u.id) < usershell.max_freed_handles()
        ON CONFLICT DO NOTHING;
    END IF;
    IF is_renamed OR is_taken THEN
        DELETE FROM usershell.freed_handles f WHERE f.owner_id = NEW.owner_id AND f.handle = NEW.handle;
    END IF;
    IF is_renamed THEN
        PERFORM usershell.note_event(NEW.owner_id, 'handle_changed', OLD.handle || ' → ' || NEW.handle, '', '');
    END IF;
    IF is_moved THEN
        PERFORM usershell.note_event(NEW.owner_id, 'provider_moved',
                                     NEW.name || ': ' || left(substring(NEW.base_url FROM '^[a-z]+://[^/]*'), 140), '', '');
    END IF;
    IF is_taken THEN
        PERFORM usershell.note_event(NEW.owner_id, 'handle_taken', NEW.handle, '', '');
    END IF;
    RETURN NULL;
END
$function$;
CREATE TRIGGER guard_names AFTER INSERT OR DELETE OR UPDATE OF handle, type, base_url ON usershell.providers
    FOR EACH ROW EXECUTE FUNCTION usershell.guard_names();
