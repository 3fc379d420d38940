#include "store/users/sessions.hpp"
#include "auth/cookies.hpp"
#include "auth/security.hpp"
#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "domain/rules.hpp"
#include "pipeline/page.hpp"
#include "store/users/events.hpp"
#include "store/users/links.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace usershell::auth {

namespace {

constexpr auto sentences = std::to_array<std::pair<std::string_view, English>>({
    {"signed_in", "You signed in"_en},
    {"wrong_password", "Someone entered a wrong password"_en},
    {"throttled", "Sign-ins were slowed down after too many attempts"_en},
    {"signed_out_everywhere", "Sessions were ended"_en},
    {"password_changed", "The password was changed"_en},
    {"address_changed", "The address was changed"_en},
    {"disabled", "The account was disabled"_en},
    {"enabled", "The account was enabled again"_en},
    {"key_added", "A key was added"_en},
    {"key_replaced", "A key was replaced"_en},
    {"key_removed", "A key was removed"_en},
    {"token_made", "An access token was made"_en},
    {"token_changed", "An access token was changed"_en},
    {"token_renewed", "An access token was renewed"_en},
    {"token_enabled", "An access token was switched on"_en},
    {"token_disabled", "An access token was switched off"_en},
    {"token_ends", "An access token ends within 7 days"_en},
    {"token_revoked", "An access token was revoked"_en},
    {"handle_changed", "The handle of a provider was changed"_en},
    {"handle_taken", "A provider took a handle that another one had"_en},
    {"provider_moved", "A provider was pointed to another address"_en},
    {"header_set", "A header of a provider was set"_en},
    {"header_removed", "A header of a provider was removed"_en},
    {"wrong_code", "Someone who knows the password entered a wrong code"_en},
    {"factor_added", "A second factor was added"_en},
    {"factor_removed", "A second factor was removed"_en},
    {"recovery_made", "New recovery codes were created"_en},
    {"recovery_used", "A recovery code was used"_en},
    {"factors_reset", "Your administrator removed your second factors"_en},
    {"factors_restored", "A backup was restored: a second factor that you removed may be back"_en},
    {"passkey_copied", "A passkey was used whose counter went back: it may have been copied"_en},
    {"codes_throttled", "Someone who knows the password entered ten wrong codes in an hour"_en},
});

} // namespace

/// A later program may have written a kind that this one does not know.
Sentence event_sentence(const std::string& kind) {
    for (const auto& [known, sentence] : sentences)
        if (kind == known) return sentence;
    return Sentence::read(kind);
}

std::string readable(Timestamp moment) {
    const std::string text = rfc3339_seconds(moment);
    return text.substr(0, 10) + " " + text.substr(11, 5) + " UTC";
}

web::Response signed_out(pipeline::Notice notice, bool keeps_stored) {
    web::Response response = pipeline::see_other("/auth/login", notice);
    clear_session(response, keeps_stored);
    return response;
}

void show_sessions(pipeline::RequestContext& context, web::PageData& data) {
    for (const store::OpenSession& session : store::open_sessions(context.lease)) {
        web::PageData& row = data.show("SESSION");
        row.set("SESSION_ID", session.id.text());
        row.say("BROWSER", Sentence::read(session.browser));
        row.set("ADDRESS", session.client_address);
        row.set("SINCE", rfc3339_seconds(session.since));
        row.set("SINCE_TEXT", readable(session.since));
        row.set("LAST_SEEN", rfc3339_seconds(session.last_seen_at));
        row.set("LAST_SEEN_TEXT", readable(session.last_seen_at));
        if (session.id == context.caller().session) row.show("THIS_ONE");
    }
}

void show_events(pipeline::RequestContext& context, web::PageData& data) {
    for (const store::Event& event : store::latest_events(context.lease, rules::max_shown_events,
                                                          rules::max_shown_events_of_kind)) {
        web::PageData& row = data.show("EVENT");
        row.say("WHAT", event_sentence(event.kind));
        row.set("WHEN", rfc3339_seconds(event.happened_at));
        row.set("WHEN_TEXT", readable(event.happened_at));
        for (const auto& [section, text] : {std::pair{"EVENT_ABOUT", event.about},
                                            std::pair{"EVENT_ADDRESS", event.client_address}})
            if (!text.empty()) row.show(section).set("TEXT", text);
        if (!event.browser.empty())
            row.show("EVENT_BROWSER").say("TEXT", Sentence::read(event.browser));
    }
}

namespace {

/// Other sessions end within five minutes after the password. Later the sign-in page asks for it,
/// and leads back.
template <class Act>
web::Response soon_after_sign_in(Act act) {
    try {
        return act();
    } catch (const Refusal& refusal) {
        if (refusal.code() != ErrorCode::password_needed) throw;
        return web::Response::redirect(302, std::string{"/auth/login?again=yes&returnUrl="} +
                                                security_path);
    }
}

} // namespace

web::Response end_one_session(Services&, pipeline::RequestContext& context) {
    const auto session = context.id<SessionId>("sessionId");
    return soon_after_sign_in([&] {
        if (!store::end_session(context.lease, session)) throw not_found();
        log(Level::notice, "session ended", {{"user", context.user().text()}});
        if (session == context.caller().session) return signed_out(pipeline::Notice::signed_out);
        return pipeline::see_other(security_path, pipeline::Notice::session_ended);
    });
}

web::Response end_sessions(Services&, pipeline::RequestContext& context) {
    return soon_after_sign_in([&] {
        const int ended = store::sign_out_everywhere(context.lease);
        log(Level::notice, "signed out everywhere",
            {{"user", context.user().text()}, {"sessions", std::to_string(ended)}});
        return signed_out(pipeline::Notice::sessions_ended,
                          context.form_value("KeepStored") == "yes");
    });
}

namespace {

struct LinkKind {
    std::string_view kind; ///< as store::OpenLink has it
    English what;
    pipeline::Notice ended;
};

constexpr auto link_kinds = std::to_array<LinkKind>({
    {"password-reset", "A link to set a new password"_en, pipeline::Notice::link_ended},
    {"invitation", "A link to choose a password, from your administrator"_en,
     pipeline::Notice::link_ended},
    {"email-change", "A link to change your address"_en, pipeline::Notice::email_change_cancelled},
});

const LinkKind* find_kind(std::string_view kind) {
    const auto* const found = std::ranges::find(link_kinds, kind, &LinkKind::kind);
    return found == link_kinds.end() ? nullptr : found;
}

} // namespace

void show_links(pipeline::RequestContext& context, web::PageData& data) {
    for (const store::OpenLink& link : store::open_links(context.lease)) {
        if (!data.sections.contains("LINKS")) data.show("LINKS");
        web::PageData& row = data.sections["LINKS"].front().show("LINK");
        const LinkKind* const known = find_kind(link.kind);
        row.set("KIND", link.kind);
        row.say("WHAT", known == nullptr ? Sentence::read(link.kind) : Sentence{known->what});
        row.set("MADE", rfc3339_seconds(link.made_at)).set("MADE_TEXT", readable(link.made_at));
        row.set("ENDS", rfc3339_seconds(link.expires_at));
        row.set("ENDS_TEXT", readable(link.expires_at));
    }
    if (!data.sections.contains("LINKS")) data.show("NO_LINK");
}

web::Response end_link(Services&, pipeline::RequestContext& context) {
    const LinkKind* const known = find_kind(context.parameters.find("kind")->second);
    if (known == nullptr) throw not_found();
    store::end_link(context.lease, std::string{known->kind});
    log(Level::notice, "mailed link ended", {{"user", context.user().text()}});
    return pipeline::see_other(security_path, known->ended);
}

} // namespace usershell::auth
