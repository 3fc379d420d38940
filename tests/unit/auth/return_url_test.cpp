#include "auth/sign_in.hpp"
#include "tests/unit/test.hpp"
using namespace usershell::auth;
BOOST_AUTO_TEST_CASE(a_path_of_ours_is_kept) {
    for (const std::string& url :
         {"/"s, "/user/providers"s,
          "/user/settings/profile/confirm-email-change?userId=1&email=a%40b.example&token=t-_"s,
          "/x?next=https://evil.example"s, "/x#//evil.example"s, "/@evil.example"s,
          "/%2f/evil.example"s, "/%5cevil.example"s, "/.evil.example"s,
          "/" + std::string(2047, 'x')})
        BOOST_TEST(local_return_url(url) == url);
}

BOOST_AUTO_TEST_CASE(what_a_browser_could_read_as_another_site_is_replaced) {
    const auto all_are_replaced = [](const std::vector<std::string>& urls) {
        for (const auto& url : urls) BOOST_TEST(local_return_url(url) == "/user/providers", url);
    };
    all_are_replaced({"", "user/providers", "https://evil.example", "HTTPS://evil.example/",
                      "http:evil.example", "https:/evil.example", "//evil.example",
                      "///evil.example", "//", R"(/\evil.example)", R"(\/evil.example)",
                      R"(\\evil.example)", R"(/x\..\..\evil)"});
    all_are_replaced({" //evil.example", " /user/providers", "/\t/evil.example", "/\n/evil.example",
                      "/\r\n/evil.example", "\t//evil.example", "/x\r\nSet-Cookie: a=b",
                      "/\0/evil.example"s, "/\x7f/evil.example"});
    all_are_replaced({"javascript:alert(1)", "data:text/html,x", "@evil.example", ".evil.example",
                      "?x", "#x", "\xe3\x80\x82//evil.example", "/\xc3\xa4",
                      "/\xe2\x88\x95/evil.example", "/" + std::string(2048, 'x')});
}
