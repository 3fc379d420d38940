// Codes of an authenticator app and recovery codes: what a person types, and what is shown to set
// them up. Any thread may call.
#pragma once

#include "auth/services.hpp"
#include "pipeline/route.hpp"
#include "store/users/factors.hpp"
#include "web/pages.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace usershell::auth {

/// Adds the form's Code to that sign-in: six digits of the app, or a recovery code. Empty when it
/// was right, else the sentence why not.
Sentence show_code(Services& services, pipeline::RequestContext& context,
                   const store::SignIn& sign_in, const store::SignInState& state);
inline constexpr English wrong_code =
    "Wrong code. Each works once, within 30 seconds. If all are wrong, set your phone’s clock."_en;

/// Recovery codes, as a person keeps them, and what the store keeps.
struct RecoveryCodes {
    std::vector<std::string> texts; ///< "abcd-efgh-…", 120 random bits each
    std::vector<std::string> hashes;
};
RecoveryCodes new_recovery_codes();

/// An app's secret, which the form brings back: 20 bytes in base64url; empty: a new one.
std::string app_secret(std::string_view field);
/// Shows it as a picture for the app, and as text.
void show_app_secret(web::PageData& data, const Services& services, const std::string& email,
                     const std::string& secret);
/// With the first code that the app shows.
store::NewApp new_app(const Services& services, const UserId& user, const std::string& secret,
                      std::string_view code);

} // namespace usershell::auth
