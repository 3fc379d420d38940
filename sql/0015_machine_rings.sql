-- Oldest program that can run on it: 0.1.0

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
COMMENT ON TABLE usershell.machine_rings IS 'The rings that programs have. program: its role; fingerprint: of the ring''s ids and its active one.';

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

GRANT EXECUTE ON FUNCTION usershell.report_ring(text, text, text)
    TO usershell_auth, usershell_manage, usershell_execute, usershell_mail;
