#include "store/store_fixture.hpp"
namespace usershell::store {
BOOST_AUTO_TEST_CASE(the_global_owner_can_neither_sign_in_nor_be_deleted_by_a_program) {
    BOOST_CHECK_THROW(
        as_superuser("UPDATE usershell.users SET is_disabled = false WHERE email = ''"),
        pqxx::check_violation);
    const auto nobody = UserId::parse("00000000-0000-0000-0000-000000000000").value();
    Vouching acting; // it can have no session
    BOOST_TEST(!delete_own_user(acting.lease, stamped(nobody)));
}

BOOST_AUTO_TEST_CASE(an_address_belongs_to_one_user) {
    const TestUser user = add_user();
    Operating owner;
    BOOST_CHECK_EXCEPTION(
        add_user(owner.lease, crypto::random_id<UserId>(), user.email, "Somebody else", "hash"),
        Refusal, refused_as(ErrorCode::conflict));
}

BOOST_AUTO_TEST_CASE(a_deleted_user_takes_everything_along) {
    ProviderOwner user;
    user.add_model("m");
    user.add_account("k");
    set_header(user.lease, user.owner, user.provider, "x-tenant", some_key());
    const Executing executing{user.owner};
    as_superuser("INSERT INTO usershell.rotations VALUES ($1, $2, 1)", user.owner.text(),
                 user.provider.text());
    start_session(*Vouching{}, stamped(user.owner), some_session());
    const std::vector<std::string> tables{"sessions", "events",           "providers", "models",
                                          "accounts", "provider_headers", "rotations", "calls"};
    for (const std::string& table : tables) BOOST_TEST(rows_in(table, user.owner) > 0, table);
    as_superuser("DELETE FROM usershell.users WHERE id = $1", user.owner.text());
    for (const std::string& table : tables) BOOST_TEST(rows_in(table, user.owner) == 0, table);
}

BOOST_AUTO_TEST_CASE(a_user_deletes_themself_alone_and_under_the_stamp_of_now) {
    ProviderOwner user;
    const StampedUser now = stamped(user.owner);
    Vouching vouching{user.owner};
    BOOST_TEST(!delete_own_user(vouching.lease, {user.owner, std::string(16, 'x')}));
    BOOST_TEST(!delete_own_user(*Vouching{add_user().id}, now));
    BOOST_TEST(rows_in("providers", user.owner) == 1);
    BOOST_TEST(delete_own_user(vouching.lease, now));
    BOOST_TEST(rows_in("providers", user.owner) == 0);
}
} // namespace usershell::store
