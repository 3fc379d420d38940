-- Oldest program that can run on it: 0.1.0
--
-- Identity comes from a session. A connection holds what a request's cookie has brought, and the database looks up whose
-- it is: no role can choose a user, and an identity ends with its session. Credentials change by functions alone, which
-- usershell_auth alone may call. No program's role has a right on the tables of sessions, links, changes of address, mail
-- or events but to send mail. usershell_auth has a right on no table.

DO $upgrade$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'usershell_auth') THEN
        RAISE EXCEPTION 'the role usershell_auth is missing' USING ERRCODE = 'undefined_object';
    END IF;
    -- usershell-mail no longer opens what usershell-manage has signed.
    IF EXISTS (SELECT FROM usershell.outbox WHERE state = 'queued' AND kind <> 'none') THEN
        RAISE EXCEPTION 'mails wait in the outbox' USING ERRCODE = 'US001';
    END IF;
END
$upgrade$;
ALTER TABLE usershell.ring_keys DROP CONSTRAINT ring_keys_role_check,
    ADD CONSTRAINT ring_keys_role_check CHECK (role IN ('vault', 'web', 'auth', 'mail'));

-- Identity ---------------------------------------------------------------------------------------------------------------

-- A stored hash cannot be presented: it is the hash of what is. Sessions of before have no token for usershell-auth.
DELETE FROM usershell.sessions;
ALTER TABLE usershell.sessions
    ADD COLUMN auth_token_hash bytea NOT NULL CHECK (octet_length(auth_token_hash) = 32),
    ADD COLUMN auth_antiforgery_key bytea NOT NULL CHECK (octet_length(auth_antiforgery_key) = 32);
COMMENT ON COLUMN usershell.sessions.token_hash IS 'SHA-256 of what usershell-manage presents, a hash of its cookie''s token';
COMMENT ON COLUMN usershell.sessions.auth_token_hash IS 'SHA-256 of what usershell-auth presents, a hash of its cookie''s token';
COMMENT ON COLUMN usershell.sessions.antiforgery_key IS 'of the forms of usershell-manage, and of calls';
COMMENT ON COLUMN usershell.sessions.auth_antiforgery_key IS 'of the forms of usershell-auth';
CREATE INDEX sessions_auth_token_hash ON usershell.sessions (auth_token_hash);

-- A replaced view keeps its columns' order and takes new ones at its end.
CREATE OR REPLACE VIEW usershell.good_sessions AS
    SELECT s.owner_id, s.id, s.token_hash, s.calls_token_hash, s.antiforgery_key, s.security_stamp, s.remembered,
           s.browser, s.client_address, s.idle, s.created_at, s.signed_in_at, s.last_seen_at,
           s.max_expires_at, s.expires_at, u.email, u.display_name, s.auth_token_hash,
           s.auth_antiforgery_key
      FROM usershell.sessions s
      JOIN usershell.users u ON u.id = s.owner_id AND u.security_stamp = s.security_stamp AND NOT u.is_disabled
     WHERE s.expires_at > now();

CREATE FUNCTION usershell.presented_hash() RETURNS bytea
    LANGUAGE sql STABLE
    RETURN sha256(decode(NULLIF(current_setting('usershell.session', true), ''), 'hex'));
COMMENT ON FUNCTION usershell.presented_hash() IS 'What is stored of the hash that this connection presents.';
CREATE VIEW usershell.current_session AS
    SELECT s.* FROM usershell.good_sessions s WHERE s.token_hash = usershell.presented_hash();
COMMENT ON VIEW usershell.current_session IS
    'The session that this connection of usershell-manage presents; no row: none that is good. For the functions.';
CREATE VIEW usershell.auth_session AS
    SELECT s.* FROM usershell.good_sessions s WHERE s.auth_token_hash = usershell.presented_hash();
COMMENT ON VIEW usershell.auth_session IS
    'The session that this connection of usershell-auth presents. Changes of credentials are of its user.';

CREATE FUNCTION usershell.auth_user_id() RETURNS uuid
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    RETURN (SELECT s.owner_id FROM usershell.auth_session s);
COMMENT ON FUNCTION usershell.auth_user_id() IS 'NULL: no good session is presented. For the functions; no role may call it.';

-- plpgsql keeps the plan. A function of SQL is planned again with each statement: six times as long a list.
CREATE OR REPLACE FUNCTION usershell.current_user_id() RETURNS uuid
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    RETURN (SELECT s.owner_id FROM usershell.current_session s);
END
$function$;

CREATE FUNCTION usershell.cookie_seconds(remembered boolean, max_expires_at timestamptz) RETURNS bigint
    LANGUAGE sql STABLE
    RETURN CASE WHEN remembered THEN ceil(extract(epoch FROM max_expires_at - now()))::bigint END;
COMMENT ON FUNCTION usershell.cookie_seconds(boolean, timestamptz) IS 'NULL: the cookies end with the browser.';

DROP FUNCTION usershell.sign_request_in(bytea);
CREATE FUNCTION usershell.sign_request_in(given_hash bytea)
    RETURNS TABLE (user_id uuid, session_id uuid, email text, display_name text, antiforgery_key bytea, cookie_seconds bigint)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    due boolean;
BEGIN
    SELECT s.owner_id, s.id, s.email, s.display_name, s.antiforgery_key, usershell.cookie_seconds(s.remembered, s.max_expires_at),
           s.last_seen_at < now() - interval '1 minute'
      INTO user_id, session_id, email, display_name, antiforgery_key, cookie_seconds, due
      FROM usershell.good_sessions s
     WHERE s.token_hash = sha256(given_hash);
    PERFORM set_config('usershell.session', CASE WHEN user_id IS NULL THEN '' ELSE encode(given_hash, 'hex') END, false);
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
    'The good session of that hash and its user, its idle time renewed at most once a minute; from now on the connection presents that hash, or none.';

CREATE FUNCTION usershell.sign_auth_request_in(given_hash bytea)
    RETURNS TABLE (user_id uuid, session_id uuid, email text, display_name text, antiforgery_key bytea, frame_key bytea,
                   cookie_seconds bigint)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    PERFORM set_config('usershell.session', encode(given_hash, 'hex'), false);
    RETURN QUERY
        SELECT s.owner_id, s.id, s.email, s.display_name, s.auth_antiforgery_key, s.antiforgery_key,
               usershell.cookie_seconds(s.remembered, s.max_expires_at)
          FROM usershell.auth_session s;
    IF FOUND THEN
        PERFORM usershell.renew_session(s.owner_id, s.id)
           FROM usershell.auth_session s WHERE s.last_seen_at < now() - interval '1 minute';
    ELSE
        PERFORM set_config('usershell.session', '', false);
    END IF;
END
$function$;
COMMENT ON FUNCTION usershell.sign_auth_request_in(bytea) IS
    'As sign_request_in, by the hash of usershell-auth''s token. frame_key: of the forms of usershell-manage.';

-- Sessions -----------------------------------------------------------------------------------------------------------------

CREATE TYPE usershell.session_keys AS (
    token_hash bytea, calls_token_hash bytea, auth_token_hash bytea, antiforgery_key bytea, auth_antiforgery_key bytea);
COMMENT ON TYPE usershell.session_keys IS 'What a cookie brings of each token, hashed once; of calls, the stored hash.';

-- A second attempt after a lost answer finds the row of the first, and writes the same to it.
CREATE FUNCTION usershell.start_session(
        given_user uuid, given_stamp bytea, given_session uuid, new_keys usershell.session_keys, is_remembered boolean,
        idle_seconds double precision, absolute_seconds double precision, given_browser text, given_address text)
    RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    INSERT INTO usershell.sessions (owner_id, security_stamp, id, token_hash, calls_token_hash, auth_token_hash,
                                    antiforgery_key, auth_antiforgery_key, remembered, idle, max_expires_at, expires_at,
                                    browser, client_address)
    SELECT u.id, u.security_stamp, given_session, sha256((new_keys).token_hash), (new_keys).calls_token_hash,
           sha256((new_keys).auth_token_hash), (new_keys).antiforgery_key, (new_keys).auth_antiforgery_key, is_remembered,
           make_interval(secs => idle_seconds), now() + make_interval(secs => absolute_seconds),
           now() + make_interval(secs => least(idle_seconds, absolute_seconds)), given_browser, given_address
      FROM usershell.users u
     WHERE u.id = given_user AND u.security_stamp = given_stamp AND NOT u.is_disabled
    ON CONFLICT (owner_id, id) DO UPDATE SET token_hash = excluded.token_hash;
    RETURN FOUND;
END
$function$;
COMMENT ON FUNCTION usershell.start_session(uuid, bytea, uuid, usershell.session_keys, boolean, double precision, double precision, text, text) IS
    'For a user whose password was verified under that stamp; false: the stamp is theirs no more, or they are disabled.';

CREATE FUNCTION usershell.open_sessions()
    RETURNS TABLE (id uuid, browser text, client_address text, created_at bigint, last_seen_at bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT s.id, s.browser, s.client_address, usershell.microseconds(s.created_at), usershell.microseconds(s.last_seen_at)
          FROM usershell.good_sessions s WHERE s.owner_id = usershell.auth_user_id()
         ORDER BY s.last_seen_at DESC, s.id;
    END;
COMMENT ON FUNCTION usershell.open_sessions() IS 'Those of the connection''s user, the last seen first.';

CREATE FUNCTION usershell.end_session(given_session uuid) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    DELETE FROM usershell.sessions s WHERE s.owner_id = usershell.auth_user_id() AND s.id = given_session;
    RETURN FOUND;
END
$function$;
COMMENT ON FUNCTION usershell.end_session(uuid) IS 'One of the connection''s user; false: they have none of that id.';

-- The stamp ends them; a row that another role holds is left to the sweep.
CREATE FUNCTION usershell.remove_sessions(given_owner uuid, but_session uuid) RETURNS bigint
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        WITH removed AS (
            DELETE FROM usershell.sessions s WHERE s.owner_id = given_owner AND s.id IN (
                SELECT o.id FROM usershell.sessions o WHERE o.owner_id = given_owner AND o.id IS DISTINCT FROM but_session
                FOR UPDATE SKIP LOCKED)
            RETURNING 1
        )
        SELECT count(*) FROM removed;
    END;
COMMENT ON FUNCTION usershell.remove_sessions(uuid, uuid) IS 'After a security event. For the functions; no role may call it.';

CREATE FUNCTION usershell.sign_out_everywhere() RETURNS bigint
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    who CONSTANT uuid := usershell.auth_user_id();
BEGIN
    -- The trigger puts a random one in its place.
    UPDATE usershell.users u SET security_stamp = DEFAULT WHERE u.id = who;
    RETURN usershell.remove_sessions(who, NULL);
END
$function$;
COMMENT ON FUNCTION usershell.sign_out_everywhere() IS
    'Ends all sessions of the connection''s user, and by a new stamp whatever else was begun; returns how many sessions.';

CREATE FUNCTION usershell.renew_sign_in(new_keys usershell.session_keys) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    UPDATE usershell.sessions s
       SET token_hash = sha256((new_keys).token_hash), calls_token_hash = (new_keys).calls_token_hash,
           auth_token_hash = sha256((new_keys).auth_token_hash), signed_in_at = now()
      FROM usershell.auth_session c WHERE s.owner_id = c.owner_id AND s.id = c.id;
    RETURN FOUND;
END
$function$;
COMMENT ON FUNCTION usershell.renew_sign_in(usershell.session_keys) IS
    'The password was just given again: the connection''s session gets new tokens. Its anti-forgery keys stay. false: it has ended.';

-- After a security event that this session has caused. The new hash is also the name of the operation: a second attempt
-- after a lost COMMIT finds no session of the old one, and a session of the new one if the first was committed.
CREATE FUNCTION usershell.keep_session_only(given_owner uuid, given_session uuid, new_keys usershell.session_keys) RETURNS bytea
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    new_stamp CONSTANT bytea := (SELECT u.security_stamp FROM usershell.users u WHERE u.id = given_owner);
BEGIN
    PERFORM usershell.remove_sessions(given_owner, given_session);
    UPDATE usershell.sessions s
       SET token_hash = sha256((new_keys).token_hash), calls_token_hash = (new_keys).calls_token_hash,
           auth_token_hash = sha256((new_keys).auth_token_hash), antiforgery_key = (new_keys).antiforgery_key,
           auth_antiforgery_key = (new_keys).auth_antiforgery_key, security_stamp = new_stamp
     WHERE s.owner_id = given_owner AND s.id = given_session;
    RETURN new_stamp;
END
$function$;
CREATE FUNCTION usershell.stamp_of_session(given_hash bytea) RETURNS bytea
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    RETURN (SELECT s.security_stamp FROM usershell.good_sessions s WHERE s.auth_token_hash = sha256(given_hash));
COMMENT ON FUNCTION usershell.keep_session_only(uuid, uuid, usershell.session_keys) IS
    'Ends the user''s other sessions; this one gets new tokens and the new stamp, which is returned. For the functions.';
COMMENT ON FUNCTION usershell.stamp_of_session(bytea) IS 'NULL: no good session has that hash. For the functions.';

-- Passwords ----------------------------------------------------------------------------------------------------------------

CREATE FUNCTION usershell.change_password(given_stamp bytea, new_password_hash text, new_keys usershell.session_keys) RETURNS bytea
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    session record;
BEGIN
    SELECT s.owner_id, s.id INTO session FROM usershell.auth_session s;
    UPDATE usershell.users u SET password_hash = new_password_hash
     WHERE u.id = session.owner_id AND u.security_stamp = given_stamp;
    IF NOT FOUND THEN
        RETURN usershell.stamp_of_session((new_keys).auth_token_hash);
    END IF;
    RETURN usershell.keep_session_only(session.owner_id, session.id, new_keys);
END
$function$;
COMMENT ON FUNCTION usershell.change_password(bytea, text, usershell.session_keys) IS
    'Of the connection''s user, whose password was verified under that stamp; returns the new stamp, NULL: the given one is theirs no more.';

DROP FUNCTION usershell.finish_password_reset(bytea, text);
CREATE FUNCTION usershell.finish_password_reset(given_hash bytea, new_password_hash text) RETURNS bytea
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    who record;
BEGIN
    -- Compares under the row's lock: of two that wait for it, the second finds another stamp.
    UPDATE usershell.users u SET password_hash = new_password_hash
      FROM usershell.password_resets r
     WHERE r.token_hash = given_hash AND r.expires_at > now() AND u.id = r.owner_id
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

-- The address --------------------------------------------------------------------------------------------------------------

CREATE FUNCTION usershell.queue_mail(given_owner uuid, mail_id uuid, mail_kind text, mail_sealed bytea) RETURNS void
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        INSERT INTO usershell.outbox (owner_id, id, kind, sealed)
        SELECT given_owner, mail_id, mail_kind, mail_sealed WHERE mail_id IS NOT NULL
        ON CONFLICT DO NOTHING;
    END;
COMMENT ON FUNCTION usershell.queue_mail(uuid, uuid, text, bytea) IS 'NULL: no mail. For the functions; no role may call it.';

CREATE FUNCTION usershell.pending_email() RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    RETURN (SELECT e.email FROM usershell.email_changes e
              JOIN usershell.users u ON u.id = e.owner_id AND u.security_stamp = e.security_stamp
             WHERE e.owner_id = coalesce(usershell.auth_user_id(), usershell.current_user_id())
               AND e.expires_at > now());
COMMENT ON FUNCTION usershell.pending_email() IS 'The address that the connection''s user has to confirm; NULL: none.';

CREATE FUNCTION usershell.start_email_change(given_email text, given_normalized text, given_hash bytea,
                                             seconds double precision, mail_id uuid, mail_sealed bytea)
    RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    who record;
    is_taken boolean;
BEGIN
    -- Changes of one user take turns. The session is looked up again: it may have ended meanwhile.
    PERFORM FROM usershell.users u WHERE u.id = usershell.auth_user_id() FOR NO KEY UPDATE;
    SELECT u.id, u.security_stamp INTO who FROM usershell.users u WHERE u.id = usershell.auth_user_id();
    IF NOT FOUND THEN
        RETURN 'session_ended';
    END IF;
    -- By a first attempt, whose answer was lost.
    IF EXISTS (SELECT FROM usershell.email_changes e WHERE e.owner_id = who.id AND e.token_hash = given_hash
                                                                 AND e.security_stamp = who.security_stamp) THEN
        RETURN 'started';
    END IF;
    IF (SELECT count(*) >= 10 OR count(*) FILTER (WHERE a.mailed) >= 5 FROM usershell.email_attempts a
         WHERE a.owner_id = who.id AND a.attempted_at > now() - interval '1 hour') THEN
        RETURN 'too_many_attempts';
    END IF;
    is_taken := EXISTS (SELECT FROM usershell.users u WHERE u.normalized_email = given_normalized);
    INSERT INTO usershell.email_attempts (owner_id, id, mailed) VALUES (who.id, gen_random_uuid(), NOT is_taken);
    IF is_taken THEN
        RETURN 'address_unusable';
    END IF;
    INSERT INTO usershell.email_changes (owner_id, security_stamp, email, normalized_email, token_hash, expires_at)
    VALUES (who.id, who.security_stamp, given_email, given_normalized, given_hash,
            now() + make_interval(secs => usershell.bounded(seconds, 1, 24 * 3600, 'the life of a link')))
    ON CONFLICT (owner_id) DO UPDATE
    SET security_stamp = excluded.security_stamp, email = excluded.email, normalized_email = excluded.normalized_email,
        token_hash = excluded.token_hash, expires_at = excluded.expires_at, made_at = excluded.made_at;
    PERFORM usershell.queue_required_mail(who.id, mail_id, 'email-change', mail_sealed);
    RETURN 'started';
END
$function$;
COMMENT ON FUNCTION usershell.start_email_change(text, text, bytea, double precision, uuid, bytea) IS
    'Counts the attempt, replaces a pending change of the connection''s user and queues its mail. session_ended, too_many_attempts: no change. address_unusable: in use; counted.';

-- Links that can still be used. A person sees each of them, whoever had it made.
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
       AND e.normalized_email = given_normalized AND e.token_hash = given_hash AND e.expires_at > now();
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

-- Events -------------------------------------------------------------------------------------------------------------------

CREATE FUNCTION usershell.latest_events(max_rows integer, max_rows_of_kind integer)
    RETURNS TABLE (kind text, happened_at bigint, about text, browser text, client_address text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT n.kind, usershell.microseconds(n.happened_at), n.about, n.browser, n.client_address
          FROM (SELECT e.*, row_number() OVER (PARTITION BY e.kind ORDER BY e.happened_at DESC, e.id) AS place
                  FROM usershell.events e WHERE e.owner_id = usershell.auth_user_id()) n
         WHERE n.place <= usershell.bounded(max_rows_of_kind, 1, 50, 'the number of events of a kind')
         ORDER BY n.happened_at DESC, n.id LIMIT usershell.batch_size(max_rows);
    END;
COMMENT ON FUNCTION usershell.latest_events(integer, integer) IS
    'The newest of the connection''s user, so many at most, and so many of each kind.';

-- The account --------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION usershell.delete_own_user(given_stamp bytea) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    DELETE FROM usershell.users u
     WHERE u.id = usershell.auth_user_id() AND u.security_stamp = given_stamp
       AND u.id <> '00000000-0000-0000-0000-000000000000';
    RETURN FOUND;
END
$function$;

-- Rights -------------------------------------------------------------------------------------------------------------------

DO $policies$
DECLARE
    secured text;
BEGIN
    FOREACH secured IN ARRAY ARRAY['sessions', 'email_changes', 'email_attempts', 'password_resets', 'outbox', 'events'] LOOP
        EXECUTE format('DROP POLICY own_rows ON usershell.%I', secured);
    END LOOP;
END
$policies$;
REVOKE ALL ON usershell.sessions, usershell.email_changes, usershell.email_attempts, usershell.outbox, usershell.events,
              usershell.users
    FROM usershell_manage;
GRANT SELECT (id, email, display_name), UPDATE (display_name) ON usershell.users TO usershell_manage;
DROP FUNCTION usershell.is_email_taken(text);

GRANT USAGE ON SCHEMA usershell TO usershell_auth;
GRANT SELECT ON usershell.migrations, usershell.installation, usershell.ring_keys TO usershell_auth;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA usershell FROM usershell_manage;
GRANT EXECUTE ON FUNCTION
    usershell.sign_request_in(bytea),
    usershell.current_user_id(),
    usershell.pending_email(),
    usershell.microseconds(timestamptz),
    usershell.random_stamp(),
    usershell.key_entered_for(text, text, text),
    usershell.next_in_turn(uuid),
    usershell.fold_legacy_vault(uuid, text[], text[], text[], boolean[]),
    usershell.count_legacy_entries()
    TO usershell_manage;
GRANT EXECUTE ON FUNCTION
    usershell.sign_auth_request_in(bytea),
    usershell.find_password(text, text),
    usershell.take_guess(text, text),
    usershell.check_password(text, text[], text, text),
    usershell.take_attempt(bytea[], integer[], interval[]),
    usershell.clear_attempts(bytea),
    usershell.forgive_attempt(bytea),
    usershell.note_throttled(text, text),
    usershell.start_session(uuid, bytea, uuid, usershell.session_keys, boolean, double precision, double precision, text, text),
    usershell.open_sessions(),
    usershell.end_session(uuid),
    usershell.sign_out_everywhere(),
    usershell.renew_sign_in(usershell.session_keys),
    usershell.change_password(bytea, text, usershell.session_keys),
    usershell.find_recipient(text, text),
    usershell.ask_password_reset(uuid, bytea, bytea, double precision, uuid, bytea),
    usershell.find_password_reset(bytea),
    usershell.finish_password_reset(bytea, text),
    usershell.pending_email(),
    usershell.start_email_change(text, text, bytea, double precision, uuid, bytea),
    usershell.open_links(),
    usershell.end_link(text),
    usershell.confirm_email_change(text, bytea, usershell.session_keys, uuid, bytea),
    usershell.delete_own_user(bytea),
    usershell.latest_events(integer, integer),
    usershell.sweep_sessions(integer),
    usershell.sweep_leftovers(integer),
    usershell.sweep_events(integer, interval)
    TO usershell_auth;
