-- Oldest program that can run on it: 0.1.0
--
-- Mail that waits for usershell-mail.

CREATE TABLE usershell.outbox (
    owner_id    uuid NOT NULL REFERENCES usershell.users ON DELETE CASCADE,
    id          uuid NOT NULL,
    kind        text NOT NULL CHECK (kind ~ '^[a-z-]{1,40}$'),
    sealed      bytea NOT NULL CHECK (sealed = '' OR octet_length(sealed) BETWEEN 274 AND 65536
                                                     AND substr(sealed, 1, 2) = '\x0102'),
    ring_key_id text GENERATED ALWAYS AS (encode(NULLIF(substr(sealed, 3, 16), ''), 'hex')) STORED,
    signer_id   text GENERATED ALWAYS AS (encode(NULLIF(substr(sealed, 19, 16), ''), 'hex')) STORED,
    state       text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'failed')),
    attempts       integer NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 1000000),
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    reason      text NOT NULL DEFAULT '' CHECK (char_length(reason) <= 500),
    queued_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner_id, id)
);
COMMENT ON COLUMN usershell.outbox.kind IS 'a word for the operator; "none": written to take the same time, thrown away';
COMMENT ON COLUMN usershell.outbox.sealed IS 'recipient, text and end of validity, sealed to the mail ring; emptied when given up';
CREATE INDEX outbox_next_attempt_at ON usershell.outbox (next_attempt_at) WHERE state = 'queued';

-- The newest 50 of a kind a user: mails that strangers ask for push out no invitation and no notice.
CREATE FUNCTION usershell.drop_oldest_mails() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    DELETE FROM usershell.outbox o
     WHERE o.owner_id = NEW.owner_id AND o.id IN (
           SELECT k.id FROM usershell.outbox k
            WHERE k.owner_id = NEW.owner_id AND k.id IN (
                  SELECT e.id FROM usershell.outbox e WHERE e.owner_id = NEW.owner_id AND e.kind = NEW.kind
                  ORDER BY e.queued_at DESC, e.id OFFSET 49)
            FOR UPDATE SKIP LOCKED);
    RETURN NEW;
END
$function$;
CREATE TRIGGER drop_oldest_mails BEFORE INSERT ON usershell.outbox
    FOR EACH ROW EXECUTE FUNCTION usershell.drop_oldest_mails();

-- A program that may delay mail can't hold it back for good.
CREATE FUNCTION usershell.bound_delay() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    PERFORM usershell.bounded(NEW.next_attempt_at, '-infinity', clock_timestamp() + interval '1 day', 'the delay of a mail');
    RETURN NEW;
END
$function$;
CREATE TRIGGER bound_delay BEFORE UPDATE OF next_attempt_at ON usershell.outbox
    FOR EACH ROW EXECUTE FUNCTION usershell.bound_delay();

-- A link is made with the mail that brings it, and not without. An earlier attempt may have left the mail's row.
CREATE FUNCTION usershell.queue_required_mail(given_owner uuid, mail_id uuid, mail_kind text, mail_sealed bytea) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    IF octet_length(mail_sealed) > 0 THEN
        INSERT INTO usershell.outbox (owner_id, id, kind, sealed) VALUES (given_owner, mail_id, mail_kind, mail_sealed)
        ON CONFLICT DO NOTHING;
    END IF;
    IF NOT EXISTS (SELECT FROM usershell.outbox o WHERE o.owner_id = given_owner AND o.id = mail_id AND o.kind = mail_kind
                                                    AND o.sealed = mail_sealed AND mail_sealed <> '') THEN
        RAISE EXCEPTION 'the mail is missing' USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$function$;
COMMENT ON FUNCTION usershell.queue_required_mail(uuid, uuid, text, bytea) IS
    'Queues a mail without which the transaction is refused. For the functions; no role may call it.';

CREATE FUNCTION usershell.queue_mail(given_owner uuid, mail_id uuid, mail_kind text, mail_sealed bytea) RETURNS void
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        INSERT INTO usershell.outbox (owner_id, id, kind, sealed)
        SELECT given_owner, mail_id, mail_kind, mail_sealed WHERE mail_id IS NOT NULL
        ON CONFLICT DO NOTHING;
    END;
COMMENT ON FUNCTION usershell.queue_mail(uuid, uuid, text, bytea) IS 'NULL: no mail. For the functions; no role may call it.';

CREATE FUNCTION usershell.mail_sent(given_owner uuid, given_mail uuid) RETURNS void
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        DELETE FROM usershell.outbox o WHERE o.owner_id = given_owner AND o.id = given_mail;
    END;
