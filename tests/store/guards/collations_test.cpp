// The order and the small letters of a server's language do not reach a key.
#include "store/database/conninfo.hpp"
#include "store/installation.hpp"
#include "store/migrations/migrate.hpp"
#include "store/store_fixture.hpp"
namespace usershell::store {
namespace {

BOOST_AUTO_TEST_CASE(every_text_of_an_index_has_the_order_c) {
    const std::string indexed =
        "SELECT r.relname FROM pg_index i JOIN pg_class r ON r.oid = i.indrelid, "
        "unnest(i.indcollation) AS used (oid) JOIN pg_collation c USING (oid) "
        "WHERE r.relnamespace = 'usershell'::regnamespace";
    BOOST_TEST(any(indexed));
    for (const auto& row : as_superuser(indexed + " AND c.collname <> 'C'"))
        BOOST_ERROR("an index of " << row[0].c_str() << " has another order");
    BOOST_TEST(value<std::string>("SELECT datcollate FROM pg_database WHERE datname = "
                                  "current_database()") == "C.UTF-8");
}

BOOST_AUTO_TEST_CASE(a_turkish_server_makes_the_same_handle_and_another_version_is_found) {
    const std::string name = test_database().name() + "_tr";
    as_superuser("CREATE DATABASE " + name +
                 " OWNER usershell_owner TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER icu "
                 "ICU_LOCALE 'tr-TR' LOCALE 'C.UTF-8'");
    {
        const std::string owner = with_keywords(test_database().as_owner(), {{"dbname", name}});
        migrate(owner);
        pqxx::connection connection{owner};
        pqxx::nontransaction statement{connection};
        const auto row = statement.exec("SELECT lower('I') <> 'i', usershell.free_handle("
                                        "'00000000-0000-0000-0000-000000000000', 'MISTRAL AI')")[0];
        BOOST_TEST(row[0].as<bool>());
        BOOST_TEST(row[1].as<std::string>() == "mistral-ai");
        connection.disconnect();
        Acting acting{owner};
        BOOST_TEST(stale_collation_versions(*acting).empty());
        as_superuser("UPDATE pg_database SET datcollversion = '1' WHERE datname = '" + name + "'");
        const auto statements = stale_collation_versions(*acting);
        BOOST_TEST_REQUIRE(statements.size() == 1U);
        BOOST_TEST(has(statements.front(), "REINDEX DATABASE CONCURRENTLY " + name));
        BOOST_TEST(has(statements.front(), "ALTER DATABASE " + name + " REFRESH"));
    }
    as_superuser("DROP DATABASE " + name + " WITH (FORCE)");
}
} // namespace
} // namespace usershell::store
