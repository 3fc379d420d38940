-- Oldest program that can run on it: 0.1.0
--
-- Calls to providers: what usershell-execute may see and write. It has no right to any table of users. What it reads, it
-- reads by the token of a caller's cookie, and that caller's rows only. By the same token a call begins and gets an id,
-- which alone authorises what the call writes, for as long as the call lasts, and at most a minute after the caller's session has ended. Whoever has this
-- role, and no caller's token, reaches nothing.

-- What calls share: worth nothing after a crash, so UNLOGGED: no call waits for a disk -------------------------------

CREATE UNLOGGED TABLE usershell.rotations (
    owner_id    uuid NOT NULL,
    provider_id uuid NOT NULL,
    position    bigint NOT NULL CHECK (position > 0),
    PRIMARY KEY (owner_id, provider_id),
    FOREIGN KEY (owner_id, provider_id) REFERENCES usershell.providers ON DELETE CASCADE
) WITH (fillfactor = 50);
COMMENT ON COLUMN usershell.rotations.position IS 'of the next call';

CREATE UNLOGGED TABLE usershell.calls (
    owner_id   uuid NOT NULL REFERENCES usershell.users ON DELETE CASCADE,
    slot       smallint NOT NULL CHECK (slot BETWEEN 1 AND 8),
    id         uuid,
    token_hash bytea,
    provider_id uuid,
    was_active boolean,
    expires_at timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (owner_id, slot)
) WITH (fillfactor = 50);
COMMENT ON TABLE usershell.calls IS 'A row a slot among the calls a user may have under way; taken while expires_at is ahead.';
COMMENT ON COLUMN usershell.calls.id IS '122 random bits: who knows it may read and write for this call';
COMMENT ON COLUMN usershell.calls.token_hash IS 'of the token that the call began with: a session with new tokens is another';
COMMENT ON COLUMN usershell.calls.provider_id IS 'the one that is called; NULL: all active ones';
COMMENT ON COLUMN usershell.calls.was_active IS 'that provider was active when the call began; a test may be of another';
COMMENT ON COLUMN usershell.calls.expires_at IS 'renewed while the call runs and has a right to';

DO $policies$
DECLARE
    secured text;
BEGIN
    FOREACH secured IN ARRAY ARRAY['rotations', 'calls'] LOOP
        EXECUTE format('ALTER TABLE usershell.%I ENABLE ROW LEVEL SECURITY', secured);
        EXECUTE format('ALTER TABLE usershell.%I FORCE ROW LEVEL SECURITY', secured);
        EXECUTE format('CREATE POLICY all_rows ON usershell.%I TO usershell_owner USING (true)', secured);
    END LOOP;
END
$policies$;

-- Who calls ------------------------------------------------------------------------------------------------------

-- Rows locked by others who take a slot just now are passed over: no two get one, and nobody waits. A second attempt
-- after a lost answer takes the slot of the first.
CREATE FUNCTION usershell.take_slot(given_owner uuid, given_hash bytea, given_call uuid, given_provider uuid) RETURNS boolean
    LANGUAGE plpgsql VOLATILE
    AS $function$
BEGIN
    UPDATE usershell.calls c
       SET id = given_call, token_hash = given_hash, expires_at = now() + interval '1 minute', provider_id = given_provider,
           was_active = (SELECT p.status = 'active' FROM usershell.providers p
                          WHERE p.owner_id = given_owner AND p.id = given_provider)
     WHERE c.owner_id = given_owner AND c.slot = (
        SELECT free.slot FROM usershell.calls free
         WHERE free.owner_id = given_owner AND (free.expires_at <= now() OR free.id = given_call)
         ORDER BY free.id IS DISTINCT FROM given_call, free.slot LIMIT 1 FOR UPDATE SKIP LOCKED);
    RETURN FOUND;
END
$function$;

-- In PL/pgSQL, which keeps its plan: in SQL it would be planned anew by each statement.
CREATE FUNCTION usershell.has_call(given_owner uuid, given_call uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $function$
BEGIN
    RETURN EXISTS (SELECT FROM usershell.calls c
                    WHERE c.owner_id = given_owner AND c.id = given_call AND c.expires_at > now());
END
$function$;
COMMENT ON FUNCTION usershell.has_call(uuid, uuid) IS 'Is that a call of that user that runs? For the functions below.';

-- A call has a right to run while its token is good and its provider is there, and active if it was. A row that another
-- statement has locked is not written: two statements about many calls that waited for each other would stand still. Its call
-- has the right all the same. A generic plan: PostgreSQL would make one for the very arrays each time, which takes longer.
CREATE FUNCTION usershell.renew_calls(given_owners uuid[], given_calls uuid[]) RETURNS SETOF uuid
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
    AS $function$
BEGIN
    RETURN QUERY
    WITH rightful AS (
        SELECT c.owner_id, c.slot, c.id
          FROM unnest(given_owners, given_calls) AS given (owner_id, id)
          JOIN usershell.calls c ON c.owner_id = given.owner_id AND c.id = given.id
         WHERE EXISTS (SELECT FROM usershell.good_sessions s WHERE s.owner_id = c.owner_id AND s.calls_token_hash = c.token_hash)
           AND (c.provider_id IS NULL OR EXISTS (
                SELECT FROM usershell.providers p
                 WHERE p.owner_id = c.owner_id AND p.id = c.provider_id AND (p.status = 'active' OR NOT c.was_active)))
    ), held AS (
        SELECT c.owner_id, c.slot
          FROM rightful r JOIN usershell.calls c ON c.owner_id = r.owner_id AND c.slot = r.slot AND c.id = r.id
           FOR UPDATE OF c SKIP LOCKED
    ), renewed AS (
        UPDATE usershell.calls c SET expires_at = now() + interval '1 minute'
          FROM held WHERE c.owner_id = held.owner_id AND c.slot = held.slot
    )
    SELECT r.id FROM rightful r;
END
$function$;
COMMENT ON FUNCTION usershell.renew_calls(uuid[], uuid[]) IS
    'The ids of those that have a right to run, renewed; the program ends the others.';

CREATE FUNCTION usershell.end_call(given_owner uuid, given_call uuid) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    UPDATE usershell.calls c SET id = NULL, token_hash = NULL, expires_at = '-infinity'
     WHERE c.owner_id = given_owner AND c.id = given_call;
END
$function$;

-- What is read for a call ----------------------------------------------------------------------------------------------

-- One function, since a statement that joined several would be planned anew each time. The caller is who the token says,
-- found first; everything else is that owner's. A row a key of each provider, its own first; one row without a key when
-- there is none, and without a provider when that is not the caller's. Providers and keys are of one moment. Model ids hold
-- no control character: a newline parts them.
CREATE FUNCTION usershell.begin_call(given_hash bytea, given_call uuid, given_provider uuid)
    RETURNS TABLE (user_id uuid, session_id uuid, antiforgery_key bytea, is_begun boolean,
                   provider uuid, name text, type text, base_url text, is_active boolean, round_robin_accounts boolean,
                   all_models text, enabled_models text, account uuid, key_name text, is_enabled boolean,
                   is_in_cooldown boolean, is_unhealthy boolean, sealed_key bytea)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER ROWS 10 SET search_path = pg_catalog, pg_temp
    AS $function$
#variable_conflict use_column
DECLARE
    caller record;
    has_slot boolean;
BEGIN
    SELECT s.owner_id, s.id, s.antiforgery_key, s.last_seen_at < now() - interval '1 minute' AS is_due INTO caller
      FROM usershell.good_sessions s WHERE s.calls_token_hash = given_hash;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF caller.is_due THEN
        PERFORM usershell.renew_session(caller.owner_id, caller.id);
    END IF;
    has_slot := usershell.take_slot(caller.owner_id, given_hash, given_call, given_provider);
    IF NOT has_slot THEN
        -- The user's first call ever, or all slots are taken.
        INSERT INTO usershell.calls (owner_id, slot)
        SELECT caller.owner_id, p FROM generate_series(1, 8) p ON CONFLICT DO NOTHING;
        has_slot := usershell.take_slot(caller.owner_id, given_hash, given_call, given_provider);
    END IF;
    RETURN QUERY
    SELECT caller.owner_id, caller.id, caller.antiforgery_key, has_slot,
           p.id, p.name, p.type, p.base_url, p.status = 'active', p.round_robin_accounts, m.every, m.enabled,
           k.account, k.key_name, k.is_enabled, coalesce(k.cooldown_until > now(), false), coalesce(k.is_unhealthy, false),
           k.sealed_key
      FROM (SELECT) AS one
      LEFT JOIN (usershell.providers p
                 CROSS JOIN LATERAL (
                    SELECT string_agg(model_id, E'\n' ORDER BY position) AS every,
                           string_agg(model_id, E'\n' ORDER BY position) FILTER (WHERE is_enabled) AS enabled
                      FROM usershell.models WHERE owner_id = p.owner_id AND provider_id = p.id) m
                 LEFT JOIN LATERAL (
                    SELECT NULL::uuid AS account, '' AS key_name, true AS is_enabled, p.cooldown_until,
                           false AS is_unhealthy, p.sealed_key, -1 AS priority
                     UNION ALL
                    SELECT a.id, a.name, a.is_enabled, a.cooldown_until, a.health_status = 'unhealthy', a.sealed_key,
                           a.priority
                      FROM usershell.accounts a WHERE a.owner_id = p.owner_id AND a.provider_id = p.id) k
                   ON k.sealed_key IS NOT NULL)
        ON p.owner_id = caller.owner_id
           AND CASE WHEN given_provider IS NULL THEN p.status = 'active' ELSE p.id = given_provider END
     ORDER BY p.created_at, p.id, k.priority, k.key_name COLLATE "C", k.account;
END
$function$;
COMMENT ON FUNCTION usershell.begin_call(bytea, uuid, uuid) IS
    'Signs in by the token for calls whose hash that is (its idle time renewed at most once a minute), takes a slot for a call under an id that the program has drawn, and reads that provider, or all active ones in list order; no row: the session is not good.';

-- The key that the next call begins with, as order_keys() (lib/execute/calls/key_failover.hpp) chooses it.
CREATE FUNCTION usershell.next_in_turn(given_provider uuid) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT k.id
          FROM (SELECT a.id, coalesce(a.cooldown_until > now(), false) AS is_in_cooldown, count(*) OVER () AS size,
                       row_number() OVER (ORDER BY a.priority, a.name COLLATE "C", a.id) - 1 AS turn
                  FROM usershell.accounts a JOIN usershell.providers p ON p.owner_id = a.owner_id AND p.id = a.provider_id
                 WHERE a.owner_id = usershell.current_user_id() AND a.provider_id = given_provider
                   AND a.is_enabled AND a.has_key AND p.round_robin_accounts) k
         CROSS JOIN (SELECT coalesce(max(r.position), 0) AS position FROM usershell.rotations r
                      WHERE r.owner_id = usershell.current_user_id() AND r.provider_id = given_provider) next
         ORDER BY k.is_in_cooldown, (k.turn - next.position % k.size + k.size) % k.size LIMIT 1;
    END;
COMMENT ON FUNCTION usershell.next_in_turn(uuid) IS
    'The account of that provider of the connection''s user with whose key the next call begins; NULL: none takes turns.';
GRANT EXECUTE ON FUNCTION usershell.next_in_turn(uuid) TO usershell_manage;

-- What a call writes ---------------------------------------------------------------------------------------------
-- Evidence lost in a crash is no loss: no call waits for the disk.

CREATE FUNCTION usershell.next_rotation(given_owner uuid, given_call uuid, given_provider uuid) RETURNS SETOF bigint
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    RETURN QUERY
    INSERT INTO usershell.rotations AS r (owner_id, provider_id, position)
    SELECT given_owner, given_provider, 1 WHERE usershell.has_call(given_owner, given_call)
    ON CONFLICT (owner_id, provider_id) DO UPDATE SET position = r.position + 1
    RETURNING r.position - 1;
END
$function$;
COMMENT ON FUNCTION usershell.next_rotation(uuid, uuid, uuid) IS
    'The rotation position of this call, and one step further for the next.';

CREATE FUNCTION usershell.with_error(recent jsonb, message text) RETURNS jsonb
    LANGUAGE sql STABLE
    RETURN (SELECT jsonb_agg(e.error ORDER BY e.position) FROM (
        SELECT jsonb_build_object('at', usershell.microseconds(now()), 'message', message) AS error, 0::bigint AS position
         UNION ALL
        SELECT older.error, older.position FROM jsonb_array_elements(recent) WITH ORDINALITY AS older (error, position)
         WHERE older.position > 1 OR older.error->>'message' <> message
         ORDER BY position LIMIT 5) e);
COMMENT ON FUNCTION usershell.with_error(jsonb, text) IS
    'The errors with one more, at most five; one that says the same as the newest takes its place.';

-- When its own key was tried, what is known now was known of that key. What says nothing new is written once a minute; it is
-- looked for first, because to begin an UPDATE costs more than to look.
CREATE FUNCTION usershell.judge_provider(given_owner uuid, given_call uuid, given_provider uuid, given_base_url text,
                                         health text, message text, given_key bytea, cooldown double precision)
    RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    PERFORM FROM usershell.providers p
      WHERE p.owner_id = given_owner AND p.id = given_provider AND p.health_checked_at >= now() - interval '1 minute'
        AND (p.health_status, p.health_message) IS NOT DISTINCT FROM (health, message)
        AND (given_key IS NULL OR cooldown IS NULL AND p.cooldown_until IS NULL);
    IF FOUND THEN
        RETURN;
    END IF;
    PERFORM set_config('synchronous_commit', 'off', true);
    UPDATE usershell.providers p
       SET health_status = health, health_message = message, health_checked_at = now(),
           cooldown_until = CASE WHEN given_key IS NULL THEN p.cooldown_until ELSE now() + make_interval(secs => cooldown) END,
           recent_errors = CASE WHEN given_key IS NOT NULL AND health = 'unhealthy'
                                THEN usershell.with_error(p.recent_errors, message) ELSE p.recent_errors END
     WHERE p.owner_id = given_owner AND p.id = given_provider AND p.base_url = given_base_url
       AND (given_key IS NULL OR p.sealed_key = given_key) AND usershell.has_call(given_owner, given_call);
END
$function$;
COMMENT ON FUNCTION usershell.judge_provider(uuid, uuid, uuid, text, text, text, bytea, double precision) IS
    'What a call has shown of a provider and, where one is given, of its own key; nothing when address or key are others by now.';

CREATE FUNCTION usershell.judge_account(given_owner uuid, given_call uuid, given_provider uuid, given_base_url text,
                                        given_account uuid, health text, message text, given_key bytea,
                                        cooldown double precision)
    RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    PERFORM FROM usershell.accounts a
      WHERE a.owner_id = given_owner AND a.provider_id = given_provider AND a.id = given_account
        AND a.health_checked_at >= now() - interval '1 minute'
        AND (a.health_status, a.health_message) IS NOT DISTINCT FROM (health, message)
        AND cooldown IS NULL AND a.cooldown_until IS NULL;
    IF FOUND THEN
        RETURN;
    END IF;
    PERFORM set_config('synchronous_commit', 'off', true);
    UPDATE usershell.accounts a
       SET health_status = health, health_message = message, health_checked_at = now(),
           cooldown_until = now() + make_interval(secs => cooldown),
           recent_errors = CASE WHEN health = 'unhealthy'
                                THEN usershell.with_error(a.recent_errors, message) ELSE a.recent_errors END
      FROM usershell.providers p
     WHERE p.owner_id = given_owner AND p.id = given_provider AND p.base_url = given_base_url
       AND a.owner_id = given_owner AND a.provider_id = given_provider AND a.id = given_account
       AND a.sealed_key = given_key AND usershell.has_call(given_owner, given_call);
END
$function$;
COMMENT ON FUNCTION usershell.judge_account(uuid, uuid, uuid, text, uuid, text, text, bytea, double precision) IS
    'What a call has shown of an account''s key; nothing when address or key are others by now.';

-- The end of a call that shows something new. In PL/pgSQL, one after another: what has been found is written before the call ends.
CREATE FUNCTION usershell.conclude_call(given_owner uuid, given_call uuid, given_provider uuid, given_base_url text,
                                        health text, message text, given_key bytea, cooldown double precision,
                                        given_account uuid, account_health text, account_message text,
                                        account_key bytea, account_cooldown double precision)
    RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    IF health IS NOT NULL THEN
        PERFORM usershell.judge_provider(given_owner, given_call, given_provider, given_base_url,
                                         health, message, given_key, cooldown);
    END IF;
    IF given_account IS NOT NULL THEN
        PERFORM usershell.judge_account(given_owner, given_call, given_provider, given_base_url, given_account,
                                        account_health, account_message, account_key, account_cooldown);
    END IF;
    UPDATE usershell.calls c SET id = NULL, token_hash = NULL, expires_at = '-infinity'
     WHERE c.owner_id = given_owner AND c.id = given_call;
END
$function$;
COMMENT ON FUNCTION usershell.conclude_call(uuid, uuid, uuid, text, text, text, bytea, double precision,
                                            uuid, text, text, bytea, double precision) IS
    'What a call has shown of a provider and of one account, where given; and its end.';

-- Most calls end with it, those of a moment together. With a generic plan, as renew_calls().
CREATE FUNCTION usershell.end_calls(given_owners uuid[], given_calls uuid[], given_providers uuid[], given_accounts uuid[])
    RETURNS SETOF uuid
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
    AS $function$
BEGIN
    RETURN QUERY
    UPDATE usershell.calls c SET id = NULL, token_hash = NULL, expires_at = '-infinity'
      FROM unnest(given_owners, given_calls, given_providers, given_accounts)
           AS given (owner_id, id, provider_id, account_id)
     WHERE c.owner_id = given.owner_id AND c.id = given.id
       AND (given.provider_id IS NULL OR EXISTS (
            SELECT FROM usershell.providers p
             WHERE p.owner_id = given.owner_id AND p.id = given.provider_id
               AND p.health_status = 'healthy' AND p.health_message = ''
               AND p.health_checked_at >= now() - interval '1 minute'
               AND (given.account_id IS NOT NULL OR p.cooldown_until IS NULL)))
       AND (given.account_id IS NULL OR EXISTS (
            SELECT FROM usershell.accounts a
             WHERE a.owner_id = given.owner_id AND a.provider_id = given.provider_id AND a.id = given.account_id
               AND a.health_status = 'healthy' AND a.health_message = ''
               AND a.health_checked_at >= now() - interval '1 minute' AND a.cooldown_until IS NULL))
    RETURNING given.id;
END
$function$;
COMMENT ON FUNCTION usershell.end_calls(uuid[], uuid[], uuid[], uuid[]) IS
    'Ends calls that went well, or (without a provider) show nothing, if that is what has been known of provider and account for at most a minute; the ids of those that it has ended.';

GRANT EXECUTE ON FUNCTION
    usershell.begin_call(bytea, uuid, uuid),
    usershell.renew_calls(uuid[], uuid[]),
    usershell.end_call(uuid, uuid),
    usershell.end_calls(uuid[], uuid[], uuid[], uuid[]),
    usershell.next_rotation(uuid, uuid, uuid),
    usershell.judge_provider(uuid, uuid, uuid, text, text, text, bytea, double precision),
    usershell.judge_account(uuid, uuid, uuid, text, uuid, text, text, bytea, double precision),
    usershell.conclude_call(uuid, uuid, uuid, text, text, text, bytea, double precision,
                            uuid, text, text, bytea, double precision)
    TO usershell_execute;
