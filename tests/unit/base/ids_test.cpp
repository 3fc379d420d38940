#include "base/ids.hpp"
#include "tests/unit/test.hpp"
#include <type_traits>

BOOST_AUTO_TEST_CASE(only_the_lower_case_text_form_is_a_uuid_and_kinds_do_not_mix) {
    for (const std::string_view good :
         {"0f8fad5b-d9cb-469f-a165-70867728950e", "00000000-0000-0000-0000-000000000000"})
        BOOST_TEST((is_uuid(good) && UserId::parse(good).has_value()), good);
    for (const auto wrong :
         {"0F8FAD5B-D9CB-469F-A165-70867728950E"sv, "0f8fad5bd9cb469fa16570867728950e"sv,
          "{0f8fad5b-d9cb-469f-a165-70867728950e}"sv, "0f8fad5b-d9cb-469f-a165-70867728950"sv,
          "0f8fad5b-d9cb-469f-a165-70867728950e1"sv, "0f8fad5b-d9cb-469f-a165-70867728950g"sv,
          "0f8fad5bd-9cb-469f-a165-70867728950e"sv, "0f8fad5b-d9cb-469f-a165 70867728950e"sv,
          "0f8fad5b-d9cb-469f-a165-70867728950\n"sv, "0f8fad5b-d9cb-469f-a165-7086772895\0e"sv,
          ""sv})
        BOOST_TEST((!is_uuid(wrong) && !UserId::parse(wrong).has_value()), wrong);
    BOOST_TEST(!(std::is_convertible_v<AccountId, ProviderId>));
    BOOST_TEST(!(std::is_constructible_v<ProviderId, AccountId>));
    BOOST_TEST(!(std::is_constructible_v<ProviderId, std::string>));
}
