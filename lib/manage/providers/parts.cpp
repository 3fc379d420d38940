#include "store/providers/parts.hpp"
#include "base/ascii.hpp"
#include "base/error.hpp"
#include "domain/rules.hpp"
#include "manage/providers/fields.hpp"
#include "manage/providers/providers.hpp"
#include "pipeline/documents.hpp"
#include "store/providers/providers.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace usershell::manage {

namespace {

/// The model that the query names; ownership of the provider is asked first.
std::string model_of(pipeline::RequestContext& context, const ProviderId& provider) {
    if (!store::find_provider_fields(context.lease, context.user(), provider)) throw not_found();
    const auto id = context.request.query_value("modelId");
    if (!id || id->empty()) throw missing("modelId");
    if (!store::has_model(context.lease, context.user(), provider, *id)) throw not_found();
    return *id;
}

} // namespace

web::Response add_model(Services&, pipeline::RequestContext& context) {
    const ModelRequest request{context.json};
    const auto provider = context.id<ProviderId>("providerId");
    const auto fields = store::find_provider_fields(context.lease, context.user(), provider);
    if (!fields) throw not_found();

    return web::Response::json(pipeline::to_json(store::add_model(
        context.lease, context.user(), provider, request.model(type_field(fields->type)))));
}

web::Response set_model_enabled(Services&, pipeline::RequestContext& context) {
    const auto enabled = context.json.boolean("isEnabled");
    const auto provider = context.id<ProviderId>("providerId");
    const std::string model = model_of(context, provider);
    return web::Response::json(pipeline::to_json(
        store::set_model_enabled(context.lease, context.user(), provider, model, enabled)));
}

web::Response set_model_name(Services&, pipeline::RequestContext& context) {
    const auto given = context.json.text("displayName");
    const auto provider = context.id<ProviderId>("providerId");
    const std::string model = model_of(context, provider);
    return web::Response::json(pipeline::to_json(store::set_model_name(
        context.lease, context.user(), provider, model, model_name_field(given, model))));
}

web::Response set_model_capabilities(Services&, pipeline::RequestContext& context) {
    const auto given = context.json.text("capabilities");
    const auto provider = context.id<ProviderId>("providerId");
    const std::string model = model_of(context, provider);
    return web::Response::json(pipeline::to_json(store::set_model_capabilities(
        context.lease, context.user(), provider, model, capabilities_field(given))));
}

web::Response set_model_position(Services&, pipeline::RequestContext& context) {
    const auto given = context.json.integer("position");
    const auto provider = context.id<ProviderId>("providerId");
    const std::string model = model_of(context, provider);
    if (!given) throw missing(rules::model_position.field);
    return web::Response::json(
        pipeline::to_json(store::set_model_position(context.lease, context.user(), provider, model,
                                                    rules::read(rules::model_position, *given))));
}

web::Response delete_model(Services&, pipeline::RequestContext& context) {
    const auto provider = context.id<ProviderId>("providerId");
    store::delete_model(context.lease, context.user(), provider, model_of(context, provider));
    return web::Response::no_content();
}

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

web::Response set_header(Services& services, pipeline::RequestContext& context) {
    const auto given_name = context.json.text("name");
    context.json.text_view("value"); // its type is looked at before the provider
    const auto provider = context.id<ProviderId>("providerId");
    const auto fields = store::find_provider_fields(context.lease, context.user(), provider);
    if (!fields) throw not_found();
    const std::string name = header_name_field(services, given_name);
    const crypto::Secret value = header_value_field(context.json);
    const store::StoredKey stored = seal_key(
        services, {context.user(), provider, std::nullopt, fields->type, fields->base_url, name},
        value);
    store::set_header(context.lease, context.user(), provider, name, stored);
    return web::Response::json(boost::json::serialize(boost::json::object{{"name", name}}));
}

web::Response delete_header(Services&, pipeline::RequestContext& context) {
    const auto provider = context.id<ProviderId>("providerId");
    const std::string name = lower_ascii(context.parameters.find("name")->second);
    store::delete_header(context.lease, context.user(), provider, name);
    return web::Response::no_content();
}

} // namespace usershell::manage
