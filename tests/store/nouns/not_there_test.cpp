// A thing that is not there, or another user's: looked up it is null, changed it is not_found.
#include "store/nouns/changes.hpp"
#include "store/users/links.hpp"
#include "store/users/users.hpp"
namespace usershell::store {
namespace {
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
