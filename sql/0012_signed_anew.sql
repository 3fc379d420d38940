-- Oldest program that can run on it: 0.1.0

-- The web ring's rotation: rewrap also takes stored keys that an earlier key of the web ring has signed, and may put an
-- envelope there that another registered key of that ring has signed.

-- The id of a header is its place in the sealed record: its provider's id, a blank, its name.
DROP FUNCTION usershell.keys_to_rewrap(text, integer, uuid, uuid);
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

DROP FUNCTION usershell.swap_envelope(text, uuid, uuid, bytea, bytea);
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

GRANT EXECUTE ON FUNCTION
    usershell.keys_to_rewrap(text, text, integer, uuid, text),
    usershell.swap_envelope(text, uuid, text, bytea, bytea)
    TO usershell_rewrap;
