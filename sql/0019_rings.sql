-- Oldest program that can run on it: 0.1.0
--
-- The keys of the rings, and what is sealed to them.

CREATE TABLE usershell.ring_keys (
    id            text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[0-9a-f]{32}$'),
    role          text NOT NULL CHECK (role IN ('vault', 'web', 'auth', 'mail')),
    registered_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE usershell.ring_keys IS 'Every key that this installation''s rings may hold; id: its fingerprint.';

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

-- Rewrap ------------------------------------------------------------------------------------------------------------

-- Sealing stored keys to another key of the vault ring (usershellctl ring rewrap), by a role of its own: it sees what is
-- sealed to other keys, or signed by an earlier key of the web ring. It may replace an envelope by one of the same kind and
-- size, sealed to and signed by registered keys; nothing else.

-- The id of a header is its place in the sealed record: its provider's id, a blank, its name.
CREATE FUNCTION usershell.keys_to_rewrap(given_ring_key text, given_signer text, max_rows integer, after_owner uuid, after_id text)
    RETURNS TABLE (kind text, owner_id uuid, provider_id uuid, id text, sealed bytea)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT k.kind, k.owner_id, k.provider_id, k.id, k.sealed FROM (
            SELECT 'provider' AS kind, p.owner_id, p.id AS provider_id, p.id::text AS id, p.sealed_key AS sealed, p.ring_key_id, p.signer_id
              FROM usershell.providers p
             UNION ALL
            SELECT 'account', a.owner_id, a.provider_id, a.id::text, a.sealed_key, a.ring_key_id, a.signer_id
              FROM usershell.accounts a
             UNION ALL
            SELECT 'header', h.owner_id, h.provider_id, h.provider_id || ' ' || h.name, h.sealed_key, h.ring_key_id, h.signer_id
              FROM usershell.provider_headers h
             UNION ALL
            SELECT 'legacy', l.owner_id, l.entry_id, l.entry_id::text, l.sealed, l.ring_key, l.signer_id
              FROM usershell.legacy_vault l) k
         WHERE (k.ring_key_id <> given_ring_key OR k.signer_id <> given_signer)
           AND (k.owner_id, k.id COLLATE "C") > (after_owner, after_id)
         ORDER BY k.owner_id, k.id COLLATE "C" LIMIT usershell.batch_size(max_rows);
    END;
COMMENT ON FUNCTION usershell.keys_to_rewrap(text, text, integer, uuid, text) IS
    'The next stored keys after that owner and id that are sealed to another key, or signed by another signer if one is given.';

CREATE FUNCTION usershell.swap_envelope(given_kind text, given_owner uuid, given_id text, old_envelope bytea, new_envelope bytea)
    RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    -- Version, kind and size must stay. Both new ids must be registered: of the vault, and of the web ring.
    IF substr(old_envelope, 1, 2) <> substr(new_envelope, 1, 2) OR octet_length(old_envelope) <> octet_length(new_envelope)
       OR NOT EXISTS (SELECT FROM usershell.ring_keys k
                       WHERE k.role = 'vault' AND k.id = encode(substr(new_envelope, 3, 16), 'hex'))
       OR NOT EXISTS (SELECT FROM usershell.ring_keys k
                       WHERE k.role = 'web' AND k.id = encode(substr(new_envelope, 19, 16), 'hex')) THEN
        RETURN false;
    END IF;
    CASE given_kind
        WHEN 'provider' THEN
            UPDATE usershell.providers p SET sealed_key = new_envelope
             WHERE p.owner_id = given_owner AND p.id = given_id::uuid AND p.sealed_key = old_envelope;
        WHEN 'account' THEN
            UPDATE usershell.accounts a SET sealed_key = new_envelope
             WHERE a.owner_id = given_owner AND a.id = given_id::uuid AND a.sealed_key = old_envelope;
        WHEN 'header' THEN
            UPDATE usershell.provider_headers h SET sealed_key = new_envelope
             WHERE h.owner_id = given_owner AND h.provider_id = split_part(given_id, ' ', 1)::uuid
               AND h.name = split_part(given_id, ' ', 2) AND h.sealed_key = old_envelope;
        ELSE
            UPDATE usershell.legacy_vault l SET sealed = new_envelope
             WHERE l.owner_id = given_owner AND l.entry_id = given_id::uuid AND l.sealed = old_envelope;
    END CASE;
    RETURN FOUND;
END
$function$;
COMMENT ON FUNCTION usershell.swap_envelope(text, uuid, text, bytea, bytea) IS
    'Replaces an envelope; false when it was replaced meanwhile, or its kind or size would change, or a key of it is not registered.';

-- Machines ----------------------------------------------------------------------------------------------------------

-- Which rings the programs of each machine have: an operator sees the machine whose rings are others. Each program says it
-- when it starts and every hour. Only usershell_owner reads it.

CREATE TABLE usershell.machine_rings (
    machine     text COLLATE "C" NOT NULL CHECK (octet_length(machine) BETWEEN 1 AND 64),
    program     text COLLATE "C" NOT NULL,
    ring        text COLLATE "C" NOT NULL CHECK (ring IN ('vault', 'web', 'auth', 'mail')),
    fingerprint text NOT NULL CHECK (fingerprint ~ '^[0-9a-f]{32}$'),
    reported_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (machine, program, ring)
);
COMMENT ON TABLE usershell.machine_rings IS 'The rings that programs have. program: its role; fingerprint: of the ring''s ids, and of its active one where the program uses that.';

CREATE FUNCTION usershell.report_ring(given_machine text, given_ring text, given_fingerprint text)
    RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    DELETE FROM usershell.machine_rings m WHERE m.program = session_user AND m.reported_at < now() - interval '1 day';
    -- A program that a thief controls makes up machines: 100 of them.
    IF (SELECT count(*) FROM usershell.machine_rings m
         WHERE m.program = session_user AND (m.machine, m.ring) <> (given_machine, given_ring)) < 200 THEN
        INSERT INTO usershell.machine_rings (machine, program, ring, fingerprint)
        VALUES (given_machine, session_user, given_ring, given_fingerprint)
        ON CONFLICT (machine, program, ring) DO UPDATE SET fingerprint = EXCLUDED.fingerprint, reported_at = now();
    END IF;
END
$function$;
COMMENT ON FUNCTION usershell.report_ring(text, text, text) IS 'That ring is what the calling program has on that machine.';
