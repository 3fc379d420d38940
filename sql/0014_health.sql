-- Oldest program that can run on it: 0.1.0
--
-- Health of providers and their accounts.

-- Health is what calls have shown. usershell-manage, which makes none, may forget it, and may write no other.
CREATE FUNCTION usershell.bound_health() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    IF session_user = 'usershell_manage'
       AND (NEW.health_status, NEW.health_message, NEW.health_checked_at, NEW.cooldown_until, NEW.recent_errors)
           IS DISTINCT FROM (OLD.health_status, OLD.health_message, OLD.health_checked_at, OLD.cooldown_until, OLD.recent_errors)
       AND (NEW.health_status, NEW.health_message, NEW.health_checked_at, NEW.cooldown_until, NEW.recent_errors)
           IS DISTINCT FROM ('unknown', '', NULL::timestamptz, NULL::timestamptz, '[]'::jsonb) THEN
        RAISE EXCEPTION 'health that no call has shown' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN NEW;
END
$function$;
CREATE TRIGGER bound_health BEFORE UPDATE OF health_status, health_message, health_checked_at, cooldown_until, recent_errors
    ON usershell.providers FOR EACH ROW EXECUTE FUNCTION usershell.bound_health();
CREATE TRIGGER bound_health BEFORE UPDATE OF health_status, health_message, health_checked_at, cooldown_until, recent_errors
    ON usershell.accounts FOR EACH ROW EXECUTE FUNCTION usershell.bound_health();

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
