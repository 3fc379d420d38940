#include "crypto/envelope/envelope.hpp"
#include "store/store_fixture.hpp"
namespace usershell::store {
namespace {
struct Calls : ProviderOwner {
    CallProvider load() { return executing.load(provider); }
    HealthReport of_all(Health health, const std::string& message, Cooldown cooldown = {}) {
        return shown_of_every_key(load(), health, message, cooldown);
    }
    HealthReport of_own(Health health, const std::string& message, Cooldown cooldown = {}) {
        HealthReport report = of_all(health, message, cooldown);
        report.keys.resize(1);
        return report;
    }
    KeyReport of_account(std::size_t index, Health health, const std::string& message,
                         Cooldown cooldown = {}) {
        return of_all(health, message, cooldown).keys.at(1 + index);
    }
    void is_edited(const ProviderFields& fields) { edit_provider(lease, owner, provider, fields); }
    void gets_key() { set_provider_key(lease, owner, provider, some_key()); }
    void is_active(bool active) { set_provider_status(lease, owner, provider, active); }
    bool is(Health health) { return now().health.status == health; }
    bool account_is(std::size_t index, Health health) {
        return now().accounts.at(index).health.status == health;
    }
    static bool is_call_under_way(const CallId& which) {
        return any("SELECT FROM usershell.calls WHERE id = $1", which.id);
    }
    Executing executing{owner};
    Lease& calling = executing.lease;
    Lease& opening = executing.opening.lease;
    const CallId& call = executing.call;
};
std::vector<CallId> no_calls_of(const UserId& owner, const Executing& stranger) {
    Executing one{owner};
    end_calls(*one, {{one.call}});
    const auto& [ended, another] = std::tie(one.call, stranger.call);
    return {{owner, another.id},
            another,
            {owner, crypto::random_uuid()},
            {another.user, ended.id},
            ended};
}

BOOST_FIXTURE_TEST_CASE(a_call_gets_the_provider_with_its_keys, Calls) {
    const StoredKey own = some_key();
    set_provider_key(lease, owner, provider, own);
    add_account("second", 2);
    const AccountId first = add_account("first", 1);
    const AccountId off = add_account("off", 3);
    set_account_enabled(lease, owner, provider, off, false);
    for (const char* id : {"vendor/a b,c", "b", "\"quoted\""}) add_model(id);
    set_model_enabled(lease, owner, provider, "b", false);
    const ProviderFields fields = in_turn();
    is_edited(fields);
    const CallProvider loaded = load();
    BOOST_TEST((loaded.id == provider && loaded.is_active && loaded.round_robin_accounts));
    BOOST_TEST(loaded.name == fields.name);
    BOOST_TEST(loaded.type->value == fields.type);
    BOOST_TEST(loaded.url().text() == fields.base_url);
    BOOST_TEST(loaded.all_models == (std::vector<std::string>{"vendor/a b,c", "b", "\"quoted\""}),
               boost::test_tools::per_element());
    BOOST_TEST(loaded.enabled_models == (std::vector<std::string>{"vendor/a b,c", "\"quoted\""}),
               boost::test_tools::per_element());
    BOOST_REQUIRE(loaded.accounts.size() == 3);
    BOOST_TEST((loaded.accounts[0].account == first));
    BOOST_TEST(loaded.accounts[0].name == "first");
    BOOST_TEST((loaded.accounts[1].is_enabled && !loaded.accounts[2].is_enabled));
    BOOST_TEST(!loaded.own_key.value().account);
    BOOST_TEST((digest_at(provider) == digest_of(own.sealed)));
}

BOOST_FIXTURE_TEST_CASE(a_provider_without_keys_or_models_is_loaded_too, Calls) {
    as_superuser("UPDATE usershell.providers SET sealed_key = NULL WHERE id = $1", provider.text());
    const CallProvider loaded = load();
    BOOST_TEST((!loaded.own_key && loaded.accounts.empty() && loaded.all_models.empty()));
    BOOST_TEST(!now().has_key);
}

BOOST_FIXTURE_TEST_CASE(without_a_call_of_its_owner_nothing_is_written, Calls) {
    add_account("a");
    const HealthReport report = of_all(Health::unhealthy, "Refused.", 300s);
    const Executing stranger{add_user().id};
    const CallId& other = stranger.call;
    for (const CallId& no_call : no_calls_of(owner, stranger)) {
        const bool is_strangers = no_call.user == other.user && no_call.id == other.id;
        BOOST_TEST(renew_calls(calling, {no_call}).empty() != is_strangers);
        end_calls(calling, {{no_call, {report}}});
    }
    BOOST_TEST((is(Health::unknown) && account_is(0, Health::unknown)));
    BOOST_TEST(!load().own_key->is_in_cooldown);
    BOOST_TEST(is_call_under_way(call));
}

BOOST_FIXTURE_TEST_CASE(a_call_knows_which_models_of_its_provider_read_images, Calls) {
    for (const char* id : {"sees", "blind"}) add_model(id);
    set_model_capabilities(lease, owner, provider, "sees", "generation,vision");
    set_model_capabilities(lease, owner, provider, "blind", "generation,image");
    const auto other = crypto::random_id<ProviderId>();
    create_provider(lease, owner, other, some_fields(), some_key());
    const auto of = [&](const ProviderId& id) {
        return begin_call(opening, executing.token, id, TakesTurn::no).value().call.value();
    };
    const CallId its = of(provider);
    BOOST_TEST((model_sees(calling, its, "sees") && !model_sees(calling, its, "blind")));
    BOOST_TEST(!model_sees(calling, its, "none"));
    BOOST_TEST(!model_sees(calling, of(other), "sees"));
    const Executing stranger{add_user().id};
    for (const CallId& no_call : no_calls_of(owner, stranger))
        BOOST_TEST(!model_sees(calling, no_call, "sees"));
}

BOOST_FIXTURE_TEST_CASE(by_anothers_token_nothing_is_read, Calls) {
    const Executing stranger{add_user().id};
    for (const std::string& token : {stranger.token, crypto::random_bytes(32)}) {
        BOOST_TEST(!load_call_provider(opening, token, provider));
        BOOST_TEST(active_providers(opening, token).empty());
    }
}

BOOST_FIXTURE_TEST_CASE(a_call_begins_with_a_good_session_and_ends_with_it, Calls) {
    const auto start = begin_call(opening, executing.token, provider, TakesTurn::no);
    BOOST_REQUIRE(start);
    BOOST_TEST((start->caller.user == owner));
    BOOST_TEST(start->call.has_value());
    sign_out_everywhere(*Vouching{owner});
    BOOST_TEST(!begin_call(opening, executing.token, provider, TakesTurn::no));
    as_superuser("UPDATE usershell.calls SET expires_at = now() + interval '1 s' WHERE id = $1",
                 call.id);
    BOOST_TEST(renew_calls(calling, {call}).empty()); // which may end, but not go on
    BOOST_TEST(any("SELECT FROM usershell.calls WHERE id = $1 AND expires_at < now() + "
                   "interval '2 s'",
                   call.id));
}

BOOST_FIXTURE_TEST_CASE(a_call_may_run_while_its_provider_is_there_and_as_active, Calls) {
    const auto begin = [&](const std::optional<ProviderId>& of) {
        return begin_call(opening, executing.token, of, TakesTurn::no).value().call.value();
    };
    // Another one, active all the time, gives them no right.
    create_provider(lease, owner, crypto::random_id<ProviderId>(), some_fields(), some_key());
    is_active(false);
    const CallId test = begin(provider);
    is_active(true);
    const CallId chat = begin(provider);
    const CallId batch = begin(std::nullopt);
    const auto renewed = [&](const CallId& which) {
        return !renew_calls(calling, {which}).empty();
    };
    for (const CallId& each : {test, chat, batch}) BOOST_TEST(renewed(each));
    BOOST_TEST(renew_calls(calling, {test, chat, batch, call}).size() == 4U);
    is_active(false);
    BOOST_TEST((renewed(test) && !renewed(chat) && renewed(batch)));
    delete_provider(lease, owner, provider);
    BOOST_TEST((!renewed(test) && renewed(batch)));
    for (const CallId& each : {test, chat, batch}) {
        BOOST_TEST(is_call_under_way(each), "it counts until it has ended");
        end_calls(calling, {{each}});
    }
}

BOOST_FIXTURE_TEST_CASE(a_call_under_way_has_further_keys_of_its_provider_alone, Calls) {
    const AccountId account = add_account("a");
    set_header(lease, owner, provider, "x-tenant", some_key());
    const auto other = crypto::random_id<ProviderId>();
    create_provider(lease, owner, other, elsewhere(), some_key());
    const auto of = [&](const std::optional<ProviderId>& which) {
        return begin_call(opening, executing.token, which, TakesTurn::no).value().call.value();
    };
    const CallId its = of(provider);
    const auto own = next_key(opening, its, provider, std::nullopt, false);
    BOOST_REQUIRE((own && own->key));
    BOOST_TEST((own->key->digest == digest_at(provider) && own->headers.empty()));
    BOOST_TEST((own->type == some_fields().type && own->base_url == some_fields().base_url));
    const auto accounts = next_key(opening, its, provider, account, true);
    BOOST_REQUIRE((accounts && accounts->key && accounts->headers.size() == 1U));
    BOOST_TEST((accounts->key->digest == digest_at(provider, account)));
    BOOST_TEST(accounts->headers[0].name == "x-tenant");
    BOOST_TEST(accounts->headers[0].value.has_value());
    BOOST_TEST(!next_key(opening, its, other, std::nullopt, true));
    const auto gone = next_key(opening, its, provider, crypto::random_id<AccountId>(), false);
    BOOST_TEST((gone && !gone->key));
    const CallId batch = of(std::nullopt); // of all that are active
    for (const ProviderId& each : {provider, other})
        BOOST_TEST(next_key(opening, batch, each, std::nullopt, true).has_value());
    set_provider_status(lease, owner, other, false);
    BOOST_TEST(!next_key(opening, batch, other, std::nullopt, true).value().key);
}

// Every other key is asked for when it is tried.
BOOST_FIXTURE_TEST_CASE(the_first_key_that_a_call_tries_is_opened_alone, Calls) {
    const AccountId off = add_account("a", 1), first = add_account("b", 2);
    add_account("c", 3);
    set_account_enabled(lease, owner, provider, off, false);
    set_header(lease, owner, provider, "x-tenant", some_key());
    /// The accounts whose keys were opened; "own": the provider's.
    const auto opened = [&](const std::optional<AccountId>& only = {},
                            const std::optional<ProviderId>& of = {}) {
        auto start = begin_call(opening, executing.token, of, TakesTurn::no, only).value();
        if (start.call) end_calls(calling, {{*start.call}});
        auto& loaded = start.providers.at(0);
        const auto tried = loaded.keys_to_try(only);
        std::string names;
        if (loaded.own_key.value().opened) names += "own ";
        for (const CallKey& key : loaded.accounts)
            if (key.opened) names += key.name + " ";
        if (loaded.headers.at(0).value) names += "header";
        BOOST_TEST((tried.empty() || names.empty() || tried.front()->opened));
        return names;
    };
    BOOST_TEST(opened({}, provider) == "own header");
    BOOST_TEST(opened(off, provider) == "a header");
    is_edited(in_turn());
    BOOST_TEST(opened({}, provider) == "b header");
    BOOST_TEST(opened(off, provider) == "a header");
    BOOST_TEST(opened(crypto::random_id<AccountId>(), provider) == "header");
    BOOST_TEST(opened() == ""); // all providers: of none
    as_superuser("UPDATE usershell.accounts SET is_enabled = false WHERE id <> $1", off.text());
    BOOST_TEST(opened({}, provider) == "own header");
    as_superuser("UPDATE usershell.accounts SET is_enabled = true WHERE id = $1", first.text());
    BOOST_TEST(opened({}, provider) == "b header");
    while (begin_call(opening, executing.token)) continue;
    BOOST_TEST(opened({}, provider) == ""); // no slot, no key
}

BOOST_FIXTURE_TEST_CASE(without_a_right_to_run_a_call_has_no_further_key, Calls) {
    const auto has = [&](const CallId& which) {
        const auto next = next_key(opening, which, provider, std::nullopt, true);
        return next && next->key;
    };
    const CallId its =
        begin_call(opening, executing.token, provider, TakesTurn::no).value().call.value();
    BOOST_TEST(has(its));
    const Executing stranger{add_user().id};
    for (const CallId& no_call : no_calls_of(owner, stranger)) BOOST_TEST(!has(no_call));
    is_active(false);
    BOOST_TEST(!has(its));
    is_active(true);
    as_superuser("UPDATE usershell.calls SET expires_at = now() WHERE id = $1", its.id);
    BOOST_TEST(!has(its));
    as_superuser("UPDATE usershell.calls SET expires_at = now() + interval '1 min' WHERE id = $1",
                 its.id);
    BOOST_TEST(has(its));
    sign_out_everywhere(*Vouching{owner});
    BOOST_TEST(!has(its));
}

BOOST_FIXTURE_TEST_CASE(active_providers_are_told_in_list_order, Calls) {
    const auto second = crypto::random_id<ProviderId>(), third = crypto::random_id<ProviderId>();
    for (const auto& id : {second, third})
        create_provider(lease, owner, id, some_fields(), some_key());
    set_provider_status(lease, owner, second, false);
    BOOST_TEST((active_providers(opening, executing.token) == std::vector{provider, third}));
}

BOOST_FIXTURE_TEST_CASE(findings_show_at_provider_and_account, Calls) {
    add_account("a");
    add_account("b");
    HealthReport report = of_own(Health::degraded, "One key was refused.");
    report.keys = {of_account(0, Health::unhealthy, "The provider refused the key.", 300s),
                   of_account(1, Health::healthy, "")};
    executing.shows(report);
    BOOST_TEST(is(Health::degraded));
    BOOST_TEST(now().health.message == "One key was refused.");
    BOOST_TEST((account_is(0, Health::unhealthy) && account_is(1, Health::healthy)));
    const CallProvider loaded = load();
    const auto &first = loaded.accounts.at(0), &second = loaded.accounts.at(1);
    BOOST_TEST((first.is_in_cooldown && first.is_unhealthy));
    BOOST_TEST((!second.is_in_cooldown && !second.is_unhealthy));
    BOOST_TEST(!loaded.own_key->is_in_cooldown);
}

BOOST_FIXTURE_TEST_CASE(findings_of_an_account_alone_leave_the_provider_as_it_was, Calls) {
    add_account("a");
    HealthReport report = of_all(Health::healthy, "");
    report.health.reset();
    report.keys.erase(report.keys.begin());
    executing.shows(report);
    BOOST_TEST((is(Health::unknown) && account_is(0, Health::healthy)));
}

BOOST_FIXTURE_TEST_CASE(a_cooldown_lasts_for_an_hour_at_most, Calls) {
    add_account("a");
    for (const auto& [given, seconds] :
         std::map<long long, int>{{9'000'000'000'000, 3600},
                                  {std::numeric_limits<long long>::max(), 3600},
                                  {3600, 3600},
                                  {-5, 0}}) {
        HealthReport report =
            of_own(Health::unhealthy, "Rate limited.", std::chrono::seconds{given});
        report.keys.push_back(
            of_account(0, Health::unhealthy, "Rate limited.", std::chrono::seconds{given}));
        executing.shows(report);
        for (const char* table : {"providers", "accounts"})
            BOOST_TEST(value<int>(std::string{"SELECT extract(epoch FROM cooldown_until - "
                                              "health_checked_at)::integer FROM usershell."} +
                                      table + " WHERE owner_id = $1",
                                  owner.text()) == seconds);
    }
}

BOOST_FIXTURE_TEST_CASE(a_cooldown_ends_by_time_and_by_success, Calls) {
    executing.shows(of_own(Health::unhealthy, "Rate limited.", 30s));
    BOOST_TEST(load().own_key->is_in_cooldown);
    executing.shows(of_own(Health::healthy, ""));
    BOOST_TEST(!load().own_key->is_in_cooldown);
    executing.shows(of_own(Health::unhealthy, "Rate limited.", 30s));
    as_superuser("UPDATE usershell.providers SET cooldown_until = cooldown_until - interval '31 s' "
                 "WHERE id = $1",
                 provider.text());
    BOOST_TEST(!load().own_key->is_in_cooldown);
}

BOOST_FIXTURE_TEST_CASE(the_last_errors_of_each_key_are_kept, Calls) {
    add_account("a");
    for (const char* message : {"One.", "Two.", "Three.", "Three.", "Four.", "Five.", "Six."}) {
        executing.shows(of_all(Health::unhealthy, message));
        executing.shows(of_all(Health::healthy, ""));
    }
    const auto told = [&](bool of_account) {
        std::string messages;
        for (const KeyError& error : find_key_facts(lease, owner, provider).errors)
            if (error.account.has_value() == of_account) messages += error.message;
        return messages;
    };
    for (const bool of_account : {false, true})
        BOOST_TEST(told(of_account) == "Six.Five.Four.Three.Two.");
    HealthReport of_provider = of_own(Health::unhealthy, "Unreachable.");
    of_provider.keys.clear();
    executing.shows(of_provider);
    BOOST_TEST(told(false) == "Six.Five.Four.Three.Two.");
    gets_key();
    BOOST_TEST(told(false) == "");
    is_edited(elsewhere());
    BOOST_TEST(told(true) == "");
    BOOST_CHECK_THROW(find_key_facts(lease, owner, crypto::random_id<ProviderId>()), Refusal);
}

// By the row's own version: an UPDATE that changes nothing would be a new one.
BOOST_FIXTURE_TEST_CASE(what_says_nothing_new_is_written_once_a_minute, Calls) {
    add_account("a");
    const auto versions = [&] {
        return value<std::string>("SELECT p.xmin || ' ' || a.xmin FROM usershell.providers p JOIN "
                                  "usershell.accounts a ON a.provider_id = p.id WHERE p.id = $1",
                                  provider.text());
    };
    const auto report = [&](Health health, const std::string& message) {
        executing.shows(of_all(health, message));
        return versions();
    };
    const std::string first = report(Health::healthy, "");
    BOOST_TEST(report(Health::healthy, "") == first);
    const std::string worse = report(Health::unhealthy, "No.");
    BOOST_TEST(worse != first);
    BOOST_TEST(report(Health::unhealthy, "No.") == worse);
    for (const char* table : {"providers", "accounts"})
        as_superuser(std::string{"UPDATE usershell."} + table +
                     " SET health_checked_at = health_checked_at - interval '61 s'");
    const std::string old = versions();
    BOOST_TEST(report(Health::unhealthy, "No.") != old);
}

BOOST_FIXTURE_TEST_CASE(calls_are_renewed_without_waiting_and_end_together, Calls) {
    {
        pqxx::connection connection{test_database().as_superuser()};
        pqxx::work holder{connection};
        libpqxx::query(holder, "SELECT FROM usershell.calls WHERE id = $1 FOR UPDATE", call.id);
        BOOST_TEST(renew_calls(calling, {call}).size() == 1U, "a locked row's call goes on");
    }
    const std::vector<CallEnd> ends{{begin_call(opening, executing.token).value()},
                                    {call, {of_own(Health::healthy, "")}}};
    end_calls(calling, ends);
    for (const CallEnd& end : ends) BOOST_TEST(!is_call_under_way(end.call));
    BOOST_TEST(is(Health::healthy));
}

BOOST_FIXTURE_TEST_CASE(the_end_of_a_call_waits_for_no_lock, Calls) {
    add_account("a");
    const HealthReport report = of_all(Health::unhealthy, "No.");
    pqxx::connection connection{test_database().as_superuser()};
    pqxx::work holder{connection};
    for (const char* table : {"providers", "accounts"})
        holder.exec(std::string{"SELECT FROM usershell."} + table + " FOR UPDATE");
    executing.shows(report);
    BOOST_TEST(is(Health::unknown));
    holder.commit();
    executing.shows(report);
    BOOST_TEST(account_is(0, Health::unhealthy));
}

BOOST_FIXTURE_TEST_CASE(findings_of_what_was_changed_meanwhile_are_dropped, Calls) {
    const AccountId account = add_account("a");
    for (const bool of_key : {true, false}) {
        const HealthReport report = of_all(Health::unhealthy, "Refused.", 300s);
        if (of_key) {
            gets_key();
            set_account_key(lease, owner, provider, account, some_key());
        } else {
            is_edited(elsewhere());
        }
        executing.shows(report);
        BOOST_TEST((is(Health::unknown) && account_is(0, Health::unknown)));
        BOOST_TEST(!load().own_key->is_in_cooldown);
    }
}

BOOST_FIXTURE_TEST_CASE(findings_of_what_is_gone_are_dropped, Calls) {
    const AccountId account = add_account("a");
    const HealthReport report = of_all(Health::healthy, "");
    delete_account(lease, owner, provider, account);
    executing.shows(report);
    BOOST_TEST(is(Health::healthy));
    delete_provider(lease, owner, provider);
    executing.shows(report);
    BOOST_TEST(!find_provider(lease, owner, provider));
}

BOOST_FIXTURE_TEST_CASE(messages_of_any_bytes_and_length_are_made_fit, Calls) {
    executing.shows(of_own(Health::unhealthy, "a\0b\nc\xff"s + std::string(4000, 'x')));
    const std::string message = now().health.message;
    BOOST_TEST(message.starts_with("a b c\uFFFDxxx"));
    BOOST_TEST(count_code_points(message) == rules::max_health_message);
}

BOOST_FIXTURE_TEST_CASE(an_ended_call_frees_its_slot_once, Calls) {
    const auto another = [&] { return begin_call(opening, executing.token); };
    std::vector<CallId> begun{call};
    for (int i = 1; i < rules::max_calls; ++i) begun.push_back(another().value());
    BOOST_TEST(!another());
    const Executing next_door{add_user().id}; // has slots of their own
    end_calls(calling, {{begun[3]}});
    BOOST_TEST(another().has_value());
    BOOST_TEST(!another());
    end_calls(calling, {{begun[3]}}); // ended before: frees no other
    BOOST_TEST(!another());
}

BOOST_FIXTURE_TEST_CASE(a_slot_expires_when_it_is_not_renewed, Calls) {
    const auto pass = [&](const std::string& interval) {
        as_superuser("UPDATE usershell.calls SET expires_at = expires_at - $1::interval "
                     "WHERE expires_at > '-infinity' AND owner_id = $2",
                     interval, owner.text());
    };
    std::vector<CallId> taken;
    const auto another = [&] {
        const auto begun = begin_call(opening, executing.token);
        if (begun) taken.push_back(*begun);
        return begun.has_value();
    };
    for (int i = 1; i < rules::max_calls; ++i) another();
    pass("30 seconds");
    BOOST_TEST(!another());
    renew_calls(calling, {call});
    pass("31 seconds");
    end_calls(calling, {{taken.back(), {of_own(Health::unhealthy, "Too late.")}}});
    BOOST_TEST(is(Health::unknown));
    for (int i = 1; i < rules::max_calls; ++i) BOOST_TEST(another());
    BOOST_TEST(!another());
}

BOOST_FIXTURE_TEST_CASE(keys_take_turns, Calls) {
    is_edited(in_turn());
    const AccountId first = add_account("a", 1);
    add_account("c", 2);
    const AccountId off = add_account("off", 2);
    add_account("b", 2);
    set_account_enabled(lease, owner, provider, off, false);
    const auto order = [&](TakesTurn turn) {
        const auto start = begin_call(opening, executing.token, provider, turn).value();
        end_calls(calling, {{start.call.value()}});
        std::string names;
        for (const CallKey& key : start.providers.at(0).accounts)
            if (key.is_enabled) names += key.name;
        return names;
    };
    const auto next = [&] {
        const auto id = find_key_facts(lease, owner, provider).next_in_turn;
        for (const Account& each : now().accounts)
            if (each.id == id) return each.name;
        return std::string{"none"};
    };
    for (const char* turn : {"abc", "bca", "cab", "abc"}) {
        BOOST_TEST(next() == std::string{turn}.substr(0, 1));
        BOOST_TEST(order(TakesTurn::no) == turn);
        BOOST_TEST(order(TakesTurn::yes) == turn);
    }
    as_superuser("UPDATE usershell.accounts SET cooldown_until = now() + interval '1 hour' "
                 "WHERE id = $1",
                 first.text());
    for (const char* turn : {"bca", "cba", "bca"}) BOOST_TEST(order(TakesTurn::yes) == turn);
    is_edited(some_fields());
    BOOST_TEST(next() == "none");
}
} // namespace
} // namespace usershell::store
