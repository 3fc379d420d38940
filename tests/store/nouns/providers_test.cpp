// Rules of providers, models and accounts that the cases (tests/cases) can't show. Who takes a
// handle, or moves what is behind one, has given the password lately: the requests are in
// tests/cases/providers.case. The kept list, and what makes it void; its tag:
// tests/cases/providers.case. A thing that is not there, or another user's: looked up it is null,
// changed it is not_found.
#include "crypto/envelope/envelope.hpp"
#include "store/providers/providers.hpp"
#include "store/store_fixture.hpp"
#include "store/users/links.hpp"
#include "store/users/users.hpp"
namespace usershell::store {
namespace {
void record(const ProviderOwner& user, Health health, const std::string& message) {
    Executing executing{user.owner};
    executing.shows(shown_of_every_key(executing.load(user.provider), health, message, 300s));
}
bool is_in_cooldown(const ProviderOwner& user) {
    Executing executing{user.owner};
    const CallProvider call = executing.load(user.provider);
    return call.own_key->is_in_cooldown || call.accounts.at(0).is_in_cooldown;
}

BOOST_FIXTURE_TEST_CASE(one_is_found_as_it_stands_in_the_list, ProviderOwner) {
    for (const char* name : {"b", "a"}) {
        create_provider(lease, owner, crypto::random_id<ProviderId>(), some_fields(name),
                        some_key());
    }
    for (const char* id : {"c", "a"}) add_model(id);
    for (const char* name : {"b", "B"}) add_account(name, 5);
    add_account("z", 0);
    const auto all = list_providers(lease, owner);
    BOOST_REQUIRE(all.size() == 3);
    BOOST_TEST(all[1].fields.name == "b");
    BOOST_TEST(all[2].fields.name == "a");
    BOOST_TEST(all[1].models.empty());
    for (const Provider& one : {all[0], now()}) {
        BOOST_TEST((one.id == provider));
        BOOST_TEST(one.models.at(0).model_id + one.models.at(1).model_id == "ca");
        BOOST_TEST(one.accounts.at(0).name + one.accounts.at(1).name + one.accounts.at(2).name ==
                   "zBb");
    }
}

BOOST_FIXTURE_TEST_CASE(a_provider_has_a_handle_of_its_own, ProviderOwner) {
    BOOST_TEST(now().fields.handle == "some-provider");
    ProviderFields fields = some_fields("  Ünique & Co. -- ");
    BOOST_TEST(edit_provider(lease, owner, provider, fields).fields.handle == "some-provider");
    std::string handles;
    for (const char* name : {"Some provider", "…", "…"}) {
        const auto made_now = crypto::random_id<ProviderId>();
        create_provider(lease, owner, made_now, some_fields(name), some_key());
        handles += find_provider(lease, owner, made_now)->fields.handle + " ";
    }
    BOOST_TEST(handles == "some-provider-2 provider provider-2 ");
    fields.handle = "provider";
    BOOST_CHECK_EXCEPTION(edit_provider(lease, owner, provider, fields), Refusal,
                          refused_as(ErrorCode::conflict));
}
BOOST_FIXTURE_TEST_CASE(every_letter_survives_and_controls_and_broken_text_never_reach_the_store,
                        ProviderOwner) {
    for (const std::string& name :
         {std::string{"a\0b", 3}, std::string{"a\nb"}, std::string{"\x7f"}, std::string{"\xc3\x28"},
          std::string{"\xed\xa0\x80"}}) {
        BOOST_CHECK_EXCEPTION(edit_provider(lease, owner, provider, some_fields(name)), Refusal,
                              refused_as(ErrorCode::invalid_field));
    }
    BOOST_TEST(now().fields.name == "Some provider");
    const std::string name = "\"quoted\" \\ </script> \u05d0 \U0001F511 '; --";
    BOOST_TEST(edit_provider(lease, owner, provider, some_fields(name)).fields.name == name);
}

BOOST_FIXTURE_TEST_CASE(a_header_is_set_once_a_name_and_read_by_calls_alone, ProviderOwner) {
    const StoredKey first = some_key(),
                    second{crypto::SealedKey{some_envelope(1) + "x"}, "", "openai x"};
    set_header(lease, owner, provider, "x-b", first);
    set_header(lease, owner, provider, "x-a", first);
    set_header(lease, owner, provider, "x-b", second);
    const auto shown = now().headers;
    BOOST_REQUIRE(shown.size() == 2U);
    BOOST_TEST(shown[0].name + shown[1].name == "x-ax-b");
    BOOST_TEST(shown[1].key_entered_for.value_or("") == "another_address");
    add_account("k");
    const CallProvider loaded = Executing{owner}.load(provider);
    BOOST_REQUIRE(loaded.headers.size() == 2U);
    BOOST_TEST((loaded.own_key && loaded.accounts.size() == 1U));
    BOOST_TEST(loaded.headers[1].name == "x-b");
    BOOST_TEST((loaded.headers[1].value.value().digest == digest_of(second.sealed)));
    for (int number = 3; number <= rules::max_headers; ++number)
        set_header(lease, owner, provider, "x-" + std::to_string(number), first);
    BOOST_CHECK_EXCEPTION(set_header(lease, owner, provider, "x-9", first), Refusal,
                          refused_as(ErrorCode::cap_reached));
    set_header(lease, owner, provider, "x-a", second); // one that is there
    delete_header(lease, owner, provider, "x-a");
    for (const std::string& none : {"x-a"s, "X-B"s, "x\0b"s})
        BOOST_CHECK_EXCEPTION(delete_header(lease, owner, provider, none), Refusal,
                              refused_as(ErrorCode::not_found));
    const ProviderOwner other;
    BOOST_CHECK_EXCEPTION(set_header(lease, owner, other.provider, "x-a", first), Refusal,
                          refused_as(ErrorCode::not_found));
}

BOOST_FIXTURE_TEST_CASE(a_header_takes_the_password_and_has_an_event_with_a_mail, ProviderOwner) {
    const auto kinds = [&] {
        std::string found;
        for (const auto& row :
             as_superuser("SELECT kind || ' ' || about AS kind FROM usershell.events "
                          "WHERE owner_id = $1 AND announced_at IS NULL ORDER BY happened_at",
                          owner.text()))
            found += row[0].as<std::string>() + "; ";
        return found;
    };
    set_header(lease, owner, provider, "x-a", some_key());
    as_superuser("UPDATE usershell.sessions SET signed_in_at = now() - interval '6 minutes' WHERE "
                 "owner_id = $1",
                 owner.text());
    for (const char* name : {"x-a", "x-b"})
        BOOST_CHECK_EXCEPTION(set_header(lease, owner, provider, name, some_key()), Refusal,
                              refused_as(ErrorCode::password_needed));
    BOOST_TEST(now().headers.size() == 1U);
    delete_header(lease, owner, provider, "x-a");
    BOOST_TEST(kinds() == "header_set Some provider: x-a; header_removed Some provider: x-a; ");
}

BOOST_FIXTURE_TEST_CASE(another_key_type_or_base_url_ends_cooldowns, ProviderOwner) {
    const AccountId account = add_account("k");
    ProviderFields moved = some_fields();
    moved.base_url = "https://elsewhere.example.org";
    ProviderFields retyped = moved;
    retyped.type = "openai";
    const std::vector<std::function<void()>> changes{
        [&] { edit_provider(lease, owner, provider, moved); },
        [&] { edit_provider(lease, owner, provider, retyped); },
        [&] {
            set_provider_key(lease, owner, provider, some_key());
            set_account_key(lease, owner, provider, account, some_key());
        }};
    for (const auto& change : changes) {
        record(*this, Health::unhealthy, "Refused.");
        BOOST_TEST(is_in_cooldown(*this));
        edit_provider(lease, owner, provider, now().fields);
        BOOST_TEST(is_in_cooldown(*this));
        change();
        BOOST_TEST(!is_in_cooldown(*this));
    }
}

BOOST_FIXTURE_TEST_CASE(a_delete_takes_all_its_rows_along, ProviderOwner) {
    add_model("m");
    add_account("k");
    set_header(lease, owner, provider, "x-tenant", some_key());
    as_superuser("INSERT INTO usershell.rotations VALUES ($1, $2, 1)", owner.text(),
                 provider.text());
    delete_provider(lease, owner, provider);
    for (const char* table : {"providers", "models", "accounts", "provider_headers", "rotations"})
        BOOST_TEST(rows_in(table, owner) == 0, table);
}

BOOST_FIXTURE_TEST_CASE(which_ring_keys_a_key_hangs_on_is_read_from_its_own_bytes, ProviderOwner) {
    const auto ids = as_superuser(
        "SELECT ring_key_id, signer_id FROM usershell.providers WHERE id = $1", provider.text())[0];
    BOOST_TEST(ids[0].as<std::string>() == "000102030405060708090a0b0c0d0e0f");
    BOOST_TEST(ids[1].as<std::string>() == "101112131415161718191a1b1c1d1e1f");
    // nor is anything taken that is no envelope of a key
    for (const std::string start : {"\\x0201", "\\x0102", "\\x00"}) {
        BOOST_CHECK_THROW(as_superuser("UPDATE usershell.providers "
                                       "SET sealed_key = $2::bytea || substr(sealed_key, 3) "
                                       "WHERE id = $1",
                                       provider.text(), start),
                          pqxx::check_violation);
    }
}

struct Signed : ProviderOwner {
    void let_pass(const std::string& interval) const {
        as_superuser("UPDATE usershell.sessions SET signed_in_at = signed_in_at - $2::interval "
                     "WHERE owner_id = $1",
                     owner.text(), interval);
    }
    void add(const std::string& name) {
        create_provider(lease, owner, crypto::random_id<ProviderId>(), some_fields(name),
                        some_key());
    }
    void rename(const std::string& handle) {
        ProviderFields fields = some_fields();
        fields.handle = handle;
        edit_provider(lease, owner, provider, fields);
    }
};
const auto asks = refused_as(ErrorCode::password_needed);
} // namespace

BOOST_FIXTURE_TEST_CASE(a_password_is_good_for_five_minutes, Signed) {
    let_pass("4 minutes 30 seconds");
    rename("a");
    edit_provider(lease, owner, provider, elsewhere());
    let_pass("31 seconds");
    BOOST_CHECK_EXCEPTION(rename("b"), Refusal, asks);
    BOOST_CHECK_EXCEPTION(edit_provider(lease, owner, provider, some_fields()), Refusal, asks);
    edit_provider(lease, owner, provider, elsewhere());
}

BOOST_FIXTURE_TEST_CASE(a_freed_handle_stays_its_owners, Signed) {
    rename("renamed");
    delete_provider(lease, owner, provider);
    let_pass("6 minutes");
    add("Another");
    for (const char* name : {"Some provider", "SOME PROVIDER!", "Renamed"})
        BOOST_CHECK_EXCEPTION(add(name), Refusal, asks);
    let_pass("-6 minutes");
    add("Renamed");
    BOOST_TEST(rows_in("freed_handles", owner) == 1U);
}

BOOST_FIXTURE_TEST_CASE(with_too_many_freed_ones_each_handle_counts_as_one, Signed) {
    as_superuser("INSERT INTO usershell.freed_handles SELECT $1, 'h' || n FROM "
                 "generate_series(1, usershell.max_freed_handles()) n",
                 owner.text());
    let_pass("6 minutes");
    BOOST_CHECK_EXCEPTION(add("Wholly new"), Refusal, asks);
    delete_provider(lease, owner, provider);
    BOOST_TEST(rows_in("freed_handles", owner) == 1000U);
}

namespace {
/// A provider, whose it is said to be, and what it may have.
struct Changed {
    Lease& lease;
    const UserId& who;
    const ProviderId& id;
    const AccountId& account;
    StoredKey key = some_key();
    std::string model = "m";
};
const std::vector<std::pair<std::string, std::function<void(const Changed&)>>> changes{
    {"edit_provider", [](auto& c) { edit_provider(c.lease, c.who, c.id, some_fields("Other")); }},
    {"set_provider_key", [](auto& c) { set_provider_key(c.lease, c.who, c.id, c.key); }},
    {"set_provider_status", [](auto& c) { set_provider_status(c.lease, c.who, c.id, false); }},
    {"add_model",
     [](auto& c) {
         add_model(c.lease, c.who, c.id, {"another", "x", "code"});
     }},
    {"toggle_model", [](auto& c) { set_model_enabled(c.lease, c.who, c.id, c.model, {}); }},
    {"set_model_enabled", [](auto& c) { set_model_enabled(c.lease, c.who, c.id, c.model, true); }},
    {"set_model_capabilities",
     [](auto& c) { set_model_capabilities(c.lease, c.who, c.id, c.model, "code"); }},
    {"set_model_position", [](auto& c) { set_model_position(c.lease, c.who, c.id, c.model, 2); }},
    {"delete_model", [](auto& c) { delete_model(c.lease, c.who, c.id, c.model); }},
    {"add_account",
     [](auto& c) {
         add_account(c.lease, c.who, c.id, {crypto::random_id<AccountId>(), "x", 1}, c.key);
     }},
    {"edit_account", [](auto& c) { edit_account(c.lease, c.who, c.id, c.account, "Other", 7); }},
    {"set_account_key", [](auto& c) { set_account_key(c.lease, c.who, c.id, c.account, c.key); }},
    {"set_account_enabled",
     [](auto& c) { set_account_enabled(c.lease, c.who, c.id, c.account, false); }},
    {"delete_account", [](auto& c) { delete_account(c.lease, c.who, c.id, c.account); }},
    {"set_header", [](auto& c) { set_header(c.lease, c.who, c.id, "x-other", c.key); }},
    {"delete_header", [](auto& c) { delete_header(c.lease, c.who, c.id, "x-other"); }},
    {"delete_provider", [](auto& c) { delete_provider(c.lease, c.who, c.id); }},
};
const std::string build = "some build";
/// A user who is signed in, with a provider, a model, an account and a kept list.
struct Lister : ProviderOwner {
    Lister() : session{some_session()}, account{add_account("key")} {
        add_model("m");
        start_session(*Vouching{}, proven(owner), session);
        lease.present(session.keys.token_hash);
        keep("first");
    }
    KeptList look(const std::string& by_build = build, bool with_document = true) {
        return sign_request_in_with_list(lease, session.keys.token_hash, by_build, with_document)
            .value()
            .list;
    }
    void keep(const std::string& document) {
        keep_list(lease, owner, read_list(lease, owner).version, build, document);
    }
    NewSession session;
    AccountId account;
};
/// A call has shown that of the provider, and of its keys or of none.
void report_health(const Lister& user, Health health, bool its_keys) {
    Executing executing{user.owner};
    HealthReport shown = shown_of_every_key(executing.load(user.provider), health, "");
    if (!its_keys) shown.keys.clear();
    executing.shows(shown);
}
/// The calls' findings, a new provider, then each change.
void change_each(Lister& user, const std::function<void(const std::string&)>& after) {
    report_health(user, Health::unhealthy, false);
    after("a call's health");
    report_health(user, Health::degraded, true);
    after("a call's health of a key");
    create_provider(user.lease, user.owner, crypto::random_id<ProviderId>(), some_fields(),
                    some_key());
    after("create_provider");
    const Changed there{user.lease, user.owner, user.provider, user.account};
    for (const auto& [name, change] : changes) {
        change(there);
        after(name);
    }
}

BOOST_FIXTURE_TEST_CASE(what_is_kept_comes_with_the_session, Lister) {
    const KeptList list = look();
    BOOST_TEST(list.document.value() == "first");
    BOOST_TEST(list.version.size() == 16);
    BOOST_TEST(list.version == look(build, false).version);
    BOOST_TEST(!look(build, false).document);
    BOOST_TEST(!look("another build").document);
    BOOST_TEST(find_list(lease, owner, build).document.value() == "first");
    BOOST_TEST(!find_list(lease, owner, "another build").document);
}

BOOST_FIXTURE_TEST_CASE(every_change_makes_it_another, Lister) {
    std::string before = look().version;
    change_each(*this, [&](const std::string& name) {
        const KeptList after = look();
        BOOST_TEST(std::exchange(before, after.version) != after.version, name);
        BOOST_TEST(!after.document, name);
        keep(name);
        BOOST_TEST(look().document.value() == name);
    });
}

BOOST_FIXTURE_TEST_CASE(what_changes_nothing_in_it_leaves_it, Lister) {
    Lister other;
    const std::string before = look().version;
    change_each(other, [](const std::string&) {});
    set_display_name(lease, owner, "Other name");
    BOOST_CHECK_THROW(add_model("m"), Refusal);
    BOOST_TEST(look().version == before);
    BOOST_TEST(look().document.value() == "first");
}

BOOST_FIXTURE_TEST_CASE(a_list_that_was_read_before_a_change_is_not_kept_after_it, Lister) {
    const std::string version = read_list(lease, owner).version;
    add_model("another");
    keep_list(lease, owner, version, build, "old");
    BOOST_TEST(!look().document);
}

// Between the trigger of a change and its commit a reader must wait, or it keeps the old list.
BOOST_FIXTURE_TEST_CASE(a_list_made_while_a_first_change_is_under_way_is_void_after_it, Lister) {
    as_superuser("DELETE FROM usershell.provider_lists WHERE owner_id = $1", owner.text());
    pqxx::connection connection{test_database().as_superuser()};
    pqxx::work change{connection};
    libpqxx::query(change, "UPDATE usershell.providers SET name = 'New' WHERE owner_id = $1",
                   owner.text());
    change.exec("SET CONSTRAINTS ALL IMMEDIATE"); // as the commit begins
    auto reader = std::async(std::launch::async, [this] {
        const ReadList read = read_list(lease, owner);
        keep_list(lease, owner, read.version, build, read.providers.front().fields.name);
    });
    wait_until([&] {
        return reader.wait_for(0s) == std::future_status::ready ||
               any("SELECT FROM pg_stat_activity WHERE datname = current_database() AND "
                   "wait_event_type = 'Lock'");
    });
    change.commit();
    reader.get();
    BOOST_TEST(look().document.value() == "New");
}

BOOST_FIXTURE_TEST_CASE(there_is_none_before_it_is_asked_for, Lister) {
    as_superuser("DELETE FROM usershell.provider_lists WHERE owner_id = $1", owner.text());
    BOOST_TEST(look().version.empty());
    BOOST_TEST(!look().document);
    const std::string made = read_list(lease, owner).version;
    BOOST_TEST(look().version == made);
}

BOOST_AUTO_TEST_CASE(a_connection_shows_the_list_of_whom_the_session_is) {
    Lister first;
    Lister second;
    second.keep("second");
    Database database{test_database().as_manage(), 1};
    // The planner chooses a general plan after some executions.
    for (int round = 0; round < 12; ++round) {
        for (Lister* user : {&first, &second}) {
            Lease lease{database};
            const auto found =
                sign_request_in_with_list(lease, user->session.keys.token_hash, build, true);
            BOOST_TEST((found.value().caller.user == user->owner));
            BOOST_TEST(found->list.document.value() == (user == &first ? "first" : "second"));
        }
        Lease lease{database};
        BOOST_TEST(!sign_request_in_with_list(lease, crypto::random_bytes(32), build, true));
        BOOST_TEST(list_providers(lease, second.owner).empty());
    }
}

const AccountId no_account = crypto::random_id<AccountId>();

BOOST_FIXTURE_TEST_CASE(what_is_looked_up_is_nothing_and_what_is_so_no_error, ProviderOwner) {
    const auto nothing = crypto::random_id<ProviderId>();
    BOOST_TEST(!find_provider(lease, owner, nothing));
    BOOST_TEST(!find_provider_fields(lease, owner, nothing));
    BOOST_TEST(!has_model(lease, owner, provider, "m"));
    BOOST_TEST(!has_model(lease, owner, provider, "\xff"));
    BOOST_TEST(!has_account(lease, owner, provider, no_account));
    BOOST_TEST(!find_avatar(lease, owner));
    BOOST_TEST(!pending_email(lease));
    BOOST_TEST(!find_password_reset(*Vouching{}, crypto::random_bytes(32)));
    Operating operating;
    BOOST_TEST(!find_user(operating.lease, "nobody@example.org"));
    BOOST_TEST(!find_user(operating.lease, ""));
    BOOST_CHECK_EXCEPTION(delete_user(operating.lease, crypto::random_id<UserId>()), Refusal,
                          refused_as(ErrorCode::not_found));
    BOOST_CHECK_EXCEPTION(set_disabled(operating.lease, crypto::random_id<UserId>(), true), Refusal,
                          refused_as(ErrorCode::not_found));
    remove_avatar(lease, owner);
    Vouching vouching{owner};
    end_link(vouching.lease, "email-change");
    BOOST_TEST(!end_session(vouching.lease, crypto::random_id<SessionId>()));
}

void nothing_is_found(const Changed& there) {
    for (const auto& [name, change] : changes) BOOST_TEST_CONTEXT(name)
    BOOST_CHECK_EXCEPTION(change(there), Refusal, refused_as(ErrorCode::not_found));
}

BOOST_FIXTURE_TEST_CASE(what_is_changed_or_deleted_is_not_found, ProviderOwner) {
    nothing_is_found({lease, owner, crypto::random_id<ProviderId>(), no_account});
    BOOST_CHECK_EXCEPTION(delete_model(lease, owner, provider, "\xff"), Refusal,
                          refused_as(ErrorCode::not_found));
}

BOOST_FIXTURE_TEST_CASE(nor_is_another_users_whatever_id_is_claimed, ProviderOwner) {
    add_model("m");
    Managing stranger{add_user().id};
    const TestUser claimed = add_user();
    for (const UserId& who : {claimed.id, owner}) {
        nothing_is_found({stranger.lease, who, provider, no_account});
        BOOST_TEST(list_providers(stranger.lease, who).empty());
    }
    BOOST_TEST(now().fields.name == "Some provider");
    BOOST_TEST(now().models.size() == 1);
}
} // namespace
} // namespace usershell::store
