// Each change of a provider, its models and accounts.
#pragma once
#include "store/store_fixture.hpp"
namespace usershell::store {
/// A provider, whose it is said to be, and what it may have.
struct Changed {
    Lease& lease;
    const UserId& who;
    const ProviderId& id;
    const AccountId& account;
    StoredKey key = some_key();
    std::string model = "m";
};
inline const std::vector<std::pair<std::string, std::function<void(const Changed&)>>> changes{
    {"edit_provider", [](auto& c) { edit_provider(c.lease, c.who, c.id, some_fields("Other")); }},
    {"set_provider_key", [](auto& c) { set_provider_key(c.lease, c.who, c.id, c.key); }},
    {"set_provider_status", [](auto& c) { set_provider_status(c.lease, c.who, c.id, false); }},
    {"add_model",
     [](auto& c) {
         add_model(c.lease, c.who, c.id, {"another", "x", "code"});
     }},
    {"toggle_model", [](auto& c) { set_model_enabled(c.lease, c.who, c.id, c.model, {}); }},
    {"set_model_enabled", [](auto& c) { set_model_enabled(c.lease, c.who, c.id, c.model, true); }},
    {"set_model_capabilities",
     [](auto& c) { set_model_capabilities(c.lease, c.who, c.id, c.model, "code"); }},
    {"delete_model", [](auto& c) { delete_model(c.lease, c.who, c.id, c.model); }},
    {"add_account",
     [](auto& c) {
         add_account(c.lease, c.who, c.id, {crypto::random_id<AccountId>(), "x", 1}, c.key);
     }},
    {"edit_account", [](auto& c) { edit_account(c.lease, c.who, c.id, c.account, "Other", 7); }},
    {"set_account_key", [](auto& c) { set_account_key(c.lease, c.who, c.id, c.account, c.key); }},
    {"set_account_enabled",
     [](auto& c) { set_account_enabled(c.lease, c.who, c.id, c.account, false); }},
    {"delete_account", [](auto& c) { delete_account(c.lease, c.who, c.id, c.account); }},
    {"set_header", [](auto& c) { set_header(c.lease, c.who, c.id, "x-other", c.key); }},
    {"delete_header", [](auto& c) { delete_header(c.lease, c.who, c.id, "x-other"); }},
    {"delete_provider", [](auto& c) { delete_provider(c.lease, c.who, c.id); }},
};
} // namespace usershell::store
