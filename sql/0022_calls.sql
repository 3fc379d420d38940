-- Oldest program that can run on it: 0.1.0
--
-- Calls to providers: what usershell-opener and usershell-execute may see and write. Neither has a right to any table of users.
-- The opener reads by the token of a caller's cookie, or by an access token (0023_token_calls.sql), and that caller's rows only.
-- The same token begins a call, which gets an id. That id alone authorises what is read and written for the call, while it lasts
-- and at most a minute after the caller's session has ended. Neither role without a caller's token reaches a row.
-- usershell-execute begins no call and reads no envelope.

-- Shared by all processes -------------------------------------------------------------------------------------------
-- UNLOGGED: the rows are worthless after a crash, and no call waits for a disk.

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
    token_id   uuid,
    provider_id uuid,
    was_active boolean,
    reserved_tokens bigint NOT NULL DEFAULT 0 CHECK (reserved_tokens >= 0),
    expires_at timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (owner_id, slot)
) WITH (fillfactor = 50);
COMMENT ON TABLE usershell.calls IS 'A row for each call that a user may have under way; taken while expires_at is ahead.';
COMMENT ON COLUMN usershell.calls.id IS '122 random bits: who knows it may read and write for this call';
COMMENT ON COLUMN usershell.calls.token_hash IS 'stored hash of the session''s token that the call began with, or the access token''s selector: one with a new secret is another';
COMMENT ON COLUMN usershell.calls.token_id IS 'of the access token that the call began with; NULL: a session''s call';
COMMENT ON COLUMN usershell.calls.provider_id IS 'the one that is called; NULL: all active ones';
COMMENT ON COLUMN usershell.calls.was_active IS 'that provider was active when the call began; a test may be of another';
COMMENT ON COLUMN usershell.calls.reserved_tokens IS 'what its request may take of its token''s day, while it runs';
COMMENT ON COLUMN usershell.calls.expires_at IS 'renewed while the call runs and has a right to';

-- Slots -------------------------------------------------------------------------------------------------------------

CREATE FUNCTION usershell.max_calls() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 8;
COMMENT ON FUNCTION usershell.max_calls() IS 'Calls that a user may have under way.';

CREATE FUNCTION usershell.max_token_calls() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 32;
COMMENT ON FUNCTION usershell.max_token_calls() IS 'Calls of access tokens that a user may have under way, besides those of pages.';

CREATE FUNCTION usershell.slot_end() RETURNS timestamptz LANGUAGE sql STABLE RETURN now() + interval '1 minute';
COMMENT ON FUNCTION usershell.slot_end() IS 'When a slot that is taken or renewed now is free again.';

-- Rows that another call has locked are skipped: no two calls get one slot, and none waits. A second attempt after a lost
-- answer takes the slot of the first. Slots up to max_calls() are the sessions', those above the access tokens'.
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

CREATE FUNCTION usershell.is_rightful(given usershell.calls) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN CASE WHEN (given).token_id IS NULL
                THEN EXISTS (SELECT FROM usershell.good_sessions s
                              WHERE s.owner_id = (given).owner_id AND s.calls_token_hash = (given).token_hash)
                ELSE EXISTS (SELECT FROM usershell.good_tokens t
                              WHERE t.owner_id = (given).owner_id AND t.id = (given).token_id
                                AND ((given).token_hash = t.selector
                                     OR (given).token_hash = t.old_selector AND t.old_expires_at > now()))
           END
       AND ((given).provider_id IS NULL OR EXISTS (
            SELECT FROM usershell.providers p
             WHERE p.owner_id = (given).owner_id AND p.id = (given).provider_id
               AND (p.status = 'active' OR NOT (given).was_active)));
COMMENT ON FUNCTION usershell.is_rightful(usershell.calls) IS
    'Its session or access token is good, and its provider is there, and active if it was. For the functions.';

-- A locked row is not written, because two statements about many calls could wait for each other; its call has the right
-- nevertheless. A generic plan, because PostgreSQL would otherwise plan for the given arrays each time, which takes longer.
CREATE FUNCTION usershell.renew_calls(given_owners uuid[], given_calls uuid[]) RETURNS SETOF uuid
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
COMMENT ON FUNCTION usershell.renew_calls(uuid[], uuid[]) IS
    'The ids of those that have a right to run, renewed; the program ends the others.';

-- Keys --------------------------------------------------------------------------------------------------------------

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

-- A row for each key of each provider: its own first, then the accounts that take turns, in turn, then the other accounts. A row for
-- each header, too: it has a name and no account. A provider without any has one row. Model ids contain no control character: a
-- newline separates them. Envelopes come where they are to be opened now: of the headers, and of the key that a call tries first,
-- which is the provider's own (turn 0) unless accounts take turns. PostgreSQL inlines it.
CREATE FUNCTION usershell.provider_keys(given_owner uuid, given_provider uuid, takes_turn boolean, given_account uuid, opens boolean)
    RETURNS TABLE (provider uuid, name text, type text, base_url text, is_active boolean, round_robin_accounts boolean,
                   all_models text, enabled_models text, account uuid, key_name text, is_enabled boolean,
                   is_in_cooldown boolean, is_unhealthy boolean, sealed_key bytea)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
        SELECT p.id, p.name, p.type, p.base_url, p.status = 'active', p.round_robin_accounts, m.every, m.enabled,
               k.account, k.key_name, k.is_enabled, coalesce(k.cooldown_until > now(), false), coalesce(k.is_unhealthy, false),
               CASE WHEN opens AND CASE WHEN k.account IS NULL AND k.key_name <> '' THEN true
                                        WHEN given_account IS NULL
                                            THEN k.turn = CASE WHEN bool_or(k.turn > 0) OVER (PARTITION BY p.id) THEN 1 ELSE 0 END
                                        ELSE k.account = given_account END
                    THEN k.sealed_key END
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
COMMENT ON FUNCTION usershell.provider_keys(uuid, uuid, boolean, uuid, boolean) IS
    'That provider of the owner, or all active ones in list order, with their keys; given_account: whose key alone is tried. For the functions.';

-- A message with images is sent only to a model that reads them. Asked for such messages alone, so that a call without any
-- still begins with one statement.
CREATE FUNCTION usershell.model_sees(given_owner uuid, given_call uuid, given_model text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT EXISTS (
            SELECT FROM usershell.calls c
              JOIN usershell.models m ON m.owner_id = c.owner_id AND m.provider_id = c.provider_id
             WHERE c.owner_id = given_owner AND c.id = given_call AND c.expires_at > now()
               AND m.model_id = given_model AND 'vision' = ANY (string_to_array(m.capabilities, ',')));
    END;
COMMENT ON FUNCTION usershell.model_sees(uuid, uuid, text) IS
    'Has that model of the call''s provider the capability vision?';

-- Begin of a call of a page -----------------------------------------------------------------------------------------

-- One function, because a statement that joins several would be planned again each time. The token names the caller, who is
-- found first; everything else is that owner's. A provider that is not the caller's has a row of NULLs. Providers and keys are
-- of one moment.
--
-- The functions that begin a call have generic plans. PostgreSQL's guess from its statistics was often to plan each statement again at
-- each call, which takes longer than to execute it. Like those that renew and end calls they use indexes alone: a plan that was made
-- while usershell.calls was small would read it whole until the next ANALYZE.
CREATE FUNCTION usershell.begin_call(given_hash bytea, given_call uuid, given_provider uuid, given_account uuid, takes_turn boolean)
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
      FROM (SELECT) AS one LEFT JOIN usershell.provider_keys(
           caller.owner_id, given_provider, takes_turn, given_account, has_slot AND given_provider IS NOT NULL) k ON true;
END
$function$;
COMMENT ON FUNCTION usershell.begin_call(bytea, uuid, uuid, uuid, boolean) IS
    'Signs in by the token for calls with that hash (its idle time is renewed at most once a minute), takes a slot for a call under an id that the program has drawn, takes a turn of the rotation where wanted, and reads that provider, or all active ones in list order, without envelopes. No row: the session is not good.';

-- The next key -------------------------------------------------------------------------------------------------------

-- Of a call that has a right to run now. One that an access token has begun and that has no provider yet has no key: the token may
-- be for some models only, which load_provider() looks at. Such a call has no key but those that it may try.
CREATE FUNCTION usershell.next_key(given_owner uuid, given_call uuid, given_provider uuid, given_account uuid, with_headers boolean)
    RETURNS TABLE (user_id uuid, provider uuid, type text, base_url text, account uuid, key_name text, sealed_key bytea)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 3
    SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $function$
#variable_conflict use_column
DECLARE
    begun record;
BEGIN
    SELECT c.token_id, c.provider_id INTO begun FROM usershell.calls c
     WHERE c.owner_id = given_owner AND c.id = given_call AND c.expires_at > now() AND usershell.is_rightful(c)
       AND CASE WHEN c.provider_id IS NULL THEN c.token_id IS NULL ELSE c.provider_id = given_provider END;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT given_owner, k.provider, k.type, k.base_url, k.account, k.key_name, k.sealed_key
      FROM (SELECT) AS one
      LEFT JOIN usershell.provider_keys(given_owner, given_provider, true, given_account, true) k
        ON k.sealed_key IS NOT NULL
       AND CASE WHEN k.account IS NULL AND k.key_name <> '' THEN with_headers
                WHEN begun.token_id IS NULL THEN k.is_active OR begun.provider_id IS NOT NULL
                ELSE k.account IS NULL OR k.is_enabled AND k.round_robin_accounts END;
END
$function$;
COMMENT ON FUNCTION usershell.next_key(uuid, uuid, uuid, uuid, boolean) IS
    'A key of a call under way, of the call''s provider or, where it names none, of any: of that account, or the one to be tried first. A row without a provider: they have no such key. No row: the call has no right to run, or is for another provider.';

-- End of a call -----------------------------------------------------------------------------------------------------

-- A join would begin at the calls: their statistics mostly say that hardly one runs, and it would read the slots of all users. One
-- row of a call: a second attempt to begin it, which did not find the first, takes another slot.
CREATE FUNCTION usershell.health_reports(given jsonb)
    RETURNS TABLE (owner_id uuid, provider_id uuid, base_url text, account_id uuid, key bytea, status text, message text,
                   cooldown double precision)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
        SELECT e.owner, r.provider, r.base_url, r.account, r.key, r.status, r.message,
               CASE WHEN r.cooldown IS NOT NULL THEN greatest(least(r.cooldown, 3600), 0) END
          FROM jsonb_to_recordset(given) AS e (owner uuid, call uuid, health jsonb)
         CROSS JOIN LATERAL (SELECT FROM usershell.calls c
                              WHERE c.owner_id = e.owner AND c.id = e.call AND c.expires_at > now() LIMIT 1) c
         CROSS JOIN LATERAL jsonb_to_recordset(e.health)
               AS r (provider uuid, base_url text, account uuid, key bytea, status text, message text, cooldown double precision);
    END;
COMMENT ON FUNCTION usershell.health_reports(jsonb) IS
    'The reports of end_calls(), of calls that still run. Without an account: of the provider, with its own key if that was tried. key: SHA-256 of the envelope.';

-- Usage is written with the end of a call, in one order of rows, so that no two statements wait for each other.
--
-- A report is written if address and key are still those of the call, and it differs from the stored one or is a minute
-- newer. A locked row keeps its health: no call waits for another role's transaction, and no two of these statements wait for
-- each other. Health lost in a crash is no loss: no call waits for the disk.
--
-- A generic plan, as renew_calls(). PostgreSQL takes a list in JSON for a hundred rows, and would read whole tables for a hash
-- join. Most calls tell of no account, and to set up the plan for accounts takes a fifth of the time.
CREATE FUNCTION usershell.end_calls(given jsonb) RETURNS void
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
         WHERE r.account_id IS NULL AND p.base_url = r.base_url AND (r.key IS NULL OR sha256(p.sealed_key) = r.key)
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
                                           AND sha256(a.sealed_key) = r.key
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
