#include "pipeline/page.hpp"
#include "tests/unit/pipeline/support.hpp"
using namespace usershell::pipeline;
namespace {
struct Visit {
    explicit Visit(const std::string& cookie)
        : made{request(web::Method::get, "/auth/login", {{"cookie", cookie}})} {}
    web::Response shown() const {
        static const web::Pages pages{std::string{USERSHELL_SOURCE_DIR} + "/templates", {"login"}};
        return page_answer(context, pages, pages::Page::login, data);
    }
    /// Its sentence, "" when there is none.
    std::string notice() const {
        const auto section = data.sections.find("NOTICE");
        if (section == data.sections.end()) return "";
        BOOST_TEST(section->second.size() == 1U);
        return section->second.front().sentences.at("MESSAGE").english();
    }
    store::Database store{no_store, 1};
    store::Lease lease{store};
    web::Request made;
    RequestContext context{made, lease};
    web::PageData data = page_frame(context, "Sign in"_en);
};

BOOST_AUTO_TEST_CASE(a_notice_travels_with_the_redirect_and_is_shown_once) {
    const std::string attributes = "; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=";
    const int last = static_cast<int>(Notice::token_revoked);
    std::set<std::string> sentences;
    for (int notice = 0; notice <= last; ++notice) {
        const auto redirect = see_other("/user/settings/profile", static_cast<Notice>(notice));
        BOOST_TEST(redirect.status == 303);
        const std::string location = only_header(redirect, "Location");
        BOOST_TEST(location.substr(0, location.find('#')) == "/user/settings/profile");
        const std::string cookie = only_header(redirect, "Set-Cookie");
        BOOST_TEST(cookie.ends_with(attributes + "60"), cookie);
        const Visit visit{cookie.substr(0, cookie.find(';'))};
        sentences.insert(visit.notice());
        const web::Response shown = visit.shown();
        BOOST_TEST(has(shown.body, visit.notice()));
        BOOST_TEST(only_header(shown, "Set-Cookie") ==
                   "__Host-usershell-notice=" + attributes + "0");
    }
    BOOST_TEST(!sentences.contains(""));
    BOOST_TEST(sentences.size() == last + 1U);
}

BOOST_AUTO_TEST_CASE(a_notice_stands_in_the_part_that_it_is_about_where_the_page_has_it) {
    BOOST_TEST(only_header(see_other("/x", Notice::name_saved), "Location") == "/x#name");
    const web::Pages pages{std::string{USERSHELL_SOURCE_DIR} + "/templates", {"login", "profile"}};
    const Visit visit{"__Host-usershell-notice=name-saved"};
    const auto where = [&](pages::Page page, const char* before) {
        const std::string body = page_answer(visit.context, pages, page, visit.data).body;
        const auto part = body.find(before);
        BOOST_REQUIRE(part != std::string::npos);
        return body.find(visit.notice()) > part;
    };
    BOOST_TEST(where(pages::Page::profile, "id=\"name-title\""));
    BOOST_TEST(!where(pages::Page::login, "<form"));
}

BOOST_AUTO_TEST_CASE(only_words_of_ours_are_notices_and_a_stranger_is_nobody) {
    for (const char* const cookie :
         {"", "__Host-usershell-notice=", "__Host-usershell-notice=pay%20me",
          "__Host-usershell-notice=<b>hello</b>", "__Host-usershell-notice=NAME-SAVED",
          "usershell-notice=name-saved"}) {
        const Visit visit{cookie};
        BOOST_TEST(visit.data.sections.empty(), cookie);
        BOOST_TEST(!visit.data.values.contains("ANTIFORGERY"));
        BOOST_TEST(header(visit.shown(), "Set-Cookie").empty(), cookie);
    }
}
} // namespace
