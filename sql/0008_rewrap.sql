-- Oldest program that can run on it: 0.1.0

-- Sealing stored keys to another key of the vault ring (usershellctl ring rewrap), by a role of its own: it sees what is
-- sealed to other keys, and may replace an envelope by one of the same kind, signer and size; nothing else.

CREATE FUNCTION usershell.keys_to_rewrap(given_ring_key text, max_rows integer, after_owner uuid, after_id uuid)
    RETURNS TABLE (kind text, owner_id uuid, provider_id uuid, id uuid, sealed bytea)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT k.kind, k.owner_id, k.provider_id, k.id, k.sealed FROM (
            SELECT 'provider' AS kind, p.owner_id, p.id AS provider_id, p.id, p.sealed_key AS sealed
              FROM usershell.providers p WHERE p.ring_key_id <> given_ring_key
             UNION ALL
            SELECT 'account', a.owner_id, a.provider_id, a.id, a.sealed_key
              FROM usershell.accounts a WHERE a.ring_key_id <> given_ring_key
             UNION ALL
            SELECT 'legacy', l.owner_id, l.entry_id, l.entry_id, l.sealed
              FROM usershell.legacy_vault l WHERE l.ring_key <> given_ring_key) k
         WHERE (k.owner_id, k.id) > (after_owner, after_id)
         ORDER BY k.owner_id, k.id LIMIT max_rows;
    END;
COMMENT ON FUNCTION usershell.keys_to_rewrap(text, integer, uuid, uuid) IS
    'The next stored keys after that owner and id that are sealed to another key than that one.';

CREATE FUNCTION usershell.swap_envelope(given_kind text, given_owner uuid, given_id uuid,
                                         old_envelope bytea, new_envelope bytea)
    RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    -- Version, kind, signer and size must stay, and the new ring key must be a registered one of the vault.
    IF substr(old_envelope, 1, 2) <> substr(new_envelope, 1, 2) OR substr(old_envelope, 19, 16) <> substr(new_envelope, 19, 16)
       OR octet_length(old_envelope) <> octet_length(new_envelope)
       OR NOT EXISTS (SELECT FROM usershell.ring_keys k
                       WHERE k.role = 'vault' AND k.id = encode(substr(new_envelope, 3, 16), 'hex')) THEN
        RETURN false;
    END IF;
    CASE given_kind
        WHEN 'provider' THEN
            UPDATE usershell.providers p SET sealed_key = new_envelope
             WHERE p.owner_id = given_owner AND p.id = given_id AND p.sealed_key = old_envelope;
        WHEN 'account' THEN
            UPDATE usershell.accounts a SET sealed_key = new_envelope
             WHERE a.owner_id = given_owner AND a.id = given_id AND a.sealed_key = old_envelope;
        ELSE
            UPDATE usershell.legacy_vault l SET sealed = new_envelope
             WHERE l.owner_id = given_owner AND l.entry_id = given_id AND l.sealed = old_envelope;
    END CASE;
    RETURN FOUND;
END
$function$;
COMMENT ON FUNCTION usershell.swap_envelope(text, uuid, uuid, bytea, bytea) IS
    'Replaces an envelope; false when it was replaced meanwhile, or its kind, signer or size would change.';

GRANT EXECUTE ON FUNCTION
    usershell.keys_to_rewrap(text, integer, uuid, uuid),
    usershell.swap_envelope(text, uuid, uuid, bytea, bytea)
    TO usershell_rewrap;
