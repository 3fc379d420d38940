// The kept list: what it is good for, and what makes it void. The rules of its tag, by HTTP:
// tests/cases/provider_list.case.
#include "store/providers/provider_list.hpp"
#include "store/store_fixture.hpp"
#include <future>

namespace usershell::store {
namespace {
const std::string build = "some build";

/// A user who is signed in, with a provider, a model, an account and a kept list.
struct Lister : ProviderOwner {
    Lister() : session{some_session()}, account{add_account("key")} {
        add_model("model");
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
void judge(const Lister& user, Health health, bool its_keys) {
    Executing executing{user.owner};
    HealthReport shown = shown_of_every_key(executing.load(user.provider), health, "");
    if (!its_keys) shown.keys.clear();
    executing.shows(shown);
}

const std::vector<std::pair<std::string, std::function<void(Lister&)>>> changes{
    {"create_provider",
     [](Lister& u) {
         create_provider(u.lease, u.owner, crypto::random_id<ProviderId>(), some_fields(),
                         some_key());
     }},
    {"edit_provider",
     [](Lister& u) { edit_provider(u.lease, u.owner, u.provider, some_fields("Other")); }},
    {"set_provider_key",
     [](Lister& u) { set_provider_key(u.lease, u.owner, u.provider, some_key()); }},
    {"set_provider_status",
     [](Lister& u) { set_provider_status(u.lease, u.owner, u.provider, false); }},
    {"add_model", [](Lister& u) { u.add_model("another"); }},
    {"set_model_enabled",
     [](Lister& u) { set_model_enabled(u.lease, u.owner, u.provider, "model", false); }},
    {"set_model_capabilities",
     [](Lister& u) { set_model_capabilities(u.lease, u.owner, u.provider, "model", "code"); }},
    {"delete_model", [](Lister& u) { delete_model(u.lease, u.owner, u.provider, "model"); }},
    {"add_account", [](Lister& u) { u.add_account("another"); }},
    {"edit_account",
     [](Lister& u) { edit_account(u.lease, u.owner, u.provider, u.account, "Other", 7); }},
    {"set_account_key",
     [](Lister& u) { set_account_key(u.lease, u.owner, u.provider, u.account, some_key()); }},
    {"set_account_enabled",
     [](Lister& u) { set_account_enabled(u.lease, u.owner, u.provider, u.account, false); }},
    {"a call's health", [](Lister& u) { judge(u, Health::unhealthy, false); }},
    {"a call's health of a key", [](Lister& u) { judge(u, Health::unhealthy, true); }},
    {"delete_account", [](Lister& u) { delete_account(u.lease, u.owner, u.provider, u.account); }},
    {"delete_provider", [](Lister& u) { delete_provider(u.lease, u.owner, u.provider); }},
};
} // namespace
BOOST_AUTO_TEST_SUITE(provider_list)
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
    for (const auto& [name, change] : changes) {
        const std::string before = look().version;
        change(*this);
        const KeptList after = look();
        BOOST_TEST(after.version != before, name);
        BOOST_TEST(!after.document, name);
        keep(name);
        BOOST_TEST(look().document.value() == name);
    }
}

BOOST_FIXTURE_TEST_CASE(what_changes_nothing_in_it_leaves_it, Lister) {
    Lister other;
    const std::string before = look().version;
    for (const auto& [name, change] : changes) change(other);
    set_display_name(lease, owner, "Other name");
    BOOST_CHECK_THROW(add_model("model"), Refusal);
    BOOST_TEST(look().version == before);
    BOOST_TEST(look().document.value() == "first");
}

BOOST_FIXTURE_TEST_CASE(a_list_that_was_read_before_a_change_is_not_kept_after_it, Lister) {
    const std::string version = read_list(lease, owner).version;
    add_model("another");
    keep_list(lease, owner, version, build, "old");
    BOOST_TEST(!look().document);
}

// The reader comes between the trigger of the change and its commit, and must not keep what it
// reads then: it waits for the commit, or it would find the list as it was.
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
    const auto waits = [] {
        return !as_superuser("SELECT FROM pg_stat_activity "
                             "WHERE datname = current_database() AND wait_event_type = 'Lock'")
                    .empty();
    };
    while (reader.wait_for(5ms) == std::future_status::timeout && !waits()) {
    }
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
BOOST_AUTO_TEST_SUITE_END()
} // namespace usershell::store
