#include "manage/sign_in/password_check.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace usershell;
using namespace usershell::manage;

BOOST_AUTO_TEST_SUITE(password_check)

BOOST_AUTO_TEST_CASE(new_passwords) {
    const std::string umlaut = "\xc3\xa4";
    std::string eight_umlauts;
    for (int i = 0; i < 8; ++i) eight_umlauts += umlaut;
    const struct {
        std::string password;
        std::string error;
    } table[] = {
        {"", "A password has at least 8 characters."},
        {"1234567", "A password has at least 8 characters."},
        {"12345678", ""},
        {"        ", ""},
        {" leading and trailing ", ""},
        {eight_umlauts, ""},
        {eight_umlauts.substr(2), "A password has at least 8 characters."},
        {std::string(1024, 'x'), ""},
        {std::string(1025, 'x'), "A password has at most 1,024 bytes."},
        {"12345678\xff", "A password is text."},
        {"12345678\xed\xa0\x80", "A password is text."},
        {"\xf0\x9f\x94\x91\xf0\x9f\x94\x91\xf0\x9f\x94\x91\xf0\x9f\x94\x91",
         "A password has at least 8 characters."},
    };
    for (const auto& row : table) BOOST_TEST(new_password_error(row.password) == row.error);
}

BOOST_AUTO_TEST_SUITE_END()
