-- Oldest program that can run on it: 0.1.0
--
-- Users.

CREATE FUNCTION usershell.random_stamp() RETURNS bytea
    LANGUAGE sql VOLATILE
    RETURN substring(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) FROM 1 FOR 16);
COMMENT ON FUNCTION usershell.random_stamp() IS '128 random bits: a version 4 UUID has 122 of them.';

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
COMMENT ON COLUMN usershell.users.password_hash IS 'stored_hash() of a text of crypto_pwhash_str; empty: none set yet';
COMMENT ON COLUMN usershell.users.rehashed_at IS 'when the same password was last hashed at a higher cost';
COMMENT ON COLUMN usershell.users.security_stamp IS
    'redrawn by every security event; sessions, links and pending changes are good under the stamp they were made under';

CREATE FUNCTION usershell.stored_hash(given_hash text) RETURNS text
    LANGUAGE sql STABLE
    RETURN CASE WHEN given_hash = '' THEN '' ELSE
        coalesce(substring(given_hash FROM '^.*[$]'), '') || rtrim(encode(sha256(convert_to(given_hash, 'UTF8')), 'base64'), '=') END;
COMMENT ON FUNCTION usershell.stored_hash(text) IS
    'Salt and cost as they are, and SHA-256 of the whole text: a backup has nothing that can be handed in as a password''s hash.';

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
