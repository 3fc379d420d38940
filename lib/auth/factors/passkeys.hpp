// Passkeys in forms, which a page's script fills with what the browser has signed: challenges, and
// the checks of the answers. Any thread may call.
#pragma once

#include "auth/services.hpp"
#include "pipeline/route.hpp"
#include "store/users/factors.hpp"
#include "web/pages.hpp"

#include <optional>
#include <string>
#include <vector>

namespace usershell::auth {

/// Whether the form was sent by a passkey.
bool has_passkey(const pipeline::RequestContext& context);

/// The sign-in that the form's passkey opens, or `sign_in` once it is added; null: it is refused.
std::optional<store::SignIn> show_passkey(Services& services, pipeline::RequestContext& context,
                                          store::Deed deed,
                                          const std::optional<store::SignIn>& sign_in = {});
inline constexpr English refused_passkey =
    "This passkey was not accepted. Try again, or use your password."_en;

/// The user of a passkey that a browser makes.
struct PasskeyOwner {
    UserId user;
    std::string email;
    std::string display_name;
    std::string place; ///< no other's challenge is good: the caller's session, or the visitor
};
/// Has a form with templates/new_passkey.tpl make one.
void ask_for_passkey(web::PageData& data, const Services& services,
                     const pipeline::RequestContext& context, const PasskeyOwner& owner);
/// Of that form, which forgets it if a rule of webauthn.hpp is broken (null); its name is empty.
std::optional<store::NewPasskey> made_passkey(const Services& services,
                                              pipeline::RequestContext& context,
                                              const PasskeyOwner& owner);
/// To know a new passkey by: "Firefox on Linux".
std::string device_name(const Services& services, const pipeline::RequestContext& context);
inline constexpr English not_made = "The passkey was not created. Try again."_en;

// Challenges for a page: of a sign-in by that visitor (cookies.hpp), and of a deed in the caller's
// session.
std::string sign_in_challenge(const Services& services, const std::string& visitor);
std::string deed_challenge(const Services& services, const pipeline::RequestContext& context,
                           store::Deed deed);

/// Shows the buttons for one of these credentials.
void offer_passkeys(web::PageData& data, const std::vector<std::string>& credentials);

} // namespace usershell::auth
