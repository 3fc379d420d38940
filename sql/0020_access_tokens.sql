-- Oldest program that can run on it: 0.1.0
--
-- Access tokens: a person's tools call through the stored keys and never see one. usershell-auth makes and revokes tokens,
-- usershell-opener begins calls with them. A row has what a token is compared with, and no token: not even the role of
-- usershell-opener begins a call with what is stored.

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
    is_enabled     boolean NOT NULL DEFAULT true,
    created_at     timestamptz NOT NULL DEFAULT now(),
    end_set_at     timestamptz NOT NULL DEFAULT now(),
    expires_at     timestamptz NOT NULL CHECK (expires_at <= end_set_at + interval '366 days'),
    is_end_told    boolean NOT NULL DEFAULT false,
    old_selector      bytea UNIQUE CHECK (octet_length(old_selector) = 12),
    old_verifier_hash bytea CHECK (octet_length(old_verifier_hash) = 32),
    old_expires_at    timestamptz,
    CHECK (num_nulls(old_selector, old_verifier_hash, old_expires_at) IN (0, 3)),
    PRIMARY KEY (owner_id, id)
);
COMMENT ON COLUMN usershell.access_tokens.selector IS 'the public part of the token';
COMMENT ON COLUMN usershell.access_tokens.verifier_hash IS 'SHA-256 of what a program presents, a keyed hash of the token';
COMMENT ON COLUMN usershell.access_tokens.security_stamp IS 'the user''s when the token was made; good as long as it is theirs';
COMMENT ON COLUMN usershell.access_tokens.provider_ids IS 'NULL: all';
COMMENT ON COLUMN usershell.access_tokens.models IS 'id of the provider, slash, id of the model; NULL: all';
COMMENT ON COLUMN usershell.access_tokens.routes IS 'NULL: all';
COMMENT ON COLUMN usershell.access_tokens.end_set_at IS 'when its owner last chose its end';
COMMENT ON COLUMN usershell.access_tokens.is_end_told IS 'the event of its near end was written';
COMMENT ON COLUMN usershell.access_tokens.old_selector IS
    'of the secret before the last renewal, good until old_expires_at. It is of the same row: what ends the token ends both secrets';

CREATE VIEW usershell.lasting_tokens AS
    SELECT t.* FROM usershell.access_tokens t
      JOIN usershell.users u ON u.id = t.owner_id AND u.security_stamp = t.security_stamp AND NOT u.is_disabled
     WHERE t.expires_at > now();
COMMENT ON VIEW usershell.lasting_tokens IS 'The tokens that have not ended. For the functions; no role may read it.';

CREATE VIEW usershell.good_tokens AS SELECT t.* FROM usershell.lasting_tokens t WHERE t.is_enabled;
COMMENT ON VIEW usershell.good_tokens IS 'The tokens by which calls begin and go on. For the functions; no role may read it.';

-- No limit is NULL. PostgreSQL inlines it.
CREATE FUNCTION usershell.permits(given usershell.good_tokens, given_provider uuid, given_model text) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN given_provider = ANY ((given).provider_ids) IS NOT FALSE
       AND given_provider || '/' || given_model = ANY ((given).models) IS NOT FALSE;
COMMENT ON FUNCTION usershell.permits(usershell.good_tokens, uuid, text) IS
    'The limits of a token let it use that model. For the functions.';

-- A token is limited to providers by their ids. A new provider with the id of a deleted one would get what its tools send, without
-- the password that another base URL takes.
CREATE FUNCTION usershell.guard_id() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    IF EXISTS (SELECT FROM usershell.access_tokens t
                WHERE t.owner_id = NEW.owner_id
                  AND (NEW.id = ANY (t.provider_ids)
                       OR EXISTS (SELECT FROM unnest(t.models) AS named (model) WHERE starts_with(named.model, NEW.id || '/')))) THEN
        RAISE EXCEPTION 'an access token names another provider by that id' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN NULL;
END
$function$;
CREATE TRIGGER guard_id AFTER INSERT ON usershell.providers FOR EACH ROW EXECUTE FUNCTION usershell.guard_id();

-- Use ---------------------------------------------------------------------------------------------------------------

-- The rows that usershell-opener writes of a token refer to its row by no foreign key, and are no part of it: a transaction that this
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
    IF TG_OP = 'DELETE' THEN
        PERFORM usershell.forget_uses(OLD.owner_id, OLD.id);
    END IF;
    PERFORM usershell.note_event(about.owner_id, about.kind, about.name, '', '')
       FROM (SELECT CASE WHEN TG_OP = 'DELETE' THEN OLD.owner_id ELSE NEW.owner_id END AS owner_id,
                    CASE WHEN TG_OP = 'DELETE' THEN OLD.name ELSE NEW.name END AS name,
                    CASE WHEN TG_OP = 'INSERT' THEN 'token_made'
                         WHEN TG_OP = 'DELETE' THEN CASE WHEN OLD.expires_at > now() AND EXISTS (
                             SELECT FROM usershell.users u WHERE u.id = OLD.owner_id AND u.security_stamp = OLD.security_stamp)
                             THEN 'token_revoked' END
                         WHEN NEW.verifier_hash <> OLD.verifier_hash THEN 'token_renewed'
                         WHEN NEW.is_enabled AND NOT OLD.is_enabled THEN 'token_enabled'
                         WHEN OLD.is_enabled AND NOT NEW.is_enabled THEN 'token_disabled'
                         WHEN NEW.is_end_told AND NOT OLD.is_end_told THEN 'token_ends'
                         WHEN NEW.security_stamp = OLD.security_stamp THEN 'token_changed' END AS kind) about
      WHERE about.kind IS NOT NULL;
    RETURN NULL;
END
$function$;
CREATE TRIGGER note_token AFTER INSERT OR UPDATE OR DELETE ON usershell.access_tokens
    FOR EACH ROW EXECUTE FUNCTION usershell.note_token();

-- Making, changing and revoking, by usershell-auth -------------------------------------------------------------------

CREATE FUNCTION usershell.texts_of(given jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE
    RETURN (SELECT array_agg(each) FROM jsonb_array_elements_text(given) each);
COMMENT ON FUNCTION usershell.texts_of(jsonb) IS 'NULL: a list that is empty or missing.';

CREATE FUNCTION usershell.are_limits_of(who uuid, limits jsonb) RETURNS boolean
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    RETURN NOT EXISTS (SELECT FROM jsonb_array_elements_text(limits->'providers') AS given (id)
                        WHERE NOT EXISTS (SELECT FROM usershell.providers p WHERE p.owner_id = who AND p.id::text = given.id))
       AND NOT EXISTS (SELECT FROM jsonb_array_elements_text(limits->'models') AS given (model)
                        WHERE NOT EXISTS (SELECT FROM usershell.models m
                                           WHERE m.owner_id = who AND m.provider_id || '/' || m.model_id = given.model));
COMMENT ON FUNCTION usershell.are_limits_of(uuid, jsonb) IS 'Each provider and model that they name is that user''s. For the functions.';

CREATE FUNCTION usershell.token_end(limits jsonb) RETURNS timestamptz LANGUAGE sql STABLE
    RETURN now() + make_interval(secs => usershell.bounded((limits->>'lifetime')::double precision, 1, 366 * 86400, 'a lifetime'));

CREATE FUNCTION usershell.make_token(given_sign_in uuid, given_token uuid, given_selector bytea, given_verifier bytea,
                                     limits jsonb, mail_id uuid, mail_sealed bytea)
    RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    who   CONSTANT uuid := usershell.auth_user_id();
    taken CONSTANT usershell.sign_ins := usershell.take_sign_in(who, given_sign_in, 'token');
BEGIN
    IF EXISTS (SELECT FROM usershell.access_tokens t WHERE t.owner_id = who AND t.id = given_token) THEN
        RETURN 'made'; -- by a first attempt, whose answer was lost
    END IF;
    IF taken.owner_id IS NULL THEN
        RETURN 'session_ended';
    END IF;
    IF (SELECT count(*) >= 20 FROM usershell.lasting_tokens t WHERE t.owner_id = who) THEN
        RETURN 'cap_reached';
    END IF;
    IF NOT usershell.are_limits_of(who, limits) THEN
        RETURN 'not_found';
    END IF;
    INSERT INTO usershell.access_tokens (owner_id, id, selector, verifier_hash, security_stamp, name, provider_ids, models,
                                         routes, max_requests_a_minute, max_tokens_a_day, may_use_stored_objects, expires_at)
    VALUES (who, given_token, given_selector, sha256(given_verifier), taken.security_stamp, limits->>'name',
            usershell.texts_of(limits->'providers')::uuid[], usershell.texts_of(limits->'models'),
            usershell.texts_of(limits->'routes'), (limits->>'requests_a_minute')::integer, (limits->>'tokens_a_day')::bigint,
            (limits->>'stored_objects')::boolean, usershell.token_end(limits));
    PERFORM usershell.queue_mail(who, mail_id, 'token-made', mail_sealed);
    RETURN 'made';
END
$function$;
COMMENT ON FUNCTION usershell.make_token(uuid, uuid, bytea, bytea, jsonb, uuid, bytea) IS
    'Of the connection''s user. session_ended: or the sign-in is not good for it. A list that is missing limits nothing. not_found: a provider or model is not theirs.';

-- By a sign-in, as making one is: nothing that a token may do grows without a proof, nor does its life.
CREATE FUNCTION usershell.change_token(given_sign_in uuid, given_token uuid, limits jsonb) RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    taken   CONSTANT usershell.sign_ins := usershell.take_sign_in(usershell.auth_user_id(), given_sign_in, 'token');
    new_end CONSTANT timestamptz := CASE WHEN limits ? 'lifetime' THEN usershell.token_end(limits) END;
BEGIN
    IF taken.owner_id IS NULL THEN
        RETURN 'session_ended';
    END IF;
    IF NOT usershell.are_limits_of(taken.owner_id, limits) THEN
        RETURN 'not_found';
    END IF;
    UPDATE usershell.access_tokens t
       SET name = limits->>'name', provider_ids = usershell.texts_of(limits->'providers')::uuid[],
           models = usershell.texts_of(limits->'models'), routes = usershell.texts_of(limits->'routes'),
           max_requests_a_minute = (limits->>'requests_a_minute')::integer, max_tokens_a_day = (limits->>'tokens_a_day')::bigint,
           may_use_stored_objects = (limits->>'stored_objects')::boolean, expires_at = coalesce(new_end, t.expires_at),
           end_set_at = CASE WHEN new_end IS NULL THEN t.end_set_at ELSE now() END,
           is_end_told = t.is_end_told AND new_end IS NULL
     WHERE t.owner_id = taken.owner_id
       AND t.id = (SELECT l.id FROM usershell.lasting_tokens l WHERE l.owner_id = taken.owner_id AND l.id = given_token);
    RETURN CASE WHEN FOUND THEN 'changed' ELSE 'not_found' END;
END
$function$;
COMMENT ON FUNCTION usershell.change_token(uuid, uuid, jsonb) IS
    'Limits as of make_token(), in place of all that the token had; without a lifetime its end stays. not_found: that token has ended, or a provider or model is not theirs.';

-- A second renewal ends the secret before the last one at once: no token has more than two.
CREATE FUNCTION usershell.renew_token(given_sign_in uuid, given_token uuid, replaced bytea, given_selector bytea,
                                      given_verifier bytea, overlap double precision)
    RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    who   CONSTANT uuid := usershell.auth_user_id();
    taken CONSTANT usershell.sign_ins := usershell.take_sign_in(who, given_sign_in, 'token');
    lasts CONSTANT interval := make_interval(secs => usershell.bounded(overlap, 0, 7 * 86400, 'an overlap'));
BEGIN
    IF EXISTS (SELECT FROM usershell.access_tokens t WHERE t.owner_id = who AND t.id = given_token AND t.selector = given_selector) THEN
        RETURN 'changed'; -- by a first attempt, whose answer was lost
    END IF;
    IF taken.owner_id IS NULL THEN
        RETURN 'session_ended';
    END IF;
    UPDATE usershell.access_tokens t
       SET selector = given_selector, verifier_hash = sha256(given_verifier), old_selector = t.selector,
           old_verifier_hash = t.verifier_hash, old_expires_at = now() + lasts
     WHERE t.owner_id = taken.owner_id AND t.selector = replaced
       AND t.id = (SELECT l.id FROM usershell.lasting_tokens l WHERE l.owner_id = taken.owner_id AND l.id = given_token);
    RETURN CASE WHEN FOUND THEN 'changed' ELSE 'not_found' END;
END
$function$;
COMMENT ON FUNCTION usershell.renew_token(uuid, uuid, bytea, bytea, bytea, double precision) IS
    'A new secret in place of the one with that selector, which stays good for so many seconds, a week at most. not_found: that token has ended, or has another secret by now.';

CREATE FUNCTION usershell.enable_token(given_sign_in uuid, given_token uuid) RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    taken CONSTANT usershell.sign_ins := usershell.take_sign_in(usershell.auth_user_id(), given_sign_in, 'token');
BEGIN
    IF taken.owner_id IS NULL THEN
        RETURN 'session_ended';
    END IF;
    UPDATE usershell.access_tokens t SET is_enabled = true
     WHERE t.owner_id = taken.owner_id AND t.id = given_token AND NOT t.is_enabled;
    RETURN CASE WHEN EXISTS (SELECT FROM usershell.good_tokens t WHERE t.owner_id = taken.owner_id AND t.id = given_token)
                THEN 'changed' ELSE 'not_found' END;
END
$function$;
COMMENT ON FUNCTION usershell.enable_token(uuid, uuid) IS 'not_found: that token has ended.';

CREATE FUNCTION usershell.disable_token(given_token uuid) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    who CONSTANT uuid := usershell.auth_user_id();
BEGIN
    UPDATE usershell.access_tokens t SET is_enabled = false
     WHERE t.owner_id = who AND t.id = given_token AND t.is_enabled;
    RETURN EXISTS (SELECT FROM usershell.lasting_tokens t WHERE t.owner_id = who AND t.id = given_token);
END
$function$;
COMMENT ON FUNCTION usershell.disable_token(uuid) IS
    'Of the connection''s user; false: they have none of that id. Both its secrets are refused, and its calls end within a minute.';

CREATE FUNCTION usershell.own_tokens()
    RETURNS TABLE (id uuid, name text, selector bytea, provider_ids text, provider_names text, model_ids text, models text,
                   routes text, max_requests_a_minute integer, max_tokens_a_day bigint, may_use_stored_objects boolean,
                   is_enabled boolean, created_at bigint, expires_at bigint, old_selector bytea, old_expires_at bigint,
                   last_used_at bigint, last_used_network text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT t.id, t.name, t.selector,
               CASE WHEN t.provider_ids IS NOT NULL THEN coalesce(p.ids, '') END,
               CASE WHEN t.provider_ids IS NOT NULL THEN coalesce(p.names, '') END,
               CASE WHEN t.models IS NOT NULL THEN coalesce(m.ids, '') END,
               CASE WHEN t.models IS NOT NULL THEN coalesce(m.names, '') END,
               array_to_string(t.routes, E'\n'), t.max_requests_a_minute, t.max_tokens_a_day, t.may_use_stored_objects,
               t.is_enabled, usershell.microseconds(t.created_at), usershell.microseconds(t.expires_at),
               CASE WHEN t.old_expires_at > now() THEN t.old_selector ELSE '' END, usershell.microseconds(t.old_expires_at),
               usershell.microseconds(u.used_at), coalesce(u.network, '')
          FROM usershell.lasting_tokens t
          LEFT JOIN usershell.token_uses u ON u.owner_id = t.owner_id AND u.token_id = t.id
         CROSS JOIN LATERAL (
               SELECT string_agg(p.id::text, E'\n' ORDER BY p.created_at, p.id) AS ids,
                      string_agg(p.name, E'\n' ORDER BY p.created_at, p.id) AS names
                 FROM usershell.providers p WHERE p.owner_id = t.owner_id AND p.id = ANY (t.provider_ids)) p
         CROSS JOIN LATERAL (
               SELECT string_agg(m.provider_id || '/' || m.model_id, E'\n' ORDER BY p.created_at, p.id, m.position) AS ids,
                      string_agg(m.model_id || '@' || p.handle, E'\n' ORDER BY p.created_at, p.id, m.position) AS names
                 FROM usershell.models m JOIN usershell.providers p ON p.owner_id = m.owner_id AND p.id = m.provider_id
                WHERE m.owner_id = t.owner_id AND m.provider_id || '/' || m.model_id = ANY (t.models)) m
         WHERE t.owner_id = usershell.auth_user_id() ORDER BY t.created_at DESC, t.id;
    END;
COMMENT ON FUNCTION usershell.own_tokens() IS
    'Those of the connection''s user that have not ended, the newest first. A limit is NULL: none; empty: what it names is gone. old_selector: of the secret that is good besides.';

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
