#include "manage/profile/profile.hpp"

#include "base/logging/log.hpp"
#include "base/timestamp.hpp"
#include "store/providers/providers.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>

namespace usershell::manage {
namespace {

using boost::json::array;
using boost::json::object;

object document(const store::Model& model) {
    return {{"modelId", model.model_id},
            {"displayName", model.display_name},
            {"capabilities", model.capabilities},
            {"isEnabled", model.is_enabled}};
}

object document(const store::Account& account) {
    return {
        {"name", account.name}, {"priority", account.priority}, {"isEnabled", account.is_enabled}};
}

object document(const store::Header& header) { return {{"name", header.name}}; }

object document(const store::Provider& provider);

template <class Thing>
array documents(const std::vector<Thing>& things) {
    array all; // braces would make a list of one element
    for (const Thing& thing : things) all.push_back(document(thing));
    return all;
}

object document(const store::Provider& provider) {
    return {{"name", provider.fields.name},
            {"type", provider.fields.type},
            {"baseUrl", provider.fields.base_url},
            {"status", provider.is_active ? "active" : "inactive"},
            {"roundRobinAccounts", provider.fields.round_robin_accounts},
            {"createdAt", rfc3339(provider.created_at)},
            {"models", documents(provider.models)},
            {"accounts", documents(provider.accounts)},
            {"headers", documents(provider.headers)}};
}

Timestamp now() {
    return std::chrono::time_point_cast<Timestamp::duration>(std::chrono::system_clock::now());
}

} // namespace

web::Response export_data(Services&, pipeline::RequestContext& context) {
    const auto providers = store::list_providers(context.lease, context.user());
    const object file{{"exportedAt", rfc3339_seconds(now())},
                      {"displayName", context.caller().display_name},
                      {"email", context.caller().email},
                      {"providers", documents(providers)}};
    log(Level::notice, "data exported", {{"user", context.user().text()}});
    web::Response response = web::Response::json(boost::json::serialize(file));
    response.set("Content-Disposition", "attachment; filename=\"usershell.json\"");
    return response;
}

} // namespace usershell::manage
