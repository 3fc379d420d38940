-- Oldest program that can run on it: 0.1.0
--
-- The provider list of a user as it was last answered, kept until something in it changes, so that a page which asks again
-- costs a look at one row; and its version, by which a browser learns that the list has not changed.
--
-- UNLOGGED: a copy, which is made again after a crash. A version is random, so that a restore repeats none, and no two
-- users have the same.

CREATE UNLOGGED TABLE usershell.provider_lists (
    owner_id uuid PRIMARY KEY REFERENCES usershell.users ON DELETE CASCADE,
    version  bytea NOT NULL DEFAULT usershell.random_stamp() CHECK (octet_length(version) = 16),
    build    text,
    document text COMPRESSION lz4,
    CHECK ((build IS NULL) = (document IS NULL)),
    CHECK (octet_length(build) <= 100 AND octet_length(document) <= 33554432)
) WITH (fillfactor = 50);
COMMENT ON TABLE usershell.provider_lists IS 'A row for each user who has read or changed their list.';
COMMENT ON COLUMN usershell.provider_lists.version IS 'redrawn by every change of a provider, model, account or header, in its transaction';
COMMENT ON COLUMN usershell.provider_lists.build IS 'of the program that wrote the document: another may write it otherwise';
COMMENT ON COLUMN usershell.provider_lists.document IS 'JSON, of this version; NULL until it is asked for';

-- A trigger, so that each statement that changes a provider, most often its health, changes the version. It runs
-- when the transaction commits: all writers lock their own rows first and this one last, so none waits for another that
-- waits for it. A row that is missing is made, for a reader may be about to make it and to write an older list into it.
CREATE FUNCTION usershell.change_list() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
DECLARE
    changed uuid := coalesce(NEW.owner_id, OLD.owner_id);
BEGIN
    PERFORM FROM usershell.provider_lists l
      WHERE l.owner_id = changed AND l.xmin = pg_current_xact_id()::xid AND l.document IS NULL;
    IF FOUND THEN
        RETURN NULL; -- by another row of the same transaction
    END IF;
    UPDATE usershell.provider_lists l SET version = usershell.random_stamp(), build = NULL, document = NULL
     WHERE l.owner_id = changed;
    IF NOT FOUND THEN
        INSERT INTO usershell.provider_lists (owner_id)
        SELECT u.id FROM usershell.users u WHERE u.id = changed
        ON CONFLICT (owner_id) DO UPDATE SET version = usershell.random_stamp(), build = NULL, document = NULL;
    END IF;
    RETURN NULL;
END
$function$;

CREATE CONSTRAINT TRIGGER change_list AFTER INSERT OR UPDATE OR DELETE ON usershell.providers
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION usershell.change_list();
CREATE CONSTRAINT TRIGGER change_list AFTER INSERT OR UPDATE OR DELETE ON usershell.models
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION usershell.change_list();
CREATE CONSTRAINT TRIGGER change_list AFTER INSERT OR UPDATE OR DELETE ON usershell.accounts
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION usershell.change_list();
CREATE CONSTRAINT TRIGGER change_list AFTER INSERT OR UPDATE OR DELETE ON usershell.provider_headers
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION usershell.change_list();
