// Lost connections, commits in doubt, servers that go away. The pool of connections: when all are
// lent, and after losses.
#include "store/database/run.hpp"
#include "store/store_fixture.hpp"
#include <barrier>
namespace usershell::store {
namespace {
const Statement& statement_named(std::string_view name) {
    const auto found = std::ranges::find(Statement::all(), name, &Statement::name);
    BOOST_REQUIRE(found != Statement::all().end());
    return **found;
}
/// Ends the managing program's connections; returns how many there were.
int lose_connections() { return terminate_connections_of("usershell_manage"); }
void unavailable_for_a_second(const auto& work) {
    BOOST_CHECK_EXCEPTION(work(), Refusal, [](const Refusal& refusal) {
        return refusal.status() == 503 && refusal.retry_after() == 1s;
    });
}
/// Until let_go() a role's commits wait for a standby: each is done, and not yet answered.
struct CommitsWait : boost::noncopyable {
    explicit CommitsWait(std::string role) : role_{std::move(role)} {
        as_superuser("ALTER ROLE " + role_ + " SET synchronous_commit = on");
        set("nobody");
        wait_for_checkpointer();
        terminate_connections_of(role_); // the role's setting holds for new ones
    }
    ~CommitsWait() {
        let_go();
        as_superuser("ALTER ROLE " + role_ + " RESET synchronous_commit");
    }
    /// Waits for such a commit, and ends its connection or does another thing to that `pid`.
    static void cut_one(const std::string& how = "pg_terminate_backend(pid, 60000)") {
        wait_until([&] {
            return any("SELECT " + how +
                       " FROM pg_stat_activity WHERE datname = current_database()"
                       " AND wait_event = 'SyncRep'");
        });
    }
    static void let_go() { set(""); }
    /// No commit waits before the checkpointer has read the new setting.
    static void wait_for_checkpointer() {
        std::jthread probe{[] {
            try {
                for (;;)
                    as_superuser("SELECT set_config('synchronous_commit', 'on', true), "
                                 "pg_logical_emit_message(true, 'usershell', '')");
            } catch (const pqxx::failure&) { // cut
            }
        }};
        cut_one();
    }
    static void set(const std::string& names) {
        as_superuser("ALTER SYSTEM SET synchronous_standby_names = '" + names + "'");
        as_superuser("SELECT pg_reload_conf()");
        wait_until([&] {
            return any("SELECT WHERE current_setting('synchronous_standby_names') = $1", names);
        });
    }
    std::string role_;
};
/// Does `work` on the lease, whose first COMMIT is done while its answer is lost.
void with_lost_answer(Lease& lease, const auto& work,
                      const std::string& role = "usershell_manage") {
    CommitsWait waiting{role};
    run(lease, statement_named("ping")); // takes a new connection
    std::jthread killer{[] {
        CommitsWait::cut_one();
        CommitsWait::let_go();
    }};
    work();
}
/// A trigger at commit that ends its own connection the first time it fires.
struct FirstCommitDies : boost::noncopyable {
    explicit FirstCommitDies(const std::string& table) {
        as_superuser("CREATE SEQUENCE usershell.commits");
        as_superuser(R"sql(
            CREATE FUNCTION usershell.die_once() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
            BEGIN
                IF nextval('usershell.commits') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
                RETURN NULL;
            END $$)sql");
        as_superuser("CREATE CONSTRAINT TRIGGER die_once AFTER INSERT OR UPDATE ON usershell." +
                     table +
                     " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW "
                     "EXECUTE FUNCTION usershell.die_once()");
    }
    ~FirstCommitDies() {
        as_superuser("DROP FUNCTION usershell.die_once CASCADE");
        as_superuser("DROP SEQUENCE usershell.commits");
    }
    static int commits() { return value<int>("SELECT last_value FROM usershell.commits"); }
};
/// The database takes no new connections, and has none of the workers': as if it were down.
struct Closed : boost::noncopyable {
    Closed() {
        allow_connections("false");
        execute("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = '" +
                test_database().name() + "'");
    }
    ~Closed() { allow_connections("true"); }
    static void execute(const std::string& sql) {
        pqxx::connection connection{test_database().as_superuser() + " dbname=postgres"};
        pqxx::nontransaction{connection}.exec(sql);
    }
    static void allow_connections(const std::string& yes) {
        execute("ALTER DATABASE \"" + test_database().name() + "\" ALLOW_CONNECTIONS " + yes);
    }
};
std::size_t providers_named(const UserId& owner, const std::string& name) {
    return as_superuser("SELECT FROM usershell.providers WHERE owner_id = $1 AND name = $2",
                        owner.text(), name)
        .size();
}
Rows rename(Transaction& transaction, const ProviderOwner& user, const std::string& name) {
    return transaction.run(statement_named("edit_provider"), user.owner, user.provider, name,
                           "openai"s, "https://x.org"s, false, std::string{});
}
struct Hurried {
    explicit Hurried(const UserId& user) { lease.present(session_of(user).token_hash); }
    Database database{test_database().as_manage(), 1, {.limit = 3s}};
    Lease lease{database};
};

// Its kernel keeps the connection open. After the thaw it finds no COMMIT.
BOOST_FIXTURE_TEST_CASE(a_frozen_server_is_unavailable_and_writes_nothing_later, ProviderOwner) {
    Hurried hurried{owner};
    int backend = 0;
    const auto freeze = [&](Transaction& transaction) {
        rename(transaction, *this, "Late");
        backend = transaction.run(statement_named("backend")).front().get<int>("pid");
        ::kill(backend, SIGSTOP);
        rename(transaction, *this, "Later");
    };
    unavailable_for_a_second([&] { transact(hurried.lease, freeze); });
    ::kill(backend, SIGCONT);
    wait_until([&] { return !any("SELECT FROM pg_stat_activity WHERE pid = $1", backend); });
    BOOST_TEST(now().fields.name == "Some provider");
}

BOOST_FIXTURE_TEST_CASE(a_read_and_a_sign_in_are_tried_again_on_a_fresh_connection, ProviderOwner) {
    for (int i = 0; i < 3; ++i) {
        BOOST_TEST(lose_connections() > 0);
        BOOST_TEST(find_provider_fields(lease, owner, provider).has_value());
    }
    const NewSession session = some_session();
    start_session(*Vouching{}, proven(owner), session);
    lose_connections();
    BOOST_TEST(sign_request_in(lease, session.keys.token_hash).has_value());
    BOOST_TEST(find_provider_fields(lease, owner, provider).has_value());
}

BOOST_FIXTURE_TEST_CASE(a_read_is_tried_again_once_only, ProviderOwner) {
    int calls = 0;
    const auto lose = [&](const StoreFault*) {
        ++calls;
        lease.connection();
        lose_connections();
        return lease.connection().run(statement_named("ping"));
    };
    unavailable_for_a_second([&] { with_retry(lease, lose); });
    BOOST_TEST(calls == 2);
    BOOST_TEST(find_provider_fields(lease, owner, provider).has_value());
}

BOOST_FIXTURE_TEST_CASE(a_broken_transaction_leaves_nothing_and_does_not_go_on, ProviderOwner) {
    {
        Transaction transaction{lease.connection(), false};
        rename(transaction, *this, "before");
        lose_connections();
        for (int i = 0; i < 4; ++i)
            BOOST_CHECK_THROW(rename(transaction, *this, "after"), StoreFault);
        BOOST_CHECK_THROW(transaction.commit(), StoreFault);
    }
    lease.discard();
    BOOST_TEST(now().fields.name == "Some provider");
}

BOOST_FIXTURE_TEST_CASE(what_was_not_committed_is_done_once_in_a_second_one, ProviderOwner) {
    int calls = 0;
    transact(lease, [&](Transaction& transaction) {
        BOOST_TEST(!transaction.in_doubt());
        transaction.run(statement_named("set_provider_status"), owner, provider, "inactive"s);
        if (++calls == 1) lose_connections();
        rename(transaction, *this, "Edited " + std::to_string(calls));
    });
    BOOST_TEST(calls == 2);
    BOOST_TEST(now().fields.name == "Edited 2");
    BOOST_TEST(!now().is_active);
}

BOOST_FIXTURE_TEST_CASE(one_that_died_undone_is_looked_for_and_done_again, ProviderOwner) {
    FirstCommitDies deadly{"providers"};
    create_provider(lease, owner, crypto::random_id<ProviderId>(), some_fields("Twice tried"),
                    some_key());
    BOOST_TEST(FirstCommitDies::commits() == 2);
    BOOST_TEST(providers_named(owner, "Twice tried") == 1);
}

BOOST_FIXTURE_TEST_CASE(one_stays_in_doubt_when_looking_fails_once, ProviderOwner) {
    FirstCommitDies deadly{"providers"};
    int looked = 0;
    transact(lease, [&](Transaction& transaction) {
        if (transaction.in_doubt() && ++looked == 1) lose_connections();
        rename(transaction, *this, "Late");
    });
    BOOST_TEST(looked == 2);
    BOOST_TEST(now().fields.name == "Late");
}

BOOST_FIXTURE_TEST_CASE(what_was_done_but_not_answered_is_found_by_its_id, ProviderOwner) {
    const auto id = crypto::random_id<ProviderId>();
    const auto create = [&] { create_provider(lease, owner, id, some_fields("Once"), some_key()); };
    with_lost_answer(lease, create);
    BOOST_TEST(find_provider(lease, owner, id).has_value());
    BOOST_TEST(providers_named(owner, "Once") == 1);
    with_lost_answer(lease, [&] {
        const auto added = store::add_model(lease, owner, provider, {"m", "M", "code"});
        BOOST_TEST(added.display_name == "M");
    });
    with_lost_answer(lease, [&] { add_account("k"); });
    BOOST_TEST(now().models.size() + now().accounts.size() == 2);
    Operating operating;
    const auto email = parse_email(crypto::random_uuid() + "@example.org").value();
    const auto add = [&] { add_user(*operating, crypto::random_id<UserId>(), email, "A", "hash"); };
    with_lost_answer(*operating, add, "usershell_owner");
    BOOST_TEST(as_superuser("SELECT FROM usershell.users WHERE email = $1", email.shown).size() ==
               1);
    with_lost_answer(lease, [&] { delete_provider(lease, owner, provider); });
    BOOST_TEST(!find_provider(lease, owner, provider));
}

// A row that was found is perhaps on the old primary alone.
BOOST_FIXTURE_TEST_CASE(what_was_in_doubt_is_acknowledged_when_the_standby_has_it, ProviderOwner) {
    int name = 0;
    for (const std::string how : {"pg_terminate_backend(pid, 60000)", "pg_cancel_backend(pid)"}) {
        CommitsWait waiting{"usershell_manage"};
        std::atomic<bool> let_go = false;
        std::jthread standby{[&] {
            CommitsWait::cut_one(how);
            CommitsWait::cut_one("pg_sleep(0)"); // the second try waits as well
            let_go = true;
            CommitsWait::let_go();
        }};
        create_provider(lease, owner, crypto::random_id<ProviderId>(),
                        some_fields(std::to_string(++name)), some_key());
        BOOST_TEST(let_go.load(), how);
        BOOST_TEST(providers_named(owner, std::to_string(name)) == 1, how);
    }
}

BOOST_FIXTURE_TEST_CASE(without_an_answer_in_time_the_outcome_is_unknown, ProviderOwner) {
    CommitsWait waiting{"usershell_manage"};
    Hurried hurried{owner};
    BOOST_CHECK_EXCEPTION(set_provider_status(hurried.lease, owner, provider, false), Refusal,
                          refused_as(ErrorCode::outcome_unknown));
    CommitsWait::let_go();
    BOOST_TEST(!now().is_active);
}

BOOST_FIXTURE_TEST_CASE(a_toggle_whose_answer_is_lost_toggles_once, ProviderOwner) {
    add_model("m");
    {
        FirstCommitDies deadly{"models"};
        BOOST_TEST(!set_model_enabled(lease, owner, provider, "m", std::nullopt).is_enabled);
        BOOST_TEST(FirstCommitDies::commits() == 2);
    }
    with_lost_answer(lease, [&] {
        BOOST_TEST(set_model_enabled(lease, owner, provider, "m", std::nullopt).is_enabled);
    });
    BOOST_TEST(now().models.at(0).is_enabled);
}

BOOST_FIXTURE_TEST_CASE(a_store_that_is_down_is_unavailable_and_then_back, ProviderOwner) {
    {
        Closed closed;
        for (int i = 0; i < 3; ++i) {
            unavailable_for_a_second([&] { list_providers(lease, owner); });
            unavailable_for_a_second([&] { delete_provider(lease, owner, provider); });
            unavailable_for_a_second([&] { add_model("m"); });
        }
    }
    BOOST_TEST(find_provider_fields(lease, owner, provider).has_value());
}

BOOST_FIXTURE_TEST_CASE(a_row_that_stays_locked_is_unavailable_not_a_hang, ProviderOwner) {
    pqxx::connection other{test_database().as_superuser()};
    pqxx::work holder{other};
    libpqxx::query(holder, "SELECT FROM usershell.providers WHERE id = $1 FOR UPDATE",
                   provider.text());
    Acting impatient{test_database().as_manage() + " options='-c lock_timeout=50ms'", owner};
    const auto set = [&] { set_provider_status(impatient.lease, owner, provider, false); };
    unavailable_for_a_second(set);
    holder.abort();
    set();
    BOOST_TEST(!now().is_active);
}

BOOST_FIXTURE_TEST_CASE(a_deadlock_is_tried_again_once, ProviderOwner) {
    const Statement& lock = statement_named("lock_provider");
    const auto second = crypto::random_id<ProviderId>();
    create_provider(lease, owner, second, some_fields(), some_key());
    std::barrier both_hold_one{2};
    std::atomic<int> done = 0;
    const auto lock_both = [&](Lease& its, const ProviderId& one, const ProviderId& other) {
        int calls = 0;
        transact(its, [&](Transaction& transaction) {
            // The victim comes again when the other is through.
            if (++calls == 2) wait_until([&] { return done != 0; });
            transaction.run(lock, owner, one);
            if (calls == 1) both_hold_one.arrive_and_wait();
            transaction.run(lock, owner, other);
        });
        ++done;
        return calls;
    };
    const std::string patient = test_database().as_manage() + " options='-c lock_timeout=60s'";
    Acting left{patient, owner}, right{patient, owner};
    int left_calls = 0;
    std::jthread thread{[&] { left_calls = lock_both(left.lease, provider, second); }};
    const int right_calls = lock_both(right.lease, second, provider);
    thread.join();
    BOOST_TEST(left_calls + right_calls == 3); // one of the two was the victim, and came again
}

BOOST_AUTO_TEST_CASE(what_an_sqlstate_means) {
    using enum StoreFault::Kind;
    const std::vector<std::pair<StoreFault::Kind, std::vector<const char*>>> table{
        {connection_lost, {"08006", "57P01", "57P03", "25006"}},
        {commit_in_doubt, {"08007", "40003"}},
        {transaction_rollback, {"40001", "40P01"}},
        {insufficient_resources, {"53100", "53300", "55P03", "57014", "58030"}},
        {unique_violation, {"23505"}},
        {foreign_key_violation, {"23503"}},
        {character_not_in_repertoire, {"22021"}},
        {password_needed, {"US003"}},
        {other, {"23514", "42P01", ""}}};
    for (const auto& [kind, states] : table)
        for (const char* state : states) BOOST_TEST((kind_of_sqlstate(state) == kind), state);
}

BOOST_AUTO_TEST_CASE(what_a_caller_hears_of_a_fault) {
    using enum StoreFault::Kind;
    const std::vector<std::pair<StoreFault::Kind, ErrorCode>> table{
        {connection_lost, ErrorCode::unavailable},
        {insufficient_resources, ErrorCode::unavailable},
        {unique_violation, ErrorCode::conflict},
        {foreign_key_violation, ErrorCode::not_found},
        {character_not_in_repertoire, ErrorCode::invalid_field}};
    for (const auto& [kind, code] : table)
        BOOST_CHECK_EXCEPTION((StoreFault{kind, "statement", "", "In use."_en}.raise()), Refusal,
                              refused_as(code));
    BOOST_CHECK_THROW((StoreFault{other, "statement", "", "In use."_en}.raise()), Error);
    const StoreFault full{insufficient_resources, "statement", "53100", {}, "ERROR:  disk full"};
    BOOST_CHECK_EXCEPTION(full.raise(), Error, [](const Error& error) {
        return error.what() == "Store: statement failed, SQLSTATE 53100: ERROR:  disk full"sv;
    });
    BOOST_TEST(full.what() == "Store: statement failed, SQLSTATE 53100"sv);
}

BOOST_FIXTURE_TEST_CASE(an_unexpected_error_tells_statement_and_sqlstate_alone, ProviderOwner) {
    const auto told = [](const Error& error) {
        return has(error.what(), "edit_provider") && has(error.what(), "23514") &&
               !has(error.what(), "CCC");
    };
    BOOST_CHECK_EXCEPTION(edit_provider(lease, owner, provider, some_fields(std::string(101, 'C'))),
                          Error, told);
    BOOST_TEST(find_provider_fields(lease, owner, provider).has_value());
}

/// Does the lease get a connection that works, without a second try?
bool works(Lease& lease) { return !lease.connection().run(statement_named("ping")).empty(); }

BOOST_AUTO_TEST_CASE(when_all_are_lent_the_next_waits_and_is_then_refused) {
    Database database{test_database().as_manage(), 2, {.wait = 20ms}};
    Lease first{database}, second{database}, third{database};
    first.connection();
    second.connection();
    unavailable_for_a_second([&] { third.connection(); });
    first.release();
    BOOST_TEST(works(third));
}

BOOST_AUTO_TEST_CASE(one_who_waits_gets_what_is_given_back) {
    Database database{test_database().as_manage(), 1, {.wait = 60s, .limit = 60s}};
    Lease first{database};
    first.connection();
    bool worked = false;
    std::jthread waiting{[&] {
        Lease second{database};
        worked = works(second);
    }};
    first.release();
    waiting.join();
    BOOST_TEST(worked);
}

BOOST_AUTO_TEST_CASE(a_connection_is_used_again) {
    Database database{test_database().as_manage(), 4};
    const auto backend = [&] {
        Lease one{database};
        return &one.connection();
    };
    BOOST_TEST(backend() == backend());
}

BOOST_FIXTURE_TEST_CASE(after_a_loss_no_idle_one_is_trusted, ProviderOwner) {
    Database database{test_database().as_manage(), 8};
    for (int round = 0; round < 3; ++round) {
        {
            std::vector<std::unique_ptr<Lease>> leases(8);
            for (auto& each : leases) {
                each = std::make_unique<Lease>(database);
                BOOST_TEST(works(*each));
            }
        }
        // All eight are lost: one retry would not be enough if the next were an idle one, too.
        lose_connections();
        Lease one{database};
        one.present(session_of(owner).token_hash);
        BOOST_TEST(find_provider_fields(one, owner, provider).has_value());
    }
}

BOOST_AUTO_TEST_CASE(one_lent_when_others_were_lost_is_not_pooled_again) {
    Database database{test_database().as_manage(), 2};
    Lease holding{database};
    holding.connection();
    {
        Lease losing{database};
        losing.connection();
        lose_connections(); // the held one, too
        losing.discard();
    }
    holding.release();
    Lease next{database};
    BOOST_TEST(works(next));
}

BOOST_AUTO_TEST_CASE(one_long_idle_is_tried_before_it_is_lent) {
    Database database{test_database().as_manage(), 1, {.ping_after = 0ms}};
    Lease{database}.connection();
    lose_connections();
    Lease next{database};
    BOOST_TEST(works(next));
}

BOOST_AUTO_TEST_CASE(places_are_not_lost_with_connections) {
    Database database{test_database().as_manage(), 2, {.wait = 60s, .limit = 60s}};
    for (int round = 0; round < 7; ++round) {
        Lease one{database}, other{database};
        BOOST_TEST((works(one) && works(other)));
        one.discard();
        if (round % 2 == 0) other.discard();
    }
}
} // namespace
} // namespace usershell::store
