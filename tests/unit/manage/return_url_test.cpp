#include "manage/sign_in/sign_in.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace usershell;
using namespace usershell::manage;

BOOST_AUTO_TEST_SUITE(return_url)

BOOST_AUTO_TEST_CASE(a_path_of_ours_is_kept) {
    const std::string kept[] = {
        "/",
        "/user/providers",
        "/user/settings/profile/confirm-email-change?userId=1&email=a%40b.example&token=t-_",
        "/x?next=https://evil.example",
        "/x#//evil.example",
        "/@evil.example",
        "/%2f/evil.example",
        "/%5cevil.example",
        "/.evil.example",
        "/" + std::string(2047, 'x'),
    };
    for (const auto& url : kept) BOOST_TEST(local_return_url(url) == url);
}

BOOST_AUTO_TEST_CASE(what_a_browser_could_read_as_another_site_is_replaced) {
    const std::string replaced[] = {
        "",
        "user/providers",
        "https://evil.example",
        "HTTPS://evil.example/",
        "http:evil.example",
        "https:/evil.example",
        "//evil.example",
        "///evil.example",
        "//",
        R"(/\evil.example)",
        R"(\/evil.example)",
        R"(\\evil.example)",
        R"(/x\..\..\evil)",
        " //evil.example",
        " /user/providers",
        "/\t/evil.example",
        "/\n/evil.example",
        "/\r\n/evil.example",
        "\t//evil.example",
        "/x\r\nSet-Cookie: a=b",
        std::string{"/\0/evil.example", 15},
        "/\x7f/evil.example",
        "javascript:alert(1)",
        "data:text/html,x",
        "@evil.example",
        ".evil.example",
        "?x",
        "#x",
        "\xe3\x80\x82//evil.example",
        "/\xc3\xa4",
        "/\xe2\x88\x95/evil.example",
        "/" + std::string(2048, 'x'),
    };
    for (const auto& url : replaced) BOOST_TEST(local_return_url(url) == "/user/providers", url);
}

BOOST_AUTO_TEST_SUITE_END()
