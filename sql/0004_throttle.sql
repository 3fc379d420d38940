-- Oldest program that can run on it: 0.1.0
--
-- Attempts that are throttled. They survive a crash and a failover: an unlogged table is empty after the one, and on the
-- standby after the other. They are counted in transactions of their own, which wait for no disk (synchronous_commit is off
-- in them).

CREATE TABLE usershell.attempts (
    subject       bytea PRIMARY KEY CHECK (octet_length(subject) = 32),
    failures      integer NOT NULL DEFAULT 0,
    blocked_until timestamptz NOT NULL DEFAULT '-infinity',
    expires_at      timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);
COMMENT ON COLUMN usershell.attempts.subject IS 'a hash of an account or a client address';
COMMENT ON COLUMN usershell.attempts.expires_at IS 'when the failures so far are forgotten';
CREATE INDEX attempts_expires_at ON usershell.attempts (expires_at);

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
    PERFORM usershell.require_fresh_rows();
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

CREATE FUNCTION usershell.clear_attempts(given_subject bytea) RETURNS void
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        DELETE FROM usershell.attempts t WHERE t.subject = given_subject;
    END;

CREATE FUNCTION usershell.forgive_attempt(given_subject bytea) RETURNS void
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        DELETE FROM usershell.attempts t WHERE t.subject = given_subject AND t.failures <= 1;
        UPDATE usershell.attempts t SET failures = t.failures - 1, blocked_until = '-infinity'
         WHERE t.subject = given_subject;
    END;
COMMENT ON FUNCTION usershell.forgive_attempt(bytea) IS 'Takes the last attempt back; those before it still count.';
