#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "base/timestamp.hpp"
#include "crypto/token.hpp"
#include "domain/rules.hpp"
#include "manage/profile/profile.hpp"
#include "manage/providers/fields.hpp"
#include "pipeline/documents.hpp"
#include "store/providers/providers.hpp"

#include <algorithm>
#include <chrono>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace usershell::manage {

namespace {

Timestamp now() {
    return std::chrono::time_point_cast<Timestamp::duration>(std::chrono::system_clock::now());
}

} // namespace

web::Response export_data(Services&, pipeline::RequestContext& context) {
    const auto providers = store::list_providers(context.lease, context.user());
    const boost::json::object file{{"exportedAt", rfc3339_seconds(now())},
                                   {"displayName", context.caller().display_name},
                                   {"email", context.caller().email},
                                   {"providers", pipeline::portable(providers)}};
    log(Level::notice, "data exported", {{"user", context.user().text()}});
    web::Response response = web::Response::json(boost::json::serialize(file));
    response.set("Content-Disposition", "attachment; filename=\"usershell.json\"");
    return response;
}

namespace {

/// The fault in an element of a list, with its place in the file: "Provider 2: …". Only providers
/// have lists in them: "Provider 2, model 1: …".
Refusal with_position(const char* list, English where, std::size_t index, const Refusal& inside) {
    const bool is_deeper = inside.field().find('[') != std::string::npos;
    const std::string path = list + ("[" + std::to_string(index) + "]");
    return {inside.code(),
            {is_deeper ? "Provider {number}, {fault}"_en : where,
             {{"number", std::to_string(index + 1)}, {"fault", inside.sentence()}}},
            inside.field().empty() ? path : path + "." + inside.field()};
}

/// `read(object)` of each object in the list.
template <class Read>
auto each_of(const web::JsonBody& file, const char* list, English where, Read read) {
    std::vector<decltype(read(file))> all;
    for (const web::JsonBody& object : file.objects(list)) {
        try {
            all.push_back(read(object));
        } catch (const Refusal& refusal) {
            throw with_position(list, where, all.size(), refusal);
        }
    }
    return all;
}

/// Of a few models: compares each with each.
void require_different_ids(const std::vector<store::NewModel>& models) {
    for (auto model = models.begin(); model != models.end(); ++model) {
        if (std::ranges::find(models.begin(), model, model->model_id, &store::NewModel::model_id) !=
            model)
            throw invalid("models", "A model is in the list twice."_en);
    }
}

void require_room(std::size_t found, int max, English things) {
    if (found > static_cast<std::size_t>(max))
        throw Refusal{ErrorCode::cap_reached,
                      {"There can be at most {count} {things}."_en,
                       {{"count", std::to_string(max)}, {"things", things}}},
                      std::string{things.text()}};
}

store::ImportedProvider read_provider(const Services& services, const web::JsonBody& object) {
    const ProviderRequest request{object};
    const ProviderType& type = type_field(request.type);
    store::ImportedProvider provider{
        .id = crypto::random_id<ProviderId>(),
        .fields = {.name = rules::read(rules::provider_name, request.name),
                   .type = std::string{type.value},
                   .base_url = base_url_field(services, type, request.base_url),
                   .round_robin_accounts = object.boolean("roundRobinAccounts").value_or(false)}};
    provider.models =
        each_of(object, "models", "model {number}: {fault}"_en,
                [&](const web::JsonBody& model) { return ModelRequest{model}.model(type); });
    provider.accounts =
        each_of(object, "accounts", "key {number}: {fault}"_en, [](const web::JsonBody& account) {
            return AccountRequest{account}.account(crypto::random_id<AccountId>());
        });
    require_room(provider.models.size(), rules::max_models, "models"_en);
    require_different_ids(provider.models);
    require_room(provider.accounts.size(), rules::max_accounts, "accounts"_en);
    return provider;
}

/// The providers of the file, each with a new id. Ids, states and other members are not read:
/// everything is as new. Each field is held to its own rule; a Refusal says where in the file it is
/// ("Provider 2, model 1: …") and names the field ("providers[1].models[0].modelId").
std::vector<store::ImportedProvider> read_import(const Services& services,
                                                 const web::JsonBody& file) {
    if (file.list("providers") == nullptr) throw missing("providers");
    auto providers =
        each_of(file, "providers", "Provider {number}: {fault}"_en,
                [&](const web::JsonBody& object) { return read_provider(services, object); });
    require_room(providers.size(), rules::max_providers, "providers"_en);
    return providers;
}

} // namespace

web::Response import_data(Services& services, pipeline::RequestContext& context) {
    auto providers = read_import(services, context.json);
    if (!providers.empty()) providers.front().id = new_id<ProviderId>(services, context, "import");
    store::import_providers(context.lease, context.user(), providers);
    std::size_t models = 0;
    std::size_t accounts = 0;
    for (const store::ImportedProvider& each : providers) {
        models += each.models.size();
        accounts += each.accounts.size();
    }
    log(Level::notice, "data imported",
        {{"user", context.user().text()}, {"providers", std::to_string(providers.size())}});
    return web::Response::json(boost::json::serialize(boost::json::object{
        {"providers", providers.size()}, {"models", models}, {"accounts", accounts}}));
}

} // namespace usershell::manage
