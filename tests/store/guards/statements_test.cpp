// Every statement of the program: registered, and executed as every role that uses it.
#include "store/guards/statement_examples.hpp"
namespace usershell::store {
namespace {
constexpr std::pair<Roles, const char*> named_roles[] = {
    {by_owner, "usershell_owner"},   {by_auth, "usershell_auth"},
    {by_manage, "usershell_manage"}, {by_execute, "usershell_execute"},
    {by_mail, "usershell_mail"},     {by_rewrap, "usershell_rewrap"}};
using Names = std::set<std::string, std::less<>>;
Names registered() {
    Names names;
    for (const Statement* statement : Statement::all()) names.emplace(statement->name());
    return names;
}
Names written_in_the_sources() {
    static const std::regex constant{R"(\nconst Statement \w+\{\s*"(\w+)\")"};
    Names names;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator{USERSHELL_SOURCE_DIR "/lib/store"}) {
        if (entry.path().extension() != ".cpp") continue;
        const std::string source = content_of(entry.path());
        for (std::sregex_iterator found{source.begin(), source.end(), constant}, end; found != end;
             ++found)
            BOOST_TEST(names.insert((*found)[1]).second, "twice: " << (*found)[1]);
    }
    return names;
}

BOOST_AUTO_TEST_CASE(all_that_are_written_are_registered_and_have_an_example) {
    const Names written = written_in_the_sources();
    BOOST_TEST(written.size() > 50);
    BOOST_TEST(registered() == written, boost::test_tools::per_element());
    Names with_example;
    for (const auto& example : examples_of(Example{})) with_example.insert(example.first);
    BOOST_TEST(with_example == written, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_statement_works_as_every_role_that_uses_it) {
    const Example example;
    const Examples examples = examples_of(example);
    for (const auto& [role, name] : named_roles) {
        pqxx::connection connection{test_database().as(name)};
        for (const Statement* statement : Statement::all()) {
            if ((statement->roles() & role) == 0) continue;
            BOOST_TEST_CONTEXT(statement->name() << " as " << name) try {
                pqxx::work transaction{connection}; // rolled back
                const SessionKeys& keys = example.session.keys;
                present(transaction, role == by_auth ? keys.auth_token_hash : keys.token_hash);
                const pqxx::result result = execute(transaction, statement->text(),
                                                    examples.at(std::string{statement->name()}));
                BOOST_TEST(result.size() + result.affected_rows() > 0,
                           "no effect: the example proves nothing");
            } catch (const std::exception& error) {
                BOOST_ERROR(error.what());
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(no_statement_of_a_call_reads_the_slots_of_all_users) {
    const Example example;
    const Examples examples = examples_of(example);
    pqxx::connection connection{test_database().as_superuser()};
    const std::string scans = "SELECT pg_stat_get_xact_numscans('usershell.calls'::regclass)";
    for (const Statement* statement : Statement::all()) {
        if ((statement->roles() & by_execute) == 0) continue;
        BOOST_TEST_CONTEXT(statement->name()) {
            pqxx::work transaction{connection};                               // rolled back
            transaction.exec("SET LOCAL session_replication_role = replica"); // without users
            transaction.exec("INSERT INTO usershell.calls (owner_id, slot) SELECT owner, slot FROM "
                             "(SELECT gen_random_uuid() AS owner FROM generate_series(1, 1000)) o, "
                             "generate_series(1, 8) slot");
            transaction.exec("SET LOCAL session_replication_role = origin");
            transaction.exec("ANALYZE usershell.calls");
            present(transaction, example.session.keys.token_hash);
            const auto before = transaction.exec(scans)[0][0].as<int>();
            execute(transaction, statement->text(), examples.at(std::string{statement->name()}));
            BOOST_TEST(transaction.exec(scans)[0][0].as<int>() == before);
        }
    }
}
} // namespace
} // namespace usershell::store
