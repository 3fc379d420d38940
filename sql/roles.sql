-- The seven roles and the empty database. Run once by a superuser; running it again takes back what a role has changed of
-- itself, and changes nothing else. Run it again after max_connections has changed:
--
--     psql -X -d postgres -f sql/roles.sql
--     psql -X -d postgres -v database=another_name -f sql/roles.sql
--     psql -X -d postgres -v look=true -f sql/roles.sql        prints what it would do, and does nothing
--
-- No role has a password: the operating system says who is who (peer authentication, pg_ident.conf). A role may set a
-- password and defaults of its own. It cannot lift VALID UNTIL, before which alone a password counts, nor CONNECTION LIMIT.
-- `usershellctl migrate` then makes the schema.

\set ON_ERROR_STOP on
\if :{?database}
\else
    \set database usershell
\endif
\if :{?look}
\else
    \set look false
\endif

-- Two runs at a time wait for each other. A role that changes its own password holds a lock of this table, which this
-- mode does not wait for. The row of that role is waited for, and not for ever.
BEGIN;
SET LOCAL lock_timeout = '10s';
LOCK TABLE pg_catalog.pg_authid IN SHARE UPDATE EXCLUSIVE MODE;

-- Of each hundred connections that are not a superuser's: no role has so many that the others get none.
CREATE TEMPORARY TABLE wanted ON COMMIT DROP AS
SELECT w.name, greatest(2, w.share * (
           SELECT sum(CASE s.name WHEN 'max_connections' THEN s.setting::integer ELSE -s.setting::integer END) FROM pg_settings s
            WHERE s.name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections')) / 100) AS most,
       CASE WHEN w.name <> 'usershell_owner' THEN ARRAY['temp_file_limit=64MB'] END AS setting
  FROM (VALUES ('usershell_owner', 10), ('usershell_auth', 40), ('usershell_manage', 40), ('usershell_execute', 40),
               ('usershell_opener', 40), ('usershell_mail', 10), ('usershell_rewrap', 5)) AS w (name, share);

SELECT format('CREATE ROLE %I', w.name) FROM wanted w WHERE NOT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = w.name)
\if :look
    \g
\else
    \gexec
\endif

SELECT format('ALTER ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS NOINHERIT '
              'PASSWORD NULL VALID UNTIL ''-infinity'' CONNECTION LIMIT %s', w.name, w.most)
  FROM wanted w JOIN pg_authid r ON r.rolname = w.name
 WHERE (r.rolcanlogin, r.rolsuper, r.rolcreatedb, r.rolcreaterole, r.rolreplication, r.rolbypassrls, r.rolinherit,
        r.rolpassword, r.rolvaliduntil, r.rolconnlimit)
       IS DISTINCT FROM (true, false, false, false, false, false, false, NULL, '-infinity'::timestamptz, w.most)
 UNION ALL
SELECT format('ALTER ROLE %I %s RESET ALL', w.name, 'IN DATABASE ' || quote_ident(d.datname))
  FROM wanted w JOIN pg_roles r ON r.rolname = w.name JOIN pg_db_role_setting s ON s.setrole = r.oid
  LEFT JOIN pg_database d ON d.oid = s.setdatabase
 WHERE (d.datname, s.setconfig) IS DISTINCT FROM (NULL, w.setting)
\if :look
    \g
\else
    \gexec
\endif

SELECT format('REVOKE %I FROM %I', g.rolname, w.name)
  FROM wanted w JOIN pg_roles r ON r.rolname = w.name JOIN pg_auth_members m ON m.member = r.oid JOIN pg_roles g ON g.oid = m.roleid
\if :look
    \g
\else
    \gexec
\endif

-- A superuser's setting, which the role can't lift.
SELECT format('ALTER ROLE %I SET temp_file_limit = ''64MB''', w.name)
  FROM wanted w JOIN pg_roles r ON r.rolname = w.name
 WHERE w.setting IS NOT NULL
   AND NOT EXISTS (SELECT FROM pg_db_role_setting s WHERE s.setrole = r.oid AND s.setdatabase = 0 AND s.setconfig = w.setting)
\if :look
    \g
\else
    \gexec
\endif
COMMIT;

-- The order of letters is the same on every machine and in every release.
SELECT format('CREATE DATABASE %I OWNER usershell_owner TEMPLATE template0 ENCODING ''UTF8'' LOCALE_PROVIDER %s LOCALE ''C.UTF-8''',
              :'database', CASE WHEN current_setting('server_version_num')::integer >= 170000 THEN 'builtin' ELSE 'libc' END)
 WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database')
\if :look
    \g
    SELECT NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') AS is_missing \gset
    \if :is_missing
        \quit
    \endif
\else
    \gexec
    REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
    GRANT CONNECT ON DATABASE :"database"
        TO usershell_auth, usershell_manage, usershell_execute, usershell_opener, usershell_mail, usershell_rewrap;
\endif

\connect :"database"
\if :look
\else
    REVOKE ALL ON SCHEMA public FROM PUBLIC;
\endif

BEGIN;
SET LOCAL lock_timeout = '10s';
LOCK TABLE pg_catalog.pg_authid IN SHARE UPDATE EXCLUSIVE MODE;
-- Large objects stay, and nothing bounds them, nor the queue of notifications, nor messages in the log. Locks by number take
-- the memory that all locks share.
SELECT format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', p.oid::regprocedure)
  FROM pg_proc p
 WHERE p.pronamespace = 'pg_catalog'::regnamespace
   AND p.proname ~ '^(lo_|loread$|lowrite$|pg_(try_)?advisory_|pg_notify$|pg_logical_emit_message$)'
   AND has_function_privilege('public', p.oid, 'EXECUTE')
 UNION ALL
-- For usershell.reach_standby() alone.
SELECT format('GRANT EXECUTE ON FUNCTION %s TO usershell_owner', p.oid::regprocedure)
  FROM pg_proc p
 WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname = 'pg_logical_emit_message'
   AND NOT EXISTS (SELECT FROM aclexplode(p.proacl) a JOIN pg_roles r ON r.oid = a.grantee WHERE r.rolname = 'usershell_owner')
 UNION ALL
-- A leakproof function may see rows before row-level security has chosen them. EXPLAIN then shows whether one of another
-- person's has that value. This is no part of a backup.
SELECT format('ALTER FUNCTION %s NOT LEAKPROOF', p.oid::regprocedure) FROM pg_proc p WHERE p.proleakproof
 UNION ALL
SELECT format('DO $remove$ BEGIN PERFORM lo_unlink(%s); END $remove$', o.oid)
  FROM pg_largeobject_metadata o JOIN pg_roles r ON r.oid = o.lomowner
 WHERE r.rolname IN ('usershell_auth', 'usershell_manage', 'usershell_execute', 'usershell_opener', 'usershell_mail', 'usershell_rewrap')
\if :look
    \g
\else
    \gexec
\endif
COMMIT;
