-- Oldest program that can run on it: 0.1.0
--
-- Changes of address, one-time links, avatars, mail, and throttled attempts.

-- Changes of address --------------------------------------------------------------------------------------

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

CREATE TABLE usershell.email_attempts (
    owner_id uuid NOT NULL REFERENCES usershell.users ON DELETE CASCADE,
    id       uuid NOT NULL,
    attempted_at timestamptz NOT NULL DEFAULT now(),
    mailed   boolean NOT NULL,
    PRIMARY KEY (owner_id, id)
);
COMMENT ON TABLE usershell.email_attempts IS 'Changes of address asked for within the last hour, failures too.';
CREATE INDEX email_attempts_attempted_at ON usershell.email_attempts (attempted_at);

-- One-time links that set a password ------------------------------------------------------------------------

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
-- Not unique, as with sessions.
CREATE INDEX password_resets_token_hash ON usershell.password_resets (token_hash);

-- Avatars -----------------------------------------------------------------------------------------------------

CREATE TABLE usershell.avatars (
    owner_id    uuid PRIMARY KEY REFERENCES usershell.users ON DELETE CASCADE,
    id          uuid NOT NULL,
    media_type  text NOT NULL CHECK (media_type IN ('image/png', 'image/jpeg')),
    sealed      bytea NOT NULL CHECK (octet_length(sealed) <= 270000),
    ring_key_id text GENERATED ALWAYS AS (encode(substr(sealed, 2, 16), 'hex')) STORED,
    saved_at    timestamptz NOT NULL DEFAULT now()
);
-- Ciphertext does not compress.
ALTER TABLE usershell.avatars ALTER COLUMN sealed SET STORAGE EXTERNAL;

-- Mail --------------------------------------------------------------------------------------------------------

CREATE TABLE usershell.outbox (
    owner_id    uuid NOT NULL REFERENCES usershell.users ON DELETE CASCADE,
    id          uuid NOT NULL,
    kind        text NOT NULL CHECK (kind ~ '^[a-z-]{1,40}$'),
    sealed      bytea NOT NULL CHECK (sealed = '' OR octet_length(sealed) BETWEEN 274 AND 65536
                                                     AND substr(sealed, 1, 2) = '\x0102'),
    ring_key_id text GENERATED ALWAYS AS (encode(NULLIF(substr(sealed, 3, 16), ''), 'hex')) STORED,
    signer_id   text GENERATED ALWAYS AS (encode(NULLIF(substr(sealed, 19, 16), ''), 'hex')) STORED,
    state       text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'failed')),
    attempts       integer NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 1000000),
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    reason      text NOT NULL DEFAULT '' CHECK (char_length(reason) <= 500),
    queued_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner_id, id)
);
COMMENT ON COLUMN usershell.outbox.sealed IS 'recipient, text and end of validity, sealed to the mail ring; emptied when given up';
COMMENT ON COLUMN usershell.outbox.kind IS 'a word for the operator; "none": written to take the same time, thrown away';
CREATE INDEX outbox_next_attempt_at ON usershell.outbox (next_attempt_at) WHERE state = 'queued';

-- The newest 50 of a kind a user: mails that strangers ask for push out no invitation and no notice.
CREATE FUNCTION usershell.drop_oldest_mails() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    DELETE FROM usershell.outbox o
     WHERE o.owner_id = NEW.owner_id AND o.id IN (
           SELECT k.id FROM usershell.outbox k
            WHERE k.owner_id = NEW.owner_id AND k.id IN (
                  SELECT e.id FROM usershell.outbox e WHERE e.owner_id = NEW.owner_id AND e.kind = NEW.kind
                  ORDER BY e.queued_at DESC, e.id OFFSET 49)
            FOR UPDATE SKIP LOCKED);
    RETURN NEW;
END
$function$;
CREATE TRIGGER drop_oldest_mails BEFORE INSERT ON usershell.outbox
    FOR EACH ROW EXECUTE FUNCTION usershell.drop_oldest_mails();

-- Whoever may delay mail can't hold it back for good.
CREATE FUNCTION usershell.bound_delay() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    PERFORM usershell.bounded(NEW.next_attempt_at, '-infinity', clock_timestamp() + interval '1 day', 'the delay of a mail');
    RETURN NEW;
END
$function$;
CREATE TRIGGER bound_delay BEFORE UPDATE OF next_attempt_at ON usershell.outbox
    FOR EACH ROW EXECUTE FUNCTION usershell.bound_delay();

-- A link is made with the mail that brings it, and not without. An earlier attempt may have left the mail's row.
CREATE FUNCTION usershell.queue_required_mail(given_owner uuid, mail_id uuid, mail_kind text, mail_sealed bytea) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    IF octet_length(mail_sealed) > 0 THEN
        INSERT INTO usershell.outbox (owner_id, id, kind, sealed) VALUES (given_owner, mail_id, mail_kind, mail_sealed)
        ON CONFLICT DO NOTHING;
    END IF;
    IF NOT EXISTS (SELECT FROM usershell.outbox o WHERE o.owner_id = given_owner AND o.id = mail_id AND o.kind = mail_kind
                                                    AND o.sealed = mail_sealed AND mail_sealed <> '') THEN
        RAISE EXCEPTION 'the mail is missing' USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$function$;
COMMENT ON FUNCTION usershell.queue_required_mail(uuid, uuid, text, bytea) IS
    'Queues a mail without which the transaction is refused. For the functions; no role may call it.';

-- Attempts ---------------------------------------------------------------------------------------------------------
-- Worth little after a crash, so UNLOGGED: a flood of wrong passwords writes no journal.

CREATE UNLOGGED TABLE usershell.attempts (
    subject       bytea PRIMARY KEY CHECK (octet_length(subject) = 32),
    failures      integer NOT NULL DEFAULT 0,
    blocked_until timestamptz NOT NULL DEFAULT '-infinity',
    expires_at      timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);
COMMENT ON COLUMN usershell.attempts.subject IS 'a hash of an account or a client address';
COMMENT ON COLUMN usershell.attempts.expires_at IS 'when the failures so far are forgotten';
CREATE INDEX attempts_expires_at ON usershell.attempts (expires_at);

-- Row-level security ---------------------------------------------------------------------------------------------

DO $policies$
DECLARE
    secured text;
BEGIN
    FOREACH secured IN ARRAY ARRAY['email_changes', 'email_attempts', 'password_resets', 'avatars', 'outbox']
    LOOP
        EXECUTE format('ALTER TABLE usershell.%I ENABLE ROW LEVEL SECURITY', secured);
        EXECUTE format('ALTER TABLE usershell.%I FORCE ROW LEVEL SECURITY', secured);
        EXECUTE format(
            'CREATE POLICY own_rows ON usershell.%I TO usershell_manage
             USING (owner_id = (SELECT usershell.current_user_id()))', secured);
        EXECUTE format(
            'CREATE POLICY all_rows ON usershell.%I TO usershell_owner USING (true)', secured);
    END LOOP;
END
$policies$;
-- The mail sender sends the mail of all users.
CREATE POLICY mail_sender ON usershell.outbox TO usershell_mail USING (true);

-- Grants -----------------------------------------------------------------------------------------------------------

GRANT UPDATE (email, normalized_email) ON usershell.users TO usershell_manage;
GRANT UPDATE (signed_in_at) ON usershell.sessions TO usershell_manage;
GRANT SELECT, INSERT, UPDATE, DELETE ON usershell.email_changes, usershell.avatars TO usershell_manage;
GRANT SELECT, INSERT ON usershell.email_attempts TO usershell_manage;
GRANT INSERT ON usershell.outbox TO usershell_manage;
-- On columns only: a role that may delete from a table may lock it, and so stop mail from being queued.
GRANT SELECT (owner_id, id, kind, sealed, state, attempts, next_attempt_at, queued_at),
      UPDATE (sealed, state, attempts, next_attempt_at, reason)
    ON usershell.outbox TO usershell_mail;

-- Functions: what happens without an identity, or in one piece --------------------------------------------------------

CREATE FUNCTION usershell.take_attempt(given_subjects bytea[], free_attempts integer[], max_delay interval[])
    RETURNS bigint
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    moment timestamptz := clock_timestamp();
    wait   interval;
BEGIN
    PERFORM usershell.bounded(cardinality(given_subjects), 1, 10, 'the number of subjects'),
            usershell.bounded(cardinality(free_attempts), cardinality(given_subjects), cardinality(given_subjects),
                              'the number of counts'),
            usershell.bounded(cardinality(max_delay), cardinality(given_subjects), cardinality(given_subjects),
                              'the number of delays');
    PERFORM usershell.bounded(g.free, 0, 10000, 'a number of free attempts'),
            usershell.bounded(g.longest, interval '0', interval '1 hour', 'a delay')
       FROM unnest(free_attempts, max_delay) AS g (free, longest);
    -- A blocked attempt writes no row and locks none: a flood from one client, with a made-up address each, costs
    -- reads only.
    SELECT max(t.blocked_until) - moment INTO wait
      FROM usershell.attempts t WHERE t.subject = ANY (given_subjects) AND t.blocked_until > moment;
    IF wait IS NOT NULL THEN
        RETURN ceil(extract(epoch FROM wait))::bigint;
    END IF;
    -- In order of subject, so that two that share some can't wait for each other.
    INSERT INTO usershell.attempts (subject)
    SELECT s FROM unnest(given_subjects) s ORDER BY s ON CONFLICT DO NOTHING;
    PERFORM 1 FROM usershell.attempts t WHERE t.subject = ANY (given_subjects) ORDER BY t.subject FOR UPDATE;
    moment := clock_timestamp();
    SELECT max(t.blocked_until) - moment INTO wait
      FROM usershell.attempts t WHERE t.subject = ANY (given_subjects) AND t.blocked_until > moment;
    IF wait IS NOT NULL THEN -- by an attempt at the same moment; the rows that have just been made count nothing
        DELETE FROM usershell.attempts t WHERE t.subject = ANY (given_subjects) AND t.failures = 0;
        RETURN ceil(extract(epoch FROM wait))::bigint;
    END IF;
    UPDATE usershell.attempts t
       SET failures = n.failures, blocked_until = moment + n.delay, expires_at = moment + n.delay + interval '1 hour'
      FROM (SELECT c.subject, c.failures,
                   CASE WHEN c.failures < c.free THEN interval '0'
                        ELSE least(c.max_delay, interval '1 second' * power(2, least(c.failures - c.free, 20)))
                   END AS delay
              FROM (SELECT k.subject, g.free, g.max_delay,
                           CASE WHEN k.expires_at < moment THEN 1 ELSE k.failures + 1 END AS failures
                      FROM usershell.attempts k
                      JOIN unnest(given_subjects, free_attempts, max_delay) AS g (subject, free, max_delay)
                        ON g.subject = k.subject) c) n
     WHERE t.subject = n.subject;
    RETURN NULL;
END
$function$;
COMMENT ON FUNCTION usershell.take_attempt(bytea[], integer[], interval[]) IS
    'Counts an attempt of all subjects as failed and returns NULL; or counts none and returns the seconds to wait.';
GRANT EXECUTE ON FUNCTION usershell.take_attempt(bytea[], integer[], interval[]) TO usershell_manage;

CREATE FUNCTION usershell.clear_attempts(given_subject bytea) RETURNS void
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        DELETE FROM usershell.attempts t WHERE t.subject = given_subject;
    END;
GRANT EXECUTE ON FUNCTION usershell.clear_attempts(bytea) TO usershell_manage;

CREATE FUNCTION usershell.forgive_attempt(given_subject bytea) RETURNS void
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        DELETE FROM usershell.attempts t WHERE t.subject = given_subject AND t.failures <= 1;
        UPDATE usershell.attempts t SET failures = t.failures - 1, blocked_until = '-infinity'
         WHERE t.subject = given_subject;
    END;
COMMENT ON FUNCTION usershell.forgive_attempt(bytea) IS 'Takes the last attempt back; those before it still count.';
GRANT EXECUTE ON FUNCTION usershell.forgive_attempt(bytea) TO usershell_manage;

CREATE FUNCTION usershell.find_password_reset(given_hash bytea)
    RETURNS TABLE (user_id uuid, invitation boolean, normalized_email text, display_name text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT r.owner_id, r.invitation, u.normalized_email, u.display_name
          FROM usershell.password_resets r
          JOIN usershell.users u ON u.id = r.owner_id AND u.security_stamp = r.security_stamp
         WHERE r.token_hash = given_hash AND r.expires_at > now() AND NOT u.is_disabled;
    END;
GRANT EXECUTE ON FUNCTION usershell.find_password_reset(bytea) TO usershell_manage;

CREATE FUNCTION usershell.finish_password_reset(given_hash bytea, new_password_hash text) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    who uuid;
BEGIN
    -- Compares under the row's lock: of two that wait for it, the second finds another stamp.
    UPDATE usershell.users u SET password_hash = new_password_hash
      FROM usershell.password_resets r
     WHERE r.token_hash = given_hash AND r.expires_at > now() AND u.id = r.owner_id
       AND u.security_stamp = r.security_stamp AND NOT u.is_disabled
    RETURNING u.id INTO who;
    IF who IS NULL THEN
        RETURN false;
    END IF;
    DELETE FROM usershell.password_resets r WHERE r.owner_id = who;
    -- All are of an earlier stamp by now. A role that holds the row of one does not stop this.
    DELETE FROM usershell.sessions s WHERE s.owner_id = who AND s.id IN (
        SELECT o.id FROM usershell.sessions o WHERE o.owner_id = who FOR UPDATE SKIP LOCKED);
    RETURN true;
END
$function$;
COMMENT ON FUNCTION usershell.finish_password_reset(bytea, text) IS
    'Consumes the link, sets the password, ends the user''s sessions; false when the link is not good.';
GRANT EXECUTE ON FUNCTION usershell.finish_password_reset(bytea, text) TO usershell_manage;

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
GRANT EXECUTE ON FUNCTION usershell.find_recipient(text, text) TO usershell_manage;

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
        VALUES (who, given_hash, given_stamp, false, now() + make_interval(secs => seconds))
        ON CONFLICT (owner_id, invitation) DO UPDATE
        SET token_hash = excluded.token_hash, security_stamp = excluded.security_stamp, expires_at = excluded.expires_at,
            made_at = excluded.made_at;
    END IF;
END
$function$;
COMMENT ON FUNCTION usershell.ask_password_reset(uuid, bytea, bytea, double precision, uuid, bytea) IS
    'The link and its mail for that user, if the stamp is still theirs; for nobody, a mail that is thrown away unsent: the same work.';
GRANT EXECUTE ON FUNCTION usershell.ask_password_reset(uuid, bytea, bytea, double precision, uuid, bytea) TO usershell_manage;

CREATE FUNCTION usershell.mail_sent(given_owner uuid, given_mail uuid) RETURNS void
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        DELETE FROM usershell.outbox o WHERE o.owner_id = given_owner AND o.id = given_mail;
    END;
GRANT EXECUTE ON FUNCTION usershell.mail_sent(uuid, uuid) TO usershell_mail;

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
                LIMIT usershell.batch_size(max_rows) FOR UPDATE SKIP LOCKED)
            RETURNING 1
        ), resets AS (
            DELETE FROM usershell.password_resets r WHERE (r.owner_id, r.invitation) IN (
                SELECT owner_id, invitation FROM usershell.password_resets WHERE expires_at <= now()
                LIMIT usershell.batch_size(max_rows) FOR UPDATE SKIP LOCKED)
            RETURNING 1
        ), attempts AS (
            DELETE FROM usershell.attempts t WHERE t.subject IN (
                SELECT subject FROM usershell.attempts WHERE expires_at <= now() LIMIT usershell.batch_size(max_rows) FOR UPDATE SKIP LOCKED)
            RETURNING 1
        )
        SELECT (SELECT count(*) FROM changes) + (SELECT count(*) FROM email_attempts)
             + (SELECT count(*) FROM resets) + (SELECT count(*) FROM attempts);
    END;
COMMENT ON FUNCTION usershell.sweep_leftovers(integer) IS
    'Removes what has expired or has no effect any more, of all users; returns how many rows.';
GRANT EXECUTE ON FUNCTION usershell.sweep_leftovers(integer) TO usershell_manage;
