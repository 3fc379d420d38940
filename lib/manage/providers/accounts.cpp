#include "manage/providers/providers.hpp"

#include "base/error.hpp"
#include "domain/rules.hpp"
#include "manage/providers/fields.hpp"
#include "pipeline/documents.hpp"
#include "store/providers/accounts.hpp"

namespace usershell::manage {
namespace {

struct AccountPath {
    ProviderId provider;
    AccountId account;
};

/// The account that the path names; 404 for another user's.
AccountPath account_of(pipeline::RequestContext& context) {
    AccountPath path{context.id<ProviderId>("providerId"), context.id<AccountId>("accountId")};
    if (!store::has_account(context.lease, context.user(), path.provider, path.account))
        throw not_found();
    return path;
}

} // namespace

web::Response add_account(Services& services, pipeline::RequestContext& context) {
    const AccountRequest request{context.json};
    const auto api_key = api_key_member(context.json);
    const auto provider = context.id<ProviderId>("providerId");
    const auto fields = store::find_provider_fields(context.lease, context.user(), provider);
    if (!fields) throw not_found();

    const store::NewAccount account =
        request.account(new_id<AccountId>(services, context, "account"));
    const crypto::Secret key = api_key_field(api_key);
    const store::StoredKey stored = seal_key(
        services, {context.user(), provider, account.id, fields->type, fields->base_url}, key);
    return web::Response::json(pipeline::to_json(
        store::add_account(context.lease, context.user(), provider, account, stored)));
}

web::Response edit_account(Services&, pipeline::RequestContext& context) {
    AccountRequest request{context.json};
    const AccountPath path = account_of(context);
    if (request.name) request.name = rules::read(rules::account_name, request.name);
    return web::Response::json(pipeline::to_json(
        store::edit_account(context.lease, context.user(), path.provider, path.account,
                            request.name, request.checked_priority())));
}

web::Response replace_account_key(Services& services, pipeline::RequestContext& context) {
    const auto api_key = api_key_member(context.json);
    const AccountPath path = account_of(context);
    const auto fields = store::find_provider_fields(context.lease, context.user(), path.provider);
    if (!fields) throw not_found();
    const crypto::Secret key = api_key_field(api_key);
    const store::StoredKey stored = seal_key(
        services, {context.user(), path.provider, path.account, fields->type, fields->base_url},
        key);
    return web::Response::json(pipeline::to_json(store::set_account_key(
        context.lease, context.user(), path.provider, path.account, stored)));
}

web::Response set_account_enabled(Services&, pipeline::RequestContext& context) {
    const auto enabled = context.json.boolean("isEnabled");
    const AccountPath path = account_of(context);
    return web::Response::json(pipeline::to_json(store::set_account_enabled(
        context.lease, context.user(), path.provider, path.account, enabled)));
}

web::Response delete_account(Services&, pipeline::RequestContext& context) {
    const AccountPath path = account_of(context);
    store::delete_account(context.lease, context.user(), path.provider, path.account);
    return web::Response::no_content();
}

} // namespace usershell::manage
