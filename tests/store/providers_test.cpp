#include "store/store_fixture.hpp"

namespace usershell::store {

using boost::json::array;
using boost::json::object;

namespace {

array listed(Household& home) {
    return parse(list_providers(home.lease, home.owner)).at("providers").as_array();
}

void judge(Household& home, Health health, const std::string& message) {
    Executing executing{home.owner};
    const auto call = load_call_provider(executing.lease, home.owner, home.provider);
    HealthUpdate report{home.provider, call->base_url, health, message, {}};
    report.keys.push_back({std::nullopt, call->own_key->sealed.bytes(), health, message, {}});
    for (const CallKey& key : call->accounts) {
        report.keys.push_back({key.account, key.sealed.bytes(), health, message, {}});
    }
    record_health(executing.lease, home.owner, report);
}

} // namespace

BOOST_AUTO_TEST_SUITE(providers)

BOOST_FIXTURE_TEST_CASE(a_document_has_the_fields_of_the_contract, Household) {
    object document = this->document();
    const auto created_at = document.at("createdAt").as_string();
    BOOST_TEST(created_at.size() == std::string_view{"2026-01-02T03:04:05.678Z"}.size());
    BOOST_TEST(created_at.back() == 'Z');
    document.erase("createdAt");
    const object expected{{"id", provider.text()},
                          {"name", "Some provider"},
                          {"type", "generic-compatible"},
                          {"baseUrl", "https://api.example.org/v1"},
                          {"status", "active"},
                          {"healthStatus", "unknown"},
                          {"healthMessage", ""},
                          {"healthCheckedAt", nullptr},
                          {"hasKey", true},
                          {"keyHint", "sk-…abcd"},
                          {"roundRobinAccounts", false},
                          {"models", array{}},
                          {"accounts", array{}}};
    BOOST_TEST(document == expected);
}

BOOST_FIXTURE_TEST_CASE(the_list_is_made_of_the_same_documents_oldest_first, Household) {
    for (const char* name : {"b", "a", "c"}) {
        create_provider(lease, owner, crypto::random_id<ProviderId>(), some_fields(name),
                        some_key(scope));
    }
    add_model("m");
    add_account("k");
    const array all = listed(*this);
    BOOST_REQUIRE(all.size() == 4);
    BOOST_TEST(all[0].as_object() == document());
    BOOST_TEST(all[1].at("name").as_string() == "b");
    BOOST_TEST(all[2].at("name").as_string() == "a");
    BOOST_TEST(all[3].at("name").as_string() == "c");
}

BOOST_AUTO_TEST_CASE(a_new_person_has_an_empty_list) {
    const Resident user = add_user();
    Managing managing{user.id};
    BOOST_TEST(list_providers(managing.lease, user.id) == R"({"providers":[]})");
}

BOOST_FIXTURE_TEST_CASE(every_letter_survives, Household) {
    const std::string name = "\"quoted\" \\ </script> \u2028 \U0001F511 '; --";
    BOOST_TEST(edit_provider(lease, owner, provider, some_fields(name)));
    BOOST_TEST(document().at("name").as_string() == name);
    BOOST_TEST(find_provider(lease, owner, provider)->name == name);
}

BOOST_FIXTURE_TEST_CASE(control_characters_and_broken_text_never_reach_the_store, Household) {
    for (const std::string& name :
         {std::string{"a\0b", 3}, std::string{"a\nb"}, std::string{"\x7f"}, std::string{"\xc3\x28"},
          std::string{"\xed\xa0\x80"}}) {
        BOOST_CHECK_EXCEPTION(edit_provider(lease, owner, provider, some_fields(name)), Refusal,
                              refused_as(ErrorCode::invalid_field));
    }
    BOOST_TEST(find_provider(lease, owner, provider)->name == "Some provider");
}

BOOST_FIXTURE_TEST_CASE(an_edit_of_name_or_rotation_keeps_the_health, Household) {
    add_account("k");
    judge(*this, Health::unhealthy, "No answer.");
    ProviderFields fields = some_fields("Another name");
    fields.round_robin_accounts = true;
    BOOST_TEST(edit_provider(lease, owner, provider, fields));
    const object now = document();
    BOOST_TEST(now.at("name").as_string() == "Another name");
    BOOST_TEST(now.at("roundRobinAccounts").as_bool());
    BOOST_TEST(now.at("healthStatus").as_string() == "unhealthy");
    BOOST_TEST(now.at("healthMessage").as_string() == "No answer.");
    BOOST_TEST(now.at("healthCheckedAt").is_string());
    BOOST_TEST(now.at("accounts").at(0).at("healthStatus").as_string() == "unhealthy");
}

BOOST_FIXTURE_TEST_CASE(another_base_url_or_type_forgets_the_health_of_provider_and_accounts,
                        Household) {
    ProviderFields moved = some_fields();
    moved.base_url = "https://elsewhere.example.org";
    ProviderFields retyped = moved;
    retyped.type = "openai";
    add_account("k");
    for (const ProviderFields& fields : {moved, retyped}) {
        judge(*this, Health::degraded, "A key failed.");
        BOOST_TEST(document().at("healthStatus").as_string() == "degraded");
        BOOST_TEST(edit_provider(lease, owner, provider, fields));
        const object now = document();
        BOOST_TEST(now.at("healthStatus").as_string() == "unknown");
        BOOST_TEST(now.at("healthMessage").as_string() == "");
        BOOST_TEST(now.at("healthCheckedAt").is_null());
        BOOST_TEST(now.at("accounts").at(0).at("healthStatus").as_string() == "unknown");
        BOOST_TEST(now.at("accounts").at(0).at("healthCheckedAt").is_null());
    }
}

BOOST_FIXTURE_TEST_CASE(a_new_key_forgets_the_health_and_the_cool_down, Household) {
    judge(*this, Health::unhealthy, "Refused.");
    StoredKey key = some_key(scope);
    key.hint = "••••";
    BOOST_TEST(set_provider_key(lease, owner, provider, key));
    BOOST_TEST(document().at("healthStatus").as_string() == "unknown");
    BOOST_TEST(document().at("keyHint").as_string() == "••••");
    Executing executing{owner};
    const auto call = load_call_provider(executing.lease, owner, provider);
    BOOST_TEST(call->own_key->sealed.bytes() == key.sealed.bytes());
    BOOST_TEST(!call->own_key->cooling);
}

BOOST_FIXTURE_TEST_CASE(status_is_set_both_ways, Household) {
    BOOST_TEST(set_provider_status(lease, owner, provider, false));
    BOOST_TEST(document().at("status").as_string() == "inactive");
    BOOST_TEST(set_provider_status(lease, owner, provider, true));
    BOOST_TEST(document().at("status").as_string() == "active");
}

BOOST_FIXTURE_TEST_CASE(a_delete_takes_models_accounts_and_the_rotation_along, Household) {
    add_model("m");
    add_account("k");
    Executing executing{owner};
    next_rotation(executing.lease, owner, provider);
    BOOST_TEST(delete_provider(lease, owner, provider));
    for (const char* table : {"providers", "models", "accounts", "rotations"}) {
        const auto left = as_superuser("SELECT 1 FROM usershell." + std::string{table} +
                                       " WHERE owner_id = '" + owner.text() + "'");
        BOOST_TEST(left.empty(), table);
    }
    BOOST_TEST(!delete_provider(lease, owner, provider));
}

BOOST_FIXTURE_TEST_CASE(what_is_not_there_is_said_to_be_not_there, Household) {
    const auto nothing = crypto::random_id<ProviderId>();
    BOOST_TEST(!provider_document(lease, owner, nothing));
    BOOST_TEST(!find_provider(lease, owner, nothing));
    BOOST_TEST(!edit_provider(lease, owner, nothing, some_fields()));
    BOOST_TEST(!set_provider_key(lease, owner, nothing, some_key(scope)));
    BOOST_TEST(!set_provider_status(lease, owner, nothing, true));
    BOOST_TEST(!delete_provider(lease, owner, nothing));
}

BOOST_FIXTURE_TEST_CASE(another_person_reaches_nothing_by_the_right_ids, Household) {
    add_model("m");
    const AccountId account = add_account("k");
    const Resident stranger = add_user();
    Managing managing{stranger.id};
    Lease& other = managing.lease;
    // Their own id, our rows'; and our id too, as a forged one would be.
    for (const UserId& claimed : {stranger.id, owner}) {
        BOOST_TEST(!provider_document(other, claimed, provider));
        BOOST_TEST(list_providers(other, claimed) == R"({"providers":[]})");
        BOOST_TEST(!edit_provider(other, claimed, provider, some_fields("Taken over")));
        BOOST_TEST(!set_provider_status(other, claimed, provider, false));
        BOOST_TEST(!delete_provider(other, claimed, provider));
        BOOST_TEST(!has_model(other, claimed, provider, "m"));
        BOOST_TEST(!has_account(other, claimed, provider, account));
        BOOST_CHECK_EXCEPTION(delete_model(other, claimed, provider, "m"), Refusal,
                              refused_as(ErrorCode::not_found));
        BOOST_CHECK_EXCEPTION(delete_account(other, claimed, provider, account), Refusal,
                              refused_as(ErrorCode::not_found));
        BOOST_CHECK_EXCEPTION(store::add_model(other, claimed, provider, {"x", "x", "code"}),
                              Refusal, refused_as(ErrorCode::not_found));
    }
    BOOST_TEST(document().at("models").as_array().size() == 1);
    BOOST_TEST(document().at("accounts").as_array().size() == 1);
    BOOST_TEST(document().at("name").as_string() == "Some provider");
}

BOOST_FIXTURE_TEST_CASE(an_administrators_global_provider_is_out_of_reach, Household) {
    const auto global = crypto::random_id<ProviderId>();
    as_superuser("INSERT INTO usershell.providers (owner_id, id, name, type, base_url) VALUES ('" +
                 crypto::global_owner().text() + "', '" + global.text() +
                 "', 'Global', 'openai', 'https://x.org')");
    BOOST_TEST(!provider_document(lease, owner, global));
    BOOST_TEST(!provider_document(lease, crypto::global_owner(), global));
    BOOST_TEST(!delete_provider(lease, crypto::global_owner(), global));
    BOOST_TEST(listed(*this).size() == 1);
    BOOST_TEST(as_superuser("SELECT 1 FROM usershell.providers WHERE name = 'Global'").size() == 1);
}

BOOST_FIXTURE_TEST_CASE(the_newest_scope_is_the_current_one, Household) {
    BOOST_TEST(current_scope(lease, owner)->id == scope);
    const crypto::Scope renewed{"fedcba9876543210", crypto::random_bytes(32),
                                crypto::SealedScope{crypto::random_bytes(80)},
                                crypto::random_bytes(64)};
    const std::string id = add_scope(lease, owner, renewed);
    const auto current = current_scope(lease, owner);
    BOOST_TEST(current->id == id);
    BOOST_TEST(current->ring_key == renewed.ring_key);
    BOOST_TEST(current->public_key == renewed.public_key);
    BOOST_TEST(current->voucher == renewed.voucher);
    BOOST_TEST(!current_scope(lease, add_user().id));
}

BOOST_FIXTURE_TEST_CASE(a_key_can_hang_on_no_scope_of_another_person, Household) {
    Household neighbours;
    BOOST_CHECK_EXCEPTION(set_provider_key(lease, owner, provider, some_key(neighbours.scope)),
                          Refusal, refused_as(ErrorCode::not_found));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace usershell::store
