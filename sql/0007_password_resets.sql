-- Oldest program that can run on it: 0.1.0
--
-- One-time links that set a password.

CREATE TABLE usershell.password_resets (
    owner_id       uuid NOT NULL REFERENCES usershell.users ON DELETE CASCADE,
    token_hash     bytea NOT NULL CHECK (octet_length(token_hash) = 32),
    security_stamp bytea NOT NULL CHECK (octet_length(security_stamp) = 16),
    invitation     boolean NOT NULL,
    expires_at     timestamptz NOT NULL,
    made_at        timestamptz NOT NULL DEFAULT now(),
    CHECK (expires_at <= made_at + interval '72 hours' AND (invitation OR expires_at <= made_at + interval '24 hours')),
    PRIMARY KEY (owner_id, invitation)
);
COMMENT ON TABLE usershell.password_resets IS
    'At most two a user: an invitation, which the operator alone makes, and a link that whoever knows the address may ask for. A new one replaces the one of its kind; using either ends both.';
COMMENT ON COLUMN usershell.password_resets.token_hash IS 'SHA-256 of what a program presents, a hash of the link''s token';
-- Not unique, as with sessions.
CREATE INDEX password_resets_token_hash ON usershell.password_resets (token_hash);

CREATE FUNCTION usershell.find_recipient(given_email text, nobodys_address text)
    RETURNS TABLE (user_id uuid, security_stamp bytea, email text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT coalesce(u.id, '00000000-0000-0000-0000-000000000000'),
               coalesce(u.security_stamp, decode(repeat('00', 16), 'hex')), coalesce(u.email, nobodys_address)
          FROM (VALUES (given_email)) AS given (email)
          LEFT JOIN usershell.users u ON u.normalized_email = given.email AND NOT u.is_disabled;
    END;
COMMENT ON FUNCTION usershell.find_recipient(text, text) IS
    'Whose address that is, and the address as it is stored: mail goes nowhere else. Nobody''s: the global owner''s row of the outbox.';

CREATE FUNCTION usershell.ask_password_reset(given_user uuid, given_stamp bytea, given_hash bytea, seconds double precision,
                                             mail_id uuid, mail_sealed bytea) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    who uuid;
BEGIN
    SELECT u.id INTO who
      FROM usershell.users u WHERE u.id = given_user AND u.security_stamp = given_stamp AND NOT u.is_disabled;
    PERFORM usershell.queue_required_mail(coalesce(who, '00000000-0000-0000-0000-000000000000'), mail_id,
                                      CASE WHEN who IS NULL THEN 'none' ELSE 'password-reset' END, mail_sealed);
    PERFORM usershell.bounded(seconds, 1, 24 * 3600, 'the life of a link');
    IF who IS NOT NULL THEN
        INSERT INTO usershell.password_resets AS r (owner_id, token_hash, security_stamp, invitation, expires_at)
        VALUES (who, sha256(given_hash), given_stamp, false, now() + make_interval(secs => seconds))
        ON CONFLICT (owner_id, invitation) DO UPDATE
        SET token_hash = excluded.token_hash, security_stamp = excluded.security_stamp, expires_at = excluded.expires_at,
            made_at = excluded.made_at;
    END IF;
END
$function$;
COMMENT ON FUNCTION usershell.ask_password_reset(uuid, bytea, bytea, double precision, uuid, bytea) IS
    'The link and its mail for that user, if the stamp is still theirs; for nobody, a mail that is thrown away unsent: the same work.';

CREATE FUNCTION usershell.find_password_reset(given_hash bytea)
    RETURNS TABLE (user_id uuid, invitation boolean, normalized_email text, display_name text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT r.owner_id, r.invitation, u.normalized_email, u.display_name
          FROM usershell.password_resets r
          JOIN usershell.users u ON u.id = r.owner_id AND u.security_stamp = r.security_stamp
         WHERE r.token_hash = sha256(given_hash) AND r.expires_at > now() AND NOT u.is_disabled;
    END;

CREATE FUNCTION usershell.finish_password_reset(given_hash bytea, new_password_hash text) RETURNS bytea
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    who record;
BEGIN
    -- Compares under the row's lock: of two that wait for it, the second finds another stamp.
    UPDATE usershell.users u SET password_hash = usershell.stored_hash(new_password_hash)
      FROM usershell.password_resets r
     WHERE r.token_hash = sha256(given_hash) AND r.expires_at > now() AND u.id = r.owner_id
       AND u.security_stamp = r.security_stamp AND NOT u.is_disabled
    RETURNING u.id, u.security_stamp INTO who;
    IF FOUND THEN
        DELETE FROM usershell.password_resets r WHERE r.owner_id = who.id;
        PERFORM usershell.remove_sessions(who.id, NULL);
    END IF;
    RETURN who.security_stamp;
END
$function$;
COMMENT ON FUNCTION usershell.finish_password_reset(bytea, text) IS
    'Consumes the link, sets the password, ends the user''s sessions; returns the new stamp, NULL: the link is not good.';
