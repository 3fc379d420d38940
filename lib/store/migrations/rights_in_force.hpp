// The view and the table that inspection.hpp compares, and how migrate() records what it changes.
// Scripts for migrate.cpp alone.
#pragma once

namespace usershell::store {

/// After the schema is there; changes nothing the second time.
inline constexpr const char* rights_prologue = R"sql(
CREATE OR REPLACE VIEW usershell.rights_in_force AS
WITH relations AS (
    SELECT c.*, format('usershell.%I', c.relname) AS name
      FROM pg_class c WHERE c.relnamespace = 'usershell'::regnamespace AND c.relkind IN ('r', 'v', 'p', 'S')
), functions AS (
    SELECT p.*, format('usershell.%I(%s)', p.proname, pg_get_function_identity_arguments(p.oid)) AS name
      FROM pg_proc p WHERE p.pronamespace = 'usershell'::regnamespace
), grants AS (
    SELECT format('ON SCHEMA %I', n.nspname) AS what, a.*, n.nspowner AS owner, '' AS part
      FROM pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a WHERE n.nspname = 'usershell'
     UNION ALL
    SELECT 'ON ' || r.name, a.*, r.relowner, ''
      FROM relations r, aclexplode(coalesce(r.relacl, acldefault('r', r.relowner))) a
     UNION ALL
    SELECT 'ON ' || r.name, a.*, r.relowner, format(' (%I)', t.attname)
      FROM relations r JOIN pg_attribute t ON t.attrelid = r.oid, aclexplode(t.attacl) a
     UNION ALL
    SELECT 'ON FUNCTION ' || f.name, a.*, f.proowner, ''
      FROM functions f, aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) a
)
SELECT format('GRANT %s%s %s TO %s', privilege_type, part, what,
              CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END) AS statement
  FROM grants WHERE grantee <> owner
 UNION ALL
SELECT format('ALTER TABLE %s OWNER TO %I', name, pg_get_userbyid(relowner)) FROM relations
 UNION ALL
SELECT format('ALTER FUNCTION %s OWNER TO %I', name, pg_get_userbyid(proowner)) FROM functions
 UNION ALL
SELECT format('ALTER FUNCTION %s SECURITY DEFINER %s', name, 'SET ' || array_to_string(proconfig, ' SET '))
  FROM functions WHERE prosecdef
 UNION ALL
SELECT format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name) FROM relations WHERE relrowsecurity
 UNION ALL
SELECT format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', name) FROM relations WHERE relforcerowsecurity
 UNION ALL
SELECT format('CREATE POLICY %I ON usershell.%I AS %s FOR %s TO %s', policyname, tablename, permissive, cmd,
              array_to_string(roles, ', ')) || coalesce(' USING (' || qual || ')', '')
              || coalesce(' WITH CHECK (' || with_check || ')', '')
  FROM pg_policies WHERE schemaname = 'usershell'
 UNION ALL
SELECT format('ALTER TABLE %s ENABLE TRIGGER %I', r.name, t.tgname)
  FROM relations r JOIN pg_trigger t ON t.tgrelid = r.oid WHERE NOT t.tgisinternal AND t.tgenabled = 'O';
CREATE TABLE IF NOT EXISTS usershell.rights (statement text COLLATE "C" PRIMARY KEY);
COMMENT ON TABLE usershell.rights IS 'What migrations and rights.sql have granted and secured; usershellctl check compares it with rights_in_force.';
INSERT INTO usershell.rights SELECT DISTINCT statement FROM usershell.rights_in_force
 WHERE NOT EXISTS (SELECT FROM usershell.rights);
)sql";

/// Before the migrations, and after the rights in the same transaction. Only what they change is
/// recorded: a protection that was switched off by hand before stays a difference.
inline constexpr const char* before_change = R"sql(
CREATE TEMPORARY TABLE rights_before ON COMMIT DROP AS SELECT DISTINCT statement FROM usershell.rights_in_force;
)sql";
inline constexpr const char* after_change = R"sql(
DELETE FROM usershell.rights r WHERE r.statement IN (
    SELECT statement FROM rights_before EXCEPT SELECT statement FROM usershell.rights_in_force);
INSERT INTO usershell.rights
SELECT statement FROM usershell.rights_in_force EXCEPT SELECT statement FROM rights_before
ON CONFLICT DO NOTHING;
)sql";

} // namespace usershell::store
