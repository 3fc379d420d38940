#include "tests/unit/test.hpp"
#include "web/message.hpp"
using namespace usershell::web;
namespace {
std::string header_of(const Cookie& cookie) { return Response{}.set(cookie).headers.back().second; }
BOOST_AUTO_TEST_CASE(every_cookie_has_the_contracts_attributes_and_can_be_read_as_no_other) {
    const std::string attributes = "; Path=/; Secure; HttpOnly; SameSite=Lax";
    BOOST_TEST(header_of({"__Host-a", "v-1_~"}) == "__Host-a=v-1_~" + attributes);
    BOOST_TEST(header_of({"__Host-a", "v", std::chrono::hours{1}}) ==
               "__Host-a=v" + attributes + "; Max-Age=3600");
    BOOST_TEST(header_of(forgotten("__Host-a")) == "__Host-a=" + attributes + "; Max-Age=0");
    BOOST_CHECK_THROW(header_of({"a", "v"}), usershell::Error);
    for (const char* const value :
         {"v; Domain=x", "v w", "v,w", "\"v\"", "v\\", "v\r\nX: y", "\x7f", "\xc3\xa9"})
        BOOST_CHECK_THROW(header_of({"__Host-a", value}), usershell::Error);
}
} // namespace
