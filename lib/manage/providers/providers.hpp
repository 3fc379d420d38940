// The caller's providers with their models and accounts: the page, the list, and every change.
#pragma once

#include "manage/services.hpp"
#include "pipeline/route.hpp"
#include "store/providers/providers.hpp"

namespace usershell::manage {

web::Response providers_page(Services& services, pipeline::RequestContext& context);
web::Response playground_page(Services& services, pipeline::RequestContext& context);
web::Response create_provider(Services& services, pipeline::RequestContext& context);
web::Response edit_provider(Services& services, pipeline::RequestContext& context);
web::Response delete_provider(Services& services, pipeline::RequestContext& context);
web::Response replace_provider_key(Services& services, pipeline::RequestContext& context);
web::Response set_provider_status(Services& services, pipeline::RequestContext& context);

web::Response list_providers(Services& services, pipeline::RequestContext& context);
web::Response show_key_facts(Services& services, pipeline::RequestContext& context);

// parts.cpp: models, accounts (the named keys of a provider), headers.
web::Response add_model(Services& services, pipeline::RequestContext& context);
web::Response set_model_enabled(Services& services, pipeline::RequestContext& context);
web::Response set_model_name(Services& services, pipeline::RequestContext& context);
web::Response set_model_capabilities(Services& services, pipeline::RequestContext& context);
web::Response delete_model(Services& services, pipeline::RequestContext& context);

web::Response add_account(Services& services, pipeline::RequestContext& context);
web::Response edit_account(Services& services, pipeline::RequestContext& context);
web::Response replace_account_key(Services& services, pipeline::RequestContext& context);
web::Response set_account_enabled(Services& services, pipeline::RequestContext& context);
web::Response delete_account(Services& services, pipeline::RequestContext& context);

web::Response set_header(Services& services, pipeline::RequestContext& context);
web::Response delete_header(Services& services, pipeline::RequestContext& context);

/// Keys on their way into the store, of providers and of accounts, and the values of headers:
/// signed, and sealed for that row and for what they may be sent to. There is no function in the
/// other direction.
store::StoredKey seal_key(const Services& services, const crypto::KeyBinding& binding,
                          const crypto::Secret& key);

} // namespace usershell::manage
