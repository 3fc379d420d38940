#include "store/store_fixture.hpp"

namespace usershell::store {

using boost::json::object;

BOOST_AUTO_TEST_SUITE(models)

BOOST_FIXTURE_TEST_CASE(adding_answers_with_the_document, Household) {
    const object added = parse(
        store::add_model(lease, owner, provider, {"vendor/model:1", "A model", "vision,code"}));
    const object expected{{"modelId", "vendor/model:1"},
                          {"displayName", "A model"},
                          {"capabilities", "vision,code"},
                          {"isEnabled", true}};
    BOOST_TEST(added == expected);
    BOOST_TEST(has_model(lease, owner, provider, "vendor/model:1"));
    BOOST_TEST(!has_model(lease, owner, provider, "vendor/model:2"));
}

BOOST_FIXTURE_TEST_CASE(they_stand_in_the_order_added_also_after_a_removal, Household) {
    for (const char* id : {"c", "a", "b"}) add_model(id);
    delete_model(lease, owner, provider, "a");
    add_model("a");
    std::string order;
    const object now = document();
    for (const auto& model : now.at("models").as_array()) order += model.at("modelId").as_string();
    BOOST_TEST(order == "cba");
}

BOOST_FIXTURE_TEST_CASE(the_same_id_twice_is_a_conflict, Household) {
    add_model("m");
    BOOST_CHECK_EXCEPTION(add_model("m"), Refusal, refused_as(ErrorCode::conflict));
    BOOST_TEST(document().at("models").as_array().size() == 1);
    // Elsewhere it is no conflict, and letters of another case are another id.
    add_model("M");
    Household neighbours;
    neighbours.add_model("m");
}

BOOST_FIXTURE_TEST_CASE(the_switch_sets_and_toggles, Household) {
    add_model("m");
    const auto set = [&](std::optional<bool> enabled) {
        return parse(set_model_enabled(lease, owner, provider, "m", enabled))
            .at("isEnabled")
            .as_bool();
    };
    BOOST_TEST(!set(false));
    BOOST_TEST(!set(false));
    BOOST_TEST(set(std::nullopt));
    BOOST_TEST(!set(std::nullopt));
    BOOST_TEST(set(true));
    BOOST_TEST(document().at("models").at(0).at("isEnabled").as_bool());
}

BOOST_FIXTURE_TEST_CASE(capabilities_are_replaced, Household) {
    add_model("m");
    const object changed = parse(set_model_capabilities(lease, owner, provider, "m", "tools"));
    BOOST_TEST(changed.at("capabilities").as_string() == "tools");
    BOOST_TEST(document().at("models").at(0).as_object() == changed);
}

BOOST_FIXTURE_TEST_CASE(what_is_not_there_is_not_found, Household) {
    const auto missing = [&](auto work) {
        BOOST_CHECK_EXCEPTION(work(), Refusal, refused_as(ErrorCode::not_found));
    };
    for (const std::string& id : {std::string{"none"}, std::string{"\0", 1}, std::string{"\xff"}}) {
        missing([&] { set_model_enabled(lease, owner, provider, id, true); });
        missing([&] { set_model_enabled(lease, owner, provider, id, std::nullopt); });
        missing([&] { set_model_capabilities(lease, owner, provider, id, "code"); });
        missing([&] { delete_model(lease, owner, provider, id); });
        BOOST_TEST(!has_model(lease, owner, provider, id));
    }
    missing([&] {
        store::add_model(lease, owner, crypto::random_id<ProviderId>(), {"m", "m", "code"});
    });
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace usershell::store
