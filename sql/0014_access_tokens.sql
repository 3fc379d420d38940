-- Oldest program that can run on it: 0.1.0
--
-- Access tokens: a person's tools call through the stored keys and never see one. usershell-auth makes and revokes tokens,
-- usershell-execute begins calls with them. A row has what a token is compared with, and no token: not even the role of
-- usershell-execute begins a call with what is stored.

-- Handles ------------------------------------------------------------------------------------------------------------------

ALTER TABLE usershell.providers ADD COLUMN handle text COLLATE "C";
COMMENT ON COLUMN usershell.providers.handle IS 'names the provider to tools, as in handle/model; survives a rename';

-- The small letters of ASCII: a Turkish server has another one for I.
CREATE FUNCTION usershell.free_handle(given_owner uuid, given_name text) RETURNS text
    LANGUAGE sql STABLE
    RETURN (WITH base AS (
        SELECT coalesce(NULLIF(btrim(left(regexp_replace(lower(given_name COLLATE "C"), '[^a-z0-9]+', '-', 'g'), 36), '-'), ''), 'provider') AS word)
        SELECT each FROM base, LATERAL (SELECT CASE n WHEN 1 THEN word ELSE word || '-' || n END AS each, n
                                          FROM generate_series(1, 100) n) candidates
         WHERE NOT EXISTS (SELECT FROM usershell.providers p WHERE p.owner_id = given_owner AND p.handle = each)
         ORDER BY n LIMIT 1);
COMMENT ON FUNCTION usershell.free_handle(uuid, text) IS 'A handle that no other provider of the owner has, made from a name.';

-- Tools call whatever has the handle that they were given. So a handle that a provider had stays its owner's in a list: who takes
-- one of these has given the password lately, as who changes a handle or what is behind it. That holds for every statement.

CREATE TABLE usershell.freed_handles (
    owner_id uuid NOT NULL REFERENCES usershell.users ON DELETE CASCADE,
    handle   text NOT NULL CHECK (octet_length(handle) <= 40),
    PRIMARY KEY (owner_id, handle)
);
COMMENT ON TABLE usershell.freed_handles IS 'Handles that providers had which were renamed or deleted: tools may still use them.';

CREATE FUNCTION usershell.max_freed_handles() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 1000;
COMMENT ON FUNCTION usershell.max_freed_handles() IS 'Freed handles of a user that are kept; with so many, every handle counts as one.';

CREATE FUNCTION usershell.is_freed(given_owner uuid, given_handle text) RETURNS boolean
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    RETURN EXISTS (SELECT FROM usershell.freed_handles f WHERE f.owner_id = given_owner AND f.handle = given_handle)
        OR (SELECT count(*) >= usershell.max_freed_handles() FROM usershell.freed_handles f WHERE f.owner_id = given_owner);

CREATE FUNCTION usershell.require_password() RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    -- now() stands still in a transaction that is kept open.
    IF NOT pg_has_role(session_user, 'usershell_owner', 'MEMBER')
       AND NOT EXISTS (SELECT FROM usershell.current_session s WHERE s.signed_in_at > clock_timestamp() - interval '5 minutes') THEN
        RAISE EXCEPTION 'the password has to be given again' USING ERRCODE = 'US003';
    END IF;
END
$function$;
COMMENT ON FUNCTION usershell.require_password() IS
    'Refuses a session of usershell-manage whose password was given more than 5 minutes ago. For the functions.';

CREATE FUNCTION usershell.guard_names() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    is_renamed CONSTANT boolean := TG_OP = 'UPDATE' AND NEW.handle <> OLD.handle;
    is_moved   CONSTANT boolean := TG_OP = 'UPDATE' AND (NEW.type, NEW.base_url) <> (OLD.type, OLD.base_url);
    is_taken   CONSTANT boolean := TG_OP = 'INSERT' AND usershell.is_freed(NEW.owner_id, NEW.handle);
BEGIN
    IF is_renamed OR is_moved OR is_taken THEN
        PERFORM usershell.require_password();
    END IF;
    IF TG_OP = 'DELETE' OR is_renamed THEN
        INSERT INTO usershell.freed_handles (owner_id, handle)
        SELECT u.id, OLD.handle FROM usershell.users u
         WHERE u.id = OLD.owner_id
           AND (SELECT count(*) FROM usershell.freed_handles f WHERE f.owner_id = u.id) < usershell.max_freed_handles()
        ON CONFLICT DO NOTHING;
    END IF;
    IF is_renamed OR is_taken THEN
        DELETE FROM usershell.freed_handles f WHERE f.owner_id = NEW.owner_id AND f.handle = NEW.handle;
    END IF;
    IF is_renamed THEN
        PERFORM usershell.note_event(NEW.owner_id, 'handle_changed', OLD.handle || ' → ' || NEW.handle, '', '');
    END IF;
    IF is_moved THEN
        PERFORM usershell.note_event(NEW.owner_id, 'provider_moved',
                                     NEW.name || ': ' || left(substring(NEW.base_url FROM '^[a-z]+://[^/]*'), 140), '', '');
    END IF;
    IF is_taken THEN
        PERFORM usershell.note_event(NEW.owner_id, 'handle_taken', NEW.handle, '', '');
    END IF;
    RETURN NULL;
END
$function$;

-- A tool calls `handle/model` or `model@handle`. A model whose own id reads like that, with the handle of another provider, would be
-- called in its place: to add one takes the password, and is told as a taken handle.
CREATE FUNCTION usershell.guard_model_name() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    IF EXISTS (
        SELECT FROM (SELECT p.handle FROM usershell.providers p WHERE p.owner_id = NEW.owner_id AND p.id <> NEW.provider_id
                      UNION ALL
                     SELECT f.handle FROM usershell.freed_handles f WHERE f.owner_id = NEW.owner_id) of_others
         WHERE starts_with(NEW.model_id, of_others.handle || '/') OR right(NEW.model_id, length(of_others.handle) + 1) = '@' || of_others.handle)
    THEN
        PERFORM usershell.require_password();
        PERFORM usershell.note_event(NEW.owner_id, 'handle_taken', left(NEW.model_id, 200), '', '');
    END IF;
    RETURN NULL;
END
$function$;

-- Some gateways send a call where a header says. So a header takes the password and is told as another address is.
CREATE FUNCTION usershell.guard_header() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    IF session_user = 'usershell_rewrap' THEN
        RETURN NULL; -- the same record under another key of the ring (0012)
    END IF;
    IF TG_OP <> 'DELETE' THEN
        PERFORM usershell.require_password();
    END IF;
    -- Those of a provider that is deleted go with it.
    PERFORM usershell.note_event(p.owner_id, CASE TG_OP WHEN 'DELETE' THEN 'header_removed' ELSE 'header_set' END,
                                 p.name || ': ' || coalesce(NEW.name, OLD.name), '', '')
       FROM usershell.providers p
      WHERE p.owner_id = coalesce(NEW.owner_id, OLD.owner_id) AND p.id = coalesce(NEW.provider_id, OLD.provider_id);
    RETURN NULL;
END
$function$;

-- Creations of one owner take turns by the lock of the owner's row, so that the handle is still free.
CREATE FUNCTION usershell.set_handle() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    NEW.handle := coalesce(NEW.handle, usershell.free_handle(NEW.owner_id, NEW.name));
    -- Nobody can be asked for the password while older keys are folded (0006): no freed handle is taken then.
    IF NOT EXISTS (SELECT FROM usershell.current_session) AND usershell.is_freed(NEW.owner_id, NEW.handle) THEN
        NEW.handle := 'provider-' || left(NEW.id::text, 8);
    END IF;
    RETURN NEW;
END
$function$;
CREATE TRIGGER set_handle BEFORE INSERT ON usershell.providers FOR EACH ROW EXECUTE FUNCTION usershell.set_handle();

DO $upgrade$
DECLARE
    each record;
BEGIN
    FOR each IN SELECT p.owner_id, p.id, p.name FROM usershell.providers p ORDER BY p.owner_id, p.created_at LOOP
        UPDATE usershell.providers p SET handle = usershell.free_handle(each.owner_id, each.name)
         WHERE p.owner_id = each.owner_id AND p.id = each.id;
    END LOOP;
END
$upgrade$;
SET CONSTRAINTS ALL IMMEDIATE; -- runs the deferred triggers of these rows, before which ALTER TABLE is refused
ALTER TABLE usershell.providers
    ALTER COLUMN handle SET NOT NULL,
    ADD CONSTRAINT providers_handle_check CHECK (handle ~ '^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$'),
    ADD CONSTRAINT providers_handle_key UNIQUE (owner_id, handle);
CREATE TRIGGER guard_names AFTER INSERT OR DELETE OR UPDATE OF handle, type, base_url ON usershell.providers
    FOR EACH ROW EXECUTE FUNCTION usershell.guard_names();
CREATE TRIGGER guard_header AFTER INSERT OR UPDATE OR DELETE ON usershell.provider_headers
    FOR EACH ROW EXECUTE FUNCTION usershell.guard_header();
CREATE TRIGGER guard_model_name AFTER INSERT ON usershell.models FOR EACH ROW EXECUTE FUNCTION usershell.guard_model_name();
GRANT SELECT (handle), UPDATE (handle) ON usershell.providers TO usershell_manage;

-- Tokens -------------------------------------------------------------------------------------------------------------------

CREATE TABLE usershell.access_tokens (
    owner_id       uuid NOT NULL REFERENCES usershell.users ON DELETE CASCADE,
    id             uuid NOT NULL,
    selector       bytea NOT NULL UNIQUE CHECK (octet_length(selector) = 12),
    verifier_hash  bytea NOT NULL CHECK (octet_length(verifier_hash) = 32),
    security_stamp bytea NOT NULL CHECK (octet_length(security_stamp) = 16),
    name           text NOT NULL
                   CHECK (char_length(name) BETWEEN 1 AND 100
                     AND name !~ '[\x01-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'
                     AND name ~ '[^\x01-\x20\x7f-\xa0\xad\u034f\u061c\u115f-\u1160\u1680\u17b4-\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]'),
    provider_ids   uuid[] CHECK (cardinality(provider_ids) BETWEEN 1 AND 10),
    models         text[] CHECK (cardinality(models) BETWEEN 1 AND 100),
    routes         text[] CHECK (routes <@ ARRAY['chat', 'completions', 'embeddings', 'responses', 'messages', 'images', 'speech', 'rerank'] AND cardinality(routes) > 0),
    max_requests_a_minute integer NOT NULL CHECK (max_requests_a_minute BETWEEN 1 AND 6000),
    max_tokens_a_day bigint CHECK (max_tokens_a_day BETWEEN 1 AND 1000000000000),
    may_use_stored_objects boolean NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT now(),
    expires_at     timestamptz NOT NULL CHECK (expires_at <= created_at + interval '366 days'),
    PRIMARY KEY (owner_id, id)
);
COMMENT ON COLUMN usershell.access_tokens.selector IS 'the public part of the token';
COMMENT ON COLUMN usershell.access_tokens.verifier_hash IS 'SHA-256 of what a program presents, a keyed hash of the token';
COMMENT ON COLUMN usershell.access_tokens.security_stamp IS 'the user''s when the token was made; good as long as it is theirs';
COMMENT ON COLUMN usershell.access_tokens.provider_ids IS 'NULL: all';
COMMENT ON COLUMN usershell.access_tokens.models IS 'id of the provider, slash, id of the model; NULL: all';
COMMENT ON COLUMN usershell.access_tokens.routes IS 'NULL: all';

CREATE VIEW usershell.good_tokens AS
    SELECT t.* FROM usershell.access_tokens t
      JOIN usershell.users u ON u.id = t.owner_id AND u.security_stamp = t.security_stamp AND NOT u.is_disabled
     WHERE t.expires_at > now();
COMMENT ON VIEW usershell.good_tokens IS 'The tokens that have not ended. For the functions; no role may read it.';

-- What usershell-execute writes of a token refers to its row by no foreign key, and is no part of it: a transaction that this
-- role keeps open holds no lock that the revoking of a token waits for.
CREATE TABLE usershell.token_uses (
    owner_id uuid NOT NULL,
    token_id uuid NOT NULL,
    used_at  timestamptz NOT NULL,
    network  text NOT NULL CHECK (octet_length(network) <= 64),
    PRIMARY KEY (owner_id, token_id)
);
COMMENT ON TABLE usershell.token_uses IS 'The latest use of each token that was used, to the minute.';
COMMENT ON COLUMN usershell.token_uses.network IS 'the first 16 bits of an IPv4 address, 32 of an IPv6 one';

-- UNLOGGED: a minute that is forgotten in a crash costs no one anything.
CREATE UNLOGGED TABLE usershell.token_minutes (
    owner_id uuid NOT NULL,
    token_id uuid NOT NULL,
    begun_at timestamptz NOT NULL,
    requests integer NOT NULL,
    PRIMARY KEY (owner_id, token_id)
) WITH (fillfactor = 50);
COMMENT ON TABLE usershell.token_minutes IS 'The requests of each token in its present minute.';

CREATE TABLE usershell.usage (
    owner_id      uuid NOT NULL REFERENCES usershell.users ON DELETE CASCADE,
    day           date NOT NULL,
    token_id      uuid NOT NULL,
    provider_id   uuid NOT NULL,
    model         text COLLATE "C" NOT NULL CHECK (char_length(model) <= 200),
    calls         bigint NOT NULL CHECK (calls >= 0),
    failures      bigint NOT NULL CHECK (failures BETWEEN 0 AND calls),
    estimates     bigint NOT NULL CHECK (estimates BETWEEN 0 AND calls),
    input_tokens  bigint NOT NULL CHECK (input_tokens BETWEEN 0 AND 1000000000000000),
    output_tokens bigint NOT NULL CHECK (output_tokens BETWEEN 0 AND 1000000000000000),
    PRIMARY KEY (owner_id, day, token_id, provider_id, model)
);
COMMENT ON COLUMN usershell.usage.day IS 'UTC';
COMMENT ON COLUMN usershell.usage.token_id IS 'the nil UUID: calls of the page; a row outlives its token and its provider';
COMMENT ON COLUMN usershell.usage.estimates IS 'the calls whose tokens were estimated';

DO $policies$
DECLARE
    secured text;
BEGIN
    FOREACH secured IN ARRAY ARRAY['access_tokens', 'token_uses', 'token_minutes', 'usage', 'freed_handles'] LOOP
        EXECUTE format('ALTER TABLE usershell.%I ENABLE ROW LEVEL SECURITY', secured);
        EXECUTE format('ALTER TABLE usershell.%I FORCE ROW LEVEL SECURITY', secured);
        EXECUTE format('CREATE POLICY all_rows ON usershell.%I TO usershell_owner USING (true)', secured);
    END LOOP;
END
$policies$;

CREATE FUNCTION usershell.counted_tokens(told numeric) RETURNS bigint LANGUAGE sql IMMUTABLE
    RETURN greatest(least(coalesce(told, 0), 1000000000), 0)::bigint;
COMMENT ON FUNCTION usershell.counted_tokens(numeric) IS
    'The tokens of one call, as they are counted: a provider, or usershell_execute, may tell of any number.';

CREATE FUNCTION usershell.utc_day() RETURNS date LANGUAGE sql STABLE RETURN (now() AT TIME ZONE 'UTC')::date;

ALTER TABLE usershell.events DROP CONSTRAINT events_kind_check, ADD CONSTRAINT events_kind_check CHECK (kind IN (
    'signed_in', 'wrong_password', 'throttled', 'signed_out_everywhere', 'password_changed', 'address_changed', 'disabled',
    'enabled', 'key_added', 'key_replaced', 'key_removed', 'token_made', 'token_revoked', 'handle_changed', 'handle_taken',
    'provider_moved', 'header_set', 'header_removed'));
CREATE FUNCTION usershell.forget_uses(given_owner uuid, given_token uuid) RETURNS void
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        DELETE FROM usershell.token_uses u WHERE (u.owner_id, u.token_id) IN (
            SELECT o.owner_id, o.token_id FROM usershell.token_uses o
             WHERE o.owner_id = given_owner AND o.token_id = given_token FOR UPDATE SKIP LOCKED);
        DELETE FROM usershell.token_minutes m WHERE (m.owner_id, m.token_id) IN (
            SELECT o.owner_id, o.token_id FROM usershell.token_minutes o
             WHERE o.owner_id = given_owner AND o.token_id = given_token FOR UPDATE SKIP LOCKED);
    END;
COMMENT ON FUNCTION usershell.forget_uses(uuid, uuid) IS 'A row that another role holds is left to the sweep. For the functions.';
CREATE FUNCTION usershell.note_token() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM usershell.note_event(NEW.owner_id, 'token_made', NEW.name, '', '');
        RETURN NULL;
    END IF;
    PERFORM usershell.forget_uses(OLD.owner_id, OLD.id);
    IF EXISTS (SELECT FROM usershell.users u WHERE u.id = OLD.owner_id AND u.security_stamp = OLD.security_stamp)
          AND OLD.expires_at > now() THEN
        PERFORM usershell.note_event(OLD.owner_id, 'token_revoked', OLD.name, '', '');
    END IF;
    RETURN NULL;
END
$function$;
CREATE TRIGGER note_token AFTER INSERT OR DELETE ON usershell.access_tokens
    FOR EACH ROW EXECUTE FUNCTION usershell.note_token();

-- Mails about events, by usershell-auth ------------------------------------------------------------------------------------
-- No other program can write a mail. usershell-auth asks for the events that wait, and queues the mail of each with the mark
-- that it has one: of two processes with one event, the second queues nothing.

CREATE FUNCTION usershell.max_announcements_an_hour() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 5;
COMMENT ON FUNCTION usershell.max_announcements_an_hour() IS 'Mails about events of a user; further events wait for theirs.';

CREATE FUNCTION usershell.announcements_left(given_owner uuid) RETURNS bigint
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    RETURN (SELECT usershell.max_announcements_an_hour() - count(*) FROM usershell.events e
             WHERE e.owner_id = given_owner AND e.announced_at > now() - interval '1 hour');

CREATE FUNCTION usershell.events_to_announce(max_rows integer)
    RETURNS TABLE (owner_id uuid, event_id uuid, kind text, email text, display_name text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT e.owner_id, e.id, e.kind, u.email, u.display_name
          FROM (SELECT w.*, row_number() OVER (PARTITION BY w.owner_id ORDER BY w.happened_at, w.id) AS place
                  FROM usershell.events w WHERE w.announced_at IS NULL) e
          JOIN usershell.users u ON u.id = e.owner_id
         WHERE e.place <= usershell.announcements_left(e.owner_id)
         ORDER BY e.happened_at, e.id LIMIT usershell.batch_size(max_rows);
    END;
COMMENT ON FUNCTION usershell.events_to_announce(integer) IS
    'Events that wait for a mail, of all users, the oldest first, with the address that the mail goes to.';

CREATE FUNCTION usershell.announce_event(given_owner uuid, given_event uuid, mail_id uuid, mail_sealed bytea) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    -- Announcements of one user take turns, so that the count is exact.
    -- A row that another role holds keeps back this user's mails alone.
    PERFORM FROM usershell.users u WHERE u.id = given_owner FOR NO KEY UPDATE SKIP LOCKED;
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

-- Making and revoking, by usershell-auth -----------------------------------------------------------------------------------

CREATE FUNCTION usershell.make_token(given_stamp bytea, given_token uuid, given_selector bytea, given_verifier bytea,
                                     limits jsonb, mail_id uuid, mail_sealed bytea)
    RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    who CONSTANT uuid := usershell.auth_user_id();
BEGIN
    -- Tokens of one user take turns, so that the count is exact. The stamp is that of the password's check.
    PERFORM FROM usershell.users u WHERE u.id = who AND u.security_stamp = given_stamp FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN 'session_ended';
    END IF;
    IF EXISTS (SELECT FROM usershell.access_tokens t WHERE t.owner_id = who AND t.id = given_token) THEN
        RETURN 'made'; -- by a first attempt, whose answer was lost
    END IF;
    IF (SELECT count(*) >= 20 FROM usershell.good_tokens t WHERE t.owner_id = who) THEN
        RETURN 'cap_reached';
    END IF;
    IF EXISTS (SELECT FROM jsonb_array_elements_text(limits->'providers') AS given (id)
                WHERE NOT EXISTS (SELECT FROM usershell.providers p WHERE p.owner_id = who AND p.id::text = given.id))
       OR EXISTS (SELECT FROM jsonb_array_elements_text(limits->'models') AS given (model)
                   WHERE NOT EXISTS (SELECT FROM usershell.models m
                                      WHERE m.owner_id = who AND m.provider_id || '/' || m.model_id = given.model)) THEN
        RETURN 'not_found';
    END IF;
    INSERT INTO usershell.access_tokens (owner_id, id, selector, verifier_hash, security_stamp, name, provider_ids, models,
                                         routes, max_requests_a_minute, max_tokens_a_day, may_use_stored_objects, expires_at)
    VALUES (who, given_token, given_selector, sha256(given_verifier), given_stamp, limits->>'name',
            (SELECT array_agg(each::uuid) FROM jsonb_array_elements_text(limits->'providers') each),
            (SELECT array_agg(each) FROM jsonb_array_elements_text(limits->'models') each),
            (SELECT array_agg(each) FROM jsonb_array_elements_text(limits->'routes') each),
            (limits->>'requests_a_minute')::integer, (limits->>'tokens_a_day')::bigint,
            (limits->>'stored_objects')::boolean, now()
            + make_interval(secs => usershell.bounded((limits->>'lifetime')::double precision, 1, 366 * 86400, 'a lifetime')));
    PERFORM usershell.queue_mail(who, mail_id, 'token-made', mail_sealed);
    RETURN 'made';
END
$function$;
COMMENT ON FUNCTION usershell.make_token(bytea, uuid, bytea, bytea, jsonb, uuid, bytea) IS
    'Of the connection''s user, whose password was verified under that stamp. A list that is missing limits nothing. not_found: a provider or model is not theirs.';

CREATE FUNCTION usershell.own_tokens()
    RETURNS TABLE (id uuid, name text, selector bytea, provider_names text, models text, routes text,
                   max_requests_a_minute integer, max_tokens_a_day bigint, may_use_stored_objects boolean,
                   created_at bigint, expires_at bigint, last_used_at bigint, last_used_network text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT t.id, t.name, t.selector,
               CASE WHEN t.provider_ids IS NOT NULL THEN
                   (SELECT coalesce(string_agg(p.name, E'\n' ORDER BY p.created_at), '') FROM usershell.providers p
                     WHERE p.owner_id = t.owner_id AND p.id = ANY (t.provider_ids)) END,
               CASE WHEN t.models IS NOT NULL THEN
                   (SELECT coalesce(string_agg(m.model_id || '@' || p.handle, E'\n' ORDER BY p.created_at, m.position), '')
                      FROM usershell.models m JOIN usershell.providers p ON p.owner_id = m.owner_id AND p.id = m.provider_id
                     WHERE m.owner_id = t.owner_id AND m.provider_id || '/' || m.model_id = ANY (t.models)) END,
               array_to_string(t.routes, E'\n'), t.max_requests_a_minute, t.max_tokens_a_day, t.may_use_stored_objects,
               usershell.microseconds(t.created_at), usershell.microseconds(t.expires_at),
               usershell.microseconds(u.used_at), coalesce(u.network, '')
          FROM usershell.good_tokens t LEFT JOIN usershell.token_uses u ON u.owner_id = t.owner_id AND u.token_id = t.id
         WHERE t.owner_id = usershell.auth_user_id() ORDER BY t.created_at DESC, t.id;
    END;
COMMENT ON FUNCTION usershell.own_tokens() IS
    'The good ones of the connection''s user, the newest first. A limit is NULL: none; empty: what it names is gone.';

CREATE FUNCTION usershell.revoke_token(given_token uuid) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    DELETE FROM usershell.access_tokens t WHERE t.owner_id = usershell.auth_user_id() AND t.id = given_token;
    RETURN FOUND;
END
$function$;
COMMENT ON FUNCTION usershell.revoke_token(uuid) IS 'Of the connection''s user; false: they have none of that id.';

CREATE FUNCTION usershell.token_choices()
    RETURNS TABLE (provider uuid, name text, handle text, type text, models text, model_names text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        WITH own AS (
            SELECT p.id, p.handle, m.model_id, m.position, m.is_enabled FROM usershell.providers p
              JOIN usershell.models m ON m.owner_id = p.owner_id AND m.provider_id = p.id
             WHERE p.owner_id = usershell.auth_user_id()
        ), clear AS (
            SELECT n.name FROM own, unnest(ARRAY[model_id, model_id || '@' || handle, handle || '/' || model_id]) AS n (name)
             GROUP BY n.name HAVING count(*) = 1
        ), enabled AS (
            SELECT o.id, string_agg(o.model_id, E'\n' ORDER BY o.position) AS ids,
                   string_agg(CASE WHEN c.name IS NULL THEN o.model_id || '@' || o.handle ELSE o.model_id END, E'\n'
                              ORDER BY o.position) AS names
              FROM own o LEFT JOIN clear c ON c.name = o.model_id WHERE o.is_enabled GROUP BY o.id
        )
        SELECT p.id, p.name, p.handle, p.type, e.ids, e.names FROM usershell.providers p LEFT JOIN enabled e ON e.id = p.id
         WHERE p.owner_id = usershell.auth_user_id() ORDER BY p.created_at, p.id;
    END;
COMMENT ON FUNCTION usershell.token_choices() IS
    'The providers of the connection''s user, with their enabled models, by id and as tools name them: a token can be limited to them. A model''s name is its id, or model@handle where the id means another name of theirs, too.';

-- In the order of the primary key: what is read is bounded, and nothing is sorted before.
CREATE FUNCTION usershell.latest_usage(given_owner uuid, given_days integer) RETURNS SETOF usershell.usage
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT u.* FROM usershell.usage u
         WHERE u.owner_id = given_owner AND u.day > usershell.utc_day() - usershell.bounded(given_days, 1, 400, 'the number of days')
         ORDER BY u.day DESC, u.token_id DESC, u.provider_id DESC, u.model DESC
         LIMIT 50000;
    END;
COMMENT ON FUNCTION usershell.latest_usage(uuid, integer) IS
    'Of the last so many days, today included; at most 50,000 rows, the newest. For the functions; no role may call it.';

CREATE FUNCTION usershell.own_usage(given_days integer)
    RETURNS TABLE (day text, token uuid, token_name text, provider uuid, provider_name text, model text, calls bigint,
                   failures bigint, estimates bigint, input_tokens bigint, output_tokens bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT u.day::text, u.token_id, t.name, u.provider_id, p.name, u.model, u.calls, u.failures, u.estimates,
               u.input_tokens, u.output_tokens
          FROM usershell.latest_usage(usershell.auth_user_id(), given_days) u
          LEFT JOIN usershell.access_tokens t ON t.owner_id = u.owner_id AND t.id = u.token_id
          LEFT JOIN usershell.providers p ON p.owner_id = u.owner_id AND p.id = u.provider_id
         ORDER BY u.day DESC, u.token_id DESC, u.provider_id DESC, u.model DESC;
    END;
COMMENT ON FUNCTION usershell.own_usage(integer) IS
    'Of the connection''s user, as latest_usage(). A name is NULL when its token or provider is gone.';

CREATE FUNCTION usershell.usage_sums(given_days integer, max_lines integer)
    RETURNS TABLE (line text, day text, token uuid, token_name text, provider uuid, provider_name text, model text,
                   calls bigint, failures bigint, estimates bigint, input_tokens bigint, output_tokens bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        WITH named AS (
            SELECT u.day, CASE WHEN t.id IS NOT NULL OR u.token_id = '00000000-0000-0000-0000-000000000000' THEN u.token_id END AS token,
                   t.name AS token_name, p.id AS provider, p.name AS provider_name, u.model, u.calls, u.failures, u.estimates,
                   u.input_tokens, u.output_tokens
              FROM usershell.latest_usage(usershell.auth_user_id(), given_days) u
              LEFT JOIN usershell.access_tokens t ON t.owner_id = u.owner_id AND t.id = u.token_id
              LEFT JOIN usershell.providers p ON p.owner_id = u.owner_id AND p.id = u.provider_id
        ), sums AS (
            SELECT CASE WHEN grouping(n.model) = 0 THEN 'model' WHEN grouping(n.token) = 0 THEN 'token' ELSE 'provider' END AS line,
                   n.day, n.token, n.token_name, n.provider, n.provider_name, n.model, sum(n.calls) AS calls,
                   sum(n.failures) AS failures, sum(n.estimates) AS estimates, sum(n.input_tokens) AS input_tokens,
                   sum(n.output_tokens) AS output_tokens
              FROM named n
             GROUP BY GROUPING SETS ((n.day, n.token, n.token_name), (n.day, n.provider, n.provider_name),
                                     (n.day, n.provider, n.provider_name, n.model))
        ), totals AS (
            SELECT s.*, sum(s.input_tokens + s.output_tokens) OVER (PARTITION BY s.line, s.token, s.provider, s.model) AS total
              FROM sums s
        ), placed AS (
            SELECT o.*, dense_rank() OVER (PARTITION BY o.line ORDER BY o.total DESC, o.token, o.provider, o.model) AS place
              FROM totals o
        )
        SELECT p.line, p.day::text, p.token, p.token_name, p.provider, p.provider_name, p.model,
               least(p.calls, 1000000000000000)::bigint, least(p.failures, 1000000000000000)::bigint,
               least(p.estimates, 1000000000000000)::bigint, least(p.input_tokens, 1000000000000000)::bigint,
               least(p.output_tokens, 1000000000000000)::bigint
          FROM placed p WHERE p.place <= least(max_lines, 100) ORDER BY p.line, p.place, p.day DESC;
    END;
COMMENT ON FUNCTION usershell.usage_sums(integer, integer) IS
    'Of the connection''s user, as latest_usage(), added by day and token, by day and provider, and by day, provider and model: of each the lines with the most tokens. Tokens that have ended are one line, removed providers too.';

-- A password change ends all tokens but those that the person has chosen to keep.
DROP FUNCTION usershell.change_password(bytea, text, usershell.session_keys);
CREATE FUNCTION usershell.change_password(given_stamp bytea, new_password_hash text, new_keys usershell.session_keys, kept_tokens uuid[])
    RETURNS bytea
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    session record;
    new_stamp bytea;
BEGIN
    SELECT s.owner_id, s.id INTO session FROM usershell.auth_session s;
    UPDATE usershell.users u SET password_hash = new_password_hash
     WHERE u.id = session.owner_id AND u.security_stamp = given_stamp
    RETURNING u.security_stamp INTO new_stamp;
    IF NOT FOUND THEN
        RETURN usershell.stamp_of_session((new_keys).auth_token_hash);
    END IF;
    UPDATE usershell.access_tokens t SET security_stamp = new_stamp
     WHERE t.owner_id = session.owner_id AND t.security_stamp = given_stamp AND t.id = ANY (kept_tokens);
    RETURN usershell.keep_session_only(session.owner_id, session.id, new_keys);
END
$function$;
COMMENT ON FUNCTION usershell.change_password(bytea, text, usershell.session_keys, uuid[]) IS
    'Of the connection''s user, whose password was verified under that stamp; returns the new stamp, NULL: the given one is theirs no more. Ends all access tokens but the kept ones.';

CREATE FUNCTION usershell.sweep_tokens(max_rows integer) RETURNS bigint
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        WITH ended AS (
            DELETE FROM usershell.access_tokens t WHERE (t.owner_id, t.id) IN (
                SELECT o.owner_id, o.id FROM usershell.access_tokens o JOIN usershell.users u ON u.id = o.owner_id
                 WHERE o.expires_at <= now() OR o.security_stamp <> u.security_stamp
                 LIMIT usershell.batch_size(max_rows))
            RETURNING 1
        ), old AS (
            DELETE FROM usershell.usage u WHERE (u.owner_id, u.day, u.token_id, u.provider_id, u.model) IN (
                SELECT o.owner_id, o.day, o.token_id, o.provider_id, o.model FROM usershell.usage o
                 WHERE o.day < usershell.utc_day() - 400 LIMIT usershell.batch_size(max_rows))
            RETURNING 1
        ), uses AS (
            DELETE FROM usershell.token_uses u WHERE (u.owner_id, u.token_id) IN (
                SELECT o.owner_id, o.token_id FROM usershell.token_uses o
                 WHERE NOT EXISTS (SELECT FROM usershell.access_tokens t WHERE t.owner_id = o.owner_id AND t.id = o.token_id)
                 LIMIT max_rows FOR UPDATE SKIP LOCKED)
        ), minutes AS (
            DELETE FROM usershell.token_minutes m WHERE (m.owner_id, m.token_id) IN (
                SELECT o.owner_id, o.token_id FROM usershell.token_minutes o
                 WHERE NOT EXISTS (SELECT FROM usershell.access_tokens t WHERE t.owner_id = o.owner_id AND t.id = o.token_id)
                 LIMIT max_rows FOR UPDATE SKIP LOCKED)
        )
        SELECT (SELECT count(*) FROM ended) + (SELECT count(*) FROM old);
    END;
COMMENT ON FUNCTION usershell.sweep_tokens(integer) IS
    'Removes tokens that have ended and usage older than 400 days, of all users; returns how many rows.';

-- Calls, by usershell-execute ----------------------------------------------------------------------------------------------

CREATE FUNCTION usershell.max_token_calls() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 32;
COMMENT ON FUNCTION usershell.max_token_calls() IS 'Calls of access tokens that a user may have under way, besides those of pages.';
ALTER TABLE usershell.calls
    ADD COLUMN token_id uuid,
    ADD COLUMN reserved_tokens bigint NOT NULL DEFAULT 0 CHECK (reserved_tokens >= 0);
COMMENT ON COLUMN usershell.calls.token_id IS 'of the access token that the call began with; NULL: a session''s call';
COMMENT ON COLUMN usershell.calls.reserved_tokens IS 'what its request may take of its token''s day, while it runs';

-- Under a lock of the token, so that calls at once do not each see the same rest of the day. It is that of the minute's row, for which
-- nobody but the token's calls waits. A call that may take more than the rest begins alone and reserves all of it: one answer at a time
-- ends above the limit.
CREATE FUNCTION usershell.reserve_tokens(given_owner uuid, given_token uuid, given_call uuid, given_input bigint, given_output bigint,
                                         OUT refused text, OUT reserve bigint)
    LANGUAGE plpgsql VOLATILE
    AS $function$
DECLARE
    most bigint;
    used bigint;
    held bigint;
BEGIN
    PERFORM FROM usershell.token_minutes m WHERE m.owner_id = given_owner AND m.token_id = given_token FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO usershell.token_minutes AS m (owner_id, token_id, begun_at, requests)
        VALUES (given_owner, given_token, '-infinity', 0)
            ON CONFLICT (owner_id, token_id) DO UPDATE SET requests = m.requests;
    END IF;
    SELECT t.max_tokens_a_day INTO most FROM usershell.access_tokens t
     WHERE t.owner_id = given_owner AND t.id = given_token;
    SELECT coalesce(sum(u.input_tokens + u.output_tokens), 0) INTO used FROM usershell.usage u
     WHERE u.owner_id = given_owner AND u.day = usershell.utc_day() AND u.token_id = given_token;
    SELECT coalesce(sum(c.reserved_tokens), 0) INTO held FROM usershell.calls c
     WHERE c.owner_id = given_owner AND c.token_id = given_token AND c.expires_at > now() AND c.id <> given_call;
    reserve := least(given_input + given_output, most - used);
    refused := CASE
        WHEN given_input > most THEN 'too_many_tokens'
        WHEN used >= most OR used + given_input > most THEN 'tokens_spent'
        WHEN held > 0 AND used + held + given_input + given_output > most THEN 'tokens_reserved' END;
END
$function$;
COMMENT ON FUNCTION usershell.reserve_tokens(uuid, uuid, uuid, bigint, bigint) IS
    'What a call may reserve of its token''s day, which has a limit, or why it may not. For the functions.';

-- Slots up to max_calls() are the sessions', those above the access tokens'.
DROP FUNCTION usershell.take_slot(uuid, bytea, uuid, uuid);
CREATE FUNCTION usershell.take_slot(given_owner uuid, given_hash bytea, given_token uuid, given_call uuid, given_provider uuid,
                                    given_reserve bigint)
    RETURNS boolean
    LANGUAGE plpgsql VOLATILE
    AS $function$
DECLARE
    first CONSTANT integer := CASE WHEN given_token IS NULL THEN 1 ELSE usershell.max_calls() + 1 END;
    last CONSTANT integer := usershell.max_calls() + CASE WHEN given_token IS NULL THEN 0 ELSE usershell.max_token_calls() END;
BEGIN
    FOR attempt IN 1..2 LOOP -- which itself sets FOUND at its end
        UPDATE usershell.calls c
           SET id = given_call, token_hash = given_hash, token_id = given_token, expires_at = usershell.slot_end(),
               provider_id = given_provider, reserved_tokens = given_reserve,
               was_active = (SELECT p.status = 'active' FROM usershell.providers p
                              WHERE p.owner_id = given_owner AND p.id = given_provider)
         WHERE c.owner_id = given_owner AND c.slot = (
            SELECT free.slot FROM usershell.calls free
             WHERE free.owner_id = given_owner AND free.slot BETWEEN first AND last
               AND (free.expires_at <= now() OR free.id = given_call)
             ORDER BY free.id IS DISTINCT FROM given_call, free.slot LIMIT 1 FOR UPDATE SKIP LOCKED);
        IF FOUND THEN
            RETURN true;
        END IF;
        -- The user's first call ever, or all slots are taken.
        INSERT INTO usershell.calls (owner_id, slot)
        SELECT given_owner, slot FROM generate_series(first, last) slot ON CONFLICT DO NOTHING;
    END LOOP;
    RETURN false;
END
$function$;
COMMENT ON FUNCTION usershell.take_slot(uuid, bytea, uuid, uuid, uuid, bigint) IS
    'False: all slots of that kind are taken. Rows that another call has locked are skipped, so that none waits. For the functions.';

-- PostgreSQL would plan the statement of an SQL function at each call: 190 instead of 20 µs.
CREATE FUNCTION usershell.take_turns(given_owner uuid, given_provider uuid) RETURNS void
    LANGUAGE plpgsql VOLATILE
    AS $function$
BEGIN
    INSERT INTO usershell.rotations AS r (owner_id, provider_id, position)
    SELECT p.owner_id, p.id, 1 FROM usershell.providers p
     WHERE p.owner_id = given_owner AND p.round_robin_accounts
       AND CASE WHEN given_provider IS NULL THEN p.status = 'active' ELSE p.id = given_provider END
     ORDER BY p.id
        ON CONFLICT (owner_id, provider_id) DO UPDATE SET position = r.position + 1;
END
$function$;

-- A row for each key of each provider: its own first, then the accounts that take turns, in turn, then the other accounts, and a
-- row for each header, which has no account but its own name in place of a key's. A provider without any has one row. Model ids contain no control character: a newline separates them. PostgreSQL inlines it.
CREATE FUNCTION usershell.provider_keys(given_owner uuid, given_provider uuid, takes_turn boolean)
    RETURNS TABLE (provider uuid, name text, type text, base_url text, is_active boolean, round_robin_accounts boolean,
                   all_models text, enabled_models text, account uuid, key_name text, is_enabled boolean,
                   is_in_cooldown boolean, is_unhealthy boolean, sealed_key bytea)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
        SELECT p.id, p.name, p.type, p.base_url, p.status = 'active', p.round_robin_accounts, m.every, m.enabled,
               k.account, k.key_name, k.is_enabled, coalesce(k.cooldown_until > now(), false), coalesce(k.is_unhealthy, false),
               k.sealed_key
          FROM usershell.providers p
         CROSS JOIN LATERAL (
            SELECT string_agg(model_id, E'\n' ORDER BY position) AS every,
                   string_agg(model_id, E'\n' ORDER BY position) FILTER (WHERE is_enabled) AS enabled
              FROM usershell.models WHERE owner_id = p.owner_id AND provider_id = p.id) m
          LEFT JOIN LATERAL (
            SELECT NULL::uuid AS account, '' AS key_name, true AS is_enabled, p.cooldown_until, false AS is_unhealthy,
                   p.sealed_key, 0::bigint AS turn, 0 AS priority
             UNION ALL
            SELECT a.id, a.name, a.is_enabled, a.cooldown_until, a.health_status = 'unhealthy', a.sealed_key, t.turn, a.priority
              FROM usershell.accounts a
              LEFT JOIN usershell.keys_in_turn(p.owner_id, p.id, CASE WHEN takes_turn THEN 1 ELSE 0 END) t ON t.account = a.id
             WHERE a.owner_id = p.owner_id AND a.provider_id = p.id
             UNION ALL
            SELECT NULL, h.name, true, NULL, false, h.sealed_key, NULL, 0
              FROM usershell.provider_headers h WHERE h.owner_id = p.owner_id AND h.provider_id = p.id) k
            ON k.sealed_key IS NOT NULL
         WHERE p.owner_id = given_owner
           AND CASE WHEN given_provider IS NULL THEN p.status = 'active' ELSE p.id = given_provider END
         ORDER BY p.created_at, p.id, k.turn, k.priority, k.key_name COLLATE "C", k.account;
    END;
COMMENT ON FUNCTION usershell.provider_keys(uuid, uuid, boolean) IS
    'That provider of the owner, or all active ones in list order, with their keys. For the functions.';

-- The functions that begin a call have generic plans. PostgreSQL's guess from its statistics was often to plan each statement anew at
-- each call, which takes longer than to execute it. Like those that renew and end calls they use indexes alone: a plan that was made
-- while usershell.calls was small would read it whole until the next ANALYZE.
CREATE OR REPLACE FUNCTION usershell.begin_call(given_hash bytea, given_call uuid, given_provider uuid, takes_turn boolean)
    RETURNS TABLE (user_id uuid, session_id uuid, antiforgery_key bytea, is_begun boolean,
                   provider uuid, name text, type text, base_url text, is_active boolean, round_robin_accounts boolean,
                   all_models text, enabled_models text, account uuid, key_name text, is_enabled boolean,
                   is_in_cooldown boolean, is_unhealthy boolean, sealed_key bytea)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER ROWS 10
    SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $function$
#variable_conflict use_column
DECLARE
    stored CONSTANT bytea := sha256(given_hash);
    caller record;
    has_slot boolean;
BEGIN
    SELECT s.owner_id, s.id, s.antiforgery_key, s.last_seen_at < now() - interval '1 minute' AS is_due INTO caller
      FROM usershell.good_sessions s WHERE s.calls_token_hash = stored;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF caller.is_due THEN
        PERFORM usershell.renew_session(caller.owner_id, caller.id);
    END IF;
    has_slot := usershell.take_slot(caller.owner_id, stored, NULL, given_call, given_provider, 0);
    IF takes_turn AND has_slot THEN
        PERFORM usershell.take_turns(caller.owner_id, given_provider);
    END IF;
    RETURN QUERY
    SELECT caller.owner_id, caller.id, caller.antiforgery_key, has_slot, k.*
      FROM (SELECT) AS one LEFT JOIN usershell.provider_keys(caller.owner_id, given_provider, takes_turn) k ON true;
END
$function$;

-- No limit is NULL. PostgreSQL inlines it.
CREATE FUNCTION usershell.permits(given usershell.good_tokens, given_provider uuid, given_model text) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN given_provider = ANY ((given).provider_ids) IS NOT FALSE
       AND given_provider || '/' || given_model = ANY ((given).models) IS NOT FALSE;
COMMENT ON FUNCTION usershell.permits(usershell.good_tokens, uuid, text) IS
    'The limits of a token let it use that model. For the functions.';

CREATE FUNCTION usershell.note_use(given_owner uuid, given_token uuid, given_network text) RETURNS void
    LANGUAGE plpgsql VOLATILE
    AS $function$
BEGIN
    UPDATE usershell.token_uses u SET used_at = now(), network = given_network
     WHERE u.owner_id = given_owner AND u.token_id IN (
           SELECT o.token_id FROM usershell.token_uses o WHERE o.owner_id = given_owner AND o.token_id = given_token
           FOR NO KEY UPDATE SKIP LOCKED);
    IF NOT FOUND THEN -- the first use, or another call writes the same
        INSERT INTO usershell.token_uses (owner_id, token_id, used_at, network)
        VALUES (given_owner, given_token, now(), given_network) ON CONFLICT DO NOTHING;
    END IF;
END
$function$;

-- By the head of a request alone. The models are for the name in its body. Where that came with the head and means one model,
-- that model alone is returned, beside each key of its provider, as by load_provider().
CREATE FUNCTION usershell.begin_token_call(given_selector bytea, given_verifier bytea, given_call uuid, given_route text,
                                           given_network text, given_input bigint, given_output bigint, given_model text)
    RETURNS TABLE (user_id uuid, outcome text, wait_seconds integer, may_use_stored_objects boolean, has_model_limit boolean,
                   provider uuid, handle text, type text, is_active boolean, models text, allowed_models text,
                   name text, base_url text, round_robin_accounts boolean, all_models text, enabled_models text,
                   account uuid, key_name text, is_enabled boolean, is_in_cooldown boolean, is_unhealthy boolean,
                   sealed_key bytea)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER ROWS 10
    SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $function$
#variable_conflict use_column
DECLARE
    token usershell.good_tokens;
    named uuid;
    named_handle text;
    named_model text;
    named_rotates boolean;
    rate record;
    refused text;
    reserve bigint := 0;
    wait integer := 1;
BEGIN
    SELECT t.* INTO token FROM usershell.good_tokens t
     WHERE t.selector = given_selector AND t.verifier_hash = sha256(given_verifier);
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM set_config('synchronous_commit', 'off', true);
    IF given_model IS NOT NULL THEN
        SELECT (array_agg(p.id))[1], min(p.handle), min(m.model_id), bool_or(p.round_robin_accounts)
          INTO named, named_handle, named_model, named_rotates
          FROM usershell.providers p JOIN usershell.models m ON m.owner_id = p.owner_id AND m.provider_id = p.id
         WHERE p.owner_id = token.owner_id
           AND given_model IN (m.model_id, m.model_id || '@' || p.handle, p.handle || '/' || m.model_id)
        HAVING count(*) = 1 AND bool_and(p.status = 'active' AND m.is_enabled AND usershell.permits(token, p.id, m.model_id));
    END IF;
    IF given_route = '' THEN
        NULL; -- a list of models takes no tokens, and is no route's
    ELSIF given_route <> ALL (token.routes) THEN
        refused := 'route_not_allowed';
    ELSIF token.max_tokens_a_day IS NOT NULL THEN
        SELECT r.refused, r.reserve INTO refused, reserve
          FROM usershell.reserve_tokens(token.owner_id, token.id, given_call, given_input, given_output) r;
    END IF;
    IF refused IS NOT NULL THEN
        NULL;
    ELSIF NOT usershell.take_slot(token.owner_id, NULL, token.id, given_call, named, reserve) THEN
        refused := 'no_slot';
    ELSE
        INSERT INTO usershell.token_minutes AS m (owner_id, token_id, begun_at, requests)
        VALUES (token.owner_id, token.id, now(), 1)
            ON CONFLICT (owner_id, token_id) DO UPDATE
           SET begun_at = CASE WHEN m.begun_at <= now() - interval '1 minute' THEN now() ELSE m.begun_at END,
               requests = CASE WHEN m.begun_at <= now() - interval '1 minute' THEN 1 ELSE m.requests + 1 END
        RETURNING m.begun_at, m.requests INTO rate;
        IF rate.requests > token.max_requests_a_minute THEN
            refused := 'too_many_requests';
            wait := ceil(extract(epoch FROM rate.begun_at + interval '1 minute' - now()));
            UPDATE usershell.calls c SET id = NULL, token_id = NULL, expires_at = '-infinity'
             WHERE c.owner_id = token.owner_id AND c.id = given_call;
        END IF;
    END IF;
    IF NOT EXISTS (SELECT FROM usershell.token_uses u WHERE u.owner_id = token.owner_id AND u.token_id = token.id
                                                        AND u.used_at >= now() - interval '1 minute') THEN
        PERFORM usershell.note_use(token.owner_id, token.id, given_network);
    END IF;
    IF refused IS NOT NULL THEN
        user_id := token.owner_id;
        outcome := refused;
        wait_seconds := greatest(wait, 1);
        RETURN NEXT;
        RETURN;
    END IF;
    IF named IS NOT NULL THEN
        IF named_rotates THEN
            PERFORM usershell.take_turns(token.owner_id, named);
        END IF;
        RETURN QUERY
        SELECT token.owner_id, 'begun', 0, token.may_use_stored_objects, token.models IS NOT NULL,
               k.provider, named_handle, k.type, k.is_active, named_model, named_model, k.name, k.base_url,
               k.round_robin_accounts, k.all_models, k.enabled_models, k.account, k.key_name, k.is_enabled, k.is_in_cooldown,
               k.is_unhealthy, k.sealed_key
          FROM usershell.provider_keys(token.owner_id, named, true) k
         WHERE k.is_active AND named_model = ANY (string_to_array(k.enabled_models, E'\n')); -- may have changed since
        IF FOUND THEN
            RETURN;
        END IF;
    END IF;
    RETURN QUERY
    SELECT token.owner_id, 'begun', 0, token.may_use_stored_objects, token.models IS NOT NULL,
           p.id, p.handle, p.type, p.status = 'active', m.every,
           CASE WHEN p.status = 'active' THEN m.allowed END,
           NULL, NULL, NULL::boolean, NULL, NULL, NULL::uuid, NULL, NULL::boolean, NULL::boolean, NULL::boolean, NULL::bytea
      FROM (SELECT) AS one
      LEFT JOIN usershell.providers p ON p.owner_id = token.owner_id
      LEFT JOIN LATERAL (
        SELECT string_agg(model_id, E'\n' ORDER BY position) AS every,
               string_agg(model_id, E'\n' ORDER BY position) FILTER (
                   WHERE is_enabled AND usershell.permits(token, provider_id, model_id)) AS allowed
          FROM usershell.models WHERE owner_id = p.owner_id AND provider_id = p.id) m ON true
     ORDER BY p.created_at, p.id;
END
$function$;
COMMENT ON FUNCTION usershell.begin_token_call(bytea, bytea, uuid, text, text, bigint, bigint, text) IS
    'Finds the good token, takes a slot for a call under an id that the program has drawn, and returns the keys of the named model''s provider, else the owner''s providers with their models. No row: the token is not good. Another outcome than begun: no slot was taken; seconds to wait.';

CREATE FUNCTION usershell.is_rightful(given usershell.calls) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN CASE WHEN (given).token_id IS NULL
                THEN EXISTS (SELECT FROM usershell.good_sessions s
                              WHERE s.owner_id = (given).owner_id AND s.calls_token_hash = (given).token_hash)
                ELSE EXISTS (SELECT FROM usershell.good_tokens t
                              WHERE t.owner_id = (given).owner_id AND t.id = (given).token_id)
           END
       AND ((given).provider_id IS NULL OR EXISTS (
            SELECT FROM usershell.providers p
             WHERE p.owner_id = (given).owner_id AND p.id = (given).provider_id
               AND (p.status = 'active' OR NOT (given).was_active)));
COMMENT ON FUNCTION usershell.is_rightful(usershell.calls) IS
    'Its session or access token is good, and its provider is there, and active if it was. For the functions.';

CREATE OR REPLACE FUNCTION usershell.renew_calls(given_owners uuid[], given_calls uuid[]) RETURNS SETOF uuid
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $function$
BEGIN
    RETURN QUERY
    WITH rightful AS (
        SELECT c.owner_id, c.slot, c.id
          FROM unnest(given_owners, given_calls) AS given (owner_id, id)
          JOIN usershell.calls c ON c.owner_id = given.owner_id AND c.id = given.id
         WHERE usershell.is_rightful(c)
    ), held AS (
        SELECT c.owner_id, c.slot
          FROM rightful r JOIN usershell.calls c ON c.owner_id = r.owner_id AND c.slot = r.slot AND c.id = r.id
           FOR UPDATE OF c SKIP LOCKED
    ), renewed AS (
        UPDATE usershell.calls c SET expires_at = usershell.slot_end()
          FROM held WHERE c.owner_id = held.owner_id AND c.slot = held.slot
    )
    SELECT r.id FROM rightful r;
END
$function$;

CREATE FUNCTION usershell.load_provider(given_owner uuid, given_call uuid, given_provider uuid, given_model text,
                                        given_input bigint, given_output bigint)
    RETURNS TABLE (outcome text, provider uuid, name text, type text, base_url text, is_active boolean,
                   round_robin_accounts boolean, all_models text, enabled_models text, account uuid, key_name text,
                   is_enabled boolean, is_in_cooldown boolean, is_unhealthy boolean, sealed_key bytea)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER ROWS 10
    SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $function$
#variable_conflict use_column
DECLARE
    token record;
    day record;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    UPDATE usershell.calls c SET provider_id = given_provider, was_active = true
      FROM usershell.good_tokens t, usershell.models m, usershell.providers p
     WHERE c.owner_id = given_owner AND c.id = given_call AND c.expires_at > now()
       AND t.owner_id = given_owner AND t.id = c.token_id
       AND p.owner_id = given_owner AND p.id = given_provider AND p.status = 'active'
       AND m.owner_id = given_owner AND m.provider_id = given_provider AND m.model_id = given_model AND m.is_enabled
       AND usershell.permits(t, given_provider, given_model)
    RETURNING t.id, t.max_tokens_a_day INTO token;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF token.max_tokens_a_day IS NOT NULL THEN
        SELECT * INTO day FROM usershell.reserve_tokens(given_owner, token.id, given_call, given_input, given_output);
        IF day.refused IS NOT NULL THEN
            outcome := day.refused;
            RETURN NEXT;
            RETURN;
        END IF;
        UPDATE usershell.calls c SET reserved_tokens = day.reserve WHERE c.owner_id = given_owner AND c.id = given_call;
    END IF;
    PERFORM usershell.take_turns(given_owner, given_provider);
    RETURN QUERY SELECT 'begun', k.* FROM usershell.provider_keys(given_owner, given_provider, true) k;
END
$function$;
COMMENT ON FUNCTION usershell.load_provider(uuid, uuid, uuid, text, bigint, bigint) IS
    'For a call that an access token has begun: reserves its tokens, takes a turn of the rotation and reads that provider. No row: the call, its token or its limits do not allow it. Another outcome than begun: as of begin_token_call().';

-- A join would begin at the calls: their statistics mostly say that hardly one runs, and it would read the slots of all users. One
-- row of a call: a second attempt to begin it, which did not find the first, takes another slot.
CREATE OR REPLACE FUNCTION usershell.health_reports(given jsonb)
    RETURNS TABLE (owner_id uuid, provider_id uuid, base_url text, account_id uuid, key bytea, status text, message text,
                   cooldown double precision)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
        SELECT e.owner, r.provider, r.base_url, r.account, r.key, r.status, r.message, r.cooldown
          FROM jsonb_to_recordset(given) AS e (owner uuid, call uuid, health jsonb)
         CROSS JOIN LATERAL (SELECT FROM usershell.calls c
                              WHERE c.owner_id = e.owner AND c.id = e.call AND c.expires_at > now() LIMIT 1) c
         CROSS JOIN LATERAL jsonb_to_recordset(e.health)
               AS r (provider uuid, base_url text, account uuid, key bytea, status text, message text, cooldown double precision);
    END;

-- Usage is written with the end of a call, in one order of rows, so that no two statements wait for each other. A generic plan, as
-- renew_calls(). PostgreSQL takes a list in JSON for a hundred rows, and would read whole tables for a hash join. Health is that of
-- 0005; most calls tell of no account, and to set up the plan for accounts takes a fifth of the time.
CREATE OR REPLACE FUNCTION usershell.end_calls(given jsonb) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
    SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off
    AS $function$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    INSERT INTO usershell.usage AS u (owner_id, day, token_id, provider_id, model, calls, failures, estimates, input_tokens,
                                      output_tokens)
    SELECT e.owner, usershell.utc_day(), coalesce(c.token_id, '00000000-0000-0000-0000-000000000000'), r.provider, r.model,
           count(*), count(*) FILTER (WHERE r.failed), count(*) FILTER (WHERE r.estimated),
           sum(usershell.counted_tokens(r.input)), sum(usershell.counted_tokens(r.output))
      FROM jsonb_to_recordset(given) AS e (owner uuid, call uuid, usage jsonb)
     CROSS JOIN LATERAL (SELECT c.token_id FROM usershell.calls c
                          WHERE c.owner_id = e.owner AND c.id = e.call AND c.expires_at > now() LIMIT 1) c
     CROSS JOIN LATERAL jsonb_to_recordset(e.usage)
           AS r (provider uuid, model text, failed boolean, estimated boolean, input numeric, output numeric)
     GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
        ON CONFLICT (owner_id, day, token_id, provider_id, model) DO UPDATE
       SET calls = u.calls + excluded.calls, failures = u.failures + excluded.failures,
           estimates = u.estimates + excluded.estimates,
           input_tokens = least(u.input_tokens + excluded.input_tokens, 1000000000000000),
           output_tokens = least(u.output_tokens + excluded.output_tokens, 1000000000000000);
    WITH news AS (
        SELECT r.*
          FROM usershell.health_reports(given) r
          JOIN usershell.providers p ON p.owner_id = r.owner_id AND p.id = r.provider_id
         WHERE r.account_id IS NULL AND p.base_url = r.base_url AND (r.key IS NULL OR p.sealed_key = r.key)
           AND (p.health_checked_at >= now() - interval '1 minute'
                AND (p.health_status, p.health_message) IS NOT DISTINCT FROM (r.status, r.message)
                AND (r.key IS NULL OR r.cooldown IS NULL AND p.cooldown_until IS NULL)) IS NOT TRUE
           FOR NO KEY UPDATE OF p SKIP LOCKED
    )
    UPDATE usershell.providers p
       SET health_status = n.status, health_message = n.message, health_checked_at = now(),
           cooldown_until = CASE WHEN n.key IS NULL THEN p.cooldown_until ELSE now() + make_interval(secs => n.cooldown) END,
           recent_errors = CASE WHEN n.key IS NOT NULL AND n.status = 'unhealthy'
                                THEN usershell.with_error(p.recent_errors, n.message) ELSE p.recent_errors END
      FROM news n WHERE p.owner_id = n.owner_id AND p.id = n.provider_id;
    IF given @? '$[*].health[*].account' THEN
        WITH news AS (
            SELECT r.*
              FROM usershell.health_reports(given) r
              JOIN usershell.providers p ON p.owner_id = r.owner_id AND p.id = r.provider_id AND p.base_url = r.base_url
              JOIN usershell.accounts a ON a.owner_id = r.owner_id AND a.provider_id = r.provider_id AND a.id = r.account_id
                                           AND a.sealed_key = r.key
             WHERE (a.health_checked_at >= now() - interval '1 minute'
                    AND (a.health_status, a.health_message) IS NOT DISTINCT FROM (r.status, r.message)
                    AND r.cooldown IS NULL AND a.cooldown_until IS NULL) IS NOT TRUE
               FOR NO KEY UPDATE OF a SKIP LOCKED
        )
        UPDATE usershell.accounts a
           SET health_status = n.status, health_message = n.message, health_checked_at = now(),
               cooldown_until = now() + make_interval(secs => n.cooldown),
               recent_errors = CASE WHEN n.status = 'unhealthy'
                                    THEN usershell.with_error(a.recent_errors, n.message) ELSE a.recent_errors END
          FROM news n WHERE a.owner_id = n.owner_id AND a.provider_id = n.provider_id AND a.id = n.account_id;
    END IF;
    UPDATE usershell.calls c SET id = NULL, token_hash = NULL, expires_at = '-infinity'
      FROM jsonb_to_recordset(given) AS e (owner uuid, call uuid)
     WHERE c.owner_id = e.owner AND c.id = e.call;
END
$function$;
COMMENT ON FUNCTION usershell.end_calls(jsonb) IS
    'Ends calls that end at one moment, and writes the usage and health that they have shown.';

GRANT EXECUTE ON FUNCTION
    usershell.begin_token_call(bytea, bytea, uuid, text, text, bigint, bigint, text),
    usershell.load_provider(uuid, uuid, uuid, text, bigint, bigint),
    usershell.end_calls(jsonb)
    TO usershell_execute;
GRANT EXECUTE ON FUNCTION
    usershell.make_token(bytea, uuid, bytea, bytea, jsonb, uuid, bytea),
    usershell.own_tokens(),
    usershell.revoke_token(uuid),
    usershell.token_choices(),
    usershell.own_usage(integer),
    usershell.usage_sums(integer, integer),
    usershell.change_password(bytea, text, usershell.session_keys, uuid[]),
    usershell.sweep_tokens(integer),
    usershell.events_to_announce(integer),
    usershell.announce_event(uuid, uuid, uuid, bytea)
    TO usershell_auth;
