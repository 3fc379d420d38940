-- Oldest program that can run on it: 0.1.0
--
-- Changes of address, by a mailed link.

CREATE TABLE usershell.email_changes (
    owner_id         uuid PRIMARY KEY REFERENCES usershell.users ON DELETE CASCADE,
    email            text NOT NULL CHECK (octet_length(email) <= 254 AND email !~ '[\x01-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'),
    normalized_email text NOT NULL
                     CHECK (octet_length(normalized_email) <= 1024 AND normalized_email !~ '[\x01-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'),
    token_hash       bytea NOT NULL CHECK (octet_length(token_hash) = 32),
    security_stamp   bytea NOT NULL CHECK (octet_length(security_stamp) = 16),
    expires_at       timestamptz NOT NULL,
    made_at          timestamptz NOT NULL DEFAULT now(),
    CHECK (expires_at <= made_at + interval '24 hours')
);
COMMENT ON TABLE usershell.email_changes IS 'At most one pending a user; a new one replaces it.';
COMMENT ON COLUMN usershell.email_changes.token_hash IS 'SHA-256 of what a program presents, a hash of the link''s token';

CREATE TABLE usershell.email_attempts (
    owner_id uuid NOT NULL REFERENCES usershell.users ON DELETE CASCADE,
    id       uuid NOT NULL,
    attempted_at timestamptz NOT NULL DEFAULT now(),
    mailed   boolean NOT NULL,
    PRIMARY KEY (owner_id, id)
);
COMMENT ON TABLE usershell.email_attempts IS 'Changes of address asked for within the last hour, failures too.';
CREATE INDEX email_attempts_attempted_at ON usershell.email_attempts (attempted_at);

CREATE FUNCTION usershell.pending_email() RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    RETURN (SELECT e.email FROM usershell.email_changes e
              JOIN usershell.users u ON u.id = e.owner_id AND u.security_stamp = e.security_stamp
             WHERE e.owner_id = coalesce(usershell.auth_user_id(), usershell.current_user_id())
               AND e.expires_at > now());
COMMENT ON FUNCTION usershell.pending_email() IS 'The address that the connection''s user has to confirm; NULL: none.';

CREATE FUNCTION usershell.start_email_change(given_sign_in uuid, given_email text, given_normalized text, given_hash bytea,
                                             seconds double precision, mail_id uuid, mail_sealed bytea)
    RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    who   CONSTANT uuid := usershell.auth_user_id();
    taken CONSTANT usershell.sign_ins := usershell.take_sign_in(who, given_sign_in, 'address');
    is_taken boolean;
BEGIN
    IF taken.owner_id IS NULL THEN -- or by a first attempt, whose answer was lost
        RETURN CASE WHEN EXISTS (SELECT FROM usershell.email_changes e JOIN usershell.auth_session s USING (owner_id, security_stamp)
                                  WHERE e.token_hash = sha256(given_hash)) THEN 'started' ELSE 'session_ended' END;
    END IF;
    IF (SELECT count(*) >= 10 OR count(*) FILTER (WHERE a.mailed) >= 5 FROM usershell.email_attempts a
         WHERE a.owner_id = who AND a.attempted_at > now() - interval '1 hour') THEN
        RETURN 'too_many_attempts';
    END IF;
    is_taken := EXISTS (SELECT FROM usershell.users u WHERE u.normalized_email = given_normalized);
    INSERT INTO usershell.email_attempts (owner_id, id, mailed) VALUES (who, gen_random_uuid(), NOT is_taken);
    IF is_taken THEN
        RETURN 'address_unusable';
    END IF;
    INSERT INTO usershell.email_changes (owner_id, security_stamp, email, normalized_email, token_hash, expires_at)
    VALUES (who, taken.security_stamp, given_email, given_normalized, sha256(given_hash),
            now() + make_interval(secs => usershell.bounded(seconds, 1, 24 * 3600, 'the life of a link')))
    ON CONFLICT (owner_id) DO UPDATE
    SET security_stamp = excluded.security_stamp, email = excluded.email, normalized_email = excluded.normalized_email,
        token_hash = excluded.token_hash, expires_at = excluded.expires_at, made_at = excluded.made_at;
    PERFORM usershell.queue_required_mail(who, mail_id, 'email-change', mail_sealed);
    RETURN 'started';
END
$function$;
COMMENT ON FUNCTION usershell.start_email_change(uuid, text, text, bytea, double precision, uuid, bytea) IS
    'Counts the attempt, replaces a pending change of the connection''s user and queues its mail. session_ended: or the sign-in is not good for it. This and too_many_attempts: no change. address_unusable: in use; counted.';

CREATE FUNCTION usershell.confirm_email_change(given_normalized text, given_hash bytea, new_keys usershell.session_keys, mail_id uuid, mail_sealed bytea)
    RETURNS bytea
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    session record;
BEGIN
    SELECT s.owner_id, s.id INTO session FROM usershell.auth_session s;
    -- The stamp is compared under the row's lock: of two that wait for it, the second finds another.
    UPDATE usershell.users u SET email = e.email, normalized_email = e.normalized_email
      FROM usershell.email_changes e
     WHERE u.id = session.owner_id AND e.owner_id = u.id AND e.security_stamp = u.security_stamp
       AND e.normalized_email = given_normalized AND e.token_hash = sha256(given_hash) AND e.expires_at > now();
    IF NOT FOUND THEN
        RETURN usershell.stamp_of_session((new_keys).auth_token_hash);
    END IF;
    DELETE FROM usershell.email_changes e WHERE e.owner_id = session.owner_id;
    PERFORM usershell.queue_mail(session.owner_id, mail_id, 'email-changed', mail_sealed);
    RETURN usershell.keep_session_only(session.owner_id, session.id, new_keys);
END
$function$;
COMMENT ON FUNCTION usershell.confirm_email_change(text, bytea, usershell.session_keys, uuid, bytea) IS
    'Consumes the link, changes the address of the connection''s user, queues the notice; returns the new stamp, NULL: the link is not good.';
