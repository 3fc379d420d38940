#include "base/password_rule.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace usershell;

BOOST_AUTO_TEST_SUITE(password_rule)

BOOST_AUTO_TEST_CASE(new_passwords) {
    const std::string umlaut = "\xc3\xa4";
    std::string umlauts;
    for (int i = 0; i < 12; ++i) umlauts += umlaut;
    const struct {
        std::string password;
        std::string error;
    } table[] = {
        {"", "A password has at least 12 characters."},
        {"12345678901", "A password has at least 12 characters."},
        {"123456789012", ""},
        {"            ", ""},
        {" leading and trailing ", ""},
        {umlauts, ""},
        {umlauts.substr(2), "A password has at least 12 characters."},
        {std::string(1024, 'x'), ""},
        {std::string(1025, 'x'), "A password has at most 1,024 bytes."},
        {"123456789012\xff", "A password is text."},
        {"123456789012\xed\xa0\x80", "A password is text."},
        {"\xf0\x9f\x94\x91\xf0\x9f\x94\x91\xf0\x9f\x94\x91\xf0\x9f\x94\x91",
         "A password has at least 12 characters."},
    };
    for (const auto& row : table) BOOST_TEST(new_password_error(row.password) == row.error);
}

BOOST_AUTO_TEST_SUITE_END()
