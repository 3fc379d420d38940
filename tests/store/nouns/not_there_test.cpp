// One convention for what is not there, or another user's: looked up it is nothing, changed or
// deleted it is Refusal not_found.
#include "store/store_fixture.hpp"
#include "store/users/avatars.hpp"
#include "store/users/email_changes.hpp"
#include "store/users/password_resets.hpp"
#include "store/users/user_admin.hpp"

namespace usershell::store {
namespace {
/// Somebody's lease, and whose provider they say that it is.
struct Claim {
    Lease& lease;
    const UserId& who;
    const ProviderId& id;
};
struct Change {
    const char* name;
    std::function<void(const Claim&)> make;
};

const AccountId no_account = crypto::random_id<AccountId>();
const NewAccount some_account{no_account, "x", 1};
const NewModel some_model{"x", "x", "code"};
const StoredKey no_key{crypto::SealedKey{"x"}, "", ""};

/// Everything that changes or deletes something of a provider.
const std::vector<Change> changes{
    {"edit_provider", [](auto& c) { edit_provider(c.lease, c.who, c.id, some_fields("Mine")); }},
    {"set_provider_key", [](auto& c) { set_provider_key(c.lease, c.who, c.id, no_key); }},
    {"set_provider_status", [](auto& c) { set_provider_status(c.lease, c.who, c.id, false); }},
    {"delete_provider", [](auto& c) { delete_provider(c.lease, c.who, c.id); }},
    {"add_model", [](auto& c) { add_model(c.lease, c.who, c.id, some_model); }},
    {"set_model_enabled", [](auto& c) { set_model_enabled(c.lease, c.who, c.id, "m", true); }},
    {"set_model_enabled, toggled",
     [](auto& c) { set_model_enabled(c.lease, c.who, c.id, "m", {}); }},
    {"set_model_capabilities",
     [](auto& c) { set_model_capabilities(c.lease, c.who, c.id, "m", "code"); }},
    {"delete_model", [](auto& c) { delete_model(c.lease, c.who, c.id, "m"); }},
    {"delete_model, no storable id", [](auto& c) { delete_model(c.lease, c.who, c.id, "\xff"); }},
    {"add_account", [](auto& c) { add_account(c.lease, c.who, c.id, some_account, no_key); }},
    {"edit_account", [](auto& c) { edit_account(c.lease, c.who, c.id, no_account, "x", 1); }},
    {"set_account_key", [](auto& c) { set_account_key(c.lease, c.who, c.id, no_account, no_key); }},
    {"set_account_enabled",
     [](auto& c) { set_account_enabled(c.lease, c.who, c.id, no_account, {}); }},
    {"delete_account", [](auto& c) { delete_account(c.lease, c.who, c.id, no_account); }},
};
} // namespace
BOOST_AUTO_TEST_SUITE(not_there)
BOOST_FIXTURE_TEST_CASE(what_is_looked_up_is_nothing, ProviderOwner) {
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
}

BOOST_FIXTURE_TEST_CASE(what_is_changed_or_deleted_is_not_found, ProviderOwner) {
    const auto nothing = crypto::random_id<ProviderId>();
    for (const Change& change : changes) {
        BOOST_TEST_CONTEXT(change.name)
        BOOST_CHECK_EXCEPTION(change.make({lease, owner, nothing}), Refusal,
                              refused_as(ErrorCode::not_found));
    }
}

BOOST_FIXTURE_TEST_CASE(nor_is_another_users_whatever_id_is_claimed, ProviderOwner) {
    add_model("m");
    Managing stranger{add_user().id};
    const TestUser claimed = add_user();
    for (const UserId& who : {claimed.id, owner}) {
        for (const Change& change : changes) {
            BOOST_TEST_CONTEXT(change.name)
            BOOST_CHECK_EXCEPTION(change.make({stranger.lease, who, provider}), Refusal,
                                  refused_as(ErrorCode::not_found));
        }
        BOOST_TEST(list_providers(stranger.lease, who).empty());
    }
    BOOST_TEST(now().fields.name == "Some provider");
    BOOST_TEST(now().models.size() == 1);
}

BOOST_FIXTURE_TEST_CASE(what_is_already_so_is_no_error, ProviderOwner) {
    remove_avatar(lease, owner);
    Vouching vouching{owner};
    cancel_email_change(vouching.lease);
    BOOST_TEST(!end_session(vouching.lease, crypto::random_id<SessionId>()));
}
BOOST_AUTO_TEST_SUITE_END()
} // namespace usershell::store
