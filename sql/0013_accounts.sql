-- Oldest program that can run on it: 0.1.0
--
-- Accounts: further keys of a provider; and the headers that a person gives it.

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

CREATE TRIGGER bound_rows BEFORE INSERT ON usershell.accounts FOR EACH ROW EXECUTE FUNCTION usershell.bound_rows(10);

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

CREATE TRIGGER bound_rows BEFORE INSERT ON usershell.provider_headers FOR EACH ROW EXECUTE FUNCTION usershell.bound_rows(8);

-- Some gateways send a call where a header says. So a header takes the password and is an event as another address is.
CREATE FUNCTION usershell.guard_header() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    IF session_user = 'usershell_rewrap' THEN
        RETURN NULL; -- the same record under another key of the ring (swap_envelope())
    END IF;
    IF TG_OP <> 'DELETE' THEN
        PERFORM usershell.require_password();
    END IF;
    -- Those of a provider that is deleted go with it.
    PERFORM usershell.note_event(p.owner_id, CASE TG_OP WHEN 'DELETE' THEN 'header_removed' ELSE 'header_set' END,
                                 p.name || ': ' || coalesce(NEW.name, OLD.name), '', '')
       FROM usershell.providers p
      WHERE p.owner_id = coalesce(NEW.owner_id, OLD.owner_id) AND p.id = coalesce(NEW.provider_id, OLD.provider_id);
    RETURN NULL;
END
$function$;

CREATE TRIGGER guard_header AFTER INSERT OR UPDATE OR DELETE ON usershell.provider_headers
    FOR EACH ROW EXECUTE FUNCTION usershell.guard_header();
