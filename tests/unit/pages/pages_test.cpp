// The templates are all there. The mails as the mail sender will find them: opened with the other
// program's ring.
#include "mail/services.hpp"
#include "pages/mail_writer.hpp"
#include "pages/templates.hpp"
#include "tests/unit/crypto/support.hpp"
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
using namespace usershell::pages;
namespace {
const std::string confirm_link = "https://shell.example/x?userId=1&email=a%40b.example&token=t-_t";
const std::string reset_link = "https://shell.example/auth/reset?token=t-_t";
const std::string bad_name = "<b>Eve</b> & {LINK} \"x\"";
struct Opened {
    std::string to, subject, text, html;
    std::chrono::system_clock::duration time_left;
};
struct Post {
    Opened open(const store::QueuedMail& mail) const {
        const mail::MailOpener opener{rings.mail_secret, rings.auth_public};
        const auto opened = opener.open({owner, mail.id, mail.kind, mail.sealed, 1});
        const std::string_view json = opened.content.reveal();
        const auto content = boost::json::parse({json.data(), json.size()}).as_object();
        BOOST_TEST(content.size() == 4U);
        const auto member = [&](const char* name) {
            return std::string{content.at(name).as_string()};
        };
        return {member("to"), member("subject"), member("text"), member("html"),
                opened.valid_until - std::chrono::system_clock::now()};
    }
    Rings rings = new_rings();
    web::Pages pages = load_pages(std::string{USERSHELL_SOURCE_DIR} + "/templates");
    MailWriter writer{pages, crypto::MailSealer{rings.auth_secret, rings.mail_public},
                      "https://shell.example"};
    UserId owner = crypto::random_id<UserId>();
};
EmailAddress address(const std::string& text) { return parse_email(text).value(); }
bool has_line(const std::string& text, const std::string& line) {
    return has("\n" + text, "\n" + line + "\n");
}
void check_form(const Opened& mail) {
    BOOST_TEST(!mail.subject.empty());
    BOOST_TEST(!has(mail.text, "{{"), mail.text);
    BOOST_TEST(mail.text.starts_with("Hello"), mail.text);
    BOOST_TEST(mail.text.ends_with(".\n"), mail.text);
    BOOST_TEST(!has(mail.text, "\n\n\n"), mail.text);
    BOOST_TEST(mail.html.starts_with("<!doctype html>"), mail.html);
    BOOST_TEST(mail.html.ends_with("</html>\n"), mail.html);
    BOOST_TEST(has(mail.html, "<title>" + mail.subject + "</title>"), mail.html);
    for (const char* const fetched : {"<img", "<style", "<script", "src=", "url("})
        BOOST_TEST(!has(mail.html, fetched), fetched);
}

BOOST_AUTO_TEST_CASE(a_mail_with_a_link_goes_to_its_address) {
    const Post post;
    const auto ada = address("ada@bücher.example");
    const std::tuple<const char*, store::QueuedMail, std::string, std::string> rows[] = {
        {"email-change", post.writer.confirm_email(post.owner, ada, confirm_link, 24h),
         confirm_link, "https://shell.example/x?userId=1&amp;email=a%40b.example&amp;token=t-_t"},
        {"password-reset", post.writer.password_reset(post.owner, ada, "t-_t", 1h), reset_link,
         reset_link},
        {"invitation", post.writer.invitation(post.owner, bad_name, ada, "t-_t", 72h), reset_link,
         reset_link},
    };
    for (const auto& [kind, mail, link, in_html] : rows) BOOST_TEST_CONTEXT(kind) {
            BOOST_TEST(mail.kind == kind);
            const Opened opened = post.open(mail);
            BOOST_TEST(opened.to == "ada@xn--bcher-kva.example");
            check_form(opened);
            BOOST_TEST(has_line(opened.text, link), opened.text);
            const std::regex until{
                R"(The link works once, until \d{1,2} [A-Z][a-z]+, \d\d:\d\d UTC\.)"};
            BOOST_TEST(std::regex_search(opened.text, until), opened.text);
            BOOST_TEST(std::regex_search(opened.html, until), opened.html);
            BOOST_TEST(has(opened.text, "(shell.example)"), opened.text);
            BOOST_TEST(has(opened.html, "<a href=\"" + in_html + "\""), opened.html);
            BOOST_TEST(has(opened.html, ">" + in_html + "</a>"), opened.html);
        }
}

BOOST_AUTO_TEST_CASE(the_confirmation_names_the_new_address_as_it_was_typed) {
    const Post post;
    const Opened opened = post.open(
        post.writer.confirm_email(post.owner, address("Grüße@Bücher.example"), confirm_link, 24h));
    BOOST_TEST(opened.to == "Grüße@xn--bcher-kva.example");
    for (const std::string& part : {opened.text, opened.html}) {
        BOOST_TEST(has(part, "Grüße@Bücher.example"), part);
        BOOST_TEST(has(part, "a usershell account (shell.example) to"), part);
    }
}

BOOST_AUTO_TEST_CASE(the_notice_to_the_old_address_has_no_link) {
    const Post post;
    const store::QueuedMail mail =
        post.writer.email_changed(post.owner, "Ada", "old@bücher.example", "new@shell.example");
    BOOST_TEST(mail.kind == "email-changed");
    const Opened opened = post.open(mail);
    BOOST_TEST(opened.to == "old@xn--bcher-kva.example");
    check_form(opened);
    for (const std::string& part : {opened.text, opened.html}) {
        BOOST_TEST(!has(part, "http"), part);
        BOOST_TEST(!has(part, "href"), part);
        BOOST_TEST(has(part, "new@shell.example"), part);
    }
}

BOOST_AUTO_TEST_CASE(a_notice_about_a_token_names_it_and_has_no_link) {
    const Post post;
    for (const auto& [mail, kind] :
         {std::pair{Mail::token_made, "token-made"}, std::pair{Mail::token_ends, "token-ends"}}) {
        const store::QueuedMail notice =
            post.writer.about_token(mail, post.owner, "Ada", "ada@bücher.example", bad_name, "en");
        BOOST_TEST(notice.kind == kind);
        const Opened opened = post.open(notice);
        BOOST_TEST(opened.to == "ada@xn--bcher-kva.example");
        check_form(opened);
        BOOST_TEST(has(opened.text, "“" + bad_name + "”"), opened.text);
        BOOST_TEST(has(opened.html, "&lt;b&gt;Eve"), opened.html);
        for (const std::string& part : {opened.text, opened.html}) {
            BOOST_TEST(!has(part, "http"), part);
            BOOST_TEST(!has(part, "href"), part);
        }
    }
}

BOOST_AUTO_TEST_CASE(the_notice_of_an_event_says_what_has_happened_and_has_no_link) {
    const Post post;
    const store::QueuedMail mail = post.writer.security_event(
        post.owner, "Ada", "ada@bücher.example", "A provider was pointed to another address"_en);
    BOOST_TEST(mail.kind == "security-event");
    const Opened opened = post.open(mail);
    BOOST_TEST(opened.to == "ada@xn--bcher-kva.example");
    check_form(opened);
    for (const std::string& part : {opened.text, opened.html}) {
        BOOST_TEST(has(part, "A provider was pointed to another address."), part);
        BOOST_TEST(!has(part, "http"), part);
        BOOST_TEST(!has(part, "href"), part);
    }
}

BOOST_AUTO_TEST_CASE(a_name_is_no_markup) {
    const Post post;
    const EmailAddress to = address("ada@shell.example");
    for (const store::QueuedMail& mail :
         {post.writer.invitation(post.owner, bad_name, to, "t-_t", 72h),
          post.writer.email_changed(post.owner, bad_name, "a@shell.example", "b@shell.example")}) {
        const Opened opened = post.open(mail);
        BOOST_TEST(has(opened.text, "Hello " + bad_name + ","), opened.text);
        BOOST_TEST(!has(opened.html, "<b>Eve"), opened.html);
        BOOST_TEST(has(opened.html, "&lt;b&gt;Eve"), opened.html);
    }
}

BOOST_AUTO_TEST_CASE(a_mail_is_in_the_language_of_whoever_asked) {
    const Post post;
    const EmailAddress to = address("ada@shell.example");
    for (const store::QueuedMail& mail :
         {post.writer.confirm_email(post.owner, to, confirm_link, 24h, "de"),
          post.writer.email_changed(post.owner, "Ada", "ada@shell.example", "new@shell.example",
                                    "de"),
          post.writer.password_reset(post.owner, to, "t-_t", 1h, "de")}) {
        const Opened opened = post.open(mail);
        BOOST_TEST(opened.text.starts_with("Guten Tag"), opened.text);
        BOOST_TEST(!has(opened.html, "Hello"), opened.html);
        BOOST_TEST(has(opened.html, "<html lang=\"de\">"), opened.html);
        BOOST_TEST(has(opened.html, "<title>" + opened.subject + "</title>"), opened.html);
    }
}

BOOST_AUTO_TEST_CASE(a_mail_shows_nothing_while_closed_and_is_worth_sending_while_its_link_works) {
    const Post post;
    const store::QueuedMail mail =
        post.writer.password_reset(post.owner, address("ada@shell.example"), "token", 1h);
    for (const char* const secret : {"ada@", "token", "Hello", "shell.example"})
        BOOST_TEST(!has(mail.sealed.bytes(), secret), secret);
    const auto left = post.open(mail).time_left;
    BOOST_TEST((left > 30min && left <= 1h));
    BOOST_TEST(reset_token_hash("token") == crypto::token_hash("password-reset", "token"));
    BOOST_TEST(reset_token_hash("token") != reset_token_hash("tokeN"));
}
} // namespace

namespace fs = std::filesystem;
/// Pages loads these names at the start, so a missing file ends it and no file is unused.
BOOST_AUTO_TEST_CASE(every_file_is_named_and_every_name_has_its_file) {
    const fs::path folder = fs::path{USERSHELL_SOURCE_DIR} / "templates";
    std::set<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator{folder})
        if (entry.path().extension() == ".tpl")
            files.insert(entry.path().lexically_relative(folder).replace_extension().string());
    files.erase("layout");
    for (const char* part : {"limits", "new_passkey", "proof", "provider_types", "secret"})
        files.erase(part); // of others
    const auto names = template_names();
    BOOST_TEST((std::set<std::string>{names.begin(), names.end()} == files));
    BOOST_CHECK_NO_THROW(load_pages(folder));
}
