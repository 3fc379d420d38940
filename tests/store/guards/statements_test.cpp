// Every statement of the program: registered, and executed as every role that uses it. The nets
// between users' rows, each alone: the statements' own conditions, run by a superuser whom
// row-level security does not hold; and row-level security, under statements without conditions.
// How answers are read: by column name, a NULL only where one is expected.
#include "store/guards/statement_examples.hpp"
namespace usershell::store {
namespace {
constexpr std::pair<Roles, const char*> named_roles[] = {
    {by_owner, "usershell_owner"},   {by_auth, "usershell_auth"},
    {by_manage, "usershell_manage"}, {by_execute, "usershell_execute"},
    {by_opener, "usershell_opener"}, {by_mail, "usershell_mail"},
    {by_rewrap, "usershell_rewrap"}};
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
        if ((statement->roles() & (by_execute | by_opener)) == 0) continue;
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

std::vector<std::pair<std::string, std::string>> owned_tables() {
    std::vector<std::pair<std::string, std::string>> tables{{"users", "id"}};
    for (const auto& row :
         as_superuser("SELECT table_name FROM information_schema.columns JOIN "
                      "information_schema.tables USING (table_schema, table_name) WHERE "
                      "table_schema = 'usershell' AND table_type = 'BASE TABLE' AND "
                      "column_name = 'owner_id'")) {
        tables.emplace_back(row[0].c_str(), "owner_id");
    }
    return tables;
}
/// Two users with one of everything under the same ids: a statement that forgets the owner finds
/// both. Hashes differ, and what would make the other's rows the first choice.
struct Twins {
    Twins() {
        pqxx::work transaction{connection_};
        transaction.exec("SET LOCAL session_replication_role = replica"); // in any order of tables
        for (const auto& table : transaction.exec(R"sql(
                 SELECT table_name, string_agg(quote_ident(column_name), ', ') FILTER (WHERE column_name <> 'owner_id'),
                        string_agg(CASE WHEN column_name IN ('token_hash', 'calls_token_hash', 'auth_token_hash', 'credential_id') AND table_name <> 'email_changes' THEN format('sha256(%I)', column_name)
                                        WHEN column_name = 'created_at' THEN 'created_at + interval ''1 second'''
                                        WHEN column_name = 'selector' THEN 'substr(sha256(selector), 1, 12)'
                                        WHEN column_name = 'slot' THEN 'CASE WHEN slot <= 8 THEN 9 - slot ELSE slot + 1 END'
                                        ELSE quote_ident(column_name) END, ', ')
                        FILTER (WHERE column_name <> 'owner_id')
                 FROM information_schema.columns
                 JOIN information_schema.tables USING (table_schema, table_name)
                 WHERE table_schema = 'usershell' AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'
                 GROUP BY table_name HAVING bool_or(column_name = 'owner_id'))sql")) {
            transaction.exec("INSERT INTO usershell." + std::string{table[0].c_str()} +
                             " (owner_id, " + table[1].c_str() + ") SELECT " +
                             literal(twin.id.text()) + ", " + table[2].c_str() +
                             " FROM usershell." + table[0].c_str() +
                             " WHERE owner_id = " + literal(example.owner.text()));
        }
        // The same stamp as well, which no trigger replaces here.
        transaction.exec("UPDATE usershell.users SET security_stamp = (SELECT security_stamp FROM "
                         "usershell.users WHERE id = " +
                         literal(example.owner.text()) + ") WHERE id = " + literal(twin.id.text()));
        transaction.commit();
    }
    /// The difference of a statement's effect from that without other users, or to them; empty when
    /// nothing.
    std::string interference(const std::string& sql, const std::vector<std::string>& parameters) {
        pqxx::work transaction{connection_};
        try {
            const std::string others = rows_of(transaction, "<>");
            present(transaction, example.session.keys.token_hash);
            transaction.exec("SAVEPOINT twins");
            const std::string answer = text_of(execute(transaction, sql, parameters));
            const std::string own = rows_of(transaction, "=");
            if (rows_of(transaction, "<>") != others) return "others' rows change";
            transaction.exec("ROLLBACK TO twins");
            transaction.exec("DELETE FROM usershell.users WHERE id <> " +
                             literal(example.owner.text()));
            if (text_of(execute(transaction, sql, parameters)) != answer) return "another answer";
            return rows_of(transaction, "=") == own ? "" : "other changes";
        } catch (const pqxx::sql_error&) {
            return "an error";
        }
    }
    Example example;
    TestUser twin = add_user();
    static std::string text_of(const pqxx::result& result) {
        std::string text = std::to_string(result.affected_rows());
        for (const auto& row : result)
            for (const auto& field : row) text.append("|").append(field.c_str());
        return text;
    }
    /// All rows that are the one's ("="), but for what differs each time, or not ("<>").
    std::string rows_of(pqxx::work& transaction, const std::string& comparison) {
        static const auto tables = owned_tables();
        const std::string left_out =
            comparison == "=" ? ", 'security_stamp', 'rehashed_at', 'happened_at'" : "";
        std::string sql;
        for (const auto& [table, owner] : tables) {
            const bool random_id = table == "events" || table == "email_attempts";
            sql += sql.empty() ? "" : " UNION ALL ";
            sql.append("SELECT to_jsonb(t) - ARRAY['created_at'").append(left_out);
            sql.append(random_id ? ", 'id'" : "").append("] AS r FROM usershell.").append(table);
            sql.append(" t WHERE ").append(owner).append(" ").append(comparison).append(" ");
            sql += literal(example.owner.text());
        }
        const auto rows = transaction.exec(
            "SELECT string_agg(r::text, '|' ORDER BY r::text) FROM (" + sql + ") all_rows");
        return rows[0][0].c_str();
    }
    pqxx::connection connection_{test_database().as_superuser()};
};
/// The statements whose first parameter is the owner, and those that ask whose session it is.
std::vector<const Statement*> owner_scoped(const Example& example, const Examples& examples) {
    static const std::set<std::string_view> of_the_session{
        "add_factor",          "change_password",    "change_token",        "confirm_email_change",
        "delete_own_user",     "disable_token",      "enable_token",        "end_link",
        "end_session",         "latest_events",      "make_recovery_codes", "make_token",
        "open_links",          "open_sessions",      "own_factors",         "own_passkeys",
        "own_tokens",          "own_usage",          "pending_email",       "remove_factor",
        "rename_passkey",      "renew_sign_in",      "renew_token",         "revoke_token",
        "sign_out_everywhere", "start_email_change", "token_choices",       "usage_sums"};
    std::vector<const Statement*> scoped;
    for (const Statement* statement : Statement::all()) {
        const auto& parameters = examples.at(std::string{statement->name()});
        const bool has_owner =
            !parameters.empty() && parameters[0] == literal(example.owner.text());
        if (has_owner || of_the_session.contains(statement->name())) scoped.push_back(statement);
    }
    return scoped;
}
/// The text without one of its conditions on the owner, for each of them.
std::vector<std::string> without_each_condition(const std::string& sql) {
    static const std::regex condition{
        R"(\b(\w+\.)?(owner_id = (\$1|\w+\.owner_id)|id = \$1)(?![\w.]))"};
    std::vector<std::string> texts;
    for (std::sregex_iterator found{sql.begin(), sql.end(), condition}, end; found != end;
         ++found) {
        const auto at = static_cast<std::size_t>(found->position());
        texts.push_back(sql.substr(0, at) + "$1::uuid IS NOT NULL" +
                        sql.substr(at + static_cast<std::size_t>(found->length())));
    }
    return texts;
}
/// How many rows statements without condition reach in a table, by what the role may do there.
std::vector<std::size_t> reached(pqxx::connection& connection, const std::string& session,
                                 const std::string& table) {
    pqxx::work transaction{connection}; // rolled back
    present(transaction, session);
    const std::string name = "usershell." + table;
    const auto may = libpqxx::query(transaction, R"sql(
        SELECT has_any_column_privilege($1, 'SELECT'), has_table_privilege($1, 'DELETE'),
               (SELECT attname || ' = ' || CASE WHEN readable THEN attname ELSE 'now()' END
                FROM pg_attribute, has_column_privilege(attrelid, attnum, 'SELECT') readable
                WHERE attrelid = $1::regclass AND attnum > 0 AND attgenerated = ''
                  AND has_column_privilege(attrelid, attnum, 'UPDATE')
                ORDER BY readable DESC LIMIT 1))sql",
                                    name)
                         .front();
    std::vector<std::size_t> rows;
    if (may[0].as<bool>()) rows.push_back(transaction.exec("SELECT FROM " + name).size());
    if (!may[2].is_null()) {
        rows.push_back(
            transaction.exec("UPDATE " + name + " SET " + may[2].c_str()).affected_rows());
    }
    if (may[1].as<bool>()) rows.push_back(transaction.exec("DELETE FROM " + name).affected_rows());
    return rows;
}

BOOST_AUTO_TEST_CASE(each_statement_by_itself_touches_the_given_owners_rows_only) {
    Twins twins;
    const Examples examples = examples_of(twins.example);
    const auto scoped = owner_scoped(twins.example, examples);
    BOOST_TEST(scoped.size() >= 40);
    static const std::regex random_answer{"AS stamp"};
    for (const Statement* statement : scoped) {
        BOOST_TEST(twins.interference(
                       std::regex_replace(statement->text(), random_answer, "IS NULL AS stamp"),
                       examples.at(std::string{statement->name()})) == "",
                   statement->name());
    }
}

BOOST_AUTO_TEST_CASE(not_one_condition_on_the_owner_can_be_left_out_unnoticed) {
    Twins twins;
    const Examples examples = examples_of(twins.example);
    int left_out = 0;
    for (const Statement* statement : owner_scoped(twins.example, examples)) {
        for (const std::string& sql : without_each_condition(statement->text())) {
            ++left_out;
            BOOST_TEST(twins.interference(sql, examples.at(std::string{statement->name()})) != "",
                       statement->name() << " without: " << sql);
        }
    }
    BOOST_TEST(left_out >= 40);
}

// The other roles have no right to such a table, but for the mail sender's outbox.
BOOST_AUTO_TEST_CASE(row_level_security_alone_shows_the_managing_role_the_identitys_rows_only) {
    const Twins twins;
    const std::string unknown = crypto::random_bytes(32);
    std::size_t checked = 0;
    pqxx::connection connection{test_database().as_manage()};
    for (const auto& [table, owner] : owned_tables()) {
        const auto own =
            as_superuser(std::string{"SELECT FROM usershell."}.append(table).append(" WHERE ") +
                             owner + " = $1",
                         twins.example.owner.text())
                .size();
        BOOST_TEST(own > 0, table);
        BOOST_TEST_CONTEXT(table) {
            for (const std::size_t rows :
                 reached(connection, twins.example.session.keys.token_hash, table)) {
                ++checked;
                BOOST_TEST(rows == own);
            }
            for (const std::size_t rows : reached(connection, unknown, table))
                BOOST_TEST(rows == 0);
        }
    }
    BOOST_TEST(checked >= 12);
}

Rows select(const std::string& sql) {
    pqxx::connection connection{test_database().as_manage()};
    return Rows{pqxx::nontransaction{connection}.exec(sql)};
}

BOOST_AUTO_TEST_CASE(values_are_read_by_name_in_any_order_and_of_many_rows_each) {
    Rows rows = select(R"sql(
        SELECT 'Zoë' AS name, -7 AS number, true AS flag, NULL::integer AS nothing, '\x00ff'::bytea AS bytes,
               usershell.microseconds('2026-01-02 03:04:05.678901+00') AS moment)sql");
    const Row row = rows.front();
    BOOST_TEST(row.get<bool>("flag"));
    BOOST_TEST(row.get<int>("number") == -7);
    for (int i = 0; i < 2; ++i) BOOST_TEST(row.get<std::string>("name") == "Zoë");
    BOOST_TEST(row.get<std::optional<int>>("number").value() == -7);
    BOOST_TEST(!row.get<std::optional<int>>("nothing"));
    BOOST_TEST(row.is_null("nothing"));
    BOOST_TEST((row.bytes("bytes") == std::string{"\0\xff", 2}));
    BOOST_TEST(rfc3339(row.get<Timestamp>("moment")) == "2026-01-02T03:04:05.678Z");
    BOOST_CHECK_THROW(row.get<int>("nothing"), Error);
    BOOST_CHECK_THROW(row.get<int>("name"), Error);
    BOOST_CHECK_THROW(row.get<int>("missing"), Error);
    const auto number = [](const Row& each) { return each.get<int>("n"); };
    BOOST_TEST(select("SELECT n FROM generate_series(1, 3) n").all(number) ==
                   (std::vector<int>{1, 2, 3}),
               boost::test_tools::per_element());
    BOOST_TEST(select("SELECT 5 AS n").first(number).value() == 5);
    BOOST_TEST(!select("SELECT 5 AS n WHERE false").first(number));
}
} // namespace
} // namespace usershell::store
