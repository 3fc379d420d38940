#include "base/error.hpp"

#include <set>

#include <boost/test/unit_test.hpp>

using namespace usershell;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(error)

BOOST_AUTO_TEST_CASE(every_code_has_its_name_and_status) {
    const struct {
        ErrorCode code;
        std::string_view name;
        int status;
    } contract[] = {
        {ErrorCode::not_signed_in, "not_signed_in", 401},
        {ErrorCode::antiforgery_invalid, "antiforgery_invalid", 400},
        {ErrorCode::malformed_json, "malformed_json", 400},
        {ErrorCode::missing_field, "missing_field", 400},
        {ErrorCode::invalid_field, "invalid_field", 400},
        {ErrorCode::cap_reached, "cap_reached", 400},
        {ErrorCode::not_found, "not_found", 404},
        {ErrorCode::method_not_allowed, "method_not_allowed", 405},
        {ErrorCode::conflict, "conflict", 409},
        {ErrorCode::provider_inactive, "provider_inactive", 409},
        {ErrorCode::no_enabled_model, "no_enabled_model", 409},
        {ErrorCode::body_too_large, "body_too_large", 413},
        {ErrorCode::unsupported_media_type, "unsupported_media_type", 415},
        {ErrorCode::rate_limited, "rate_limited", 429},
        {ErrorCode::internal_error, "internal_error", 500},
        {ErrorCode::upstream_error, "upstream_error", 502},
        {ErrorCode::unavailable, "unavailable", 503},
        {ErrorCode::upstream_timeout, "upstream_timeout", 504},
    };
    for (const auto& row : contract) {
        BOOST_TEST(name_of(row.code) == row.name);
        BOOST_TEST(status_of(row.code) == row.status);
    }
}

BOOST_AUTO_TEST_CASE(a_refusal_carries_code_sentence_and_field) {
    const Refusal refusal{ErrorCode::conflict, "This model is there already.", "modelId"};
    BOOST_TEST((refusal.code() == ErrorCode::conflict));
    BOOST_TEST(refusal.status() == 409);
    BOOST_TEST(refusal.sentence() == "This model is there already.");
    BOOST_TEST(refusal.field() == "modelId");
    BOOST_TEST(refusal.what() == refusal.sentence());
    BOOST_TEST(!refusal.retry_after().has_value());
}

BOOST_AUTO_TEST_CASE(the_short_forms_say_what_the_contract_says) {
    BOOST_TEST(not_found().status() == 404);
    BOOST_TEST(not_found().field() == "");
    BOOST_TEST(missing("name").sentence() == "name is required.");
    BOOST_TEST(missing("name").field() == "name");
    BOOST_TEST(missing("name").status() == 400);
    BOOST_TEST((invalid("baseUrl", "No.").code() == ErrorCode::invalid_field));
    BOOST_TEST(invalid("baseUrl", "No.").field() == "baseUrl");
    BOOST_TEST(unavailable("Busy.", 7s).status() == 503);
    BOOST_TEST((unavailable("Busy.", 7s).retry_after() == 7s));
}

BOOST_AUTO_TEST_CASE(coming_back_takes_a_second_at_least) {
    BOOST_TEST((unavailable("Busy.", 0s).retry_after() == 1s));
    BOOST_TEST((unavailable("Busy.", -5s).retry_after() == 1s));
    BOOST_TEST(
        (Refusal{ErrorCode::rate_limited, "Slow down."}.retry_after(30s).retry_after() == 30s));
}

BOOST_AUTO_TEST_SUITE_END()
