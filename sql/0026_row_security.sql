-- Oldest program that can run on it: 0.1.0
--
-- Which rows a role sees. Every table but those that each program reads has row-level security, also for the tables' owner, whose
-- functions and commands reach all rows: so no error of a function shows a row. usershell_manage sees the rows of the user whose
-- session its connection presents; it has rights on these tables alone.

DO $policies$
DECLARE
    secured record;
BEGIN
    FOR secured IN
        SELECT c.oid::regclass AS name, quote_ident(a.attname) AS owner,
               c.relname IN ('users', 'avatars', 'providers', 'models', 'accounts', 'provider_headers', 'provider_lists') AS is_of_pages
          FROM pg_class c
          LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = CASE c.relname WHEN 'users' THEN 'id' ELSE 'owner_id' END
         WHERE c.relnamespace = 'usershell'::regnamespace AND c.relkind = 'r'
           AND c.relname NOT IN ('migrations', 'installation', 'ring_keys', 'rights')
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', secured.name);
        EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', secured.name);
        EXECUTE format('CREATE POLICY all_rows ON %s TO usershell_owner USING (true)', secured.name);
        IF secured.is_of_pages THEN
            EXECUTE format('CREATE POLICY own_rows ON %s TO usershell_manage
                            USING (%s = (SELECT usershell.current_user_id()))', secured.name, secured.owner);
        END IF;
    END LOOP;
END
$policies$;

-- The mail sender sends the mail of all users.
CREATE POLICY mail_sender ON usershell.outbox TO usershell_mail USING (true);
