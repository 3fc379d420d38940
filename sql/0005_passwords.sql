-- Oldest program that can run on it: 0.1.0
--
-- Passwords are compared in the database: no program reads a password's hash. The program is given salt and cost,
-- computes Argon2id with them, and hands the result in. A thief of the program's role can therefore try
-- passwords no faster than this throttle permits, and gets no hash to try them elsewhere.

-- Not readable by any program's role --------------------------------------------------------------------------------

CREATE TABLE usershell.hidden_key (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    secret   bytea NOT NULL CHECK (octet_length(secret) = 32)
);
COMMENT ON TABLE usershell.hidden_key IS
    'Makes up salt and cost for addresses that are nobody''s, and names the subjects of the throttle below: no program can tell the first, or clear the second.';
INSERT INTO usershell.hidden_key (secret) VALUES (usershell.random_stamp() || usershell.random_stamp());

CREATE FUNCTION usershell.hidden_hash(purpose text, given_text text) RETURNS bytea
    LANGUAGE sql STABLE
    RETURN sha256(sha256((SELECT k.secret FROM usershell.hidden_key k) || convert_to(purpose, 'UTF8'))
                  || convert_to(given_text, 'UTF8'));

-- Signing in --------------------------------------------------------------------------------------------------------

-- The time of a hash shows its cost. An unknown address therefore takes the cost of a user that a keyed hash of the
-- address draws. Each user is drawn as often, a disabled one too, and an address always draws the same one. It takes a
-- hundred entries of an index, however many users there are.

CREATE FUNCTION usershell.cost_of(password_hash text) RETURNS text
    LANGUAGE sql IMMUTABLE
    -- $argon2id$v=19$m=65536,t=2,p=1; NULL beyond all settings
    RETURN substring(password_hash FROM '^[$]argon2id[$]v=19[$]m=[0-9]{1,7},t=[0-9]{1,2},p=1(?=[$])');

CREATE INDEX users_with_a_cost ON usershell.users (id) WHERE password_hash LIKE '$argon2id$v=19$m=%';

CREATE FUNCTION usershell.made_up_salt_and_cost(given_email text, usual_cost text) RETURNS text
    -- Old statistics must not make it sort all users.
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET enable_bitmapscan = off
    BEGIN ATOMIC
        WITH keyed AS MATERIALIZED (
            SELECT usershell.hidden_hash('cost', given_email) AS hash
        ), drawn AS MATERIALIZED (
            SELECT encode(substring(k.hash FROM 1 FOR 16), 'hex')::uuid AS place,
                   ('x' || encode(substring(k.hash FROM 17 FOR 8), 'hex'))::bit(64)::bigint AS seed
              FROM keyed k
        ), neighbours AS ( -- the hundred users from that place on; the first id follows the last
            (SELECT u.id FROM usershell.users u
              WHERE u.password_hash LIKE '$argon2id$v=19$m=%' AND u.id >= (SELECT d.place FROM drawn d)
              ORDER BY u.id LIMIT 100)
            UNION ALL
            (SELECT u.id FROM usershell.users u
              WHERE u.password_hash LIKE '$argon2id$v=19$m=%' AND u.id < (SELECT d.place FROM drawn d)
              ORDER BY u.id LIMIT 100)
            LIMIT 100
        ), chosen AS (
            SELECT n.id FROM neighbours n ORDER BY uuid_hash_extended(n.id, (SELECT d.seed FROM drawn d)), n.id LIMIT 1
        )
        SELECT coalesce((SELECT usershell.cost_of(u.password_hash) FROM usershell.users u JOIN chosen c ON c.id = u.id),
                        usual_cost)
               || '$' || rtrim(encode(substring(usershell.hidden_hash('salt', given_email) FROM 1 FOR 16), 'base64'), '=');
    END;
COMMENT ON FUNCTION usershell.made_up_salt_and_cost(text, text) IS
    'For an unknown address: always the same while the user whom it draws has the same cost.';

CREATE FUNCTION usershell.find_password(given_email text, usual_cost text)
    RETURNS TABLE (user_id uuid, security_stamp bytea, salt_and_cost text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        -- For a known address, too, so that the work is the same.
        WITH made_up AS MATERIALIZED (
            SELECT usershell.made_up_salt_and_cost(given_email, usual_cost) AS salt_and_cost
        )
        SELECT coalesce(CASE WHEN NOT u.is_disabled THEN u.id END, '00000000-0000-0000-0000-000000000000'),
               coalesce(CASE WHEN NOT u.is_disabled THEN u.security_stamp END, decode(repeat('00', 16), 'hex')),
               -- All of the text before the hash itself: $argon2id$v=19$m=65536,t=2,p=1$SALT
               coalesce(substring(u.password_hash FROM '^([$]argon2id[$].*)[$][^$]*$'), m.salt_and_cost)
          FROM made_up m LEFT JOIN usershell.users u ON u.normalized_email = given_email;
    END;
COMMENT ON FUNCTION usershell.find_password(text, text) IS
    'Salt and cost of the password of the user with that address, with id and stamp unless disabled; of an unknown address, made up. usual_cost: of new passwords, as long as no user has one.';

-- A guess is counted by one transaction and looked at by a later one: who rolls the second back has been counted, and
-- who does so with the first has no answer. In one function the count would go with the rollback.
CREATE TABLE usershell.wrong_guesses (
    subject    bytea PRIMARY KEY CHECK (octet_length(subject) = 32),
    failures   integer NOT NULL,
    expires_at timestamptz NOT NULL
);
COMMENT ON TABLE usershell.wrong_guesses IS
    'How many of late. Apart from usershell.attempts: no program names one of its subjects to a function, to lift the throttle.';
CREATE INDEX wrong_guesses_expires_at ON usershell.wrong_guesses (expires_at);

CREATE TABLE usershell.guesses (
    subject  bytea NOT NULL REFERENCES usershell.wrong_guesses ON DELETE CASCADE,
    guess    bytea NOT NULL CHECK (octet_length(guess) = 32),
    taken_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
    taken_at timestamptz NOT NULL,
    PRIMARY KEY (subject, guess)
);
COMMENT ON COLUMN usershell.guesses.guess IS 'a keyed hash of the hash that was handed in';

CREATE FUNCTION usershell.count_guess(given_subject bytea, given_guess text, most integer) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    moment CONSTANT timestamptz := clock_timestamp();
BEGIN
    PERFORM usershell.bounded(octet_length(given_guess), 0, 1000, 'the guess');
    PERFORM set_config('synchronous_commit', 'off', true);
    -- Counted as wrong before it is looked at, so that parallel tries can't slip through together.
    INSERT INTO usershell.wrong_guesses AS t (subject, failures, expires_at)
    VALUES (given_subject, 1, moment + interval '1 hour')
    ON CONFLICT (subject) DO UPDATE
    SET failures = CASE WHEN t.expires_at <= moment THEN 1 ELSE t.failures + 1 END,
        expires_at = CASE WHEN t.expires_at <= moment THEN moment + interval '1 hour' ELSE t.expires_at END
    WHERE t.expires_at <= moment OR t.failures < most;
    IF NOT FOUND THEN
        RETURN (SELECT ceil(extract(epoch FROM t.expires_at - moment))::bigint
                  FROM usershell.wrong_guesses t WHERE t.subject = given_subject);
    END IF;
    DELETE FROM usershell.guesses g WHERE g.subject = given_subject AND g.taken_at < moment - interval '1 minute';
    INSERT INTO usershell.guesses (subject, guess, taken_at)
    VALUES (given_subject, usershell.hidden_hash('guess', given_guess), moment)
    ON CONFLICT (subject, guess) DO UPDATE SET taken_in = excluded.taken_in, taken_at = excluded.taken_at;
    RETURN NULL;
END
$function$;
COMMENT ON FUNCTION usershell.count_guess(bytea, text, integer) IS
    'Counts a guess as wrong, at most so many an hour, which a later transaction may then look at, and returns NULL; or the seconds to wait. For the functions.';

CREATE FUNCTION usershell.is_counted(given_subject bytea, given_guess text) RETURNS boolean
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    RETURN EXISTS (SELECT FROM usershell.guesses g
                    WHERE g.subject = given_subject AND g.guess = usershell.hidden_hash('guess', given_guess)
                      AND g.taken_in <> pg_current_xact_id() AND g.taken_at > clock_timestamp() - interval '1 minute');
COMMENT ON FUNCTION usershell.is_counted(bytea, text) IS
    'By count_guess(), in a transaction before, in the last minute: what is right changes. For the functions.';

CREATE FUNCTION usershell.forgive_guesses(given_subject bytea, count integer) RETURNS void
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        UPDATE usershell.wrong_guesses t SET failures = greatest(t.failures - count, 0) WHERE t.subject = given_subject;
    END;
COMMENT ON FUNCTION usershell.forgive_guesses(bytea, integer) IS 'So many were right. For the functions.';

-- 240 an hour. The programs let strangers make some 70 tries an hour at an account and each of its known browsers as many, so no
-- stranger can reach it and keep the owner out.
CREATE FUNCTION usershell.take_guess(given_email text, given_hash text) RETURNS bigint
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT usershell.count_guess(usershell.hidden_hash('password', given_email), given_hash, 240);
    END;
COMMENT ON FUNCTION usershell.take_guess(text, text) IS
    'Counts a password as wrong, which check_password() may then look at, and returns NULL; or the seconds to wait: too many of late.';

-- The form in which a password was hashed is not known: of each that is handed in a guess has been counted.
CREATE FUNCTION usershell.check_password(given_email text, given_hashes text[], fresh_hash text, given_browser text,
                                         given_deed text, given_visitor bytea)
    RETURNS TABLE (user_id uuid, security_stamp bytea, hash text, sign_in uuid, is_enough boolean)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    subject_of_email CONSTANT bytea := usershell.hidden_hash('password', given_email);
BEGIN
    IF EXISTS (SELECT FROM unnest(given_hashes) AS given (hash) WHERE NOT usershell.is_counted(subject_of_email, given.hash)) THEN
        RETURN NEXT;
        RETURN;
    END IF;
    -- The stored value is a hash of the given one, so the time of the comparison shows nothing.
    SELECT u.id, u.security_stamp, given.hash INTO user_id, security_stamp, hash
      FROM usershell.users u, unnest(given_hashes) AS given (hash)
     WHERE u.normalized_email = given_email AND NOT u.is_disabled AND u.password_hash <> ''
       AND (given_deed = 'session' OR u.id = usershell.auth_user_id())
       AND u.password_hash = usershell.stored_hash(given.hash);
    IF user_id IS NOT NULL THEN
        sign_in := usershell.open_sign_in(user_id, security_stamp, given_visitor, given_deed, ARRAY['password']);
        is_enough := (SELECT usershell.is_enough(i) FROM usershell.sign_ins i WHERE i.owner_id = user_id AND i.id = sign_in);
        PERFORM usershell.forgive_guesses(subject_of_email, cardinality(given_hashes));
        UPDATE usershell.users u SET password_hash = usershell.stored_hash(fresh_hash), rehashed_at = clock_timestamp()
         WHERE u.id = user_id AND fresh_hash <> '';
    ELSE
        PERFORM usershell.note_failure(usershell.owner_of_failures(given_email), 'wrong_password', given_browser);
    END IF;
    RETURN NEXT;
END
$function$;
COMMENT ON FUNCTION usershell.check_password(text, text[], text, text, text, bytea) IS
    'Who has that address and password, and the sign-in that this opens; unless that is enough, its deed wants more (sign_in_state()): for a session of that visitor, or for another deed in the connection''s own session, whose user it then has to be. Nothing: nobody, or take_guess has not counted each hash in a transaction before. fresh_hash: the same password hashed anew, which takes the old hash''s place; empty: it stays. given_browser: who tries, for the user to see.';

-- Changing it -------------------------------------------------------------------------------------------------------

CREATE FUNCTION usershell.change_password(given_sign_in uuid, new_password_hash text, new_keys usershell.session_keys, kept_tokens uuid[])
    RETURNS bytea
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    session   CONSTANT uuid := (SELECT s.id FROM usershell.auth_session s);
    taken     CONSTANT usershell.sign_ins := usershell.take_sign_in(usershell.auth_user_id(), given_sign_in, 'password');
    new_stamp bytea;
BEGIN
    IF taken.owner_id IS NULL THEN
        RETURN usershell.stamp_of_session((new_keys).auth_token_hash);
    END IF;
    UPDATE usershell.users u SET password_hash = usershell.stored_hash(new_password_hash) WHERE u.id = taken.owner_id
    RETURNING u.security_stamp INTO new_stamp;
    UPDATE usershell.access_tokens t SET security_stamp = new_stamp
     WHERE t.owner_id = taken.owner_id AND t.security_stamp = taken.security_stamp AND t.id = ANY (kept_tokens);
    RETURN usershell.keep_session_only(taken.owner_id, session, new_keys);
END
$function$;
COMMENT ON FUNCTION usershell.change_password(uuid, text, usershell.session_keys, uuid[]) IS
    'Of the connection''s user; returns the new stamp, NULL: the sign-in is not good for it. Ends all access tokens but the kept ones.';

-- No role of a program may delete a row of users but by this.
CREATE FUNCTION usershell.delete_own_user(given_sign_in uuid) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    taken CONSTANT usershell.sign_ins := usershell.take_sign_in(usershell.auth_user_id(), given_sign_in, 'deletion');
BEGIN
    DELETE FROM usershell.users u WHERE u.id = taken.owner_id;
    RETURN FOUND;
END
$function$;
COMMENT ON FUNCTION usershell.delete_own_user(uuid) IS
    'Deletes the user of this connection with all that is theirs; false: the sign-in is not good for it.';
