-- Oldest program that can run on it: 0.1.0

-- Keys and mails are sealed to a key that the rings have: a program that was not restarted when its key was dropped
-- (usershellctl ring drop) must not seal anything to it, because no program could open that.

CREATE FUNCTION usershell.require_ring_key() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    -- Locked to the end of the transaction: the statement that drops the key waits, and then sees what depends on it.
    PERFORM FROM usershell.ring_keys k WHERE k.id = NEW.ring_key_id FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'sealed to a key that the rings do not have';
    END IF;
    RETURN NULL;
END
$function$;

CREATE TRIGGER known_ring_key AFTER INSERT OR UPDATE OF sealed_key ON usershell.providers
    FOR EACH ROW WHEN (NEW.ring_key_id IS NOT NULL) EXECUTE FUNCTION usershell.require_ring_key();
CREATE TRIGGER known_ring_key AFTER INSERT OR UPDATE OF sealed_key ON usershell.accounts
    FOR EACH ROW WHEN (NEW.ring_key_id IS NOT NULL) EXECUTE FUNCTION usershell.require_ring_key();
CREATE TRIGGER known_ring_key AFTER INSERT OR UPDATE OF sealed_key ON usershell.provider_headers
    FOR EACH ROW EXECUTE FUNCTION usershell.require_ring_key();
CREATE TRIGGER known_ring_key AFTER INSERT OR UPDATE OF sealed ON usershell.outbox
    FOR EACH ROW WHEN (NEW.ring_key_id IS NOT NULL) EXECUTE FUNCTION usershell.require_ring_key();
