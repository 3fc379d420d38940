// Migrations; rings are compared with the database: whose installation, and which keys it knows.
// The order and the small letters of a server's language do not reach a key.
#include "store/database/conninfo.hpp"
#include "store/installation.hpp"
#include "store/migrations/migrate.hpp"
#include "store/providers/legacy.hpp"
#include "store/rings.hpp"
#include "store/store_fixture.hpp"
namespace usershell::store {
namespace {
struct Fresh {
    test::TestDatabase database{test::TestDatabase::Schema::empty};
    std::string owner = database.as_owner();
    pqxx::result query(const std::string& sql) const {
        pqxx::connection connection{database.as_superuser()};
        pqxx::nontransaction statement{connection};
        return statement.exec(sql);
    }
    void require_schema() const {
        Database workers{database.as_manage(), 1};
        store::require_schema(workers);
    }
};
auto says(const std::string& words) {
    return [words](const std::runtime_error& error) { return has(error.what(), words); };
}
constexpr Migration first{"0001_first", "c1", "0.1.0",
                          "CREATE TABLE usershell.one (); CREATE TABLE usershell.two ()"};
constexpr Migration second{"0002_second", "c2", "0.1.0",
                           "ALTER TABLE usershell.one ADD COLUMN x integer"};
constexpr Migration broken{"0002_broken", "c3", "0.1.0",
                           "CREATE TABLE usershell.half (); SELECT nonsense"};
constexpr const char* no_rights = "";
/// Ours, and one more.
std::vector<Migration> ours_and(const char* text) {
    std::vector<Migration> all{migrations().begin(), migrations().end()};
    all.push_back({"9999_more", "c", "0.1.0", text});
    return all;
}

BOOST_FIXTURE_TEST_CASE(what_is_missing_is_applied_once, Fresh) {
    const auto applied = migrate(owner);
    BOOST_TEST(applied.size() == migrations().size());
    BOOST_TEST(applied.front() == "0001_installation");
    BOOST_TEST(migrate(owner).empty());
    BOOST_TEST(query("SELECT 1 FROM usershell.migrations").size() == migrations().size());
    require_schema();
}
/// A standby that is promoted has them, and a crash empties none.
BOOST_FIXTURE_TEST_CASE(what_throttles_lasts, Fresh) {
    migrate(owner);
    BOOST_TEST(query("SELECT 1 FROM pg_class WHERE relname IN ('attempts', 'guesses') AND "
                     "relpersistence = 'p'")
                   .size() == 2U);
}

/// Rows that a migration writes have deferred triggers, which stop its later ALTER TABLE.
BOOST_FIXTURE_TEST_CASE(a_database_with_providers_is_upgraded, Fresh) {
    migrate(owner);
    query("INSERT INTO usershell.users (id, email, normalized_email, display_name) "
          "VALUES (gen_random_uuid(), 'a@example.com', 'a@example.com', 'A'); "
          "INSERT INTO usershell.providers (owner_id, id, name, type, base_url) "
          "SELECT id, gen_random_uuid(), 'At Work', 'openai', 'https://example.com/v1' "
          "FROM usershell.users");
    migrate(owner, ours_and("UPDATE usershell.providers SET name = 'x';"
                            "ALTER TABLE usershell.providers ADD COLUMN more text"));
    BOOST_TEST(query("SELECT more FROM usershell.providers WHERE name = 'x'").size() == 2U);
}

BOOST_AUTO_TEST_CASE(the_compiled_in_texts_are_the_files) {
    BOOST_TEST((content_of(USERSHELL_SOURCE_DIR "/sql/rights.sql") == rights()));
    for (const Migration& migration : migrations()) {
        const auto text =
            content_of(USERSHELL_SOURCE_DIR "/sql/" + std::string{migration.name} + ".sql");
        BOOST_TEST((text == migration.text), migration.name);
        BOOST_TEST(value<std::string>("SELECT encode(sha256(convert_to($text$" + text +
                                      "$text$, 'UTF8')), 'hex')") == migration.checksum);
    }
}

BOOST_FIXTURE_TEST_CASE(each_is_applied_in_order_on_top_of_the_last, Fresh) {
    const std::array one{first};
    const std::array both{first, second};
    BOOST_TEST(migrate(owner, one, no_rights).size() == 1);
    const auto applied = migrate(owner, both, no_rights);
    BOOST_TEST(applied == std::vector<std::string>{"0002_second"},
               boost::test_tools::per_element());
    BOOST_TEST(query("SELECT x FROM usershell.one").empty());
}

BOOST_FIXTURE_TEST_CASE(one_that_fails_changes_nothing_nor_do_those_before_it, Fresh) {
    const std::array both{first, broken};
    BOOST_CHECK_EXCEPTION(
        migrate(owner, both, no_rights), std::runtime_error,
        says("0002_broken failed, SQLSTATE 42703: ERROR:  column \"nonsense\" does not exist"));
    BOOST_CHECK_EXCEPTION(migrate(owner, std::array{first}, "GRANT nonsense"), std::runtime_error,
                          says("rights failed"));
    BOOST_TEST(query("SELECT to_regnamespace('usershell') IS NULL")[0][0].as<bool>());
    const std::array mended{first, second};
    BOOST_TEST(migrate(owner, mended, no_rights).size() == 2);
}

BOOST_FIXTURE_TEST_CASE(another_text_under_the_same_name_is_refused, Fresh) {
    migrate(owner);
    query("UPDATE usershell.migrations SET checksum = 'other' WHERE name = '0001_installation'");
    BOOST_CHECK_EXCEPTION(migrate(owner), std::runtime_error,
                          says("0001_installation has another text"));
    BOOST_CHECK_EXCEPTION(require_schema(), std::runtime_error,
                          says("0001_installation has another text"));
}

// A database of an earlier commit, whose migrations had other names.
BOOST_FIXTURE_TEST_CASE(one_that_we_do_not_know_before_our_last_is_refused, Fresh) {
    migrate(owner);
    for (const char* name : {"0001_foundation", "0016_images", "0000_first"}) {
        query("INSERT INTO usershell.migrations (name, checksum, oldest_program) VALUES ('" +
              std::string{name} + "', 'x', '0.0.9')");
        const auto refused = says("has the migration " + std::string{name} +
                                  ", which this program does not know: install the version that");
        BOOST_CHECK_EXCEPTION(require_schema(), std::runtime_error, refused);
        BOOST_CHECK_EXCEPTION(migrate(owner), std::runtime_error, refused);
        query("DELETE FROM usershell.migrations WHERE checksum = 'x'");
    }
    require_schema();
}

// Programs of two versions run side by side while the machines are upgraded one after another.
BOOST_FIXTURE_TEST_CASE(one_that_we_do_not_know_says_whether_we_can_run_on_it, Fresh) {
    migrate(owner);
    query("INSERT INTO usershell.migrations (name, checksum, oldest_program) "
          "VALUES ('9999_future', 'x', '0.0.9')");
    require_schema();
    BOOST_CHECK_EXCEPTION(migrate(owner), std::runtime_error,
                          says("9999_future, which this program"));
    query("UPDATE usershell.migrations SET oldest_program = '999.0.0' WHERE name = '9999_future'");
    BOOST_CHECK_EXCEPTION(require_schema(), std::runtime_error,
                          says("9999_future, on which programs from version 999.0.0 on can run"));
    BOOST_TEST(applied_migrations(owner).back().oldest_program == "999.0.0");
}

BOOST_AUTO_TEST_CASE(versions_are_compared_by_their_numbers) {
    for (const auto& [oldest, version, allowed] :
         std::initializer_list<std::tuple<const char*, const char*, bool>>{
             {"0.1.0", "0.1.0", true},
             {"0.1.0", "0.1.0-1", true},
             {"0.1.0", "0.1.0+git20260131-2~bpo12+1", true},
             {"0.9.0", "0.10.0", true},
             {"1.0.0", "0.99.99", false},
             {"0.1.1", "0.1.0-9", false},
             {"0.2.0", "0.1", false},
             {"0.1.0", "unknown", false}})
        BOOST_TEST(allows(oldest, version) == allowed, oldest << " " << version);
}

BOOST_FIXTURE_TEST_CASE(a_worker_says_what_to_run_and_may_not_itself, Fresh) {
    BOOST_CHECK_EXCEPTION(require_schema(), std::runtime_error, says("Run: usershellctl migrate"));
    migrate(owner);
    query("DELETE FROM usershell.migrations WHERE name = '0001_installation'");
    BOOST_CHECK_EXCEPTION(require_schema(), std::runtime_error,
                          says("lacks the migration 0001_installation"));
    Database nowhere{"host=/nonexistent dbname=x user=x", 1};
    BOOST_CHECK_EXCEPTION(store::require_schema(nowhere), std::runtime_error,
                          says("can't be reached"));
    BOOST_CHECK_EXCEPTION(migrate(database.as_manage()), std::runtime_error,
                          says("usershell_owner"));
}

BOOST_FIXTURE_TEST_CASE(several_at_once_take_turns, Fresh) {
    std::atomic<std::size_t> applied = 0;
    constexpr std::size_t count = 6;
    std::vector<std::thread> operators;
    operators.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        operators.emplace_back([&] { applied += migrate(owner).size(); });
    }
    for (std::thread& thread : operators) thread.join();
    BOOST_TEST(applied == migrations().size());
    require_schema();
}

BOOST_FIXTURE_TEST_CASE(no_lock_of_a_weak_role_is_waited_for, Fresh) {
    migrate(owner);
    std::vector<std::unique_ptr<pqxx::connection>> held;
    for (const auto& weak : {database.as_execute(), database.as_opener(), database.as_mail()}) {
        held.push_back(std::make_unique<pqxx::connection>(weak));
        for (const std::string table : {"migrations", "legacy_vault", "outbox", "users"})
            for (const char* mode : {"ROW SHARE", "ROW EXCLUSIVE", "SHARE", "ACCESS EXCLUSIVE"}) {
                pqxx::work transaction{*held.back()};
                BOOST_CHECK_THROW(
                    transaction.exec("LOCK TABLE usershell." + table + " IN " + mode + " MODE"),
                    pqxx::insufficient_privilege);
            }
        pqxx::nontransaction open{*held.back()};
        open.exec("BEGIN");
        open.exec("SELECT * FROM usershell.migrations");
    }
    BOOST_TEST(migrate(owner, ours_and("CREATE TABLE usershell.more ()")).size() == 1);
    Acting managing{database.as_manage()};
    BOOST_TEST(!fold_legacy_vault(managing.lease, global_owner(), {}));
}

BOOST_AUTO_TEST_CASE(neither_a_malformed_nor_a_wrong_connection_string_is_repeated) {
    for (const char* text :
         {"dbname=x password=canary secret", "host=/nonexistent user=x password=canary",
          "postgresql://u:canary@/x?host=/nonexistent"}) {
        BOOST_CHECK_EXCEPTION(
            migrate(text), std::runtime_error,
            [](const std::runtime_error& error) { return !has(error.what(), "canary"); });
    }
}

crypto::RingSummary some_ring(crypto::RingRole role, const InstallationId& installation) {
    const auto id = crypto::RingKeyId::from_bytes(crypto::random_bytes(16));
    return {role, installation, id, {id}};
}
std::string error_of(Lease& lease, const crypto::RingSummary& ring) {
    try {
        require_rings(lease, {ring});
        return {};
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}
struct Operator : Acting {
    Operator() : Acting{test_database().as_owner()} {
        as_superuser("DELETE FROM usershell.ring_keys");
    }
    ~Operator() { register_some_key(); }
    InstallationId installation = installation_id(lease);
    crypto::RingSummary vault = some_ring(crypto::RingRole::vault, installation);
    crypto::RingSummary web = some_ring(crypto::RingRole::web, installation);
};

BOOST_FIXTURE_TEST_CASE(every_program_knows_registered_rings_and_no_others, Operator) {
    BOOST_TEST(register_rings(lease, {vault, web}, false));
    for (const auto& role :
         {test_database().as_auth(), test_database().as_manage(), test_database().as_execute(),
          test_database().as_opener(), test_database().as_mail()}) {
        Acting program{role};
        BOOST_TEST(error_of(program.lease, vault).empty());
        BOOST_TEST(error_of(program.lease, web).empty());
        const auto planted = some_ring(crypto::RingRole::vault, installation);
        BOOST_TEST(has(error_of(program.lease, planted), planted.ids[0].text()));
        auto with_one_more = vault;
        with_one_more.ids.push_back(planted.ids[0]);
        BOOST_TEST(has(error_of(program.lease, with_one_more), "does not know"));
        auto in_another_role = vault;
        in_another_role.role = crypto::RingRole::mail;
        BOOST_TEST(has(error_of(program.lease, in_another_role), "does not know"));
        auto elsewhere = vault;
        elsewhere.installation = crypto::random_id<InstallationId>();
        BOOST_TEST(error_of(program.lease, elsewhere) ==
                   "The vault ring is of the installation " + elsewhere.installation.text() +
                       ", the database of " + installation.text() + ".");
    }
}

BOOST_FIXTURE_TEST_CASE(rings_are_replaced_only_when_that_is_said, Operator) {
    BOOST_TEST(register_rings(lease, {vault, web}, false));
    BOOST_TEST(register_rings(lease, {web, vault}, false)); // the same once more
    const auto next = some_ring(crypto::RingRole::vault, installation);
    BOOST_TEST(!register_rings(lease, {next, web}, false));
    BOOST_TEST(error_of(lease, vault).empty());
    BOOST_TEST(register_rings(lease, {next, web}, true));
    BOOST_TEST(error_of(lease, next).empty());
    BOOST_TEST(!error_of(lease, vault).empty());
}

BOOST_FIXTURE_TEST_CASE(an_installation_is_one, Operator) {
    BOOST_CHECK_THROW(as_superuser("INSERT INTO usershell.installation DEFAULT VALUES"),
                      pqxx::unique_violation);
}

BOOST_FIXTURE_TEST_CASE(nothing_is_sealed_to_a_key_that_was_dropped, Operator) {
    register_some_key();
    ProviderOwner ada;
    const auto id = crypto::RingKeyId::parse(hex(some_envelope(1).substr(2, 16))).value();
    const auto refuse_used = [](const RingUses& uses) {
        if (uses.any()) throw Error{"used"};
    };
    BOOST_CHECK_THROW(forget_key(lease, id, refuse_used), Error);
    set_provider_key(ada.lease, ada.owner, ada.provider, some_key());
    forget_key(lease, id, [](const RingUses&) {}); // as by --invalidate
    BOOST_CHECK_THROW(set_provider_key(ada.lease, ada.owner, ada.provider, some_key()), Error);
}
BOOST_FIXTURE_TEST_CASE(each_program_reports_what_its_machine_has, Operator) {
    as_superuser("DELETE FROM usershell.machine_rings");
    const auto rings_of_machines = [&] {
        std::string text;
        for (const auto& found : list_machine_rings(lease))
            text += found.machine + " " + found.program + " " + found.ring +
                    (found.fingerprint == fingerprint_of(vault) ? " as here\n" : " another\n");
        return text;
    };
    Acting manage{test_database().as_manage()};
    Opening opening;
    report_rings(manage.lease, "one", {vault});
    report_rings(opening.lease, "one", {vault});
    auto activated = vault;
    activated.active = web.active;
    report_rings(opening.lease, "two", {activated});
    BOOST_TEST(rings_of_machines() == "one usershell-manage vault as here\n"
                                      "one usershell-opener vault as here\n"
                                      "two usershell-opener vault another\n");
    report_rings(opening.lease, "two", {vault});
    as_superuser("UPDATE usershell.machine_rings SET reported_at = now() - interval '25 hours' "
                 "WHERE machine = 'one'");
    BOOST_TEST(rings_of_machines() == "two usershell-opener vault as here\n");
    for (int made_up = 0; made_up < 220; ++made_up)
        report_rings(opening.lease, "m" + std::to_string(made_up), {vault});
    BOOST_TEST(list_machine_rings(lease).size() == 200U);
    report_rings(manage.lease, "one", {vault});
    BOOST_TEST(list_machine_rings(lease).size() == 201U);
    as_superuser("DELETE FROM usershell.machine_rings");
}

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
        {
            pqxx::connection connection{owner};
            pqxx::nontransaction statement{connection};
            const auto row =
                statement.exec("SELECT lower('I') <> 'i', usershell.free_handle("
                               "'00000000-0000-0000-0000-000000000000', 'MISTRAL AI')")[0];
            BOOST_TEST(row[0].as<bool>());
            BOOST_TEST(row[1].as<std::string>() == "mistral-ai");
        }
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
