#include "manage/providers/providers.hpp"

#include "base/error.hpp"
#include "domain/rules.hpp"
#include "manage/providers/fields.hpp"
#include "pipeline/documents.hpp"
#include "store/providers/models.hpp"
#include "store/providers/providers.hpp"

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

web::Response delete_model(Services&, pipeline::RequestContext& context) {
    const auto provider = context.id<ProviderId>("providerId");
    store::delete_model(context.lease, context.user(), provider, model_of(context, provider));
    return web::Response::no_content();
}

} // namespace usershell::manage
