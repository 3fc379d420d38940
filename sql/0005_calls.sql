-- Oldest program that can run on it: 0.1.0
--
-- Calls to providers: what usershell-execute may see and write. It has no right to any table of users. It reads by the
-- token of a caller's cookie, and that caller's rows only. The same token begins a call, which gets an id. That id alone
-- authorises what the call writes, while the call lasts and at most a minute after the caller's session has ended. This
-- role without a caller's token reaches no row.

-- Shared by all processes --------------------------------------------------------------------------------------------
-- UNLOGGED: the rows are worthless after a crash, and no call waits for a disk.

CREATE FUNCTION usershell.max_calls() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 8;
COMMENT ON FUNCTION usershell.max_calls() IS 'Calls that a user may have under way.';

CREATE FUNCTION usershell.slot_end() RETURNS timestamptz LANGUAGE sql STABLE RETURN now() + interval '1 minute';
COMMENT ON FUNCTION usershell.slot_end() IS 'When a slot that is taken or renewed now is free again.';

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
    slot       smallint NOT NULL CHECK (slot > 0),
    id         uuid,
    token_hash bytea,
    provider_id uuid,
    was_active boolean,
    expires_at timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (owner_id, slot)
) WITH (fillfactor = 50);
COMMENT ON TABLE usershell.calls IS 'A row for each call that a user may have under way; taken while expires_at is ahead.';
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

-- Slots --------------------------------------------------------------------------------------------------------

-- Rows that another begin_call() has locked are skipped: no two calls get one slot, and none waits. A second attempt after
-- a lost answer takes the slot of the first.
CREATE FUNCTION usershell.take_slot(given_owner uuid, given_hash bytea, given_call uuid, given_provider uuid) RETURNS boolean
    LANGUAGE plpgsql VOLATILE
    AS $function$
BEGIN
    UPDATE usershell.calls c
       SET id = given_call, token_hash = given_hash, expires_at = usershell.slot_end(), provider_id = given_provider,
           was_active = (SELECT p.status = 'active' FROM usershell.providers p
                          WHERE p.owner_id = given_owner AND p.id = given_provider)
     WHERE c.owner_id = given_owner AND c.slot = (
        SELECT free.slot FROM usershell.calls free
         WHERE free.owner_id = given_owner AND (free.expires_at <= now() OR free.id = given_call)
         ORDER BY free.id IS DISTINCT FROM given_call, free.slot LIMIT 1 FOR UPDATE SKIP LOCKED);
    RETURN FOUND;
END
$function$;

-- A call has a right to run while its token is good and its provider is there, and active if it was. A locked
-- row is not written, because two statements about many calls could wait for each other; its call has the right nevertheless.
-- A generic plan, because PostgreSQL would otherwise plan for the given arrays each time, which takes longer.
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
        UPDATE usershell.calls c SET expires_at = usershell.slot_end()
          FROM held WHERE c.owner_id = held.owner_id AND c.slot = held.slot
    )
    SELECT r.id FROM rightful r;
END
$function$;
COMMENT ON FUNCTION usershell.renew_calls(uuid[], uuid[]) IS
    'The ids of those that have a right to run, renewed; the program ends the others.';

-- Begin of a call ------------------------------------------------------------------------------------------------------

-- Rotation begins at the position; keys in cooldown come after the others. PostgreSQL inlines this function.
CREATE FUNCTION usershell.keys_in_turn(given_owner uuid, given_provider uuid, steps_back integer)
    RETURNS TABLE (account uuid, turn bigint)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
        SELECT k.id, row_number() OVER (ORDER BY k.is_in_cooldown, (k.place - next.position % k.size + k.size) % k.size)
          FROM (SELECT a.id, coalesce(a.cooldown_until > now(), false) AS is_in_cooldown, count(*) OVER () AS size,
                       row_number() OVER (ORDER BY a.priority, a.name COLLATE "C", a.id) - 1 AS place
                  FROM usershell.accounts a JOIN usershell.providers p ON p.owner_id = a.owner_id AND p.id = a.provider_id
                 WHERE a.owner_id = given_owner AND a.provider_id = given_provider
                   AND a.is_enabled AND a.has_key AND p.round_robin_accounts) k
         CROSS JOIN (SELECT greatest(coalesce(max(r.position), 0) - steps_back, 0) AS position FROM usershell.rotations r
                      WHERE r.owner_id = given_owner AND r.provider_id = given_provider) next;
    END;
COMMENT ON FUNCTION usershell.keys_in_turn(uuid, uuid, integer) IS
    'The accounts whose keys take turns, in the order in which the next call tries them, or the call of that many steps before.';

CREATE FUNCTION usershell.next_in_turn(given_provider uuid) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT account FROM usershell.keys_in_turn(usershell.current_user_id(), given_provider, 0) ORDER BY turn LIMIT 1;
    END;
COMMENT ON FUNCTION usershell.next_in_turn(uuid) IS
    'The account of that provider of the connection''s user with whose key the next call begins; NULL: no account takes turns.';
GRANT EXECUTE ON FUNCTION usershell.next_in_turn(uuid) TO usershell_manage;

-- One function, because a statement that joins several would be planned again each time. The token names the caller, who is
-- found first; everything else is that owner's. The result has a row for each key of each provider: its own first, then the
-- accounts that take turns, in turn, then the other accounts. A provider without a key has one row; a provider that is not the caller's has a row of
-- NULLs. Providers and keys are of one moment. Model ids contain no control character: a newline separates them.
CREATE FUNCTION usershell.begin_call(given_hash bytea, given_call uuid, given_provider uuid, takes_turn boolean)
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
        SELECT caller.owner_id, slot FROM generate_series(1, usershell.max_calls()) slot ON CONFLICT DO NOTHING;
        has_slot := usershell.take_slot(caller.owner_id, given_hash, given_call, given_provider);
    END IF;
    IF takes_turn AND has_slot THEN
        INSERT INTO usershell.rotations AS r (owner_id, provider_id, position)
        SELECT p.owner_id, p.id, 1 FROM usershell.providers p
         WHERE p.owner_id = caller.owner_id AND p.round_robin_accounts
           AND CASE WHEN given_provider IS NULL THEN p.status = 'active' ELSE p.id = given_provider END
         ORDER BY p.id
            ON CONFLICT (owner_id, provider_id) DO UPDATE SET position = r.position + 1;
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
                           false AS is_unhealthy, p.sealed_key, 0::bigint AS turn, 0 AS priority
                     UNION ALL
                    SELECT a.id, a.name, a.is_enabled, a.cooldown_until, a.health_status = 'unhealthy', a.sealed_key, t.turn,
                           a.priority
                      FROM usershell.accounts a
                      LEFT JOIN usershell.keys_in_turn(p.owner_id, p.id, CASE WHEN takes_turn THEN 1 ELSE 0 END) t
                        ON t.account = a.id
                     WHERE a.owner_id = p.owner_id AND a.provider_id = p.id) k
                   ON k.sealed_key IS NOT NULL)
        ON p.owner_id = caller.owner_id
           AND CASE WHEN given_provider IS NULL THEN p.status = 'active' ELSE p.id = given_provider END
     ORDER BY p.created_at, p.id, k.turn, k.priority, k.key_name COLLATE "C", k.account;
END
$function$;
COMMENT ON FUNCTION usershell.begin_call(bytea, uuid, uuid, boolean) IS
    'Signs in by the token for calls with that hash (its idle time is renewed at most once a minute), takes a slot for a call under an id that the program has drawn, takes a turn of the rotation where wanted, and reads that provider, or all active ones in list order. No row: the session is not good.';

-- End of a call --------------------------------------------------------------------------------------------------

CREATE FUNCTION usershell.with_error(recent jsonb, message text) RETURNS jsonb
    LANGUAGE sql STABLE
    RETURN (SELECT jsonb_agg(e.error ORDER BY e.position) FROM (
        SELECT jsonb_build_object('at', usershell.microseconds(now()), 'message', message) AS error, 0::bigint AS position
         UNION ALL
        SELECT older.error, older.position FROM jsonb_array_elements(recent) WITH ORDINALITY AS older (error, position)
         WHERE older.position > 1 OR older.error->>'message' <> message
         ORDER BY position LIMIT 5) e);
COMMENT ON FUNCTION usershell.with_error(jsonb, text) IS
    'The errors with one more, at most five; an error with the same message as the newest replaces it.';

CREATE FUNCTION usershell.health_reports(given jsonb)
    RETURNS TABLE (owner_id uuid, provider_id uuid, base_url text, account_id uuid, key bytea, status text, message text,
                   cooldown double precision)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
        SELECT c.owner_id, r.provider, r.base_url, r.account, r.key, r.status, r.message, r.cooldown
          FROM jsonb_to_recordset(given) AS e (owner uuid, call uuid, health jsonb)
          JOIN usershell.calls c ON c.owner_id = e.owner AND c.id = e.call AND c.expires_at > now()
         CROSS JOIN LATERAL jsonb_to_recordset(e.health)
               AS r (provider uuid, base_url text, account uuid, key bytea, status text, message text, cooldown double precision);
    END;
COMMENT ON FUNCTION usershell.health_reports(jsonb) IS
    'The reports of end_calls(), of calls that still run. Without an account: of the provider, with its own key if that was tried.';

-- A report is written if address and key are still those of the call, and it differs from the stored one or is a minute
-- newer. A locked row keeps its health: no call waits for another role's transaction, and no two of these statements wait for
-- each other. Health lost in a crash is no loss: no call waits for the disk. A generic plan, as renew_calls().
CREATE FUNCTION usershell.end_calls(given jsonb) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
    AS $function$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
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
    UPDATE usershell.calls c SET id = NULL, token_hash = NULL, expires_at = '-infinity'
      FROM jsonb_to_recordset(given) AS e (owner uuid, call uuid)
     WHERE c.owner_id = e.owner AND c.id = e.call;
END
$function$;
COMMENT ON FUNCTION usershell.end_calls(jsonb) IS
    'Ends calls that end at one moment, and writes the health that they have shown.';

GRANT EXECUTE ON FUNCTION
    usershell.begin_call(bytea, uuid, uuid, boolean),
    usershell.renew_calls(uuid[], uuid[]),
    usershell.end_calls(jsonb)
    TO usershell_execute;
