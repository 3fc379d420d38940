-- Oldest program that can run on it: 0.1.0
--
-- Accounts: further keys of a provider.

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
