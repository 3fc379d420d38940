#include "pipeline/page.hpp"

#include "base/ascii.hpp"
#include "pipeline/answer.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace usershell::pipeline {
namespace {

constexpr std::string_view notice_cookie = "__Host-usershell-notice";
constexpr std::chrono::seconds notice_lifetime{60};

struct NoticeRow {
    Notice notice;
    std::string_view word; ///< as in the cookie
    English sentence;
    std::string_view place{}; ///< the part of the page that shows it, if not its head
};

constexpr std::array<NoticeRow, 21> notices{{
    {Notice::name_saved, "name-saved", "Your name has been saved."_en, "name"},
    {Notice::email_change_started, "email-change-started",
     "We have sent a link to the new address. Your address changes when you open it."_en, "email"},
    {Notice::email_change_cancelled, "email-change-cancelled",
     "The change of address has been dropped."_en, "email"},
    {Notice::email_changed, "email-changed", "Your address has been changed."_en, "email"},
    {Notice::avatar_saved, "avatar-saved", "Your picture has been saved."_en, "name"},
    {Notice::password_changed, "password-changed",
     "Your password has been changed. Your other devices are signed out."_en, "password"},
    {Notice::app_added, "app-added", "Your authenticator app has been set up."_en, "factor"},
    {Notice::passkey_added, "passkey-added", "The passkey has been added."_en, "factor"},
    {Notice::passkey_renamed, "passkey-renamed", "The passkey has been renamed."_en, "factor"},
    {Notice::factor_removed, "factor-removed",
     "The factor has been removed. Your other devices are signed out."_en, "factor"},
    {Notice::sessions_ended, "sessions-ended", "You are signed out on all devices."_en},
    {Notice::session_ended, "session-ended", "The device is signed out."_en, "sessions"},
    {Notice::link_ended, "link-ended", "The link no longer works."_en, "links"},
    {Notice::signed_out, "signed-out", "You are signed out."_en},
    {Notice::password_reset, "password-reset", "Your password has been set. Sign in with it."_en},
    {Notice::user_deleted, "user-deleted",
     "Your account has been deleted, with everything that was stored for it."_en},
    {Notice::session_over, "session-over", "Your session has ended. Sign in again."_en},
    {Notice::token_changed, "token-changed", "The access token is changed."_en, "tokens"},
    {Notice::token_enabled, "token-enabled", "The access token is switched on."_en, "tokens"},
    {Notice::token_disabled, "token-disabled",
     "The access token is switched off. Its calls end within a minute."_en, "tokens"},
    {Notice::token_revoked, "token-revoked",
     "The access token is revoked. Its calls end within a minute."_en, "tokens"},
}};

/// Null when there is none.
const NoticeRow* pending_notice(const web::Request& request) {
    const auto word = request.cookie(notice_cookie);
    const auto row =
        std::ranges::find_if(notices, [&](const auto& each) { return word == each.word; });
    return row == notices.end() ? nullptr : &*row;
}

const NoticeRow& row_of(Notice notice) {
    return *std::ranges::find(notices, notice, &NoticeRow::notice);
}

/// Moves a notice from the page's head to the part that it is about, if the page has that.
void place_notice(web::PageData& data, const NoticeRow& row, const web::Pages& pages,
                  pages::Page page) {
    const std::string section = upper_ascii(std::string{row.place}) + "_NOTICE";
    if (row.place.empty() || !pages.shows(pages::template_of(page), section)) return;
    if (auto notice = data.sections.extract("NOTICE")) {
        notice.key() = section;
        data.sections.insert(std::move(notice));
    }
}

} // namespace

web::PageData page_frame(const RequestContext& context, English title, const std::string& script) {
    web::PageData data = frame(context.signed_in, title);
    if (const NoticeRow* notice = pending_notice(context.request))
        data.show("NOTICE").say("MESSAGE", notice->sentence);
    if (!script.empty()) data.show("SCRIPT").set("SRC", pages::asset_folder() + "/" + script);
    for (const std::string& module : pages::preloads_of(script))
        data.show("PRELOAD").set("HREF", pages::asset_folder() + "/" + module);
    return data;
}

web::Response page_answer(const RequestContext& context, const web::Pages& pages, pages::Page page,
                          web::PageData data) {
    const NoticeRow* notice = pending_notice(context.request);
    if (notice != nullptr) place_notice(data, *notice, pages, page);
    web::Response response = web::Response::html(
        pages.render(pages::template_of(page), data, pages.language_of(context.request)));
    if (notice != nullptr) response.set(web::forgotten(notice_cookie));
    return response;
}

void show_error(web::PageData& data, const std::string& section, const Sentence& message) {
    if (!message.empty()) data.show(section).say("MESSAGE", message);
}

void leave_notice(web::Response& response, Notice notice) {
    response.set({notice_cookie, std::string{row_of(notice).word}, notice_lifetime});
}

web::Response see_other(const std::string& location, Notice notice) {
    const std::string_view place = row_of(notice).place;
    web::Response response = web::Response::redirect(
        303, place.empty() ? location : location + "#" + std::string{place});
    leave_notice(response, notice);
    return response;
}

} // namespace usershell::pipeline
