#include "manage/models.hpp"

#include "base/error.hpp"
#include "manage/fields.hpp"
#include "store/models.hpp"
#include "store/providers.hpp"

namespace usershell {
namespace {

/// The model that the query names; ownership of the provider is asked first.
std::string model_of(Call& call, const ProviderId& provider) {
    if (!find_provider(call.lease, call.user(), provider)) throw not_found();
    const auto id = call.request.query_value("modelId");
    if (!id || id->empty()) throw missing("modelId");
    if (!has_model(call.lease, call.user(), provider, *id)) throw not_found();
    return *id;
}

} // namespace

Response add_model(Manage&, Call& call) {
    const auto model_id = call.json.text("modelId");
    const auto display_name = call.json.text("displayName");
    const auto capabilities = call.json.text("capabilities");
    const auto provider = call.id<ProviderId>("providerId");
    if (!find_provider(call.lease, call.user(), provider)) throw not_found();

    NewModel model;
    model.model_id = model_id_field(model_id);
    model.display_name = model_name_field(display_name, model.model_id);
    model.capabilities = capabilities ? capabilities_field(capabilities) : default_capabilities;
    return Response::json(add_model(call.lease, call.user(), provider, model));
}

Response set_model_enabled(Manage&, Call& call) {
    const auto enabled = call.json.boolean("isEnabled");
    const auto provider = call.id<ProviderId>("providerId");
    const std::string model = model_of(call, provider);
    return Response::json(set_model_enabled(call.lease, call.user(), provider, model, enabled));
}

Response set_model_capabilities(Manage&, Call& call) {
    const auto given = call.json.text("capabilities");
    const auto provider = call.id<ProviderId>("providerId");
    const std::string model = model_of(call, provider);
    return Response::json(set_model_capabilities(call.lease, call.user(), provider, model,
                                                 capabilities_field(given)));
}

Response delete_model(Manage&, Call& call) {
    const auto provider = call.id<ProviderId>("providerId");
    delete_model(call.lease, call.user(), provider, model_of(call, provider));
    return Response::no_content();
}

} // namespace usershell
