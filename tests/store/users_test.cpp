#include "store/store_fixture.hpp"

namespace usershell::store {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(users)

BOOST_AUTO_TEST_CASE(credentials_are_found_by_the_normalized_address) {
    const Resident user = add_user();
    Managing managing{std::nullopt};
    const auto found = find_credentials(managing.lease, user.email.normalized);
    BOOST_REQUIRE(found);
    BOOST_TEST(found->user.text() == user.id.text());
    BOOST_TEST(found->password_hash == "some hash");
    BOOST_TEST(!found->disabled);
    BOOST_TEST(!find_credentials(managing.lease, "nobody@example.org"));
}

BOOST_AUTO_TEST_CASE(the_global_owner_can_not_sign_in) {
    Managing managing{std::nullopt};
    BOOST_TEST(find_credentials(managing.lease, "")->disabled);
    BOOST_CHECK_THROW(
        as_superuser("UPDATE usershell.users SET is_disabled = false WHERE email = ''"),
        pqxx::check_violation);
}

BOOST_AUTO_TEST_CASE(an_address_belongs_to_one_person) {
    const Resident user = add_user();
    Acting owner{test_database().as_owner(), std::nullopt};
    BOOST_CHECK_EXCEPTION(
        add_user(owner.lease, crypto::random_id<UserId>(), user.email, "Somebody else", "hash"),
        Refusal, refused_as(ErrorCode::conflict));
}

BOOST_AUTO_TEST_CASE(people_change_their_own_row_alone) {
    const Resident user = add_user();
    const Resident stranger = add_user();
    Managing managing{user.id};
    set_display_name(managing.lease, user.id, "Zoë 🔑");
    set_password_hash(managing.lease, user.id, "another hash");
    set_display_name(managing.lease, stranger.id, "Taken over");
    set_password_hash(managing.lease, stranger.id, "taken over");
    const auto row = [](const Resident& whose) {
        return as_superuser("SELECT display_name || ', ' || password_hash FROM usershell.users "
                            "WHERE id = '" +
                            whose.id.text() + "'")[0][0]
            .as<std::string>();
    };
    BOOST_TEST(row(user) == "Zoë 🔑, another hash");
    BOOST_TEST(row(stranger) == "Somebody, some hash");
}

BOOST_AUTO_TEST_CASE(a_deleted_person_takes_everything_along) {
    Household home;
    home.add_model("m");
    home.add_account("k");
    Executing executing{home.owner};
    next_rotation(executing.lease, home.owner, home.provider);
    take_call_slot(executing.lease, home.owner);
    start_session(home.lease, home.owner,
                  {crypto::random_id<SessionId>(), crypto::random_bytes(32),
                   crypto::random_bytes(32), true, 60s, 60s});
    const std::vector<std::string> tables{"sessions", "scopes",    "providers", "models",
                                          "accounts", "rotations", "call_slots"};
    const auto rows_in = [&](const std::string& table) {
        return as_superuser("SELECT 1 FROM usershell." + table + " WHERE owner_id = '" +
                            home.owner.text() + "'")
            .size();
    };
    for (const std::string& table : tables) BOOST_TEST(rows_in(table) > 0, table);
    as_superuser("DELETE FROM usershell.users WHERE id = '" + home.owner.text() + "'");
    for (const std::string& table : tables) BOOST_TEST(rows_in(table) == 0, table);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace usershell::store
