#include "execute/available_models.hpp"

#include "base/error.hpp"
#include "execute/call.hpp"
#include "execute/executor.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace usershell::execute {
namespace {

boost::json::array rows_of(const std::vector<adapters::AvailableModel>& models,
                           const store::CallProvider& provider) {
    boost::json::array rows;
    rows.reserve(models.size());
    for (const adapters::AvailableModel& model : models) {
        boost::json::object row{{"modelId", model.id}, {"displayName", model.display_name}};
        if (!model.capabilities.empty()) row["capabilities"] = model.capabilities;
        row["added"] =
            std::ranges::find(provider.all_models, model.id) != provider.all_models.end();
        rows.push_back(std::move(row));
    }
    return rows;
}

web::Response empty_list(std::string_view error, std::string_view reason = {}) {
    boost::json::object document{{"models", boost::json::array{}}, {"error", error}};
    if (!reason.empty()) document["reason"] = reason;
    return web::Response::json(boost::json::serialize(document));
}

} // namespace

web::Response available_models(Services& services, app::RequestContext& context) {
    const auto provider = store::load_call_provider(
        context.lease, context.caller().calls_token_hash, context.id<ProviderId>("providerId"));
    if (!provider) throw not_found();
    const ProviderType* type = find_provider_type(provider->type);
    if (type == nullptr || !type->lists_models) {
        return empty_list("This type of provider has no model list. Add models by hand.");
    }
    Call call{context.lease, context.caller()};
    std::vector<adapters::AvailableModel> models;
    try {
        Executor executor{services, context.lease, call.id(), services.list_limits()};
        executor.aside();
        executor.watch({context.stream.gone_fd(), [&call] { call.renew(); }});
        executor.run(*provider, [&models](const adapters::CallTarget& target,
                                          const adapters::CallControl& control) {
            models = adapters::list_models(target, control);
        });
    } catch (const CallFailure& failure) {
        return empty_list(failure.sentence, failure.reason);
    }
    return web::Response::json(
        boost::json::serialize(boost::json::object{{"models", rows_of(models, *provider)}}));
}

} // namespace usershell::execute
