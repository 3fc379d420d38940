-- Oldest program that can run on it: 0.1.0
--
-- The latest events of an account, for its owner and the operator. The functions and triggers here add a row in the
-- transaction of the change, so that no program can omit or invent one. A row is deleted when its time is over, or when there
-- are enough newer rows of its kind.

CREATE TABLE usershell.events (
    owner_id       uuid NOT NULL REFERENCES usershell.users ON DELETE CASCADE,
    id             uuid NOT NULL DEFAULT gen_random_uuid(),
    kind           text COLLATE "C" NOT NULL CHECK (kind IN (
                       'signed_in', 'wrong_password', 'throttled', 'signed_out_everywhere', 'password_changed',
                       'address_changed', 'disabled', 'enabled', 'key_added', 'key_replaced', 'key_removed', 'token_made',
                       'token_changed', 'token_renewed', 'token_enabled', 'token_disabled', 'token_ends', 'token_revoked',
                       'handle_changed', 'handle_taken', 'provider_moved', 'header_set', 'header_removed',
                       'wrong_code', 'factor_added', 'factor_removed', 'recovery_made', 'recovery_used', 'factors_reset',
                       'factors_restored', 'passkey_copied', 'codes_throttled')),
    happened_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    about          text NOT NULL DEFAULT '' CHECK (char_length(about) <= 250),
    browser        text NOT NULL DEFAULT '' CHECK (char_length(browser) <= 160),
    client_address text NOT NULL DEFAULT '' CHECK (octet_length(client_address) <= 64),
    announced_at   timestamptz DEFAULT '-infinity',
    PRIMARY KEY (owner_id, id)
);
COMMENT ON COLUMN usershell.events.about IS 'of a key: the name of its provider, and of its account';
COMMENT ON COLUMN usershell.events.client_address IS 'of a sign-in only';
COMMENT ON COLUMN usershell.events.announced_at IS 'when its mail was queued; NULL: it waits for its mail; -infinity: it has none';
CREATE INDEX events_to_announce ON usershell.events (owner_id, happened_at) WHERE announced_at IS NULL;
CREATE INDEX events_of_a_kind ON usershell.events (owner_id, kind, happened_at);
CREATE INDEX events_happened_at ON usershell.events (happened_at);

CREATE FUNCTION usershell.is_mailed(given_kind text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN given_kind IN ('handle_changed', 'handle_taken', 'provider_moved', 'header_set', 'header_removed',
                          'factor_added', 'factor_removed', 'recovery_made', 'recovery_used', 'factors_reset',
                          'factors_restored', 'passkey_copied', 'codes_throttled', 'token_changed', 'token_renewed',
                          'token_enabled', 'token_ends');
COMMENT ON FUNCTION usershell.is_mailed(text) IS 'usershell-auth sends a mail about each event of that kind (announce_event()).';

CREATE FUNCTION usershell.note_event(given_owner uuid, given_kind text, given_about text, given_browser text,
                                     given_address text) RETURNS void
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        -- While a user is deleted, what is theirs goes one after the other, and they are not there any more.
        INSERT INTO usershell.events (owner_id, kind, about, browser, client_address, announced_at)
        SELECT u.id, given_kind, given_about, given_browser, given_address,
               CASE WHEN NOT usershell.is_mailed(given_kind) THEN timestamptz '-infinity' END
          FROM usershell.users u WHERE u.id = given_owner;
        -- The newest 50 of a kind: what strangers can bring about pushes out nothing else.
        DELETE FROM usershell.events e
         WHERE e.owner_id = given_owner AND e.id IN (
               SELECT o.id FROM usershell.events o WHERE o.owner_id = given_owner AND o.kind = given_kind
               ORDER BY o.happened_at DESC, o.id OFFSET 50);
    END;

-- Sign-ins ----------------------------------------------------------------------------------------------------------

CREATE FUNCTION usershell.note_sign_in() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    PERFORM usershell.note_event(NEW.owner_id, 'signed_in', '', NEW.browser, NEW.client_address);
    RETURN NULL;
END
$function$;
CREATE TRIGGER note_sign_in AFTER INSERT ON usershell.sessions
    FOR EACH ROW EXECUTE FUNCTION usershell.note_sign_in();

CREATE FUNCTION usershell.owner_of_failures(given_email text) RETURNS uuid
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    RETURN coalesce((SELECT u.id FROM usershell.users u WHERE u.normalized_email = given_email AND NOT u.is_disabled),
                    '00000000-0000-0000-0000-000000000000');
COMMENT ON FUNCTION usershell.owner_of_failures(text) IS
    'Whose address that is; of an address that is nobody''s, the global owner, for whom the same is written.';

CREATE FUNCTION usershell.note_failure(given_owner uuid, given_kind text, given_browser text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    -- No caller waits for the disk, or the wait would tell them how much was written.
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM usershell.note_event(given_owner, given_kind, '', given_browser, '');
END
$function$;

CREATE FUNCTION usershell.note_throttled(given_email text, given_browser text) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    owner CONSTANT uuid := usershell.owner_of_failures(given_email);
BEGIN
    -- Once an hour, for all unknown addresses together: a blocked attempt causes no more work.
    IF NOT EXISTS (
        SELECT FROM usershell.events e
         WHERE e.owner_id = owner AND e.kind = 'throttled' AND e.happened_at > now() - interval '1 hour')
    THEN
        PERFORM usershell.note_failure(owner, 'throttled', given_browser);
    END IF;
END
$function$;
COMMENT ON FUNCTION usershell.note_throttled(text, text) IS
    'That sign-ins with that address are slowed down, for its user to see.';

-- Security events ---------------------------------------------------------------------------------------------------

CREATE FUNCTION usershell.note_stamp() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    PERFORM usershell.note_event(
        NEW.id,
        CASE WHEN NEW.password_hash <> OLD.password_hash THEN 'password_changed'
             WHEN NEW.email <> OLD.email OR NEW.normalized_email <> OLD.normalized_email THEN 'address_changed'
             WHEN NEW.is_disabled AND NOT OLD.is_disabled THEN 'disabled'
             WHEN OLD.is_disabled AND NOT NEW.is_disabled THEN 'enabled'
             ELSE 'signed_out_everywhere' END, '', '', '');
    RETURN NULL;
END
$function$;
CREATE TRIGGER note_stamp AFTER UPDATE ON usershell.users
    FOR EACH ROW WHEN (NEW.security_stamp <> OLD.security_stamp) EXECUTE FUNCTION usershell.note_stamp();

-- Keys --------------------------------------------------------------------------------------------------------------

CREATE FUNCTION usershell.note_key() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    had  CONSTANT boolean := TG_OP <> 'INSERT' AND OLD.sealed_key IS NOT NULL;
    has  CONSTANT boolean := TG_OP <> 'DELETE' AND NEW.sealed_key IS NOT NULL;
    -- That role can only put the same record under another key of the ring (swap_envelope()).
    kept CONSTANT boolean := TG_OP = 'UPDATE' AND (NEW.sealed_key IS NOT DISTINCT FROM OLD.sealed_key
                                                   OR session_user = 'usershell_rewrap');
    holder record;
    provider_name text;
BEGIN
    IF kept OR NOT (had OR has) THEN
        RETURN NULL;
    END IF;
    holder := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
    IF TG_TABLE_NAME = 'accounts' THEN
        SELECT p.name || ': ' INTO provider_name
          FROM usershell.providers p WHERE p.owner_id = holder.owner_id AND p.id = holder.provider_id;
    END IF;
    PERFORM usershell.note_event(
        holder.owner_id, CASE WHEN NOT had THEN 'key_added' WHEN has THEN 'key_replaced' ELSE 'key_removed' END,
        coalesce(provider_name, '') || holder.name, '', '');
    RETURN NULL;
END
$function$;
CREATE TRIGGER note_key AFTER INSERT OR DELETE OR UPDATE OF sealed_key ON usershell.providers
    FOR EACH ROW EXECUTE FUNCTION usershell.note_key();
CREATE TRIGGER note_key AFTER INSERT OR DELETE OR UPDATE OF sealed_key ON usershell.accounts
    FOR EACH ROW EXECUTE FUNCTION usershell.note_key();

-- Reading, and their end --------------------------------------------------------------------------------------------

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

CREATE FUNCTION usershell.sweep_events(max_rows integer, keep interval) RETURNS bigint
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        WITH swept AS (
            DELETE FROM usershell.events e WHERE (e.owner_id, e.id) IN (
                SELECT owner_id, id FROM usershell.events
                 WHERE happened_at <= now() - usershell.bounded(keep, interval '7 days', interval '365 days', 'the life of events')
                 ORDER BY happened_at LIMIT usershell.batch_size(max_rows) FOR UPDATE SKIP LOCKED)
            RETURNING 1
        )
        SELECT count(*) FROM swept;
    END;
COMMENT ON FUNCTION usershell.sweep_events(integer, interval) IS
    'Removes events older than that, a week to a year, of all users; returns how many.';
