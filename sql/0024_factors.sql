-- Oldest program that can run on it: 0.1.0
--
-- Second factors: codes of an authenticator app (TOTP, RFC 6238), and recovery codes. Passkeys: 0025_passkeys.sql.
--
-- The database itself computes the code and compares it. It has an app's secret under a mask alone, and the mask follows from the
-- auth ring: neither a backup nor a program of ours has both. usershell-auth brings the mask with each code.

CREATE TABLE usershell.policy (
    only_row      boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    second_factor text NOT NULL DEFAULT 'optional' CHECK (second_factor IN ('optional', 'required', 'passkey'))
);
COMMENT ON TABLE usershell.policy IS 'The operator''s, for every machine (usershellctl policy).';
COMMENT ON COLUMN usershell.policy.second_factor IS
    'required: a session begins with one, which a person without any adds then; passkey: with a passkey, as codes can be phished';
INSERT INTO usershell.policy DEFAULT VALUES;

CREATE FUNCTION usershell.takes_codes(given_owner uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    RETURN (SELECT p.second_factor FROM usershell.policy p) <> 'passkey' OR NOT usershell.has_passkey(given_owner);
END
$function$;
COMMENT ON FUNCTION usershell.takes_codes(uuid) IS 'Whether a code of the app is as good as a passkey. For the functions.';

CREATE FUNCTION usershell.lacking(given_owner uuid) RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    wanted CONSTANT text := (SELECT p.second_factor FROM usershell.policy p);
BEGIN
    RETURN CASE WHEN wanted = 'required' AND NOT usershell.has_factor(given_owner) THEN 'factor'
                WHEN wanted = 'passkey' AND NOT usershell.has_passkey(given_owner) THEN 'passkey' END;
END
$function$;
COMMENT ON FUNCTION usershell.lacking(uuid) IS
    'What the policy wants and that user has not: a factor of either kind, or a passkey; NULL: nothing. For the functions.';

CREATE FUNCTION usershell.is_proven(given usershell.sign_ins) RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    RETURN given.shown @> ARRAY['verified_passkey']
        OR given.shown @> ARRAY['password']
       AND (given.shown && ARRAY['recovery', 'passkey'] OR NOT usershell.has_factor(given.owner_id)
            OR given.shown @> ARRAY['code'] AND usershell.takes_codes(given.owner_id));
END
$function$;
COMMENT ON FUNCTION usershell.is_proven(usershell.sign_ins) IS 'Whether all that its user has to show has been shown. For the functions.';

-- The policy's factor is added at a sign-in, or in a session that began before.
CREATE FUNCTION usershell.is_enough(given usershell.sign_ins) RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    RETURN usershell.is_proven(given) AND (given.deed = 'factor' OR usershell.lacking(given.owner_id) IS NULL);
END
$function$;
COMMENT ON FUNCTION usershell.is_enough(usershell.sign_ins) IS 'Whether that deed may be done with what has been shown. For the functions.';

-- HMAC-SHA-1, as authenticator apps compute it, is no function of PostgreSQL's own. No program's role may use this schema.
CREATE SCHEMA IF NOT EXISTS usershell_crypto;
CREATE EXTENSION IF NOT EXISTS pgcrypto SCHEMA usershell_crypto;

CREATE TABLE usershell.apps (
    owner_id    uuid PRIMARY KEY REFERENCES usershell.users ON DELETE CASCADE,
    ring_key_id text COLLATE "C" NOT NULL,
    salt        bytea NOT NULL CHECK (octet_length(salt) = 16),
    masked      bytea NOT NULL CHECK (octet_length(masked) = 20),
    secret_hash bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
    last_step   bigint NOT NULL,
    made_at     timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE usershell.apps IS 'Authenticator apps: one a user.';
COMMENT ON COLUMN usershell.apps.masked IS 'the secret, exclusive-or the mask that the ring''s key gives for the user and the salt';
COMMENT ON COLUMN usershell.apps.secret_hash IS 'SHA-256 of the secret: else each mask that a thief makes up would be one more try of a code';
COMMENT ON COLUMN usershell.apps.last_step IS 'of the last code that was right: each is good once';
CREATE INDEX apps_ring_key_id ON usershell.apps (ring_key_id);
CREATE TRIGGER known_ring_key AFTER INSERT OR UPDATE OF masked ON usershell.apps
    FOR EACH ROW EXECUTE FUNCTION usershell.require_ring_key();

CREATE TABLE usershell.recovery_codes (
    owner_id  uuid NOT NULL REFERENCES usershell.users ON DELETE CASCADE,
    code_hash bytea NOT NULL CHECK (octet_length(code_hash) = 32),
    PRIMARY KEY (owner_id, code_hash)
);
COMMENT ON COLUMN usershell.recovery_codes.code_hash IS 'SHA-256 of what a program presents, a hash of the code';

CREATE FUNCTION usershell.has_passkey(given_owner uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    RETURN EXISTS (SELECT FROM usershell.passkeys p WHERE p.owner_id = given_owner);
END
$function$;

CREATE FUNCTION usershell.has_factor(given_owner uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    RETURN usershell.has_passkey(given_owner) OR EXISTS (SELECT FROM usershell.apps a WHERE a.owner_id = given_owner);
END
$function$;
COMMENT ON FUNCTION usershell.has_factor(uuid) IS 'Recovery codes are none: they stand in for one. For the functions.';

-- Codes -------------------------------------------------------------------------------------------------------------

CREATE FUNCTION usershell.masked_with(given bytea, mask bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE
    RETURN (SELECT decode(string_agg(lpad(to_hex(get_byte(given, n) # get_byte(mask, n)), 2, '0'), '' ORDER BY n), 'hex')
              FROM generate_series(0, 19) n);
COMMENT ON FUNCTION usershell.masked_with(bytea, bytea) IS 'Exclusive-or of 20 bytes: masks a secret, and unmasks it.';

CREATE FUNCTION usershell.code_of(secret bytea, step bigint) RETURNS text
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    mac   CONSTANT bytea := usershell_crypto.hmac(int8send(step), secret, 'sha1');
    place CONSTANT integer := get_byte(mac, 19) & 15;
BEGIN
    RETURN lpad(((((get_byte(mac, place) & 127) << 24) | (get_byte(mac, place + 1) << 16)
                  | (get_byte(mac, place + 2) << 8) | get_byte(mac, place + 3)) % 1000000)::text, 6, '0');
END
$function$;
COMMENT ON FUNCTION usershell.code_of(bytea, bigint) IS 'RFC 4226, section 5.3.';

-- A clock may be one step off, either way: RFC 6238, section 5.2.
CREATE FUNCTION usershell.step_of(secret bytea, given_code text) RETURNS bigint
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT max(s.step) FROM (SELECT floor(extract(epoch FROM clock_timestamp()) / 30)::bigint + n AS step
                                   FROM generate_series(-1, 1) n) s
         WHERE usershell.code_of(secret, s.step) = given_code;
    END;
COMMENT ON FUNCTION usershell.step_of(bytea, text) IS 'The 30 seconds that the code is of; NULL: it is wrong.';

-- Showing one -------------------------------------------------------------------------------------------------------

CREATE FUNCTION usershell.find_sign_in(given_owner uuid, given_sign_in uuid, given_visitor bytea) RETURNS usershell.sign_ins
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT g.* FROM usershell.good_sign_ins g
         WHERE g.owner_id = given_owner AND g.id = given_sign_in AND g.visitor_hash = usershell.hash_of_visitor(g.deed, given_visitor)
           AND (g.deed = 'session' OR g.owner_id = usershell.auth_user_id());
    END;
COMMENT ON FUNCTION usershell.find_sign_in(uuid, uuid, bytea) IS
    'That visitor''s, or for another deed that of the connection''s session before it is renewed; all NULL: none is good. For the functions.';

CREATE FUNCTION usershell.sign_in_state(given_owner uuid, given_sign_in uuid, given_visitor bytea)
    RETURNS TABLE (security_stamp bytea, email text, is_proven boolean, lacking text, ring_key_id text, salt bytea)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT i.security_stamp, u.email, usershell.is_proven(i::usershell.sign_ins),
               CASE WHEN i.deed <> 'factor' THEN usershell.lacking(i.owner_id) END, a.ring_key_id, a.salt
          FROM usershell.find_sign_in(given_owner, given_sign_in, given_visitor) i
          JOIN usershell.users u ON u.id = i.owner_id
          LEFT JOIN usershell.apps a ON a.owner_id = i.owner_id AND usershell.takes_codes(i.owner_id);
    END;
COMMENT ON FUNCTION usershell.sign_in_state(uuid, uuid, bytea) IS
    'What the sign-in lacks for its deed, and the inputs of the mask of its user''s app, if a code counts; no row: it is not good.';

CREATE FUNCTION usershell.add_shown(given usershell.sign_ins, what text) RETURNS void
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        UPDATE usershell.sign_ins i SET shown = i.shown || what WHERE i.owner_id = (given).owner_id AND i.id = (given).id;
    END;

-- Ten wrong codes an hour: of 1,000,000 codes three are right at a time. The throttle is reached by those who know the password.
CREATE FUNCTION usershell.take_code(given_owner uuid, given_sign_in uuid, given_visitor bytea, given_code text) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    opened CONSTANT usershell.sign_ins := usershell.find_sign_in(given_owner, given_sign_in, given_visitor);
    wait   bigint;
BEGIN
    IF opened.id IS NULL THEN
        RETURN NULL;
    END IF;
    wait := usershell.count_guess(usershell.hidden_hash('code', opened.owner_id::text), given_code, 10);
    IF wait IS NOT NULL AND NOT EXISTS (SELECT FROM usershell.events e WHERE e.owner_id = opened.owner_id AND e.kind = 'codes_throttled'
                                                                         AND e.happened_at > now() - interval '1 hour') THEN
        PERFORM usershell.note_event(opened.owner_id, 'codes_throttled', '', '', '');
    END IF;
    RETURN wait;
END
$function$;
COMMENT ON FUNCTION usershell.take_code(uuid, uuid, bytea, text) IS
    'Counts a code as wrong, which show_code() may then look at, and returns NULL; or the seconds to wait.';

CREATE FUNCTION usershell.show_code(given_owner uuid, given_sign_in uuid, given_visitor bytea, given_code text, mask bytea,
                                    given_browser text) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    opened  CONSTANT usershell.sign_ins := usershell.find_sign_in(given_owner, given_sign_in, given_visitor);
    subject CONSTANT bytea := usershell.hidden_hash('code', opened.owner_id::text);
    secret  bytea;
    step    bigint;
BEGIN
    IF opened.shown @> ARRAY['code'] THEN -- by a first attempt, whose answer was lost
        RETURN true;
    END IF;
    IF opened.id IS NULL OR NOT usershell.is_counted(subject, given_code) THEN
        RETURN false;
    END IF;
    secret := (SELECT usershell.masked_with(a.masked, mask) FROM usershell.apps a WHERE a.owner_id = opened.owner_id);
    step := usershell.step_of(secret, given_code);
    -- A code is used in this statement, so that of two at once the second is wrong.
    UPDATE usershell.apps a SET last_step = step
     WHERE a.owner_id = opened.owner_id AND a.secret_hash = sha256(secret) AND a.last_step < step;
    IF FOUND THEN
        PERFORM usershell.add_shown(opened, 'code'), usershell.forgive_guesses(subject, 1);
        RETURN true;
    END IF;
    PERFORM usershell.note_event(opened.owner_id, 'wrong_code', '', given_browser, '');
    RETURN false;
END
$function$;
COMMENT ON FUNCTION usershell.show_code(uuid, uuid, bytea, text, bytea, text) IS
    'Adds the code to what that sign-in has shown; false: it is wrong or has been used, or take_code() has not counted it in a transaction before.';

CREATE FUNCTION usershell.show_recovery(given_owner uuid, given_sign_in uuid, given_visitor bytea, given_hash bytea,
                                        given_browser text) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    opened CONSTANT usershell.sign_ins := usershell.find_sign_in(given_owner, given_sign_in, given_visitor);
BEGIN
    IF opened.shown @> ARRAY['recovery'] THEN -- by a first attempt, whose answer was lost
        RETURN true;
    END IF;
    DELETE FROM usershell.recovery_codes r WHERE r.owner_id = opened.owner_id AND r.code_hash = sha256(given_hash);
    IF FOUND THEN
        PERFORM usershell.add_shown(opened, 'recovery'),
                usershell.note_event(opened.owner_id, 'recovery_used', '', given_browser, '');
        RETURN true;
    END IF;
    PERFORM usershell.note_event(opened.owner_id, 'wrong_code', '', given_browser, '') WHERE opened.id IS NOT NULL;
    RETURN false;
END
$function$;
COMMENT ON FUNCTION usershell.show_recovery(uuid, uuid, bytea, bytea, text) IS
    'Adds the recovery code to what that sign-in has shown, and removes it; false: it is none of that user''s.';

-- Changes -----------------------------------------------------------------------------------------------------------

CREATE TYPE usershell.new_app AS (ring_key_id text, salt bytea, mask bytea, secret bytea, code text);
COMMENT ON TYPE usershell.new_app IS 'code: the first one that the app shows, which proves that it has the secret';

CREATE FUNCTION usershell.store_recovery_codes(given_owner uuid, hashes bytea[]) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    PERFORM usershell.bounded(cardinality(hashes), 1, 10, 'the number of recovery codes');
    DELETE FROM usershell.recovery_codes r WHERE r.owner_id = given_owner;
    INSERT INTO usershell.recovery_codes (owner_id, code_hash) SELECT given_owner, sha256(h) FROM unnest(hashes) h;
END
$function$;
COMMENT ON FUNCTION usershell.store_recovery_codes(uuid, bytea[]) IS 'In place of the earlier ones. For the functions.';

CREATE FUNCTION usershell.make_recovery_codes(given_sign_in uuid, hashes bytea[]) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    taken CONSTANT usershell.sign_ins := usershell.take_sign_in(usershell.auth_user_id(), given_sign_in, 'factor');
BEGIN
    IF usershell.has_factor(taken.owner_id) THEN
        PERFORM usershell.store_recovery_codes(taken.owner_id, hashes),
                usershell.note_event(taken.owner_id, 'recovery_made', '', '', '');
    END IF;
    RETURN EXISTS (SELECT FROM usershell.recovery_codes r
                    WHERE r.owner_id = usershell.auth_user_id() AND r.code_hash = sha256(hashes[1]));
END
$function$;
COMMENT ON FUNCTION usershell.make_recovery_codes(uuid, bytea[]) IS
    'In place of the earlier ones of the connection''s user; whether they are stored, by this attempt or one whose answer was lost.';

-- The new stamp ends all else that was begun: the lost phone may have had sessions.
CREATE FUNCTION usershell.reset_factors(given_owner uuid) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    UPDATE usershell.users u SET security_stamp = DEFAULT WHERE u.id = given_owner AND usershell.has_factor(u.id);
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM usershell.apps a WHERE a.owner_id = given_owner;
    DELETE FROM usershell.passkeys p WHERE p.owner_id = given_owner;
    DELETE FROM usershell.recovery_codes r WHERE r.owner_id = given_owner;
    PERFORM usershell.remove_sessions(given_owner, NULL), usershell.note_event(given_owner, 'factors_reset', '', '', '');
    RETURN true;
END
$function$;
COMMENT ON FUNCTION usershell.reset_factors(uuid) IS
    'Removes them all, recovery codes among them; false: there is none. For the operator; no role may call it.';

CREATE FUNCTION usershell.own_factors()
    RETURNS TABLE (app_made_at bigint, recovery_codes bigint, lacking text, takes_codes boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT (SELECT usershell.microseconds(a.made_at) FROM usershell.apps a WHERE a.owner_id = usershell.auth_user_id()),
               (SELECT count(*) FROM usershell.recovery_codes r WHERE r.owner_id = usershell.auth_user_id()),
               usershell.lacking(usershell.auth_user_id()), usershell.takes_codes(usershell.auth_user_id());
    END;
COMMENT ON FUNCTION usershell.own_factors() IS 'Of the connection''s user, and what the policy wants besides.';
