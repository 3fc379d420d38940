-- Oldest program that can run on it: 0.1.0
--
-- Mails about events, by usershell-auth: no other program can write a mail. It asks for the events that wait, and queues the
-- mail of each with the mark that it has one: of two processes with one event, the second queues nothing.

CREATE FUNCTION usershell.max_announcements_an_hour() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 5;
COMMENT ON FUNCTION usershell.max_announcements_an_hour() IS 'Mails about events of a user; further events wait for theirs.';

CREATE FUNCTION usershell.announcements_left(given_owner uuid) RETURNS bigint
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    RETURN (SELECT usershell.max_announcements_an_hour() - count(*) FROM usershell.events e
             WHERE e.owner_id = given_owner AND e.announced_at > now() - interval '1 hour');

CREATE FUNCTION usershell.events_to_announce(max_rows integer)
    RETURNS TABLE (owner_id uuid, event_id uuid, kind text, about text, email text, display_name text)
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        -- A user whose row another role holds would be asked for again and again, in the place of all others.
        SELECT e.owner_id, e.id, e.kind, e.about, u.email, u.display_name
          FROM (SELECT w.*, row_number() OVER (PARTITION BY w.owner_id ORDER BY w.kind NOT LIKE 'factor%', w.happened_at, w.id) AS place
                  FROM usershell.events w WHERE w.announced_at IS NULL) e
          JOIN usershell.users u ON u.id = e.owner_id
         WHERE e.place <= usershell.announcements_left(e.owner_id)
         ORDER BY e.happened_at, e.id LIMIT usershell.batch_size(max_rows)
           FOR NO KEY UPDATE OF u SKIP LOCKED;
    END;
COMMENT ON FUNCTION usershell.events_to_announce(integer) IS
    'Events that wait for a mail, of all users whose row is free, the oldest first, with the address that the mail goes to.';

CREATE FUNCTION usershell.announce_event(given_owner uuid, given_event uuid, mail_id uuid, mail_sealed bytea) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    -- Announcements of one user take turns, so that the count is exact; no user without such an event is locked.
    -- A row that another role holds keeps back this user's mails alone.
    PERFORM usershell.require_fresh_rows();
    PERFORM FROM usershell.users u
      WHERE u.id = given_owner AND EXISTS (SELECT FROM usershell.events e WHERE e.owner_id = u.id AND e.id = given_event
                                                                            AND e.announced_at IS NULL)
        FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    UPDATE usershell.events e SET announced_at = now()
     WHERE e.owner_id = given_owner AND e.id = given_event AND e.announced_at IS NULL
       AND usershell.announcements_left(given_owner) > 0;
    IF FOUND THEN
        PERFORM usershell.queue_required_mail(given_owner, mail_id, 'security-event', mail_sealed);
    END IF;
END
$function$;
COMMENT ON FUNCTION usershell.announce_event(uuid, uuid, uuid, bytea) IS
    'Queues the mail about that event, and marks the event; does nothing when another process has done so.';
