// Second factors: codes of an authenticator app and recovery codes, at sign-in and for deeds, and
// the pages on which people add and remove them.
#pragma once

#include "auth/password_check.hpp"
#include "auth/services.hpp"
#include "pipeline/page.hpp"
#include "pipeline/route.hpp"
#include "store/users/factors.hpp"
#include "web/message.hpp"
#include "web/pages.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace usershell::auth {

/// Adds what the form brings to that sign-in of that deed: a passkey, or as its Code six digits of
/// the app or a recovery code. Empty when it is enough then, else the sentence why not.
Sentence show_factor(Services& services, pipeline::RequestContext& context, store::Deed deed,
                     const store::SignIn& sign_in, const store::SignInState& state);
inline constexpr English wrong_code =
    "Wrong code. Each is good for 30 seconds, and once. If all are wrong, set your phone’s clock."_en;

/// Recovery codes, as a person keeps them, and what the store keeps.
struct RecoveryCodes {
    std::vector<std::string> texts; ///< "abcd-efgh-…", 120 random bits each
    std::vector<std::string> hashes;
};
RecoveryCodes new_recovery_codes();

/// The page that shows new recovery codes, once, and leads to `next`.
web::Response recovery_page(const Services& services, const pipeline::RequestContext& context,
                            const RecoveryCodes& codes, const std::string& next);

/// An app's secret, which the form brings back: 20 bytes in base64url; empty: a new one.
std::string app_secret(std::string_view field);
/// Shows it as a picture for the app, and as text.
void show_app_secret(web::PageData& data, const Services& services, const std::string& email,
                     const std::string& secret);
/// With the first code that the app shows.
store::NewApp new_app(const Services& services, const UserId& user, const std::string& secret,
                      std::string_view code);

/// The part of the security page, and what show_proof() does.
void show_factors(Services& services, pipeline::RequestContext& context, web::PageData& data);
/// Has forms ask for a code or a passkey, if the caller has a factor; their passkeys.
std::vector<store::OwnPasskey> show_proof(const Services& services,
                                          pipeline::RequestContext& context, web::PageData& data);

/// The answer once a factor was added, but for what is a fault of the form.
AfterPassword factor_added(const Services& services, pipeline::RequestContext& context,
                           store::FactorStart start, const RecoveryCodes& codes,
                           pipeline::Notice notice);
inline constexpr const char* factors_path = "/user/settings/security#factor";

// The page on which an app is added, and the deeds of the security page.
Handler app_page, add_app, remove_factor, make_recovery_codes;

} // namespace usershell::auth
