// The kept list, and what makes it void. Its tag: tests/cases/provider_list.case.
#include "store/nouns/changes.hpp"
#include "store/providers/providers.hpp"
#include "store/store_fixture.hpp"
namespace usershell::store {
namespace {
const std::string build = "some build";
/// A user who is signed in, with a provider, a model, an account and a kept list.
struct Lister : ProviderOwner {
    Lister() : session{some_session()}, account{add_account("key")} {
        add_model("m");
        start_session(*Vouching{}, stamped(owner), session);
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
} // namespace
} // namespace usershell::store
