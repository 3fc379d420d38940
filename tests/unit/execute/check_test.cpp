#include "execute/check.hpp"
#include "execute/mail_sender.hpp"

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <limits>

using namespace usershell;
using namespace usershell::execute;
using std::chrono::seconds;

BOOST_AUTO_TEST_SUITE(check)

BOOST_AUTO_TEST_CASE(a_good_result_has_four_members_and_a_bad_one_two) {
    CheckResult good;
    good.ok = true;
    good.reply = "pong \"!\"";
    good.model = "m/1";
    good.error = "left over";
    good.latency_ms = 1234;
    BOOST_TEST(boost::json::serialize(check_document(good)) ==
               R"({"ok":true,"reply":"pong \"!\"","latencyMs":1234,"model":"m/1"})");
    CheckResult bad = good;
    bad.ok = false;
    bad.error = "The provider refused the key.";
    BOOST_TEST(boost::json::serialize(check_document(bad)) ==
               R"({"ok":false,"error":"The provider refused the key."})");
}

BOOST_AUTO_TEST_CASE(mail_waits_twice_as_long_each_time_up_to_an_hour) {
    const std::pair<int, int> table[] = {
        {1, 10},      {2, 20},   {3, 40},    {4, 80},
        {8, 1280},    {9, 2560}, {10, 3600}, {11, 3600},
        {1000, 3600}, {0, 10},   {-1, 10},   {std::numeric_limits<int>::max(), 3600},
    };
    for (const auto& [tries, wait] : table)
        BOOST_TEST((delay_after(tries) == seconds{wait}), tries);
}

BOOST_AUTO_TEST_SUITE_END()
