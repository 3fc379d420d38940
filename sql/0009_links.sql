-- Oldest program that can run on it: 0.1.0
--
-- The mailed links of a person, whatever they are for; and the removal of what has expired: links, changes of address, sign-ins, attempts.

-- Links that can still be used. A person sees each of them, also one that a thief had made.
CREATE FUNCTION usershell.open_links() RETURNS TABLE (kind text, made_at bigint, expires_at bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT l.kind, usershell.microseconds(l.made_at), usershell.microseconds(l.expires_at)
          FROM (SELECT r.owner_id, CASE WHEN r.invitation THEN 'invitation' ELSE 'password-reset' END AS kind, r.security_stamp,
                       r.made_at, r.expires_at FROM usershell.password_resets r
                 UNION ALL
                SELECT e.owner_id, 'email-change', e.security_stamp, e.made_at, e.expires_at FROM usershell.email_changes e) l
          JOIN usershell.users u ON u.id = l.owner_id AND u.security_stamp = l.security_stamp
         WHERE l.owner_id = usershell.auth_user_id() AND l.expires_at > now() ORDER BY l.made_at DESC, l.kind;
    END;
COMMENT ON FUNCTION usershell.open_links() IS 'The mailed links of the connection''s user that are good, the newest first. kind: of its mail.';

CREATE FUNCTION usershell.end_link(given_kind text) RETURNS void
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        DELETE FROM usershell.email_changes e WHERE e.owner_id = usershell.auth_user_id() AND given_kind = 'email-change';
        DELETE FROM usershell.password_resets r
         WHERE r.owner_id = usershell.auth_user_id()
           AND given_kind = CASE WHEN r.invitation THEN 'invitation' ELSE 'password-reset' END;
    END;
COMMENT ON FUNCTION usershell.end_link(text) IS 'That of the connection''s user, by the kind of its mail.';

CREATE FUNCTION usershell.sweep_leftovers(max_rows integer) RETURNS bigint
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        WITH changes AS (
            DELETE FROM usershell.email_changes e WHERE e.owner_id IN (
                SELECT owner_id FROM usershell.email_changes WHERE expires_at <= now() LIMIT usershell.batch_size(max_rows) FOR UPDATE SKIP LOCKED)
            RETURNING 1
        ), email_attempts AS (
            DELETE FROM usershell.email_attempts e WHERE (e.owner_id, e.id) IN (
                SELECT owner_id, id FROM usershell.email_attempts WHERE attempted_at <= now() - interval '1 hour'
                ORDER BY attempted_at LIMIT usershell.batch_size(max_rows) FOR UPDATE SKIP LOCKED)
            RETURNING 1
        ), resets AS (
            DELETE FROM usershell.password_resets r WHERE (r.owner_id, r.invitation) IN (
                SELECT owner_id, invitation FROM usershell.password_resets WHERE expires_at <= now()
                LIMIT usershell.batch_size(max_rows) FOR UPDATE SKIP LOCKED)
            RETURNING 1
        ), sign_ins AS (
            DELETE FROM usershell.sign_ins i WHERE (i.owner_id, i.id) IN (
                SELECT owner_id, id FROM usershell.sign_ins WHERE expires_at <= now()
                LIMIT usershell.batch_size(max_rows) FOR UPDATE SKIP LOCKED)
            RETURNING 1
        ), challenges AS (
            DELETE FROM usershell.used_challenges c WHERE c.hash IN (
                SELECT hash FROM usershell.used_challenges WHERE expires_at <= now()
                ORDER BY expires_at LIMIT usershell.batch_size(max_rows) FOR UPDATE SKIP LOCKED)
            RETURNING 1
        ), attempts AS (
            DELETE FROM usershell.attempts t WHERE t.subject IN (
                SELECT subject FROM usershell.attempts WHERE expires_at <= now()
                ORDER BY expires_at LIMIT usershell.batch_size(max_rows) FOR UPDATE SKIP LOCKED)
            RETURNING 1
        ), guesses AS (
            DELETE FROM usershell.wrong_guesses t WHERE t.subject IN (
                SELECT subject FROM usershell.wrong_guesses WHERE expires_at <= now()
                ORDER BY expires_at LIMIT usershell.batch_size(max_rows) FOR UPDATE SKIP LOCKED)
            RETURNING 1
        )
        SELECT (SELECT count(*) FROM changes) + (SELECT count(*) FROM email_attempts)
             + (SELECT count(*) FROM resets) + (SELECT count(*) FROM sign_ins) + (SELECT count(*) FROM challenges)
             + (SELECT count(*) FROM attempts)
             + (SELECT count(*) FROM guesses);
    END;
COMMENT ON FUNCTION usershell.sweep_leftovers(integer) IS
    'Removes what has expired or has no effect any more, of all users; returns how many rows.';
