-- Oldest program that can run on it: 0.1.0
--
-- Calls of a person's tools, by an access token.

-- Under a lock of the token, so that calls at once do not each see the same rest of the day. It is that of the minute's row, for which
-- only the token's own calls wait. A call that may take more than the rest begins alone and reserves all of it: one answer at a time
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
    PERFORM usershell.require_fresh_rows();
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

-- By the head of a request alone. The models are for the name in its body. Where that came with the head and means one model,
-- that model alone is returned, beside each key of its provider, as by load_provider().
CREATE FUNCTION usershell.begin_token_call(given_selector bytea, given_verifier bytea, given_call uuid, given_route text,
                                           given_network text, given_input bigint, given_output bigint, given_model text)
    RETURNS TABLE (user_id uuid, outcome text, wait_seconds integer, may_use_stored_objects boolean, has_model_limit boolean,
                   has_day_limit boolean, provider uuid, handle text, type text, is_active boolean, models text,
                   allowed_models text, name text, base_url text, round_robin_accounts boolean, all_models text, enabled_models text,
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
    IF NOT FOUND THEN -- by the secret before a renewal
        SELECT t.* INTO token FROM usershell.good_tokens t
         WHERE t.old_selector = given_selector AND t.old_verifier_hash = sha256(given_verifier) AND t.old_expires_at > now();
    END IF;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM set_config('synchronous_commit', 'off', true);
    IF given_model IS NOT NULL AND given_route <> '' THEN
        SELECT (array_agg(p.id))[1], min(p.handle), min(m.model_id), bool_or(p.round_robin_accounts)
          INTO named, named_handle, named_model, named_rotates
          FROM usershell.providers p JOIN usershell.models m ON m.owner_id = p.owner_id AND m.provider_id = p.id
         WHERE p.owner_id = token.owner_id
           AND given_model IN (m.model_id, m.model_id || '@' || p.handle, p.handle || '/' || m.model_id)
        HAVING count(*) = 1 AND bool_and(p.status = 'active' AND m.is_enabled AND usershell.permits(token, p.id, m.model_id));
    END IF;
    IF given_route = '' THEN
        NULL; -- a list of models takes no tokens and no slot, and is no route's
    ELSIF given_route <> ALL (token.routes) THEN
        refused := 'route_not_allowed';
    ELSIF token.max_tokens_a_day IS NOT NULL THEN
        SELECT r.refused, r.reserve INTO refused, reserve
          FROM usershell.reserve_tokens(token.owner_id, token.id, given_call, given_input, given_output) r;
    END IF;
    IF refused IS NOT NULL THEN
        NULL;
    ELSIF given_route <> '' AND NOT usershell.take_slot(token.owner_id, given_selector, token.id, given_call, named, reserve) THEN
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
               token.max_tokens_a_day IS NOT NULL,
               k.provider, named_handle, k.type, k.is_active, named_model, named_model, k.name, k.base_url,
               k.round_robin_accounts, k.all_models, k.enabled_models, k.account, k.key_name, k.is_enabled, k.is_in_cooldown,
               k.is_unhealthy, k.sealed_key
          FROM usershell.provider_keys(token.owner_id, named, true, NULL, true) k
         WHERE k.is_active AND named_model = ANY (string_to_array(k.enabled_models, E'\n')); -- may have changed since
        IF FOUND THEN
            RETURN;
        END IF;
    END IF;
    RETURN QUERY
    SELECT token.owner_id, 'begun', 0, token.may_use_stored_objects, token.models IS NOT NULL,
           token.max_tokens_a_day IS NOT NULL,
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

CREATE FUNCTION usershell.load_provider(given_owner uuid, given_call uuid, given_provider uuid, given_model text,
                                        given_input bigint, given_output bigint)
    RETURNS TABLE (user_id uuid, outcome text, provider uuid, name text, type text, base_url text, is_active boolean,
                   round_robin_accounts boolean, all_models text, enabled_models text, account uuid, key_name text,
                   is_enabled boolean, is_in_cooldown boolean, is_unhealthy boolean, sealed_key bytea)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER ROWS 10
    SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $function$
#variable_conflict use_column
DECLARE
    begun record;
    day record;
    reserve bigint := 0;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    SELECT c.slot, t.id, t.max_tokens_a_day INTO begun
      FROM usershell.calls c, usershell.good_tokens t, usershell.models m, usershell.providers p
     WHERE c.owner_id = given_owner AND c.id = given_call AND c.expires_at > now()
       AND t.owner_id = given_owner AND t.id = c.token_id
       AND p.owner_id = given_owner AND p.id = given_provider AND p.status = 'active'
       AND m.owner_id = given_owner AND m.provider_id = given_provider AND m.model_id = given_model AND m.is_enabled
       AND usershell.permits(t, given_provider, given_model)
     LIMIT 1;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF begun.max_tokens_a_day IS NOT NULL THEN
        SELECT * INTO day FROM usershell.reserve_tokens(given_owner, begun.id, given_call, given_input, given_output);
        IF day.refused IS NOT NULL THEN
            user_id := given_owner;
            outcome := day.refused;
            RETURN NEXT;
            RETURN;
        END IF;
        reserve := day.reserve;
    END IF;
    UPDATE usershell.calls c SET provider_id = given_provider, was_active = true, reserved_tokens = reserve
     WHERE c.owner_id = given_owner AND c.slot = begun.slot AND c.id = given_call;
    PERFORM usershell.take_turns(given_owner, given_provider);
    RETURN QUERY SELECT given_owner, 'begun', k.* FROM usershell.provider_keys(given_owner, given_provider, true, NULL, true) k;
END
$function$;
COMMENT ON FUNCTION usershell.load_provider(uuid, uuid, uuid, text, bigint, bigint) IS
    'For a call that an access token has begun: reserves its tokens, takes a turn of the rotation and reads that provider. No row: the call, its token or its limits do not allow it. Another outcome than begun: as of begin_token_call().';
