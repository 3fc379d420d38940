#include "manage/page.hpp"

#include "crypto/token.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace usershell {
namespace {

constexpr std::string_view notice_cookie = "__Host-usershell-notice";

struct NoticeRow {
    Notice notice;
    std::string_view word; ///< as in the cookie
    std::string_view sentence;
};

constexpr std::array<NoticeRow, 8> notices{{
    {Notice::name_saved, "name-saved", "Your name has been saved."},
    {Notice::email_change_started, "email-change-started",
     "We have sent a link to the new address. Your address changes when you open it."},
    {Notice::email_change_cancelled, "email-change-cancelled",
     "The change of address has been dropped."},
    {Notice::email_changed, "email-changed", "Your address has been changed."},
    {Notice::avatar_saved, "avatar-saved", "Your picture has been saved."},
    {Notice::password_changed, "password-changed",
     "Your password has been changed. Your other sessions have ended."},
    {Notice::sessions_ended, "sessions-ended", "All your sessions have ended."},
    {Notice::password_reset, "password-reset", "Your password has been set. Sign in with it."},
}};

std::optional<std::string_view> pending_notice(const Request& request) {
    const auto word = request.cookie(notice_cookie);
    for (const NoticeRow& row : notices) {
        if (word == row.word) return row.sentence;
    }
    return std::nullopt;
}

std::string notice_cookie_header(std::string_view word, std::string_view max_age) {
    return std::string{notice_cookie} + "=" + std::string{word} +
           "; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=" + std::string{max_age};
}

} // namespace

PageData page_frame(const Call& call, const std::string& title, const std::string& script) {
    PageData data;
    data.set("TITLE", title);
    if (call.signed_in) {
        data.set("ANTIFORGERY", issue_antiforgery(call.caller().antiforgery_key));
        data.show("SIGNED_IN")
            .set("DISPLAY_NAME", call.caller().display_name)
            .set("EMAIL", call.caller().email);
    }
    if (const auto sentence = pending_notice(call.request)) {
        data.show("NOTICE").set("MESSAGE", std::string{*sentence});
    }
    if (!script.empty()) data.show("SCRIPT").set("SRC", script);
    return data;
}

Response page_answer(const Call& call, const Pages& pages, const std::string& page,
                     const PageData& data) {
    Response response = Response::html(pages.render(page, data));
    if (pending_notice(call.request)) response.set("Set-Cookie", notice_cookie_header("", "0"));
    return response;
}

Response see_other(const std::string& location, Notice notice) {
    Response response = Response::redirect(303, location);
    for (const NoticeRow& row : notices) {
        if (row.notice == notice) response.set("Set-Cookie", notice_cookie_header(row.word, "60"));
    }
    return response;
}

} // namespace usershell
