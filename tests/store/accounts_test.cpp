#include "store/store_fixture.hpp"

namespace usershell::store {

using boost::json::object;

BOOST_AUTO_TEST_SUITE(accounts)

BOOST_FIXTURE_TEST_CASE(adding_answers_with_the_document, Household) {
    const auto id = crypto::random_id<AccountId>();
    const object added =
        parse(store::add_account(lease, owner, provider, {id, "Work", 7}, some_key(scope)));
    const object expected{{"id", id.text()},           {"name", "Work"},
                          {"keyHint", "sk-…abcd"},     {"hasKey", true},
                          {"isEnabled", true},         {"priority", 7},
                          {"healthStatus", "unknown"}, {"healthMessage", ""},
                          {"healthCheckedAt", nullptr}};
    BOOST_TEST(added == expected);
    BOOST_TEST(document().at("accounts").at(0).as_object() == expected);
    BOOST_TEST(has_account(lease, owner, provider, id));
}

BOOST_FIXTURE_TEST_CASE(without_a_priority_it_comes_last, Household) {
    const auto priority_of_next = [&] {
        const auto added = store::add_account(lease, owner, provider,
                                              {crypto::random_id<AccountId>(), "x", std::nullopt},
                                              some_key(scope));
        return parse(added).at("priority").as_int64();
    };
    BOOST_TEST(priority_of_next() == 1);
    BOOST_TEST(priority_of_next() == 2);
    add_account("far", 998);
    BOOST_TEST(priority_of_next() == 999);
    BOOST_TEST(priority_of_next() == 1000);
    BOOST_TEST(priority_of_next() == 1000);
}

BOOST_FIXTURE_TEST_CASE(they_stand_by_priority_then_name, Household) {
    add_account("b", 5);
    add_account("z", 0);
    add_account("a", 5);
    add_account("B", 5);
    std::string order;
    const object now = document();
    for (const auto& account : now.at("accounts").as_array())
        order += account.at("name").as_string();
    BOOST_TEST(order == "zBab");
}

BOOST_FIXTURE_TEST_CASE(an_edit_changes_what_it_names, Household) {
    const AccountId id = add_account("old", 1);
    const auto edit = [&](std::optional<std::string> name, std::optional<int> priority) {
        const object now = parse(edit_account(lease, owner, provider, id, name, priority));
        return std::string{now.at("name").as_string()} +
               std::to_string(now.at("priority").as_int64());
    };
    BOOST_TEST(edit("new", {}) == "new1");
    BOOST_TEST(edit({}, 1000) == "new1000");
    BOOST_TEST(edit({}, {}) == "new1000");
    BOOST_TEST(edit("both", 0) == "both0");
}

BOOST_FIXTURE_TEST_CASE(a_new_key_forgets_the_health, Household) {
    const AccountId id = add_account("k");
    Executing executing{owner};
    const auto key = load_call_provider(executing.lease, owner, provider)->accounts.at(0);
    record_health(
        executing.lease, owner,
        {provider,
         some_fields().base_url,
         Health::unhealthy,
         "Refused.",
         {{id, key.sealed.bytes(), Health::unhealthy, "Refused.", std::chrono::seconds{300}}}});
    BOOST_TEST(document().at("accounts").at(0).at("healthMessage").as_string() == "Refused.");
    BOOST_TEST(load_call_provider(executing.lease, owner, provider)->accounts.at(0).cooling);

    const object now = parse(set_account_key(lease, owner, provider, id, some_key(scope)));
    BOOST_TEST(now.at("healthStatus").as_string() == "unknown");
    BOOST_TEST(now.at("healthMessage").as_string() == "");
    BOOST_TEST(now.at("healthCheckedAt").is_null());
    BOOST_TEST(!load_call_provider(executing.lease, owner, provider)->accounts.at(0).cooling);
}

BOOST_FIXTURE_TEST_CASE(the_switch_sets_and_toggles, Household) {
    const AccountId id = add_account("k");
    const auto set = [&](std::optional<bool> enabled) {
        return parse(set_account_enabled(lease, owner, provider, id, enabled))
            .at("isEnabled")
            .as_bool();
    };
    BOOST_TEST(!set(std::nullopt));
    BOOST_TEST(!set(false));
    BOOST_TEST(set(std::nullopt));
    BOOST_TEST(set(true));
}

BOOST_FIXTURE_TEST_CASE(what_is_not_there_is_not_found, Household) {
    const auto nothing = crypto::random_id<AccountId>();
    const auto missing = [&](auto work) {
        BOOST_CHECK_EXCEPTION(work(), Refusal, refused_as(ErrorCode::not_found));
    };
    missing([&] { edit_account(lease, owner, provider, nothing, "x", 1); });
    missing([&] { set_account_key(lease, owner, provider, nothing, some_key(scope)); });
    missing([&] { set_account_enabled(lease, owner, provider, nothing, std::nullopt); });
    missing([&] { delete_account(lease, owner, provider, nothing); });
    missing([&] {
        store::add_account(lease, owner, crypto::random_id<ProviderId>(), {nothing, "x", 1},
                           some_key(scope));
    });
    BOOST_TEST(!has_account(lease, owner, provider, nothing));
    const AccountId id = add_account("k");
    delete_account(lease, owner, provider, id);
    missing([&] { delete_account(lease, owner, provider, id); });
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace usershell::store
