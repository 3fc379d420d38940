#include "execute/available_models.hpp"

#include "base/error.hpp"
#include "execute/call_slot.hpp"
#include "execute/executor.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace usershell {
namespace {

boost::json::array rows_of(const std::vector<AvailableModel>& models,
                           const CallProvider& provider) {
    boost::json::array rows;
    rows.reserve(models.size());
    for (const AvailableModel& model : models) {
        boost::json::object row{{"modelId", model.id}, {"displayName", model.display_name}};
        if (!model.capabilities.empty()) row["capabilities"] = model.capabilities;
        row["added"] =
            std::ranges::find(provider.all_models, model.id) != provider.all_models.end();
        rows.push_back(std::move(row));
    }
    return rows;
}

Response empty_list(const std::string& error) {
    return Response::json(boost::json::serialize(
        boost::json::object{{"models", boost::json::array{}}, {"error", error}}));
}

} // namespace

Response available_models(Execute& wing, Call& call) {
    const auto provider =
        load_call_provider(call.lease, call.user(), call.id<ProviderId>("providerId"));
    if (!provider) throw not_found();
    const ProviderType* type = find_provider_type(provider->type);
    if (type == nullptr || !type->lists_models) {
        return empty_list("This type of provider has no model list. Add models by hand.");
    }
    CallSlot slot{call.lease, call.user()};
    std::vector<AvailableModel> models;
    try {
        Executor executor{wing, call.lease, call.user(), wing.list_limits()};
        executor.watch({call.stream.gone_fd(), [&slot] { slot.renew(); }});
        executor.run(*provider, [&models](const CallTarget& target, const CallControl& control) {
            models = list_models(target, control);
        });
    } catch (const UpstreamError& error) {
        return empty_list(error.sentence());
    } catch (const UnsealError& error) {
        return empty_list(error.what());
    }
    return Response::json(
        boost::json::serialize(boost::json::object{{"models", rows_of(models, *provider)}}));
}

} // namespace usershell
