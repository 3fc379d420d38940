-- Oldest program that can run on it: 0.1.0
--
-- The earlier flat vault: a key was stored with a kind and an address, and belonged to no provider. Its entries are
-- folded into the provider store when usershell-manage starts, by a function that the program may call; it may neither
-- read nor write the table. No key is opened for it: the sealed record goes on proving whose entry it is, of which id,
-- kind and address (docs/security.md), because the row that it becomes gets the entry's id.

CREATE TABLE usershell.legacy_vault (
    owner_id   uuid NOT NULL REFERENCES usershell.users ON DELETE CASCADE,
    entry_id   uuid NOT NULL,
    kind       text NOT NULL CHECK (octet_length(kind) <= 40),
    label      text NOT NULL DEFAULT '' CHECK (char_length(label) <= 100 AND label !~ '[\x01-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'),
    base_url   text NOT NULL DEFAULT '' CHECK (octet_length(base_url) <= 2048),
    sealed     bytea NOT NULL CHECK (octet_length(sealed) BETWEEN 274 AND 16384 AND substr(sealed, 1, 2) = '\x0103'),
    ring_key   text GENERATED ALWAYS AS (encode(substr(sealed, 3, 16), 'hex')) STORED,
    signer_id  text GENERATED ALWAYS AS (encode(substr(sealed, 19, 16), 'hex')) STORED,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    stays      text NOT NULL DEFAULT '' CHECK (stays IN ('', 'full', 'unknown kind', 'no address')),
    PRIMARY KEY (owner_id, entry_id)
);
COMMENT ON TABLE usershell.legacy_vault IS 'Keys of the earlier vault that have not become a provider''s or an account''s yet.';
COMMENT ON COLUMN usershell.legacy_vault.base_url IS 'empty: the catalogue''s default for that kind';
COMMENT ON COLUMN usershell.legacy_vault.stays IS 'why it was not folded the last time; empty: not tried yet';

-- Folding -----------------------------------------------------------------------------------------------------------

-- The catalogue's row of a kind of provider, given by the program.
CREATE TYPE usershell.legacy_kind AS (kind text, label text, default_base_url text, owns_base_url boolean);

-- The address that an entry's key may be sent to, as a canonical URL; NULL when it is unknown. Another spelling would be
-- refused at every call.
CREATE FUNCTION usershell.legacy_address(entry usershell.legacy_vault, known usershell.legacy_kind) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE
        WHEN entry.base_url IN ('', (known).default_base_url) THEN NULLIF((known).default_base_url, '')
        WHEN NOT (known).owns_base_url
             AND entry.base_url ~ '^https?://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?(/[^/[:space:]?#\\]+)*$'
             AND entry.base_url !~ '/\.{1,2}(/|$)' THEN entry.base_url
    END;

-- One entry: true when it has become a key, or was one already. The owner's row is locked.
CREATE FUNCTION usershell.fold_legacy_entry(entry usershell.legacy_vault, known usershell.legacy_kind, address text)
    RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    given_name CONSTANT text := coalesce(NULLIF(btrim(entry.label), ''), known.label);
    found_provider uuid;
BEGIN
    IF EXISTS (SELECT FROM usershell.providers p WHERE p.owner_id = entry.owner_id AND p.id = entry.entry_id)
       OR EXISTS (SELECT FROM usershell.accounts a WHERE a.owner_id = entry.owner_id AND a.id = entry.entry_id) THEN
        RETURN true;
    END IF;
    SELECT p.id INTO found_provider FROM usershell.providers p
     WHERE p.owner_id = entry.owner_id AND p.type = entry.kind AND p.base_url = address
     ORDER BY p.created_at, p.id LIMIT 1 FOR NO KEY UPDATE;
    IF found_provider IS NULL THEN
        INSERT INTO usershell.providers (owner_id, id, name, type, base_url, sealed_key, key_hint, key_address)
        SELECT entry.owner_id, entry.entry_id, given_name, entry.kind, address, entry.sealed, '••••',
               entry.kind || ' ' || address
         WHERE (SELECT count(*) FROM usershell.providers p WHERE p.owner_id = entry.owner_id) < 10;
    ELSE
        INSERT INTO usershell.accounts (owner_id, provider_id, id, name, priority, sealed_key, key_hint, key_address)
        SELECT entry.owner_id, found_provider, entry.entry_id, given_name,
               least(coalesce(max(a.priority), 0) + 1, 1000), entry.sealed, '••••', entry.kind || ' ' || address
          FROM usershell.accounts a WHERE a.owner_id = entry.owner_id AND a.provider_id = found_provider
        HAVING count(*) < 10;
    END IF;
    RETURN FOUND;
END
$function$;

CREATE FUNCTION usershell.fold_legacy_vault(after_owner uuid, kinds text[], labels text[], default_base_urls text[],
                                            owning boolean[])
    RETURNS TABLE (owner_id uuid, folded integer, newly_left integer)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
#variable_conflict use_column
DECLARE
    whose uuid;
    entry usershell.legacy_vault;
    known usershell.legacy_kind;
    address text;
    reason text;
    done integer := 0;
    left_now integer := 0;
BEGIN
    SELECT l.owner_id INTO whose FROM usershell.legacy_vault l
     WHERE l.owner_id > after_owner ORDER BY l.owner_id LIMIT 1;
    IF whose IS NULL THEN
        RETURN;
    END IF;
    -- As for a provider that is added: the caps are counted under this lock, and a second caller waits here.
    PERFORM usershell.require_fresh_rows();
    PERFORM FROM usershell.users u WHERE u.id = whose FOR NO KEY UPDATE;
    FOR entry IN SELECT l.* FROM usershell.legacy_vault l WHERE l.owner_id = whose ORDER BY l.created_at, l.entry_id LOOP
        known := NULL;
        SELECT k.* INTO known FROM unnest(kinds, labels, default_base_urls, owning) k (kind, label, url, owns)
         WHERE k.kind = entry.kind;
        address := usershell.legacy_address(entry, known);
        reason := CASE WHEN known.kind IS NULL THEN 'unknown kind'
                       WHEN address IS NULL THEN 'no address'
                       WHEN NOT usershell.fold_legacy_entry(entry, known, address) THEN 'full' END;
        IF reason IS NULL THEN
            DELETE FROM usershell.legacy_vault l WHERE l.owner_id = whose AND l.entry_id = entry.entry_id;
            done := done + 1;
        ELSIF entry.stays <> reason THEN
            UPDATE usershell.legacy_vault l SET stays = reason WHERE l.owner_id = whose AND l.entry_id = entry.entry_id;
            left_now := left_now + 1;
        END IF;
    END LOOP;
    RETURN QUERY SELECT whose, done, left_now;
END
$function$;
COMMENT ON FUNCTION usershell.fold_legacy_vault(uuid, text[], text[], text[], boolean[]) IS
    'Folds the entries of the next user behind that one, in one transaction, and says whose they were, how many have become keys, and how many stay for a reason that is new; no row: there is no next.';

CREATE FUNCTION usershell.count_legacy_entries() RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    RETURN (SELECT count(*) FROM usershell.legacy_vault l WHERE l.owner_id = usershell.current_user_id() AND l.stays <> '');
COMMENT ON FUNCTION usershell.count_legacy_entries() IS 'How many of the connection''s user did not fit.';
