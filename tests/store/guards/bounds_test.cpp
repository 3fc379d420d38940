// What a program's role hands to a function is bounded there, and what it may write by itself is
// bounded by the table. A new function with a number needs a row. Each table has a cap, and
// something that keeps it. A new table needs a word here.
#include "store/guards/statement_examples.hpp"
#include "store/users/signed_in.hpp"
namespace usershell::store {
namespace {
struct OutOfBounds {
    std::string function;
    std::string arguments;
};
std::vector<OutOfBounds> out_of_bounds(const Example& example) {
    const std::string who = literal(example.owner.text());
    const std::string stamp = literal_bytes(stamped(example.owner).stamp);
    const std::string session = who + ", gen_random_uuid(), '', gen_random_uuid(), " +
                                literal(composite(some_keys())) + ", true, ";
    const std::string hash = "sha256('x'), ";
    const std::string mail = ", gen_random_uuid(), " + literal_bytes(some_envelope(2));
    const std::string token = example.sign_ins.at("token") + ", gen_random_uuid(), '', '', ";
    const std::string change =
        example.sign_ins.at("address") + ", 'x@example.org', 'x@example.org', ";
    std::vector<OutOfBounds> calls{
        {"ask_password_reset", who + ", " + stamp + ", " + hash + "86401" + mail},
        {"ask_password_reset", who + ", " + stamp + ", " + hash + "60, gen_random_uuid(), ''"},
        {"ask_password_reset", who + ", " + stamp + ", " + hash + "60, gen_random_uuid(), NULL"},
        {"start_email_change", change + hash + "86401" + mail},
        {"start_email_change", change + hash + "60, gen_random_uuid(), ''"},
        {"make_recovery_codes", example.sign_ins.at("factor") + ", '{}'"},
        {"make_recovery_codes", example.sign_ins.at("factor") + ", array_fill(''::bytea, '{11}')"},
        {"show_passkey", "NULL, '', 'session', '', '', -1, true, ''"},
        {"show_passkey", "NULL, '', 'session', '', '', 4294967296, true, ''"},
        {"latest_events", "20, 51"},
        {"latest_events", "NULL, 5"},
        {"own_usage", "401"},
        {"own_usage", "0"},
        {"usage_sums", "401, 20"},
        {"usage_sums", "NULL, 20"},
        {"sweep_events", "10, '6 days'"},
        {"sweep_events", "10, '366 days'"},
        {"sweep_events", "10, NULL"},
        {"take_attempt", "'{x}', '{-1}', '{1 s}'"},
        {"take_attempt", "'{x}', '{1}', '{61 min}'"},
        {"take_attempt", "'{x}', '{NULL}', '{1 s}'"},
        {"take_attempt", "'{x}', '{1,1}', '{1 s}'"},
        {"take_attempt", "'{}', '{}', '{}'"},
    };
    for (const char* given : {"1209601, 60", "60, 1209601", "'NaN', 60", "60, 'Infinity'",
                              "NULL, 60", "60, NULL", "0, 60", "60, -1"})
        calls.push_back({"start_session", session + given + ", '', ''"});
    for (const char* given : {"31622401", "0", "null"})
        calls.push_back({"make_token", token + R"('{"name": "n", "requests_a_minute": 1, )" +
                                           R"("stored_objects": true, "lifetime": )" + given +
                                           "}', NULL, ''"});
    for (const char* given : {"604801", "-1", "NULL"})
        calls.push_back(
            {"renew_token", "NULL, gen_random_uuid(), '', '', '', " + std::string{given}});
    for (const char* given : {"0", "10001", "NULL"}) {
        for (const char* sweep : {"sweep_sessions", "sweep_leftovers", "sweep_tokens"})
            calls.push_back({sweep, given});
        calls.push_back({"sweep_events", given + std::string{", '7 days'"}});
        calls.push_back({"events_to_announce", given});
        calls.push_back(
            {"keys_to_rewrap", "'', '', " + std::string{given} + ", " + who + ", " + who});
    }
    return calls;
}
} // namespace

BOOST_FIXTURE_TEST_CASE(what_is_out_of_bounds_is_refused, Example) {
    for (const auto& [function, arguments] : out_of_bounds(*this)) {
        pqxx::connection connection{test_database().as_superuser()};
        pqxx::work transaction{connection};
        present(transaction, session.keys.auth_token_hash);
        const std::string call = "SELECT usershell." + function + "(" + arguments + ")";
        BOOST_CHECK_EXCEPTION(transaction.exec(call), pqxx::sql_error,
                              [&](const pqxx::sql_error& error) {
                                  BOOST_TEST(error.sqlstate() == "22023", call);
                                  return true;
                              });
    }
}

BOOST_FIXTURE_TEST_CASE(each_function_with_a_number_has_a_row, Example) {
    std::set<std::string> found, named;
    for (const auto& row : as_superuser(R"sql(
             SELECT DISTINCT p.proname FROM pg_proc p CROSS JOIN unnest(p.proargtypes) AS given (type)
             WHERE p.pronamespace = 'usershell'::regnamespace
               AND given.type IN ('int4'::regtype, 'int8'::regtype, 'float8'::regtype, 'numeric'::regtype,
                   'interval'::regtype, 'timestamptz'::regtype, 'int4[]'::regtype, 'interval[]'::regtype)
               AND EXISTS (SELECT FROM unnest(ARRAY['auth', 'mail', 'rewrap']) AS role (name)
                            WHERE has_function_privilege('usershell_' || role.name, p.oid, 'EXECUTE')))sql"))
        found.insert(row[0].as<std::string>());
    for (const auto& [function, arguments] : out_of_bounds(*this)) named.insert(function);
    BOOST_TEST(named.erase("make_token") == 1U);          // its numbers are in a document
    BOOST_TEST(named.erase("make_recovery_codes") == 1U); // its number is of a list
    BOOST_TEST(found == named, boost::test_tools::per_element());
}

// The programs' statements keep the caps under a lock; the triggers keep them for any statement.
BOOST_FIXTURE_TEST_CASE(no_statement_of_manage_passes_over_a_cap_or_makes_health_up, Example) {
    const std::string who = literal(owner.text()), of = literal(provider.text());
    const auto many = [](const std::string& table, const std::string& columns,
                         const std::string& values, int count) {
        return "INSERT INTO usershell." + table + " (owner_id, " + columns + ") SELECT " + values +
               " FROM generate_series(1, " + std::to_string(count) + ") n";
    };
    const auto providers = [&](int count) {
        return many("providers", "id, name, type, base_url",
                    who + ", gen_random_uuid(), 'P' || n, 'openai', 'https://a.example.org'",
                    count);
    };
    const auto models = [&](int count) {
        return many("models", "provider_id, model_id, position, display_name, capabilities",
                    who + ", " + of + ", 'm' || n, n, 'M', 'code'", count);
    };
    const auto accounts = [&](int count) {
        return many("accounts", "provider_id, id, name, priority",
                    who + ", " + of + ", gen_random_uuid(), 'A', n", count);
    };
    const auto headers = [&](int count) {
        return many("provider_headers", "provider_id, name, sealed_key, key_address",
                    who + ", " + of + ", 'x-' || n, " + literal_bytes(key) + ", 'openai x'", count);
    };
    const std::string health = " SET cooldown_until = 'infinity'";
    for (const auto& [statement, is_good] :
         {std::pair{providers(rules::max_providers - 1), true},
          std::pair{providers(rules::max_providers), false},
          std::pair{models(rules::max_models - 1), true},
          std::pair{models(rules::max_models), false},
          std::pair{accounts(rules::max_accounts - 1), true},
          std::pair{accounts(rules::max_accounts), false},
          std::pair{headers(rules::max_headers - 1), true},
          std::pair{headers(rules::max_headers), false},
          std::pair{"UPDATE usershell.providers" + health, false},
          std::pair{"UPDATE usershell.accounts" + health, false},
          std::pair{std::string{"UPDATE usershell.providers SET cooldown_until = NULL"}, true}}) {
        pqxx::connection connection{test_database().as_manage()};
        pqxx::work transaction{connection};
        present(transaction, session.keys.token_hash);
        if (is_good)
            transaction.exec(statement);
        else
            BOOST_CHECK_THROW(transaction.exec(statement), pqxx::sql_error);
    }
}

// Two open transactions, and one whose rows are as old as its first statement.
BOOST_FIXTURE_TEST_CASE(a_cap_holds_across_transactions, Example) {
    const std::string who = literal(owner.text());
    const std::string inserts[] = {
        "providers (owner_id, id, name, type, base_url) VALUES (" + who +
            ", gen_random_uuid(), gen_random_uuid()::text, 'openai', 'https://a.example.org')",
        "models (owner_id, provider_id, model_id, position, display_name, capabilities) VALUES (" +
            who + ", " + literal(provider.text()) + ", gen_random_uuid()::text, 1, 'M', 'code')"};
    pqxx::connection first{test_database().as_manage()}, second{test_database().as_manage()};
    for (const std::string& insert : inserts) {
        const auto add = [&](pqxx::work& transaction, const std::string& isolation) {
            transaction.exec("SET TRANSACTION ISOLATION LEVEL " + isolation);
            transaction.exec("SET LOCAL lock_timeout = '200ms'");
            present(transaction, session.keys.token_hash);
            transaction.exec("INSERT INTO usershell." + insert);
        };
        for (const char* isolation : {"REPEATABLE READ", "SERIALIZABLE"}) {
            pqxx::work stale{second};
            BOOST_CHECK_THROW(add(stale, isolation), pqxx::sql_error);
        }
        pqxx::work open{first};
        add(open, "READ COMMITTED");
        {
            pqxx::work other{second};
            BOOST_CHECK_EXCEPTION(
                add(other, "READ COMMITTED"), pqxx::sql_error,
                [](const pqxx::sql_error& error) { return error.sqlstate() == "55P03"; });
        }
        open.commit();
        pqxx::work next{second};
        add(next, "READ COMMITTED");
    }
}

// A function that takes a row's lock to count under it.
BOOST_AUTO_TEST_CASE(no_function_counts_old_rows_under_a_lock) {
    const auto found = as_superuser(
        R"sql(SELECT proname, prosrc ~ 'require_fresh_rows' FROM pg_proc
               WHERE pronamespace = 'usershell'::regnamespace
                 AND prosrc ~ 'PERFORM (1 )?FROM [^;]* FOR (NO KEY )?UPDATE')sql");
    BOOST_TEST(found.size() >= 8U);
    for (const auto& row : found) BOOST_TEST(row[1].as<bool>(), row[0].as<std::string>());
}

BOOST_FIXTURE_TEST_CASE(mail_is_delayed_by_a_day_at_most, Example) {
    pqxx::connection connection{test_database().as_mail()};
    const auto delay = [&](const std::string& until) {
        pqxx::work transaction{connection};
        transaction.exec("UPDATE usershell.outbox SET next_attempt_at = " + until);
    };
    delay("now() + interval '23 hours'");
    for (const char* until : {"now() + interval '25 hours'", "'infinity'"})
        BOOST_CHECK_THROW(delay(until), pqxx::sql_error);
}

namespace {
const std::pair<const char*, std::vector<std::string>> caps[] = {
    {"one a user: the primary key", {"apps", "avatars", "email_changes", "provider_lists"}},
    {"two a user: the primary key", {"password_resets"}},
    {"max_calls a user: the primary key", {"calls"}},
    {"one a provider: the primary key", {"rotations"}},
    {"max_headers a provider: the trigger bound_rows", {"provider_headers"}},
    {"one a token: the primary key", {"token_minutes", "token_uses"}},
    {"max_access_tokens good ones a user: make_token(), under the user's lock", {"access_tokens"}},
    {"a row a day, token and model: end_calls(); kept for max_usage_days", {"usage"}},
    {"max_… of its parent: the statement that adds one, under the user's lock",
     {"accounts", "models", "providers"}},
    {"max_email_attempts_an_hour a user: the statement that adds one", {"email_attempts"}},
    {"50 of a kind a user: note_event()", {"events"}},
    {"1,000 a user: guard_names()", {"freed_handles"}},
    {"10 a user: store_recovery_codes()", {"recovery_codes"}},
    {"10 a user: the trigger few_passkeys", {"passkeys"}},
    {"240 an hour for an account, and 10 codes: take_guess(), take_code()", {"guesses"}},
    {"one for each subject tried, forgotten in an hour: nginx limits a client",
     {"attempts", "wrong_guesses"}},
    {"max_mails of a kind a user: the trigger drop_oldest_mails", {"outbox"}},
    {"max_sessions a user: the trigger end_oldest_sessions", {"sessions"}},
    {"16 a user: open_sign_in(), under the user's lock", {"sign_ins"}},
    {"one for each challenge used, forgotten in ten minutes: a passkey signs it",
     {"used_challenges"}},
    {"200 a program, forgotten in a day: report_ring()", {"machine_rings"}},
    {"no one: made by a migration", {"hidden_key", "installation", "policy", "rights"}},
    {"no one: the operator alone adds rows", {"legacy_vault", "migrations", "ring_keys", "users"}},
};

BOOST_AUTO_TEST_CASE(every_table_has_one) {
    std::multiset<std::string> found, named;
    for (const auto& row :
         as_superuser("SELECT tablename FROM pg_tables WHERE schemaname = 'usershell'"))
        found.insert(row[0].as<std::string>());
    for (const auto& [cap, tables] : caps) named.insert(tables.begin(), tables.end());
    BOOST_TEST(found == named, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_session_too_many_ends_the_oldest) {
    const TestUser user = add_user();
    Vouching vouching;
    const auto oldest = some_session();
    start_session(vouching.lease, proven(user.id), oldest);
    for (int more = 1; more < rules::max_sessions; ++more)
        start_session(vouching.lease, proven(user.id), some_session());
    BOOST_TEST(sign_auth_request_in(vouching.lease, oldest.keys.auth_token_hash).has_value());
    const auto newest = some_session();
    const SignIn sign_in = proven(user.id);
    start_session(vouching.lease, sign_in, newest);
    BOOST_TEST(!sign_auth_request_in(vouching.lease, oldest.keys.auth_token_hash));
    BOOST_TEST(sign_auth_request_in(vouching.lease, newest.keys.auth_token_hash).has_value());
    // A lost answer is asked for again: the row that is there ends no other.
    start_session(vouching.lease, sign_in, newest);
    BOOST_TEST(rows_in("sessions", user.id) == std::size_t{rules::max_sessions});
}

BOOST_AUTO_TEST_CASE(a_mail_too_many_drops_the_oldest) {
    const TestUser user = add_user();
    const auto rows = [&](const std::string& kind) {
        return value<int>("SELECT count(*) FROM usershell.outbox WHERE owner_id = $1 AND kind = $2",
                          user.id.text(), kind);
    };
    as_superuser("INSERT INTO usershell.outbox (owner_id, id, kind, sealed, queued_at) VALUES "
                 "($1, gen_random_uuid(), 'invitation', '', now() - interval '1 hour')",
                 user.id.text());
    for (int mail = 0; mail < rules::max_mails + 5; ++mail)
        as_superuser(
            "INSERT INTO usershell.outbox (owner_id, id, kind, sealed, state, queued_at) VALUES "
            "($1, gen_random_uuid(), 'x', '', 'failed', to_timestamp($2))",
            user.id.text(), mail);
    BOOST_TEST(rows("x") == rules::max_mails);
    BOOST_TEST(rows("invitation") == 1, "which no mail of another kind pushes out");
    BOOST_TEST(value<int>("SELECT extract(epoch FROM min(queued_at))::int FROM usershell.outbox "
                          "WHERE owner_id = $1 AND kind = 'x'",
                          user.id.text()) == 5);
}
} // namespace
} // namespace usershell::store
