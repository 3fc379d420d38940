// The pages on which people add, rename and remove second factors.
#pragma once

#include "auth/factors/codes.hpp"
#include "auth/services.hpp"
#include "pipeline/route.hpp"
#include "web/pages.hpp"

#include <string>

namespace usershell::auth {

/// The part of the security page, and what show_proof() does.
void show_factors(const Services& services, pipeline::RequestContext& context, web::PageData& data);

/// The page that shows new recovery codes, once, and leads to `next`.
web::Response recovery_page(const Services& services, const pipeline::RequestContext& context,
                            const RecoveryCodes& codes, const std::string& next);

// The page on which each kind is added, and its form.
Handler app_page, add_app, passkey_page, add_passkey;
// Deeds of the security page. A new name takes no proof.
Handler rename_passkey, remove_factor, make_recovery_codes;

} // namespace usershell::auth
