-- Oldest program that can run on it: 0.1.0
--
-- Sessions, and the identity that a connection has by one.
--
-- The row of a token has the hash of the value that a program presents. So a stored value cannot be presented, not even by the
-- role of that program.

CREATE TABLE usershell.sessions (
    owner_id        uuid NOT NULL REFERENCES usershell.users ON DELETE CASCADE,
    id              uuid NOT NULL,
    token_hash      bytea NOT NULL CHECK (octet_length(token_hash) = 32),
    calls_token_hash bytea NOT NULL CHECK (octet_length(calls_token_hash) = 32),
    auth_token_hash bytea NOT NULL CHECK (octet_length(auth_token_hash) = 32),
    antiforgery_key bytea NOT NULL CHECK (octet_length(antiforgery_key) = 32),
    auth_antiforgery_key bytea NOT NULL CHECK (octet_length(auth_antiforgery_key) = 32),
    security_stamp  bytea NOT NULL CHECK (octet_length(security_stamp) = 16),
    remembered      boolean NOT NULL,
    browser         text NOT NULL DEFAULT '' CHECK (char_length(browser) <= 160 AND browser !~ '[\x01-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'),
    client_address  text NOT NULL DEFAULT '' CHECK (octet_length(client_address) <= 64),
    idle            interval NOT NULL CHECK (idle BETWEEN interval '1 second' AND interval '336 hours'),
    created_at      timestamptz NOT NULL DEFAULT now(),
    signed_in_at    timestamptz NOT NULL DEFAULT now(),
    last_seen_at    timestamptz NOT NULL DEFAULT now(),
    max_expires_at  timestamptz NOT NULL CHECK (max_expires_at <= created_at + interval '336 hours'),
    expires_at      timestamptz NOT NULL CHECK (expires_at <= max_expires_at),
    PRIMARY KEY (owner_id, id)
);
COMMENT ON COLUMN usershell.sessions.token_hash IS 'SHA-256 of what usershell-manage presents, a hash of its cookie''s token';
COMMENT ON COLUMN usershell.sessions.calls_token_hash IS 'SHA-256 of what usershell-opener presents, a hash of the token of usershell-execute''s cookie';
COMMENT ON COLUMN usershell.sessions.auth_token_hash IS 'SHA-256 of what usershell-auth presents, a hash of its cookie''s token';
COMMENT ON COLUMN usershell.sessions.antiforgery_key IS 'of the forms of usershell-manage, and of calls';
COMMENT ON COLUMN usershell.sessions.auth_antiforgery_key IS 'of the forms of usershell-auth';
COMMENT ON COLUMN usershell.sessions.security_stamp IS 'its sign-in''s; good as long as it is the user''s';
COMMENT ON COLUMN usershell.sessions.browser IS 'browser and system: a sentence as Sentence::stored() writes it';
COMMENT ON COLUMN usershell.sessions.client_address IS 'where it was signed in from';
COMMENT ON COLUMN usershell.sessions.idle IS 'how long it lasts without being used';
COMMENT ON COLUMN usershell.sessions.signed_in_at IS 'when the password was last given';
COMMENT ON COLUMN usershell.sessions.max_expires_at IS 'however much it is used';
COMMENT ON COLUMN usershell.sessions.expires_at IS 'if it is not used again: last_seen_at + idle, at most max_expires_at';
-- Not unique: 256 random bits don't collide, and a unique index without owner_id could not be sharded.
CREATE INDEX sessions_token_hash ON usershell.sessions (token_hash);
CREATE INDEX sessions_calls_token_hash ON usershell.sessions (calls_token_hash);
CREATE INDEX sessions_auth_token_hash ON usershell.sessions (auth_token_hash);
CREATE INDEX sessions_expires_at ON usershell.sessions (expires_at);

-- At most 50 a user, whatever role adds one. Sign-ins of one user wait for each other here, so that the count is exact.
CREATE FUNCTION usershell.end_oldest_sessions() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    PERFORM usershell.require_fresh_rows();
    PERFORM FROM usershell.users u WHERE u.id = NEW.owner_id FOR NO KEY UPDATE;
    DELETE FROM usershell.sessions s
     WHERE s.owner_id = NEW.owner_id AND s.id IN (
           SELECT o.id FROM usershell.sessions o WHERE o.owner_id = NEW.owner_id AND o.id <> NEW.id
           ORDER BY o.created_at DESC, o.id OFFSET 49);
    RETURN NEW;
END
$function$;
CREATE TRIGGER end_oldest_sessions BEFORE INSERT ON usershell.sessions
    FOR EACH ROW EXECUTE FUNCTION usershell.end_oldest_sessions();

-- Identity ----------------------------------------------------------------------------------------------------------

CREATE VIEW usershell.good_sessions AS
    SELECT s.*, u.email, u.display_name
      FROM usershell.sessions s
      JOIN usershell.users u ON u.id = s.owner_id AND u.security_stamp = s.security_stamp AND NOT u.is_disabled
     WHERE s.expires_at > now();
COMMENT ON VIEW usershell.good_sessions IS 'The sessions that have not ended, with their users. For the functions that sign requests in; no role may read it.';

CREATE FUNCTION usershell.presented_hash() RETURNS bytea
    LANGUAGE sql STABLE
    RETURN sha256(decode(NULLIF(current_setting('usershell.session', true), ''), 'hex'));
COMMENT ON FUNCTION usershell.presented_hash() IS 'The stored form of the hash that this connection presents.';

CREATE VIEW usershell.current_session AS
    SELECT s.* FROM usershell.good_sessions s WHERE s.token_hash = usershell.presented_hash();
COMMENT ON VIEW usershell.current_session IS
    'The session that this connection of usershell-manage presents; no row: none that is good. For the functions.';

-- plpgsql keeps the plan. A function of SQL is planned again with each statement: six times as long a list.
CREATE FUNCTION usershell.current_user_id() RETURNS uuid
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    RETURN (SELECT s.owner_id FROM usershell.current_session s);
END
$function$;
COMMENT ON FUNCTION usershell.current_user_id() IS 'The user whose rows this connection sees; NULL: no rows.';

CREATE VIEW usershell.auth_session AS
    SELECT s.* FROM usershell.good_sessions s WHERE s.auth_token_hash = usershell.presented_hash();
COMMENT ON VIEW usershell.auth_session IS
    'The session that this connection of usershell-auth presents. Changes of credentials are of its user.';

CREATE FUNCTION usershell.auth_user_id() RETURNS uuid
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    RETURN (SELECT s.owner_id FROM usershell.auth_session s);
COMMENT ON FUNCTION usershell.auth_user_id() IS 'NULL: no good session is presented. For the functions; no role may call it.';

-- Each request ------------------------------------------------------------------------------------------------------

CREATE FUNCTION usershell.cookie_seconds(remembered boolean, max_expires_at timestamptz) RETURNS bigint
    LANGUAGE sql STABLE
    RETURN CASE WHEN remembered THEN ceil(extract(epoch FROM max_expires_at - now()))::bigint END;
COMMENT ON FUNCTION usershell.cookie_seconds(boolean, timestamptz) IS 'NULL: the cookies end with the browser.';

CREATE FUNCTION usershell.renew_session(given_owner uuid, given_session uuid) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    -- A renewal lost in a crash is no loss: the request does not wait for the disk.
    PERFORM set_config('synchronous_commit', 'off', true);
    UPDATE usershell.sessions s
       SET last_seen_at = now(), expires_at = least(s.max_expires_at, now() + s.idle)
     WHERE s.owner_id = given_owner AND s.id IN (
           -- The holder of the lock renews or ends the row: no request of the other program waits for that.
           SELECT o.id FROM usershell.sessions o WHERE o.owner_id = given_owner AND o.id = given_session
           FOR NO KEY UPDATE SKIP LOCKED);
END
$function$;
COMMENT ON FUNCTION usershell.renew_session(uuid, uuid) IS 'Restarts its idle time. For the functions that sign requests in.';

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

CREATE FUNCTION usershell.require_recent(signed_in_at timestamptz) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    -- now() does not change in a transaction that is kept open.
    IF signed_in_at > clock_timestamp() - interval '5 minutes' THEN
        RETURN;
    END IF;
    RAISE EXCEPTION 'the password has to be given again' USING ERRCODE = 'US003';
END
$function$;
COMMENT ON FUNCTION usershell.require_recent(timestamptz) IS
    'Refuses a session whose password was given more than 5 minutes ago; NULL: no session. For the functions.';

CREATE FUNCTION usershell.require_password() RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    IF NOT pg_has_role(session_user, 'usershell_owner', 'MEMBER') THEN
        PERFORM usershell.require_recent((SELECT s.signed_in_at FROM usershell.current_session s));
    END IF;
END
$function$;
COMMENT ON FUNCTION usershell.require_password() IS 'Of the session of usershell-manage. For the functions.';

-- Begin and end -----------------------------------------------------------------------------------------------------

CREATE TYPE usershell.session_keys AS (
    token_hash bytea, calls_token_hash bytea, auth_token_hash bytea, antiforgery_key bytea, auth_antiforgery_key bytea);
COMMENT ON TYPE usershell.session_keys IS 'Each token of a cookie, hashed once; its SHA-256 is stored.';

-- A sign-in: what a person has shown for one deed, a password or a passkey first. The functions that compare it with what is stored
-- write the rows, and each deed takes one away. So a program that forgets to compare can do no deed. UNLOGGED: after a crash or
-- a failover people show it again.
CREATE UNLOGGED TABLE usershell.sign_ins (
    owner_id       uuid NOT NULL REFERENCES usershell.users ON DELETE CASCADE,
    id             uuid NOT NULL DEFAULT gen_random_uuid(),
    security_stamp bytea NOT NULL CHECK (octet_length(security_stamp) = 16),
    visitor_hash   bytea NOT NULL CHECK (octet_length(visitor_hash) = 32),
    deed           text NOT NULL CHECK (deed IN ('session', 'token', 'password', 'address', 'factor', 'deletion')),
    shown          text[] NOT NULL CHECK (cardinality(shown) > 0 AND shown <@ ARRAY['password', 'code', 'recovery', 'passkey', 'verified_passkey']),
    opened_in      xid8 NOT NULL DEFAULT pg_current_xact_id(),
    made_at        timestamptz NOT NULL DEFAULT now(),
    expires_at     timestamptz NOT NULL DEFAULT now() + interval '5 minutes',
    CHECK (expires_at <= made_at + interval '5 minutes'),
    PRIMARY KEY (owner_id, id)
);
COMMENT ON COLUMN usershell.sign_ins.security_stamp IS 'the user''s when it was shown; good as long as it is theirs';
COMMENT ON COLUMN usershell.sign_ins.visitor_hash IS
    'SHA-256 of what usershell-auth presents of a visitor; for another deed of the session''s id, and then of the new token that renew_sign_in() has given it';
COMMENT ON COLUMN usershell.sign_ins.opened_in IS
    'a later transaction alone uses it: what proves it, such as a new password, cannot be rolled back';
COMMENT ON COLUMN usershell.sign_ins.deed IS 'session: a new one; each other is of the session that it was opened in';

CREATE VIEW usershell.good_sign_ins AS
    SELECT i.* FROM usershell.sign_ins i
      JOIN usershell.users u ON u.id = i.owner_id AND u.security_stamp = i.security_stamp AND NOT u.is_disabled
     WHERE i.expires_at > clock_timestamp() AND i.opened_in IS DISTINCT FROM pg_current_xact_id_if_assigned();
COMMENT ON VIEW usershell.good_sign_ins IS 'Has each user''s sign-ins that have not ended. For the functions; no role may read it.';

CREATE FUNCTION usershell.hash_of_visitor(given_deed text, given_visitor bytea) RETURNS bytea
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    RETURN sha256(CASE given_deed WHEN 'session' THEN given_visitor ELSE (SELECT uuid_send(s.id) FROM usershell.auth_session s) END);
COMMENT ON FUNCTION usershell.hash_of_visitor(text, bytea) IS
    'As a sign-in for that deed has it, before its session is renewed. For the functions.';

CREATE FUNCTION usershell.open_sign_in(given_owner uuid, given_stamp bytea, given_visitor bytea, given_deed text,
                                       given_shown text[]) RETURNS uuid
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    opened uuid;
BEGIN
    -- Those of one user take turns, so that the count is exact.
    PERFORM usershell.require_fresh_rows();
    PERFORM FROM usershell.users u WHERE u.id = given_owner FOR NO KEY UPDATE;
    DELETE FROM usershell.sign_ins i
     WHERE i.owner_id = given_owner AND i.id IN (
           SELECT o.id FROM usershell.sign_ins o WHERE o.owner_id = given_owner ORDER BY o.made_at DESC, o.id OFFSET 15);
    INSERT INTO usershell.sign_ins (owner_id, security_stamp, visitor_hash, deed, shown)
    SELECT u.id, u.security_stamp, usershell.hash_of_visitor(given_deed, given_visitor), given_deed, given_shown
      FROM usershell.users u WHERE u.id = given_owner AND u.security_stamp = given_stamp
    RETURNING id INTO opened;
    RETURN opened;
END
$function$;
COMMENT ON FUNCTION usershell.open_sign_in(uuid, bytea, bytea, text, text[]) IS
    'For the functions that have compared. The newest 16 a user, more than one person uses at a moment. NULL: the stamp is theirs no more.';

-- Of passkeys (0025_passkeys.sql); sweep_leftovers() needs it before.
CREATE TABLE usershell.used_challenges (
    hash       bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
    expires_at timestamptz NOT NULL DEFAULT now() + interval '10 minutes'
);
COMMENT ON TABLE usershell.used_challenges IS 'A challenge is good for five minutes, and once. It is signed, and so not stored before.';
CREATE INDEX used_challenges_expires_at ON usershell.used_challenges (expires_at);

CREATE FUNCTION usershell.take_sign_in(given_owner uuid, given_sign_in uuid, given_deed text,
                                       given_visitor bytea DEFAULT usershell.presented_hash())
    RETURNS usershell.sign_ins
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    taken usershell.sign_ins;
BEGIN
    -- Deeds of one user take turns; without a sign-in no user is locked. The session is looked up again: it may have ended in
    -- between.
    PERFORM usershell.require_fresh_rows();
    PERFORM FROM usershell.users u
      WHERE u.id = given_owner AND EXISTS (SELECT FROM usershell.sign_ins i WHERE i.owner_id = u.id AND i.id = given_sign_in)
        FOR NO KEY UPDATE;
    DELETE FROM usershell.sign_ins i USING usershell.good_sign_ins g
     WHERE g.owner_id = given_owner AND g.id = given_sign_in AND i.owner_id = g.owner_id AND i.id = g.id
       AND i.deed = given_deed AND i.visitor_hash = given_visitor
       AND (i.deed = 'session' OR i.owner_id = usershell.auth_user_id()) AND usershell.is_enough(i)
    RETURNING i.* INTO taken;
    RETURN taken;
END
$function$;
COMMENT ON FUNCTION usershell.take_sign_in(uuid, uuid, text, bytea) IS
    'For the one deed that it is for, once; all NULL: there is none that is good. Until the end of the transaction the user''s other deeds wait.';

-- A second attempt after a lost answer finds the session of the first.
CREATE FUNCTION usershell.start_session(
        given_user uuid, given_sign_in uuid, given_visitor bytea, given_session uuid, new_keys usershell.session_keys,
        is_remembered boolean, idle_seconds double precision, absolute_seconds double precision, given_browser text,
        given_address text)
    RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    idle     CONSTANT double precision := usershell.bounded(idle_seconds, 1, 14 * 86400, 'the idle time of a session');
    absolute CONSTANT double precision := usershell.bounded(absolute_seconds, 1, 14 * 86400, 'the life of a session');
    taken    CONSTANT usershell.sign_ins := usershell.take_sign_in(given_user, given_sign_in, 'session', sha256(given_visitor));
BEGIN
    IF taken.owner_id IS NULL THEN
        RETURN usershell.stamp_of_session((new_keys).auth_token_hash) IS NOT NULL;
    END IF;
    INSERT INTO usershell.sessions (owner_id, security_stamp, id, token_hash, calls_token_hash, auth_token_hash,
                                    antiforgery_key, auth_antiforgery_key, remembered, idle, max_expires_at, expires_at,
                                    browser, client_address)
    VALUES (taken.owner_id, taken.security_stamp, given_session, sha256((new_keys).token_hash),
            sha256((new_keys).calls_token_hash), sha256((new_keys).auth_token_hash), (new_keys).antiforgery_key,
            (new_keys).auth_antiforgery_key, is_remembered, make_interval(secs => idle), now() + make_interval(secs => absolute),
            now() + make_interval(secs => least(idle, absolute)), given_browser, given_address);
    RETURN true;
END
$function$;
COMMENT ON FUNCTION usershell.start_session(uuid, uuid, bytea, uuid, usershell.session_keys, boolean, double precision, double precision, text, text) IS
    'Of a sign-in that this visitor has opened for it; false: there is none that is good.';

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
    PERFORM usershell.require_recent(s.signed_in_at) FROM usershell.auth_session s WHERE s.id IS DISTINCT FROM given_session;
    DELETE FROM usershell.sessions s WHERE s.owner_id = usershell.auth_user_id() AND s.id = given_session;
    RETURN FOUND;
END
$function$;
COMMENT ON FUNCTION usershell.end_session(uuid) IS
    'One of the connection''s user, another one only within five minutes after the password; false: they have none of that id.';

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

-- A row that another role holds is left, so the stamp ends that session.
CREATE FUNCTION usershell.end_other_sessions(given_owner uuid, this_session uuid) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    old_stamp CONSTANT bytea := (SELECT u.security_stamp FROM usershell.users u WHERE u.id = given_owner);
    new_stamp bytea;
BEGIN
    UPDATE usershell.users u SET security_stamp = DEFAULT WHERE u.id = given_owner RETURNING u.security_stamp INTO new_stamp;
    UPDATE usershell.sessions s SET security_stamp = new_stamp WHERE s.owner_id = given_owner AND s.id = this_session;
    UPDATE usershell.access_tokens t SET security_stamp = new_stamp
     WHERE t.owner_id = given_owner AND t.security_stamp = old_stamp;
    PERFORM usershell.remove_sessions(given_owner, this_session);
END
$function$;
COMMENT ON FUNCTION usershell.end_other_sessions(uuid, uuid) IS
    'By a new stamp, with which this session and the access tokens go on. For the functions.';

CREATE FUNCTION usershell.sign_out_everywhere() RETURNS bigint
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    who CONSTANT uuid := usershell.auth_user_id();
BEGIN
    PERFORM usershell.require_recent(s.signed_in_at) FROM usershell.auth_session s;
    -- The trigger puts a random one in its place.
    UPDATE usershell.users u SET security_stamp = DEFAULT WHERE u.id = who;
    RETURN usershell.remove_sessions(who, NULL);
END
$function$;
COMMENT ON FUNCTION usershell.sign_out_everywhere() IS
    'Ends all sessions of the connection''s user, and by a new stamp whatever else was begun, within five minutes after the password; returns how many sessions.';

CREATE FUNCTION usershell.stamp_of_session(given_hash bytea) RETURNS bytea
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    RETURN (SELECT s.security_stamp FROM usershell.good_sessions s WHERE s.auth_token_hash = sha256(given_hash));
COMMENT ON FUNCTION usershell.stamp_of_session(bytea) IS 'NULL: no good session has that hash. For the functions.';

CREATE FUNCTION usershell.renew_sign_in(given_sign_in uuid, new_keys usershell.session_keys) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    UPDATE usershell.sign_ins i SET visitor_hash = sha256((new_keys).auth_token_hash)
      FROM usershell.good_sign_ins g JOIN usershell.auth_session c ON c.owner_id = g.owner_id
     WHERE g.id = given_sign_in AND i.owner_id = g.owner_id AND i.id = g.id AND i.visitor_hash = sha256(uuid_send(c.id))
       AND usershell.is_enough(i);
    IF NOT FOUND THEN -- or by a first attempt, whose answer was lost
        RETURN usershell.stamp_of_session((new_keys).auth_token_hash) IS NOT NULL;
    END IF;
    UPDATE usershell.sessions s
       SET token_hash = sha256((new_keys).token_hash), calls_token_hash = sha256((new_keys).calls_token_hash),
           auth_token_hash = sha256((new_keys).auth_token_hash),
           -- Without the policy's factor the sign-in is for adding one, and for no other deed of the next five minutes.
           signed_in_at = CASE WHEN usershell.lacking(c.owner_id) IS NULL THEN now() ELSE s.signed_in_at END
      FROM usershell.auth_session c WHERE s.owner_id = c.owner_id AND s.id = c.id;
    RETURN FOUND;
END
$function$;
COMMENT ON FUNCTION usershell.renew_sign_in(uuid, usershell.session_keys) IS
    'By a sign-in for a deed in the connection''s session, which gets new tokens; the deed takes the sign-in with these alone. Its anti-forgery keys stay. false: either has ended.';

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
       SET token_hash = sha256((new_keys).token_hash), calls_token_hash = sha256((new_keys).calls_token_hash),
           auth_token_hash = sha256((new_keys).auth_token_hash), antiforgery_key = (new_keys).antiforgery_key,
           auth_antiforgery_key = (new_keys).auth_antiforgery_key, security_stamp = new_stamp
     WHERE s.owner_id = given_owner AND s.id = given_session;
    RETURN new_stamp;
END
$function$;
COMMENT ON FUNCTION usershell.keep_session_only(uuid, uuid, usershell.session_keys) IS
    'Ends the user''s other sessions; this one gets new tokens and the new stamp, which is returned. For the functions.';

CREATE FUNCTION usershell.sweep_sessions(max_rows integer)
    RETURNS bigint
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        WITH expired AS (
            SELECT s.owner_id, s.id FROM usershell.sessions s WHERE s.expires_at <= now()
            ORDER BY s.expires_at LIMIT usershell.batch_size(max_rows) FOR UPDATE SKIP LOCKED
        ), swept AS (
            DELETE FROM usershell.sessions s USING expired l
            WHERE s.owner_id = l.owner_id AND s.id = l.id
            RETURNING 1
        )
        SELECT count(*) FROM swept;
    END;
COMMENT ON FUNCTION usershell.sweep_sessions(integer) IS 'Removes expired sessions, of all users; returns how many.';
