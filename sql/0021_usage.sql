-- Oldest program that can run on it: 0.1.0
--
-- The usage of calls, by day, token, provider and model.

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

CREATE FUNCTION usershell.utc_day() RETURNS date LANGUAGE sql STABLE RETURN (now() AT TIME ZONE 'UTC')::date;

CREATE FUNCTION usershell.counted_tokens(told numeric) RETURNS bigint LANGUAGE sql IMMUTABLE
    RETURN greatest(least(coalesce(told, 0), 1000000000), 0)::bigint;
COMMENT ON FUNCTION usershell.counted_tokens(numeric) IS
    'The tokens of one call, as they are counted: a provider, or usershell_execute, may tell of any number.';

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

CREATE FUNCTION usershell.sweep_tokens(max_rows integer) RETURNS bigint
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        WITH ended AS (
            DELETE FROM usershell.access_tokens t WHERE (t.owner_id, t.id) IN (
                SELECT o.owner_id, o.id FROM usershell.access_tokens o JOIN usershell.users u ON u.id = o.owner_id
                 WHERE o.expires_at <= now() OR o.security_stamp <> u.security_stamp
                 LIMIT usershell.batch_size(max_rows))
            RETURNING 1
        ), told AS (
            UPDATE usershell.access_tokens t SET is_end_told = true WHERE NOT t.is_end_told AND (t.owner_id, t.id) IN (
                SELECT o.owner_id, o.id FROM usershell.good_tokens o JOIN usershell.users u ON u.id = o.owner_id
                 WHERE NOT o.is_end_told AND o.expires_at <= now() + interval '7 days'
                   AND o.expires_at > o.end_set_at + interval '7 days'
                 LIMIT usershell.batch_size(max_rows) FOR KEY SHARE OF u SKIP LOCKED)
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
    'Removes tokens that have ended and usage older than 400 days, of all users; returns how many rows. Writes the event of each token that ends within 7 days, once, unless that was so when its end was chosen.';
