// Passkeys in forms: at sign-in, for deeds, and where people add, rename and remove them. A page's
// script asks the browser, and sends the form with what it says.
#pragma once

#include "auth/services.hpp"
#include "pipeline/route.hpp"
#include "store/users/factors.hpp"
#include "web/pages.hpp"

#include <optional>
#include <string>
#include <string_view>
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

/// The challenge of a sign-in by that visitor (cookies.hpp), for a page.
std::string sign_in_challenge(const Services& services, const std::string& visitor);
/// Shows the button for one of these credentials.
void offer_passkeys(web::PageData& data, const std::vector<std::string>& credentials);
/// Gives each form of the page its own challenge, if the caller has a passkey.
void offer_passkeys(const Services& services, pipeline::RequestContext& context,
                    web::PageData& data, const std::vector<store::OwnPasskey>& own);

Handler passkey_page, add_passkey, rename_passkey;

} // namespace usershell::auth
