#include "execute/check.hpp"
#include "tests/unit/test.hpp"
#include <boost/json/serialize.hpp>
using namespace usershell::execute;
BOOST_AUTO_TEST_CASE(a_good_result_has_four_members_and_a_bad_one_why) {
    CheckResult good;
    good.ok = true;
    good.reply = "pong \"!\"";
    good.model = "m/1";
    good.error = "left over"_en;
    good.latency_ms = 1234;
    BOOST_TEST(boost::json::serialize(check_document(good)) ==
               R"({"ok":true,"reply":"pong \"!\"","latencyMs":1234,"model":"m/1"})");
    good.credit = {"12.30", "USD"};
    BOOST_TEST(
        boost::json::serialize(check_document(good)) ==
        R"({"ok":true,"reply":"pong \"!\"","latencyMs":1234,"model":"m/1","credit":{"amount":"12.30","currency":"USD"}})");
    CheckResult bad = good;
    bad.ok = false;
    bad.error = "The provider refused the key."_en;
    BOOST_TEST(boost::json::serialize(check_document(bad)) ==
               R"({"ok":false,"error":"The provider refused the key."})");
    bad.reason = "key_refused";
    BOOST_TEST(boost::json::serialize(check_document(bad)) ==
               R"({"ok":false,"error":"The provider refused the key.","reason":"key_refused"})");
}
