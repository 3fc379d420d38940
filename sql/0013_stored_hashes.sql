-- Oldest program that can run on it: 0.1.0

-- The database hashes what usershell-execute presents, as it does for the other two programs. So a stored hash of a token of
-- calls begins no call, not even by the role of usershell-execute.

UPDATE usershell.sessions SET calls_token_hash = sha256(calls_token_hash);
UPDATE usershell.calls SET token_hash = sha256(token_hash) WHERE token_hash IS NOT NULL;
COMMENT ON COLUMN usershell.sessions.calls_token_hash IS 'SHA-256 of what usershell-execute presents, a hash of its cookie''s token';
COMMENT ON COLUMN usershell.calls.token_hash IS 'stored hash of the token that the call began with: a session with new tokens is another';
COMMENT ON TYPE usershell.session_keys IS 'What a cookie brings of each token, hashed once; stored is its SHA-256.';

CREATE OR REPLACE FUNCTION usershell.begin_call(given_hash bytea, given_call uuid, given_provider uuid, takes_turn boolean)
    RETURNS TABLE (user_id uuid, session_id uuid, antiforgery_key bytea, is_begun boolean,
                   provider uuid, name text, type text, base_url text, is_active boolean, round_robin_accounts boolean,
                   all_models text, enabled_models text, account uuid, key_name text, is_enabled boolean,
                   is_in_cooldown boolean, is_unhealthy boolean, sealed_key bytea)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER ROWS 10 SET search_path = pg_catalog, pg_temp
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
    has_slot := usershell.take_slot(caller.owner_id, stored, given_call, given_provider);
    IF NOT has_slot THEN
        -- The user's first call ever, or all slots are taken.
        INSERT INTO usershell.calls (owner_id, slot)
        SELECT caller.owner_id, slot FROM generate_series(1, usershell.max_calls()) slot ON CONFLICT DO NOTHING;
        has_slot := usershell.take_slot(caller.owner_id, stored, given_call, given_provider);
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

CREATE OR REPLACE FUNCTION usershell.start_session(
        given_user uuid, given_stamp bytea, given_session uuid, new_keys usershell.session_keys, is_remembered boolean,
        idle_seconds double precision, absolute_seconds double precision, given_browser text, given_address text)
    RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    INSERT INTO usershell.sessions (owner_id, security_stamp, id, token_hash, calls_token_hash, auth_token_hash,
                                    antiforgery_key, auth_antiforgery_key, remembered, idle, max_expires_at, expires_at,
                                    browser, client_address)
    SELECT u.id, u.security_stamp, given_session, sha256((new_keys).token_hash), sha256((new_keys).calls_token_hash),
           sha256((new_keys).auth_token_hash), (new_keys).antiforgery_key, (new_keys).auth_antiforgery_key, is_remembered,
           make_interval(secs => b.idle), now() + make_interval(secs => b.absolute),
           now() + make_interval(secs => least(b.idle, b.absolute)), given_browser, given_address
      FROM usershell.users u
     CROSS JOIN (SELECT usershell.bounded(idle_seconds, 1, 14 * 86400, 'the idle time of a session') AS idle,
                        usershell.bounded(absolute_seconds, 1, 14 * 86400, 'the life of a session') AS absolute) b
     WHERE u.id = given_user AND u.security_stamp = given_stamp AND NOT u.is_disabled
    ON CONFLICT (owner_id, id) DO UPDATE SET token_hash = excluded.token_hash;
    RETURN FOUND;
END
$function$;

CREATE OR REPLACE FUNCTION usershell.renew_sign_in(new_keys usershell.session_keys) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    UPDATE usershell.sessions s
       SET token_hash = sha256((new_keys).token_hash), calls_token_hash = sha256((new_keys).calls_token_hash),
           auth_token_hash = sha256((new_keys).auth_token_hash), signed_in_at = now()
      FROM usershell.auth_session c WHERE s.owner_id = c.owner_id AND s.id = c.id;
    -- The second: by a first attempt, whose answer was lost.
    RETURN FOUND OR usershell.stamp_of_session((new_keys).auth_token_hash) IS NOT NULL;
END
$function$;

CREATE OR REPLACE FUNCTION usershell.keep_session_only(given_owner uuid, given_session uuid, new_keys usershell.session_keys) RETURNS bytea
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
