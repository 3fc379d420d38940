-- Oldest program that can run on it: 0.1.0
--
-- The installation, and the small functions that all other files use. Each file that follows has one noun, in an order in
-- which each finds what it needs.
--
-- Three nets under the programs' own checks:
--   * rights.sql: which table, column and function each role may use. usershell_manage writes ciphertext and can't read it;
--     usershell_auth, usershell_opener and usershell_execute have a right on no table of users. They call functions that take
--     what a caller's own cookie or access token has brought;
--   * row-level security (0026_row_security.sql): usershell_manage sees the rows of the user whose session its connection presents;
--   * CHECK constraints.
--
-- Identity comes from a session. A connection holds what a request's cookie has brought, and the database looks up whose
-- it is: no role can choose a user, and an identity ends with its session.
--
-- A text that is a key has the collation "C": the order of letters of a server or a release may change under a built index.
-- Rows of a user have owner_id first in their primary key, so that they can be sharded by owner.

-- No role may call a function before rights.sql grants it.
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

CREATE FUNCTION usershell.microseconds(moment timestamptz) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (date_part('epoch', moment) * 1000000)::bigint;
COMMENT ON FUNCTION usershell.microseconds(timestamptz) IS 'Since 1970: how the programs read a moment, whatever time zone the server is set to.';

-- A program chooses a time, a count or a size within these bounds alone, also under a thief's control. Its fault is shown and not mended.
CREATE FUNCTION usershell.bounded(given anycompatible, least_value anycompatible, most_value anycompatible, what text)
    RETURNS anycompatible
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $function$
BEGIN
    IF given BETWEEN least_value AND most_value THEN
        RETURN given;
    END IF;
    RAISE EXCEPTION '% is out of bounds', what USING ERRCODE = 'invalid_parameter_value';
END
$function$;
COMMENT ON FUNCTION usershell.bounded(anycompatible, anycompatible, anycompatible, text) IS
    'The given value; NULL, NaN and what is out of bounds are refused. For the functions.';

CREATE FUNCTION usershell.require_fresh_rows() RETURNS void
    LANGUAGE plpgsql STABLE
    AS $function$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'only a transaction that reads committed rows may do this' USING ERRCODE = 'invalid_transaction_state';
    END IF;
END
$function$;
COMMENT ON FUNCTION usershell.require_fresh_rows() IS
    'Who waits for a lock and then counts must see what the lock''s holder has committed. A role sets its isolation itself.';

CREATE FUNCTION usershell.batch_size(given integer) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN usershell.bounded(given, 1, 10000, 'the size of a batch');
COMMENT ON FUNCTION usershell.batch_size(integer) IS 'As many rows as a statement for all users may take or remove. For the functions.';

CREATE FUNCTION usershell.reach_standby() RETURNS void
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$ SELECT pg_logical_emit_message(true, 'usershell', '') $function$;
COMMENT ON FUNCTION usershell.reach_standby() IS
    'Writes a message of no length to the log: to commit it waits for the standbys, as to commit what was only read does not.';

-- The installation --------------------------------------------------------------------------------------------------
-- The programs compare their key rings with it when they start. No program may write it.

CREATE TABLE usershell.installation (
    id       uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    only_row boolean NOT NULL DEFAULT true UNIQUE CHECK (only_row)
);
COMMENT ON COLUMN usershell.installation.id IS 'part of every sealed key''s derivation: it goes with a backup, and is never changed';
INSERT INTO usershell.installation DEFAULT VALUES;
