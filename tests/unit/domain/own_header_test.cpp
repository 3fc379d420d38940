#include "base/ascii.hpp"
#include "domain/pasted_key.hpp"
#include "domain/rules.hpp"
#include "tests/unit/test.hpp"

BOOST_AUTO_TEST_CASE(which_headers_a_person_may_give_a_provider) {
    for (const std::string& good :
         {"x-tenant"s, "cf-access-client-id"s, "openai-organization"s, "http-referer"s,
          "user-agent"s, "a"s, "x-1"s, "anthropic-beta"s, "x-portkey-provider"s, "contents"s,
          "x-real-ipx"s, "iffy"s, "proxy"s, std::string(64, 'a')})
        BOOST_TEST(is_own_header(good, false), good);
    for (const std::string& wrong :
         {""s, "-x"s, "1x"s, "X-Tenant"s, "x_api_key"s, "x.api.key"s, "x tenant"s, "x:y"s,
          "x\r\nhost"s, "x\0y"s, "h\u00f6st"s, "x;"s, ":authority"s, std::string(65, 'a')})
        BOOST_TEST(!is_own_header(wrong, true), wrong);
    for (const std::string& refused : {"host"s,
                                       "content-length"s,
                                       "content-type"s,
                                       "content-encoding"s,
                                       "proxy-authorization"s,
                                       "proxy-connection"s,
                                       "te"s,
                                       "trailer"s,
                                       "transfer-encoding"s,
                                       "connection"s,
                                       "upgrade"s,
                                       "keep-alive"s,
                                       "expect"s,
                                       "authorization"s,
                                       "x-api-key"s,
                                       "accept-encoding"s,
                                       "if-none-match"s,
                                       "range"s,
                                       "x-forwarded-for"s,
                                       "x-http-method-override"s,
                                       "cookie2"s,
                                       "helicone-target-url"s,
                                       "x-portkey-custom-host"s})
        BOOST_TEST(!is_own_header(refused, true), refused);
}

BOOST_AUTO_TEST_CASE(no_row_of_the_list_is_a_good_name) {
    for (const std::string_view row : rules::words::refused_headers) {
        std::string name{row};
        if (name.ends_with('*')) name.back() = 'x';
        BOOST_TEST(!is_own_header(name, true), name);
        BOOST_TEST(name == lower_ascii(name));
    }
}

BOOST_AUTO_TEST_CASE(a_cookie_is_the_operators_to_permit) {
    BOOST_TEST(is_own_header("cookie", true));
    BOOST_TEST(!is_own_header("cookie", false));
}
