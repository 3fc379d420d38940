// sql/rights.sql against PostgreSQL's catalogue, both ways: nobody has a right that is not on the
// page, and whoever is on it has what it says.
#include "store/installation.hpp"
#include "store/migrations/migrate.hpp"
#include "store/store_fixture.hpp"
namespace usershell::store {
namespace {
/// "usershell_mail UPDATE usershell.outbox.sealed" or "usershell_auth EXECUTE
/// usershell.own_tokens()".
using Rights = std::set<std::string>;

std::string trimmed(const std::string& text) {
    const auto start = text.find_first_not_of(" \n");
    return start == std::string::npos
               ? ""
               : text.substr(start, text.find_last_not_of(" \n") + 1 - start);
}
/// The parts between commas that stand in no parentheses.
std::vector<std::string> parts_of(const std::string& list) {
    std::vector<std::string> parts{""};
    int depth = 0;
    for (const char c : list) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == ',' && depth == 0)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    for (std::string& part : parts) part = trimmed(part);
    return parts;
}
/// "SELECT (a, b)": the privilege, and what stands behind the object's name in a right.
std::pair<std::string, std::vector<std::string>> privilege_of(const std::string& text) {
    const auto open = text.find('(');
    if (open == std::string::npos) return {text, {""}};
    std::vector<std::string> columns = parts_of(text.substr(open + 1, text.find(')') - open - 1));
    for (std::string& column : columns) column.insert(0, ".");
    return {trimmed(text.substr(0, open)), columns};
}
std::string object_of(const std::string& kind, const std::string& name) {
    return kind == "FUNCTION" ? value<std::string>("SELECT $1::regprocedure::text", name) : name;
}
Rights on_the_page() {
    static const std::regex comment{"--[^\n]*"};
    static const std::regex grant{
        R"(\nGRANT\s([^;]*?)\sON\s+(?:(SCHEMA|FUNCTION)\s)?([^;]*?)\sTO\s([^;]*);)"};
    const std::string page = std::regex_replace(std::string{rights()}, comment, "");
    Rights all;
    for (std::sregex_iterator found{page.begin(), page.end(), grant}, end; found != end; ++found)
        for (const auto& object : parts_of((*found)[3]))
            for (const auto& each : parts_of((*found)[1]))
                for (const auto& [privilege, columns] : {privilege_of(each)})
                    for (const auto& column : columns)
                        for (const auto& role : parts_of((*found)[4]))
                            BOOST_TEST(all.insert(role + " " + privilege + " " +
                                                  object_of((*found)[2], object) + column)
                                           .second,
                                       "twice: " << each << " on " << object << " to " << role);
    return all;
}
constexpr const char* catalogue = R"sql(
WITH relations AS (
    SELECT oid, oid::regclass::text AS name, relowner, relacl, relkind FROM pg_class
     WHERE relnamespace = 'usershell'::regnamespace AND relkind IN ('r', 'v', 'm', 'p', 'f', 'S')
), objects AS (
    SELECT nspname::text AS name, nspowner AS owner, coalesce(nspacl, acldefault('n', nspowner)) AS acl
      FROM pg_namespace WHERE nspname = 'usershell'
     UNION ALL
    SELECT name, relowner, coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's'::"char" ELSE 'r' END, relowner)) FROM relations
     UNION ALL
    SELECT r.name || '.' || c.attname, r.relowner, c.attacl FROM relations r JOIN pg_attribute c ON c.attrelid = r.oid
     UNION ALL
    SELECT oid::regprocedure::text, proowner, coalesce(proacl, acldefault('f', proowner))
      FROM pg_proc WHERE pronamespace = 'usershell'::regnamespace
)
SELECT concat_ws(' ', coalesce(role.rolname, 'PUBLIC'), a.privilege_type, o.name,
                 CASE WHEN a.is_grantable THEN 'WITH GRANT OPTION' END) AS given
  FROM objects o CROSS JOIN aclexplode(o.acl) a LEFT JOIN pg_roles role ON role.oid = a.grantee
 WHERE a.grantee <> o.owner)sql";

/// A database whose rights somebody changes.
struct Handled {
    pqxx::result query(const std::string& sql) const {
        pqxx::connection connection{database.as_superuser()};
        return pqxx::nontransaction{connection}.exec(sql);
    }
    Rights given() const {
        Rights all;
        for (const auto& row : query(catalogue)) all.insert(row[0].as<std::string>());
        return all;
    }
    bool is_as_recorded() const {
        Acting owner{database.as_owner()};
        const auto difference = compare_rights(*owner);
        return difference.missing.empty() && difference.foreign.empty();
    }
    test::TestDatabase database;
};

BOOST_FIXTURE_TEST_CASE(the_rights_are_those_of_the_page, Handled) {
    const Rights page = on_the_page();
    BOOST_TEST(page.size() > 100U);
    BOOST_TEST(given() == page, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(what_is_changed_by_hand_is_found_and_taken_back, Handled) {
    const Rights page = on_the_page();
    for (const char* change :
         {"GRANT SELECT (sealed_key) ON usershell.providers TO usershell_manage",
          "GRANT SELECT ON usershell.hidden_key TO PUBLIC",
          "GRANT EXECUTE ON FUNCTION usershell.auth_user_id() TO usershell_execute",
          "GRANT CREATE ON SCHEMA usershell TO usershell_mail",
          "GRANT SELECT ON usershell.sessions TO pg_monitor",
          "GRANT SELECT ON usershell.users TO usershell_mail WITH GRANT OPTION;"
          "SET SESSION AUTHORIZATION usershell_mail;"
          "GRANT SELECT ON usershell.users TO usershell_rewrap",
          "CREATE SEQUENCE usershell.mine; ALTER SEQUENCE usershell.mine OWNER TO usershell_owner;"
          "GRANT USAGE ON SEQUENCE usershell.mine TO usershell_auth",
          "REVOKE SELECT ON usershell.ring_keys FROM usershell_auth",
          "REVOKE UPDATE (sealed) ON usershell.outbox FROM usershell_mail",
          "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA usershell FROM usershell_execute"}) {
        BOOST_TEST_CONTEXT(change) {
            query(change);
            BOOST_TEST((given() != page));
            BOOST_TEST(!is_as_recorded());
            BOOST_TEST(migrate(database.as_owner()).empty());
            query("DROP SEQUENCE IF EXISTS usershell.mine");
            BOOST_TEST((given() == page));
            BOOST_TEST(is_as_recorded());
        }
    }
}

BOOST_FIXTURE_TEST_CASE(a_migration_gives_no_right, Handled) {
    std::vector<Migration> more{migrations().begin(), migrations().end()};
    more.push_back(
        {"9999_more", "c", "0.1.0",
         "CREATE TABLE usershell.more (); GRANT SELECT ON usershell.more TO usershell_mail;"
         "CREATE FUNCTION usershell.more() RETURNS void LANGUAGE sql AS ''"});
    BOOST_TEST(migrate(database.as_owner(), more).size() == 1U);
    BOOST_TEST((given() == on_the_page()));
}
} // namespace
} // namespace usershell::store
