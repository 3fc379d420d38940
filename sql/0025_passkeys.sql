-- Oldest program that can run on it: 0.1.0
--
-- Passkeys (WebAuthn, level 3): a first and second factor at once where the device verified the person, else a second factor.
--
-- usershell-auth verifies what a browser has signed, as no function of PostgreSQL's can. So a thief of its role can pass one off.
-- A challenge is used once, and a sign-in by a passkey is for one visitor and one deed, as each other is.

CREATE TABLE usershell.passkeys (
    owner_id      uuid NOT NULL REFERENCES usershell.users ON DELETE CASCADE,
    id            uuid NOT NULL,
    credential_id bytea NOT NULL UNIQUE CHECK (octet_length(credential_id) BETWEEN 1 AND 1023),
    public_key    bytea NOT NULL CHECK (octet_length(public_key) BETWEEN 1 AND 600),
    algorithm     integer NOT NULL CHECK (algorithm IN (-7, -8, -257)),
    counter       bigint NOT NULL CHECK (counter BETWEEN 0 AND 4294967295),
    is_synced     boolean NOT NULL,
    rp_id         text NOT NULL CHECK (octet_length(rp_id) BETWEEN 1 AND 253),
    name          text NOT NULL
                  CHECK (char_length(name) BETWEEN 1 AND 100
                         AND name !~ '[\x01-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'
                         AND name ~ '[^\x01-\x20\x7f-\xa0\xad\u034f\u061c\u115f-\u1160\u1680\u17b4-\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]'),
    made_at       timestamptz NOT NULL DEFAULT now(),
    last_used_at  timestamptz,
    PRIMARY KEY (owner_id, id)
);
COMMENT ON COLUMN usershell.passkeys.public_key IS 'SubjectPublicKeyInfo';
COMMENT ON COLUMN usershell.passkeys.algorithm IS 'of COSE: ES256, EdDSA, RS256';
COMMENT ON COLUMN usershell.passkeys.is_synced IS 'several devices may have it, whose counters are not one';
COMMENT ON COLUMN usershell.passkeys.rp_id IS 'the host of base-url when it was made: at another host it is of no use';

-- Showing one -------------------------------------------------------------------------------------------------------

CREATE FUNCTION usershell.find_passkey(given_credential bytea)
    RETURNS TABLE (public_key bytea, algorithm integer, is_synced boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT p.public_key, p.algorithm, p.is_synced
          FROM usershell.passkeys p JOIN usershell.users u ON u.id = p.owner_id AND NOT u.is_disabled
         WHERE p.credential_id = given_credential;
    END;
COMMENT ON FUNCTION usershell.find_passkey(bytea) IS 'The public key of that credential; no row: it is unknown.';

-- A challenge that is used by a first attempt, whose answer was lost, is used.
CREATE FUNCTION usershell.show_passkey(given_sign_in uuid, given_visitor bytea, given_deed text,
                                       given_credential bytea, given_challenge bytea, given_counter bigint, is_verified boolean,
                                       given_browser text)
    RETURNS TABLE (user_id uuid, security_stamp bytea, sign_in uuid)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    what   CONSTANT text := CASE WHEN is_verified THEN 'verified_passkey' ELSE 'passkey' END;
    shown  record;
    opened usershell.sign_ins;
BEGIN
    PERFORM usershell.bounded(given_counter, 0, 4294967295, 'the counter');
    INSERT INTO usershell.used_challenges (hash) VALUES (sha256(given_challenge)) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    UPDATE usershell.passkeys p SET counter = greatest(p.counter, given_counter)
      FROM usershell.users u, usershell.passkeys before
     WHERE p.credential_id = given_credential AND u.id = p.owner_id AND NOT u.is_disabled
       AND before.owner_id = p.owner_id AND before.id = p.id
       AND (given_deed = 'session' OR p.owner_id = usershell.auth_user_id())
    RETURNING p.owner_id, u.security_stamp, p.is_synced, before.counter AS counter_before INTO shown;
    IF shown.owner_id IS NULL THEN
        RETURN;
    END IF;
    -- Level 3, section 6.1.1: a copy of the passkey is in use, unless its devices do not share one counter.
    IF greatest(given_counter, shown.counter_before) > 0 AND given_counter <= shown.counter_before THEN
        PERFORM usershell.note_event(shown.owner_id, 'passkey_copied', '', given_browser, '');
        IF NOT shown.is_synced THEN
            RETURN;
        END IF;
    END IF;
    IF given_sign_in IS NOT NULL THEN
        opened := usershell.find_sign_in(shown.owner_id, given_sign_in, given_visitor);
        IF opened.id IS NULL OR opened.deed <> given_deed THEN
            RETURN;
        END IF;
        PERFORM usershell.add_shown(opened, what);
    ELSIF NOT is_verified THEN
        RETURN;
    END IF;
    UPDATE usershell.passkeys p SET last_used_at = now() WHERE p.credential_id = given_credential;
    RETURN QUERY
        SELECT shown.owner_id, shown.security_stamp,
               coalesce(given_sign_in,
                        usershell.open_sign_in(shown.owner_id, shown.security_stamp, given_visitor, given_deed, ARRAY[what]));
END
$function$;
COMMENT ON FUNCTION usershell.show_passkey(uuid, bytea, text, bytea, bytea, bigint, boolean, text) IS
    'Uses a challenge whose signature the program has verified. Adds the passkey to that sign-in of its owner; without one, opens a sign-in for the deed, if the device has verified the person. No row: the challenge is used, or the passkey is unknown, another user''s, a copy or not enough.';

-- Changes -----------------------------------------------------------------------------------------------------------

CREATE TYPE usershell.new_passkey AS (id uuid, credential_id bytea, public_key bytea, algorithm integer, counter bigint,
                                      is_synced boolean, rp_id text, name text);
COMMENT ON TYPE usershell.new_passkey IS 'As the columns of passkeys.';

CREATE FUNCTION usershell.stored_factor(given_owner uuid, app usershell.new_app, passkey usershell.new_passkey, recovery_hashes bytea[])
    RETURNS text
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    RETURN CASE
        WHEN NOT EXISTS (SELECT FROM usershell.apps a WHERE a.owner_id = given_owner AND a.salt = (app).salt)
         AND NOT EXISTS (SELECT FROM usershell.passkeys p WHERE p.owner_id = given_owner AND p.id = (passkey).id) THEN 'ended'
        WHEN EXISTS (SELECT FROM usershell.recovery_codes r
                      WHERE r.owner_id = given_owner AND r.code_hash = sha256(recovery_hashes[1])) THEN 'first'
        ELSE 'added' END;
COMMENT ON FUNCTION usershell.stored_factor(uuid, usershell.new_app, usershell.new_passkey, bytea[]) IS
    'ended: it is not stored. A second attempt after a lost answer finds the first. For the functions.';

CREATE FUNCTION usershell.add_factor(given_owner uuid, given_sign_in uuid, given_visitor bytea, app usershell.new_app,
                                     passkey usershell.new_passkey, recovery_hashes bytea[], ends_others boolean)
    RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    is_app   CONSTANT boolean := (app).salt IS NOT NULL;
    step     CONSTANT bigint := usershell.step_of((app).secret, (app).code);
    opened   usershell.sign_ins;
    is_first boolean;
    lacking  text;
BEGIN
    IF is_app AND step IS NULL THEN
        RETURN 'wrong';
    END IF;
    -- Under the lock: by now there may be a factor, and the sign-in may have ended.
    PERFORM usershell.require_fresh_rows();
    PERFORM FROM usershell.users u
      WHERE u.id = given_owner AND EXISTS (SELECT FROM usershell.sign_ins i WHERE i.owner_id = u.id AND i.id = given_sign_in)
        FOR NO KEY UPDATE;
    IF NOT is_app AND (SELECT count(*) >= 10 FROM usershell.passkeys p WHERE p.owner_id = given_owner) THEN
        RETURN 'cap_reached';
    END IF;
    opened := usershell.find_sign_in(given_owner, given_sign_in, given_visitor);
    is_first := NOT usershell.has_factor(given_owner);
    lacking  := usershell.lacking(given_owner);
    IF (opened.deed = 'session' AND usershell.is_proven(opened) AND (lacking = 'factor' OR lacking = 'passkey' AND NOT is_app))
       IS NOT TRUE THEN
        opened := usershell.take_sign_in(given_owner, given_sign_in, 'factor');
        IF opened.owner_id IS NULL THEN
            RETURN usershell.stored_factor(given_owner, app, passkey, recovery_hashes);
        END IF;
    END IF;
    IF is_app THEN
        INSERT INTO usershell.apps (owner_id, ring_key_id, salt, masked, secret_hash, last_step)
        VALUES (given_owner, (app).ring_key_id, (app).salt, usershell.masked_with((app).secret, (app).mask), sha256((app).secret), step)
        ON CONFLICT (owner_id) DO UPDATE
        SET ring_key_id = excluded.ring_key_id, salt = excluded.salt, masked = excluded.masked, secret_hash = excluded.secret_hash,
            last_step = excluded.last_step, made_at = now();
    ELSE
        INSERT INTO usershell.passkeys (owner_id, id, credential_id, public_key, algorithm, counter, is_synced, rp_id, name)
        SELECT given_owner, (passkey).*
            ON CONFLICT DO NOTHING;
    END IF;
    IF NOT FOUND THEN -- another person's credential
        RETURN 'ended';
    END IF;
    IF opened.deed = 'session' THEN
        PERFORM usershell.add_shown(opened, CASE WHEN is_app THEN 'code' ELSE 'passkey' END);
    ELSIF ends_others THEN
        PERFORM usershell.end_other_sessions(given_owner, (SELECT s.id FROM usershell.auth_session s));
    END IF;
    IF is_first THEN
        PERFORM usershell.store_recovery_codes(given_owner, recovery_hashes);
    END IF;
    PERFORM usershell.note_event(given_owner, 'factor_added', coalesce((passkey).name, ''), '', '');
    RETURN usershell.stored_factor(given_owner, app, passkey, recovery_hashes);
END
$function$;
COMMENT ON FUNCTION usershell.add_factor(uuid, uuid, bytea, usershell.new_app, usershell.new_passkey, bytea[], boolean) IS
    'A passkey, or an app in place of an earlier one: of the connection''s user; or, where the policy wants it, by the sign-in for a session, which shows it then. first: with the recovery codes. wrong: the code. ended: the sign-in is not good for it, or the credential is another person''s.';

-- A lost factor may have begun other sessions.
CREATE FUNCTION usershell.remove_factor(given_sign_in uuid, given_passkey uuid) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    session CONSTANT uuid := (SELECT s.id FROM usershell.auth_session s);
    taken   CONSTANT usershell.sign_ins := usershell.take_sign_in(usershell.auth_user_id(), given_sign_in, 'factor');
    removed text;
BEGIN
    DELETE FROM usershell.passkeys p WHERE p.owner_id = taken.owner_id AND p.id = given_passkey RETURNING p.name INTO removed;
    IF given_passkey IS NULL THEN
        DELETE FROM usershell.apps a WHERE a.owner_id = taken.owner_id RETURNING '' INTO removed;
    END IF;
    IF removed IS NOT NULL THEN
        DELETE FROM usershell.recovery_codes r WHERE r.owner_id = taken.owner_id AND NOT usershell.has_factor(r.owner_id);
        PERFORM usershell.end_other_sessions(taken.owner_id, session),
                usershell.note_event(taken.owner_id, 'factor_removed', removed, '', '');
    END IF;
    RETURN NOT EXISTS (SELECT FROM usershell.passkeys p WHERE p.owner_id = usershell.auth_user_id() AND p.id = given_passkey)
       AND NOT (given_passkey IS NULL AND EXISTS (SELECT FROM usershell.apps a WHERE a.owner_id = usershell.auth_user_id()));
END
$function$;
COMMENT ON FUNCTION usershell.remove_factor(uuid, uuid) IS
    'The passkey, or NULL: the app, of the connection''s user, whose other sessions end; false: it is still there, as the sign-in is not good for it.';

CREATE FUNCTION usershell.rename_passkey(given_passkey uuid, given_name text) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    UPDATE usershell.passkeys p SET name = given_name WHERE p.owner_id = usershell.auth_user_id() AND p.id = given_passkey;
    RETURN FOUND;
END
$function$;
COMMENT ON FUNCTION usershell.rename_passkey(uuid, text) IS 'Of the connection''s user; false: they have none of that id.';

CREATE FUNCTION usershell.own_passkeys()
    RETURNS TABLE (id uuid, credential_id bytea, name text, is_synced boolean, made_at bigint, last_used_at bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT p.id, p.credential_id, p.name, p.is_synced, usershell.microseconds(p.made_at),
               usershell.microseconds(p.last_used_at)
          FROM usershell.passkeys p WHERE p.owner_id = usershell.auth_user_id() ORDER BY p.made_at, p.id;
    END;
COMMENT ON FUNCTION usershell.own_passkeys() IS 'Of the connection''s user, the oldest first.';

CREATE FUNCTION usershell.passkeys_of_sign_in(given_owner uuid, given_sign_in uuid, given_visitor bytea)
    RETURNS TABLE (credential_id bytea)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT p.credential_id
          FROM usershell.find_sign_in(given_owner, given_sign_in, given_visitor) i JOIN usershell.passkeys p ON p.owner_id = i.owner_id
         ORDER BY p.made_at, p.id;
    END;
COMMENT ON FUNCTION usershell.passkeys_of_sign_in(uuid, uuid, bytea) IS 'Those of its user.';
