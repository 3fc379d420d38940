// Lost connections, servers that go away, pools that run dry.
#include "base/rules.hpp"
#include "store/database/run.hpp"
#include "store/database/statements.hpp"
#include "store/store_fixture.hpp"

#include <atomic>
#include <barrier>
#include <thread>

/// libpqxx 6.4.5 forgets the PGresult (some 200 bytes) of a statement under which the connection is
/// lost: it asks for the client encoding first, which throws. Read by LeakSanitizer.
extern "C" const char* __lsan_default_suppressions() { // NOLINT(bugprone-reserved-identifier)
    return "leak:PQmakeEmptyPGresult\n";
}

namespace usershell::store {

using namespace std::chrono_literals;

namespace {

const Statement& statement_of(std::string_view name) {
    for (const Statement* statement : all_statements()) {
        if (statement->name == name) return *statement;
    }
    throw std::logic_error{"No such statement."};
}

int lose_connections() { return terminate_connections_of("usershell_manage"); }

auto unavailable_for_a_second() {
    return [](const Refusal& refusal) {
        return refusal.status() == 503 && refusal.retry_after() == std::chrono::seconds{1};
    };
}

/// Commits of a role wait for a standby that never comes, so that a COMMIT can be caught between
/// being done and being answered. Until let_go() or the end.
class CommitsWait {
public:
    explicit CommitsWait(std::string role = "usershell_manage") : role_{std::move(role)} {
        as_superuser("ALTER ROLE " + role_ + " SET synchronous_commit = on");
        set("nobody");
        terminate_connections_of(role_); // the role's setting holds for new ones
    }
    ~CommitsWait() {
        let_go();
        as_superuser("ALTER ROLE " + role_ + " RESET synchronous_commit");
    }
    CommitsWait(const CommitsWait&) = delete;
    CommitsWait& operator=(const CommitsWait&) = delete;

    /// Waits for a commit that is done but not answered, and ends its connection.
    void cut_one() {
        const char* sql = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
                          "WHERE datname = current_database() AND wait_event = 'SyncRep'";
        const auto end = std::chrono::steady_clock::now() + 60s;
        while (as_superuser(sql).empty()) {
            if (std::chrono::steady_clock::now() > end)
                throw std::runtime_error{"No commit waits."};
            std::this_thread::sleep_for(1ms);
        }
    }
    void let_go() { set(""); }

private:
    static void set(const std::string& names) {
        as_superuser("ALTER SYSTEM SET synchronous_standby_names = '" + names + "'");
        as_superuser("SELECT pg_reload_conf()");
        const std::string sql =
            "SELECT 1 FROM pg_settings WHERE name = 'synchronous_standby_names' "
            "AND setting = '" +
            names + "'";
        while (as_superuser(sql).empty()) std::this_thread::sleep_for(1ms);
    }

    std::string role_;
};

/// A trigger at commit that ends its own connection the first time it fires.
class FirstCommitDies {
public:
    explicit FirstCommitDies(const std::string& table) : table_{table} {
        as_superuser("CREATE SEQUENCE usershell.commits");
        as_superuser(R"sql(
            CREATE FUNCTION usershell.die_once() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
            BEGIN
                IF nextval('usershell.commits') = 1 THEN
                    PERFORM pg_terminate_backend(pg_backend_pid());
                END IF;
                RETURN NULL;
            END $$)sql");
        as_superuser(
            "CREATE CONSTRAINT TRIGGER die_once AFTER INSERT OR UPDATE ON usershell." + table_ +
            " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION usershell.die_once()");
    }
    ~FirstCommitDies() {
        as_superuser("DROP TRIGGER die_once ON usershell." + table_);
        as_superuser("DROP FUNCTION usershell.die_once");
        as_superuser("DROP SEQUENCE usershell.commits");
    }
    FirstCommitDies(const FirstCommitDies&) = delete;
    FirstCommitDies& operator=(const FirstCommitDies&) = delete;

    int commits() {
        return as_superuser("SELECT last_value FROM usershell.commits")[0][0].as<int>();
    }

private:
    std::string table_;
};

std::size_t count_providers(const UserId& owner, const std::string& name) {
    return as_superuser("SELECT 1 FROM usershell.providers WHERE owner_id = '" + owner.text() +
                        "' AND name = '" + name + "'")
        .size();
}

/// The database takes no new connections, and has none of the workers': as if it were down.
class Closed {
public:
    Closed() {
        maintain("ALTER DATABASE \"" + test_database().name() + "\" ALLOW_CONNECTIONS false");
        maintain("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = '" +
                 test_database().name() + "'");
    }
    ~Closed() {
        maintain("ALTER DATABASE \"" + test_database().name() + "\" ALLOW_CONNECTIONS true");
    }
    Closed(const Closed&) = delete;
    Closed& operator=(const Closed&) = delete;

private:
    static void maintain(const std::string& sql) {
        pqxx::connection connection{test_database().as_superuser() + " dbname=postgres"};
        pqxx::nontransaction statement{connection};
        statement.exec(sql);
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(lost_connections)

BOOST_FIXTURE_TEST_CASE(a_read_is_tried_again_on_a_fresh_connection, Household) {
    for (int i = 0; i < 3; ++i) {
        BOOST_TEST(lose_connections() > 0);
        BOOST_TEST(find_provider(lease, owner, provider)->name == "Some provider");
    }
}

BOOST_FIXTURE_TEST_CASE(a_sign_in_is_tried_again_and_sets_the_identity, Household) {
    const std::string token_hash = crypto::random_bytes(32);
    start_session(
        lease, owner,
        {crypto::random_id<SessionId>(), token_hash, crypto::random_bytes(32), false, 60s, 60s});
    lose_connections();
    BOOST_TEST(sign_request_in(lease, token_hash).has_value());
    BOOST_TEST(find_provider(lease, owner, provider).has_value());
}

BOOST_FIXTURE_TEST_CASE(a_read_is_tried_again_once_only, Household) {
    int calls = 0;
    BOOST_CHECK_EXCEPTION(with_retry(lease,
                                     [&](const StoreFault*) {
                                         ++calls;
                                         lease.connection();
                                         lose_connections();
                                         return lease.connection().run(statement_of("ping")).size();
                                     }),
                          Refusal, unavailable_for_a_second());
    BOOST_TEST(calls == 2);
    BOOST_TEST(find_provider(lease, owner, provider).has_value());
}

BOOST_FIXTURE_TEST_CASE(nothing_of_a_broken_transaction_is_left_and_nothing_goes_on_in_autocommit,
                        Household) {
    const Statement& insert = statement_of("create_provider");
    const auto create = [&](Transaction& transaction, const std::string& name) {
        const StoredKey key = some_key(scope);
        transaction.run(insert, owner, crypto::random_id<ProviderId>(), name, std::string{"openai"},
                        std::string{"https://x.org"}, false, Bytes{key.sealed.bytes()}, key.scope,
                        key.hint, rules::max_providers);
    };
    {
        Transaction transaction{lease.connection(), false};
        create(transaction, "before");
        lose_connections();
        for (int i = 0; i < 4; ++i) BOOST_CHECK_THROW(create(transaction, "after"), StoreFault);
        BOOST_CHECK_THROW(transaction.commit(), StoreFault);
    }
    BOOST_TEST(count_providers(owner, "before") == 0);
    BOOST_TEST(count_providers(owner, "after") == 0);
    lease.discard();
    BOOST_TEST(find_provider(lease, owner, provider).has_value());
}

BOOST_FIXTURE_TEST_CASE(what_was_not_committed_is_done_once_in_a_second_transaction, Household) {
    int calls = 0;
    transact(lease, [&](Transaction& transaction) {
        BOOST_TEST(!transaction.in_doubt());
        transaction.run(statement_of("set_provider_status"), owner, provider,
                        std::string{"inactive"});
        if (++calls == 1) lose_connections();
        transaction.run(statement_of("edit_provider"), owner, provider,
                        "Edited " + std::to_string(calls), std::string{"openai"},
                        std::string{"https://x.org"}, false);
    });
    BOOST_TEST(calls == 2);
    BOOST_TEST(document().at("name").as_string() == "Edited 2");
    BOOST_TEST(document().at("status").as_string() == "inactive");
}

BOOST_FIXTURE_TEST_CASE(a_commit_that_died_undone_is_looked_for_and_done_again, Household) {
    FirstCommitDies deadly{"providers"};
    const auto id = crypto::random_id<ProviderId>();
    create_provider(lease, owner, id, some_fields("Twice tried"), some_key(scope));
    BOOST_TEST(deadly.commits() == 2);
    BOOST_TEST(count_providers(owner, "Twice tried") == 1);
}

BOOST_FIXTURE_TEST_CASE(a_commit_that_was_done_but_not_answered_is_found_by_its_id, Household) {
    CommitsWait waiting;
    has_model(lease, owner, provider, ""); // takes a new connection
    const auto id = crypto::random_id<ProviderId>();
    std::jthread killer{[&] { waiting.cut_one(); }};
    create_provider(lease, owner, id, some_fields("Done once"), some_key(scope));
    killer.join();
    BOOST_TEST(count_providers(owner, "Done once") == 1);
    BOOST_TEST(find_provider(lease, owner, id).has_value());
}

BOOST_FIXTURE_TEST_CASE(an_unknown_outcome_stays_unknown_when_looking_fails_once, Household) {
    const auto id = crypto::random_id<ProviderId>();
    const StoredKey key = some_key(scope);
    FirstCommitDies deadly{"providers"};
    int looked = 0;
    transact(lease, [&](Transaction& transaction) {
        if (transaction.in_doubt() && ++looked == 1) lose_connections();
        if (!transaction.run(statement_of("find_provider"), owner, id).empty()) return;
        transaction.run(statement_of("create_provider"), owner, id, std::string{"Late"},
                        std::string{"openai"}, std::string{"https://x.org"}, false,
                        Bytes{key.sealed.bytes()}, key.scope, key.hint, rules::max_providers);
    });
    BOOST_TEST(looked == 2);
    BOOST_TEST(count_providers(owner, "Late") == 1);
}

BOOST_FIXTURE_TEST_CASE(a_model_or_account_added_but_not_answered_is_found, Household) {
    CommitsWait waiting;
    has_model(lease, owner, provider, ""); // takes a new connection
    std::jthread killer{[&] {
        waiting.cut_one();
        waiting.cut_one();
    }};
    const auto model = parse(store::add_model(lease, owner, provider, {"m", "M", "code"}));
    BOOST_TEST(model.at("displayName").as_string() == "M");
    const auto id = crypto::random_id<AccountId>();
    const auto account =
        parse(store::add_account(lease, owner, provider, {id, "k", 5}, some_key(scope)));
    BOOST_TEST(account.at("id").as_string() == id.text());
    killer.join();
    waiting.let_go();
    BOOST_TEST(document().at("models").as_array().size() == 1);
    BOOST_TEST(document().at("accounts").as_array().size() == 1);
}

BOOST_FIXTURE_TEST_CASE(a_delete_done_but_not_answered_is_done, Household) {
    CommitsWait waiting;
    has_model(lease, owner, provider, ""); // takes a new connection
    std::jthread killer{[&] { waiting.cut_one(); }};
    BOOST_TEST(delete_provider(lease, owner, provider));
    killer.join();
    BOOST_TEST(!delete_provider(lease, owner, provider));
}

BOOST_FIXTURE_TEST_CASE(a_toggle_whose_answer_is_lost_toggles_once, Household) {
    add_model("m");
    {
        FirstCommitDies deadly{"models"};
        const auto model = parse(set_model_enabled(lease, owner, provider, "m", std::nullopt));
        BOOST_TEST(!model.at("isEnabled").as_bool());
        BOOST_TEST(deadly.commits() == 2);
    }
    CommitsWait waiting;
    has_model(lease, owner, provider, ""); // takes a new connection
    std::jthread killer{[&] {
        waiting.cut_one();
        waiting.let_go();
    }};
    const auto model = parse(set_model_enabled(lease, owner, provider, "m", std::nullopt));
    killer.join();
    BOOST_TEST(model.at("isEnabled").as_bool());
    BOOST_TEST(document().at("models").at(0).at("isEnabled").as_bool());
}

BOOST_FIXTURE_TEST_CASE(a_user_added_but_not_answered_is_no_conflict, Household) {
    Acting operating{test_database().as_owner(), std::nullopt};
    CommitsWait waiting{"usershell_owner"};
    std::jthread killer{[&] { waiting.cut_one(); }};
    const auto email = *parse_email(crypto::random_uuid() + "@example.org");
    add_user(operating.lease, crypto::random_id<UserId>(), email, "Somebody", "hash");
    killer.join();
    waiting.let_go();
    BOOST_TEST(
        as_superuser("SELECT 1 FROM usershell.users WHERE email = '" + email.shown + "'").size() ==
        1);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(other_faults)

BOOST_FIXTURE_TEST_CASE(a_store_that_is_down_is_unavailable_and_then_back, Household) {
    {
        Closed closed;
        for (int i = 0; i < 3; ++i) {
            BOOST_CHECK_EXCEPTION(find_provider(lease, owner, provider), Refusal,
                                  unavailable_for_a_second());
            BOOST_CHECK_EXCEPTION(delete_provider(lease, owner, provider), Refusal,
                                  unavailable_for_a_second());
            BOOST_CHECK_EXCEPTION(create_provider(lease, owner, crypto::random_id<ProviderId>(),
                                                  some_fields(), some_key(scope)),
                                  Refusal, unavailable_for_a_second());
        }
    }
    BOOST_TEST(find_provider(lease, owner, provider).has_value());
}

BOOST_AUTO_TEST_CASE(a_store_that_never_was_is_unavailable) {
    Acting nowhere{"host=/nonexistent dbname=x user=x", std::nullopt};
    BOOST_CHECK_EXCEPTION(list_providers(nowhere.lease, crypto::random_id<UserId>()), Refusal,
                          unavailable_for_a_second());
}

BOOST_FIXTURE_TEST_CASE(a_row_that_stays_locked_is_unavailable_not_a_hang, Household) {
    pqxx::connection other = superuser();
    pqxx::work holder{other};
    holder.exec("SELECT 1 FROM usershell.providers WHERE id = '" + provider.text() +
                "' FOR UPDATE");
    Acting impatient{test_database().as_manage() + " options='-c lock_timeout=50ms'", owner};
    BOOST_CHECK_EXCEPTION(set_provider_status(impatient.lease, owner, provider, false), Refusal,
                          unavailable_for_a_second());
    holder.abort();
    BOOST_TEST(set_provider_status(impatient.lease, owner, provider, false));
}

BOOST_FIXTURE_TEST_CASE(a_deadlock_is_tried_again_once, Household) {
    const Statement& lock = statement_of("lock_provider");
    const auto second = crypto::random_id<ProviderId>();
    create_provider(lease, owner, second, some_fields(), some_key(scope));
    std::barrier both_hold_one{2};
    std::atomic<int> done = 0;
    const auto lock_both = [&](Lease& its, const ProviderId& one, const ProviderId& other) {
        int calls = 0;
        transact(its, [&](Transaction& transaction) {
            if (++calls == 2) { // the victim comes again when the other is through
                while (done == 0) std::this_thread::sleep_for(1ms);
            }
            transaction.run(lock, owner, one);
            if (calls == 1) both_hold_one.arrive_and_wait();
            transaction.run(lock, owner, other);
        });
        ++done;
        return calls;
    };
    const std::string patient = test_database().as_manage() + " options='-c lock_timeout=60s'";
    Acting left{patient, owner};
    Acting right{patient, owner};
    int left_calls = 0;
    std::jthread thread{[&] { left_calls = lock_both(left.lease, provider, second); }};
    const int right_calls = lock_both(right.lease, second, provider);
    thread.join();
    BOOST_TEST(left_calls + right_calls == 3); // one of the two was the victim, and came again
}

BOOST_AUTO_TEST_CASE(what_an_sqlstate_means) {
    using Kind = StoreFault::Kind;
    const std::vector<std::pair<const char*, Kind>> table{
        {"08006", Kind::lost},        {"08007", Kind::in_doubt}, {"57P01", Kind::lost},
        {"57P03", Kind::lost},        {"25006", Kind::lost},     {"40001", Kind::rolled_back},
        {"40P01", Kind::rolled_back}, {"40003", Kind::in_doubt}, {"53100", Kind::busy},
        {"53300", Kind::busy},        {"55P03", Kind::busy},     {"57014", Kind::busy},
        {"58030", Kind::busy},        {"23505", Kind::taken},    {"23503", Kind::orphaned},
        {"22021", Kind::bad_text},    {"23514", Kind::other},    {"42P01", Kind::other},
        {"42501", Kind::other},       {"", Kind::other}};
    for (const auto& [sqlstate, kind] : table)
        BOOST_TEST((kind_of_sqlstate(sqlstate) == kind), sqlstate);
}

BOOST_FIXTURE_TEST_CASE(a_disk_that_is_full_is_unavailable, Household) {
    as_superuser("CREATE FUNCTION usershell.full() RETURNS trigger LANGUAGE plpgsql AS "
                 "$$ BEGIN RAISE EXCEPTION SQLSTATE '53100'; END $$");
    as_superuser("CREATE TRIGGER a_full BEFORE UPDATE ON usershell.providers FOR EACH ROW "
                 "EXECUTE FUNCTION usershell.full()");
    BOOST_CHECK_EXCEPTION(set_provider_status(lease, owner, provider, false), Refusal,
                          unavailable_for_a_second());
    as_superuser("DROP TRIGGER a_full ON usershell.providers");
    as_superuser("DROP FUNCTION usershell.full");
    BOOST_TEST(document().at("status").as_string() == "active");
}

BOOST_FIXTURE_TEST_CASE(an_unexpected_error_tells_statement_and_sqlstate_and_no_value, Household) {
    const std::string canary(101, 'C');
    try {
        edit_provider(lease, owner, provider, some_fields(canary));
        BOOST_ERROR("The table should have refused the name.");
    } catch (const std::runtime_error& error) {
        const std::string what = error.what();
        BOOST_TEST(what.find("edit_provider") != std::string::npos);
        BOOST_TEST(what.find("23514") != std::string::npos);
        BOOST_TEST(what.find("CCC") == std::string::npos);
    }
    BOOST_TEST(find_provider(lease, owner, provider).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(pool)

BOOST_FIXTURE_TEST_CASE(when_all_are_lent_the_next_waits_and_is_then_refused, Household) {
    Database database{test_database().as_manage(), 2, {.wait = 20ms}};
    Lease first{database};
    Lease second{database};
    Lease third{database};
    first.connection();
    second.connection();
    BOOST_CHECK_EXCEPTION(list_providers(third, owner), Refusal, unavailable_for_a_second());
    first.release();
    BOOST_TEST(list_providers(third, owner) == R"({"providers":[]})");
}

BOOST_FIXTURE_TEST_CASE(one_who_waits_gets_what_is_given_back, Household) {
    Database database{test_database().as_manage(), 1, {.wait = 60s}};
    Lease first{database};
    first.connection();
    std::jthread waiting{[&] {
        Lease second{database};
        second.act_as(owner);
        list_providers(second, owner);
    }};
    first.release();
    waiting.join();
}

BOOST_FIXTURE_TEST_CASE(a_connection_is_used_again, Household) {
    Database database{test_database().as_manage(), 4};
    const auto backend = [&] {
        Lease one{database};
        return one.connection().run(statement_of("ping")).size() == 1 ? &one.connection() : nullptr;
    };
    BOOST_TEST(backend() == backend());
}

BOOST_FIXTURE_TEST_CASE(after_a_loss_none_that_lay_idle_is_trusted, Household) {
    Database database{test_database().as_manage(), 8};
    const auto use = [&] {
        std::vector<std::unique_ptr<Lease>> leases;
        for (int i = 0; i < 8; ++i) {
            leases.push_back(std::make_unique<Lease>(database));
            leases.back()->act_as(owner);
            leases.back()->connection();
        }
    };
    use();
    // Each would be lost on its first use, and one retry would not be enough if the next were idle,
    // too.
    for (int round = 0; round < 3; ++round) {
        lose_connections();
        {
            Lease one{database};
            one.act_as(owner);
            BOOST_TEST(find_provider(one, owner, provider).has_value());
        }
        use();
    }
}

BOOST_FIXTURE_TEST_CASE(one_lent_out_when_others_were_lost_is_not_pooled_again, Household) {
    Database database{test_database().as_manage(), 2};
    Lease holding{database};
    holding.connection();
    {
        Lease losing{database};
        losing.connection();
        lose_connections(); // the held one, too, which nobody knows yet
        losing.discard();
    }
    holding.release();
    Lease next{database};
    BOOST_TEST(next.connection().run(statement_of("ping")).size() == 1);
}

BOOST_FIXTURE_TEST_CASE(an_idle_connection_is_tried_before_it_is_lent, Household) {
    Database database{test_database().as_manage(), 1, {.ping_after = 0ms}};
    {
        Lease one{database};
        one.connection();
    }
    lose_connections();
    Lease next{database};
    // No second try is needed: the connection lent is a good one.
    BOOST_TEST(next.connection().run(statement_of("ping")).size() == 1);
}

BOOST_FIXTURE_TEST_CASE(places_are_not_lost_with_connections, Household) {
    Database database{test_database().as_manage(), 2, {.wait = 60s}};
    for (int round = 0; round < 6; ++round) {
        Lease one{database};
        Lease other{database};
        one.connection();
        other.connection();
        one.discard();
        if (round % 2 == 0) other.discard();
    }
    Lease one{database};
    Lease other{database};
    one.act_as(owner);
    other.act_as(owner);
    BOOST_TEST(find_provider(one, owner, provider).has_value());
    BOOST_TEST(find_provider(other, owner, provider).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace usershell::store
