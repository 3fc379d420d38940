-- The six roles and the empty database. Run once by a superuser; running it again changes nothing:
--
--     psql -X -d postgres -f sql/roles.sql
--     psql -X -d postgres -v database=another_name -f sql/roles.sql
--
-- No role has a password: the operating system says who is who (peer authentication, pg_ident.conf).
-- `usershellctl migrate` then makes the schema.

\set ON_ERROR_STOP on
\if :{?database}
\else
    \set database usershell
\endif

-- Two runs at a time wait for each other. A role that changes its own password holds a lock of this table, which this
-- mode does not wait for. The row of that role is waited for, and not for ever.
BEGIN;
SET LOCAL lock_timeout = '10s';
LOCK TABLE pg_catalog.pg_authid IN SHARE UPDATE EXCLUSIVE MODE;
DO $roles$
DECLARE
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY['usershell_owner', 'usershell_auth', 'usershell_manage', 'usershell_execute',
                                  'usershell_mail', 'usershell_rewrap'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
            EXECUTE format('CREATE ROLE %I', role_name);
        END IF;
        EXECUTE format(
            'ALTER ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS NOINHERIT',
            role_name);
    END LOOP;
END
$roles$;
COMMIT;

SELECT format('CREATE DATABASE %I OWNER usershell_owner TEMPLATE template0 ENCODING ''UTF8''', :'database')
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \gexec

REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"database"
    TO usershell_auth, usershell_manage, usershell_execute, usershell_mail, usershell_rewrap;

\connect :"database"
REVOKE ALL ON SCHEMA public FROM PUBLIC;
