// The caller's providers with their models and accounts: the page, the list, and every change.
#pragma once

#include "manage/services.hpp"
#include "pipeline/route.hpp"
#include "store/providers/providers.hpp"

namespace usershell::manage {

Handler providers_page, playground_page, create_provider, edit_provider, delete_provider,
    replace_provider_key, set_provider_status;

Handler list_providers, show_key_facts;

// parts.cpp: models, accounts (the named keys of a provider), headers.
Handler add_model, set_model_enabled, set_model_name, set_model_capabilities, set_model_position,
    delete_model;

Handler add_account, edit_account, replace_account_key, set_account_enabled, delete_account;

Handler set_header, delete_header;

/// Keys on their way into the store, of providers and of accounts, and the values of headers:
/// signed, and sealed for that row and for what they may be sent to. There is no function in the
/// other direction.
store::StoredKey seal_key(const Services& services, const crypto::KeyBinding& binding,
                          const crypto::Secret& key);

} // namespace usershell::manage
