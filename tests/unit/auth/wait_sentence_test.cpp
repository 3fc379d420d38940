#include "auth/password_check.hpp"
#include "tests/unit/test.hpp"
using namespace usershell::auth;
BOOST_AUTO_TEST_CASE(one_second_is_no_seconds) {
    BOOST_TEST(wait_sentence(1s).english() == "Too many attempts. Try again in 1 second.");
    BOOST_TEST(wait_sentence(2s).english() == "Too many attempts. Try again in 2 seconds.");
}
