// The templates that the programs render, each named once. web::Pages loads all of them, so that a
// missing file stops the start and not a request. Pure but for load_pages(); any thread may call.
#pragma once

#include "base/sentence.hpp"
#include "web/pages.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::pages {

enum class Page {
    access,
    app,
    confirm,
    error,
    factor,
    forgot,
    login,
    passkey,
    playground,
    profile,
    providers,
    recovery,
    reset,
    security,
    token
};

/// Its name in web::Pages: "login" of templates/login.tpl.
std::string template_of(Page page);

enum class Mail {
    confirm_email,
    email_changed,
    password_reset,
    invitation,
    token_made,
    token_ends,
    security_event
};

struct MailTemplate {
    Mail mail;
    std::string_view name; ///< "confirm_email"
    std::string_view kind; ///< the operator's word for it, in the outbox
    English subject;

    /// The names of its two forms in web::Pages: "mail/confirm_email.text",
    /// "mail/confirm_email.html".
    std::string text() const;
    std::string html() const;
};
const MailTemplate& template_of(Mail mail);

/// Where pages find their assets, "/assets/v-HASH": each build of other assets has another. Pages
/// know it as ASSETS.
std::string asset_folder();

/// Every module that a script of the assets needs before it runs, so that a page names them and
/// they are fetched side by side: "common/api.js" of "providers.js".
std::vector<std::string> preloads_of(const std::string& script);

/// All of them.
std::vector<std::string> template_names();

/// Loads all of them, with the data that no request changes. Templates may show, besides what they
/// are given: ASSETS; each rule of domain/rules.hpp (MAX_PROVIDERS, MIN_PRIORITY, lists as
/// CAPABILITY_WORDS with commas between), so that no page says a number of its own;
/// DEFAULT_CAPABILITIES; ENDINGS (catalogue.hpp); and `{{>PROVIDER_TYPES}}`.
/// `catalogue_base_urls`, `api`: the operator's settings; with `api` templates show their sections
/// ACCESS. Throws Error.
web::Pages load_pages(const std::filesystem::path& folder,
                      const std::vector<std::string>& catalogue_base_urls = {}, bool api = false);

} // namespace usershell::pages
