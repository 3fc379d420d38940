#include "manage/page.hpp"

#include "crypto/token.hpp"
#include "tests/unit/app/support.hpp"
#include "tests/unit/manage/support.hpp"

#include <boost/test/unit_test.hpp>

#include <set>
#include <string>

using namespace usershell;
using namespace usershell::manage;
using namespace usershell::test;

namespace {

const Notice all_notices[] = {
    Notice::name_saved,     Notice::email_change_started, Notice::email_change_cancelled,
    Notice::email_changed,  Notice::avatar_saved,         Notice::password_changed,
    Notice::sessions_ended, Notice::password_reset,
};

/// A request under way, with or without a signed-in user.
struct Visit {
    explicit Visit(Headers headers = {}, bool signed_in = false)
        : made{request(web::Method::get, "/user/settings/profile", headers)} {
        if (signed_in) context.signed_in = someone();
    }

    store::Database store{no_store, 1};
    store::Lease lease{store};
    web::Request made;
    app::RequestContext context{made, lease};
};

std::string notice_on(const web::PageData& data) {
    const auto section = data.sections.find("NOTICE");
    if (section == data.sections.end()) return "";
    BOOST_TEST(section->second.size() == 1U);
    return section->second.front().values.at("MESSAGE");
}

} // namespace

BOOST_AUTO_TEST_SUITE(page)

BOOST_AUTO_TEST_CASE(a_notice_travels_with_the_redirect_and_is_shown_once) {
    const web::Pages pages{std::string{USERSHELL_SOURCE_DIR} + "/templates", {"login"}};
    std::set<std::string> sentences;
    for (const Notice notice : all_notices) {
        const web::Response redirect = see_other("/user/settings/profile", notice);
        BOOST_TEST(redirect.status == 303);
        BOOST_TEST(only_header(redirect, "Location") == "/user/settings/profile");
        const std::string cookie = only_header(redirect, "Set-Cookie");
        BOOST_TEST(cookie.ends_with("; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=60"),
                   cookie);

        Visit visit{{{"cookie", cookie.substr(0, cookie.find(';'))}}, true};
        const web::PageData data = page_frame(visit.context, "Profile");
        const std::string sentence = notice_on(data);
        BOOST_TEST(!sentence.empty());
        sentences.insert(sentence);
        const web::Response shown = page_answer(visit.context, pages, app::Page::login, data);
        BOOST_TEST(holds(shown.body, sentence));
        BOOST_TEST(only_header(shown, "Set-Cookie") ==
                   "__Host-usershell-notice=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0");
    }
    BOOST_TEST(sentences.size() == std::size(all_notices));
}

BOOST_AUTO_TEST_CASE(only_words_of_ours_are_notices) {
    const web::Pages pages{std::string{USERSHELL_SOURCE_DIR} + "/templates", {"login"}};
    for (const char* const cookie :
         {"", "__Host-usershell-notice=", "__Host-usershell-notice=pay%20me",
          "__Host-usershell-notice=<b>hello</b>", "__Host-usershell-notice=NAME-SAVED",
          "usershell-notice=name-saved"}) {
        Visit visit{{{"cookie", cookie}}};
        const web::PageData data = page_frame(visit.context, "Sign in");
        BOOST_TEST(notice_on(data) == "", cookie);
        const web::Response shown = page_answer(visit.context, pages, app::Page::login, data);
        BOOST_TEST(header(shown, "Set-Cookie").empty(), cookie);
    }
}

BOOST_AUTO_TEST_CASE(the_frame_says_who_is_signed_in) {
    Visit visit{{}, true};
    const web::PageData data = page_frame(visit.context, "Profile", "profile.js");
    BOOST_TEST(data.values.at("TITLE") == "Profile");
    BOOST_TEST(crypto::check_antiforgery(visit.context.caller().antiforgery_key,
                                         data.values.at("ANTIFORGERY")));
    const web::PageData& user = data.sections.at("SIGNED_IN").front();
    BOOST_TEST(user.values.at("DISPLAY_NAME") == "Ada Lovelace");
    BOOST_TEST(user.values.at("EMAIL") == "ada@shell.example");
    BOOST_TEST(data.sections.at("SCRIPT").front().values.at("SRC") ==
               app::asset_folder() + "/profile.js");
    BOOST_TEST(page_frame(visit.context, "Profile").values.at("ANTIFORGERY") !=
               data.values.at("ANTIFORGERY"));
}

BOOST_AUTO_TEST_CASE(the_frame_of_a_stranger_has_no_person_and_no_token) {
    Visit visit;
    const web::PageData data = page_frame(visit.context, "Sign in");
    BOOST_TEST(!data.values.contains("ANTIFORGERY"));
    BOOST_TEST(data.sections.empty());
}

BOOST_AUTO_TEST_SUITE_END()
