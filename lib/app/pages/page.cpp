#include "app/pages/page.hpp"

#include "app/answer.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace usershell::app {
namespace {

constexpr std::string_view notice_cookie = "__Host-usershell-notice";
constexpr std::chrono::seconds notice_lifetime{60};

struct NoticeRow {
    Notice notice;
    std::string_view word; ///< as in the cookie
    English sentence;
};

constexpr std::array<NoticeRow, 12> notices{{
    {Notice::name_saved, "name-saved", "Your name has been saved."_en},
    {Notice::email_change_started, "email-change-started",
     "We have sent a link to the new address. Your address changes when you open it."_en},
    {Notice::email_change_cancelled, "email-change-cancelled",
     "The change of address has been dropped."_en},
    {Notice::email_changed, "email-changed", "Your address has been changed."_en},
    {Notice::avatar_saved, "avatar-saved", "Your picture has been saved."_en},
    {Notice::password_changed, "password-changed",
     "Your password has been changed. Your other sessions have ended."_en},
    {Notice::sessions_ended, "sessions-ended", "All your sessions have ended."_en},
    {Notice::session_ended, "session-ended", "The session has ended."_en},
    {Notice::password_reset, "password-reset", "Your password has been set. Sign in with it."_en},
    {Notice::user_deleted, "user-deleted",
     "Your account has been deleted, with everything that was stored for it."_en},
    {Notice::session_over, "session-over", "Your session has ended. Sign in again."_en},
    {Notice::token_revoked, "token-revoked",
     "The access token is revoked. Its calls end within a minute."_en},
}};

std::optional<English> pending_notice(const web::Request& request) {
    const auto word = request.cookie(notice_cookie);
    for (const NoticeRow& row : notices) {
        if (word == row.word) return row.sentence;
    }
    return std::nullopt;
}

} // namespace

web::PageData page_frame(const RequestContext& context, English title, const std::string& script) {
    web::PageData data = frame(context.signed_in, title);
    if (const auto sentence = pending_notice(context.request)) {
        data.show("NOTICE").say("MESSAGE", *sentence);
    }
    if (!script.empty()) data.show("SCRIPT").set("SRC", asset_folder() + "/" + script);
    for (const std::string& module : preloads_of(script))
        data.show("PRELOAD").set("HREF", asset_folder() + "/" + module);
    return data;
}

web::Response page_answer(const RequestContext& context, const web::Pages& pages, Page page,
                          const web::PageData& data) {
    web::Response response = web::Response::html(
        pages.render(template_of(page), data, pages.language_of(context.request)));
    if (pending_notice(context.request)) response.set(web::forgotten(notice_cookie));
    return response;
}

void show_error(web::PageData& data, const char* section, const Sentence& message) {
    if (!message.empty()) data.show(section).say("MESSAGE", message);
}

void leave_notice(web::Response& response, Notice notice) {
    for (const NoticeRow& row : notices) {
        if (row.notice == notice)
            response.set({notice_cookie, std::string{row.word}, notice_lifetime});
    }
}

web::Response see_other(const std::string& location, Notice notice) {
    web::Response response = web::Response::redirect(303, location);
    leave_notice(response, notice);
    return response;
}

} // namespace usershell::app
