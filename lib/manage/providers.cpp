#include "manage/providers.hpp"

#include "base/catalogue.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "crypto/token.hpp"
#include "manage/fields.hpp"
#include "manage/keys.hpp"
#include "manage/page.hpp"
#include "store/providers.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace usershell {
namespace {

std::string origin_of(const std::string& base_url) { return BaseUrl::parse(base_url).origin(); }

/// A base URL as it is stored: the catalogue's for search types, else the given one, canonical and
/// allowed.
std::string base_url_field(const Manage& manage, const ProviderType& type,
                           const std::optional<std::string>& given) {
    if (type.owns_base_url) return default_base_url(type, manage.settings.catalogue_base_url);
    const std::string text = trim(given.value_or(""));
    if (text.empty()) throw missing("baseUrl");
    const BaseUrl url = BaseUrl::parse(text);
    if (manage.settings.require_https && url.scheme() != "https") {
        throw invalid("baseUrl", "The base URL must begin with https://.");
    }
    if (!manage.egress.may_try(url.host(), url.port())) {
        throw invalid("baseUrl",
                      "This address can't be used: it does not lead to the public internet.");
    }
    return url.text();
}

/// What an edit asks for, over what is there.
ProviderFields edited(const Manage& manage, ProviderFields fields,
                      const std::optional<std::string>& name,
                      const std::optional<std::string>& type_value,
                      const std::optional<std::string>& base_url, std::optional<bool> round_robin) {
    if (name) fields.name = name_field(name);
    const ProviderType& before = type_field(fields.type);
    const ProviderType& type = type_value ? type_field(type_value) : before;
    const bool owned = type.owns_base_url || before.owns_base_url;
    if (base_url || (owned && type.value != before.value)) {
        fields.base_url = base_url_field(manage, type, base_url);
    }
    fields.type = type.value;
    if (round_robin) fields.round_robin_accounts = *round_robin;
    return fields;
}

} // namespace

Response providers_page(Manage& manage, Call& call) {
    PageData data = page_frame(call, "Providers", "/assets/providers.js");
    for (const ProviderType& type : provider_types()) {
        PageData& row = data.show("TYPE");
        row.set("VALUE", std::string{type.value});
        row.set("LABEL", std::string{type.label});
        row.set("BASE_URL", default_base_url(type, manage.settings.catalogue_base_url));
        row.set("KEY_URL", std::string{type.key_url});
        if (type.owns_base_url) row.show("BASE_URL_OWNED");
        if (type.is_search) row.show("SEARCH");
        if (type.lists_models) row.show("LISTS_MODELS");
        if (type.streams) row.show("STREAMS");
    }
    return page_answer(call, manage.pages, "providers", data);
}

Response list_providers(Manage&, Call& call) {
    return Response::json(list_providers(call.lease, call.user()));
}

Response create_provider(Manage& manage, Call& call) {
    const auto name = call.json.text("name");
    const auto type_value = call.json.text("type");
    const auto base_url = call.json.text("baseUrl");
    auto api_key = call.json.text("apiKey");

    ProviderFields fields;
    fields.name = name_field(name);
    const ProviderType& type = type_field(type_value);
    fields.type = type.value;
    fields.base_url = base_url_field(manage, type, base_url);
    const Secret key = api_key_field(api_key);

    const auto id = random_id<ProviderId>();
    const KeyBinding binding{call.user(), id, std::nullopt, origin_of(fields.base_url)};
    create_provider(call.lease, call.user(), id, fields,
                    seal_key(manage, call.lease, binding, key));
    return Response::json(boost::json::serialize(
        boost::json::object{{"id", id.text()}, {"name", fields.name}, {"type", fields.type}}));
}

Response edit_provider(Manage& manage, Call& call) {
    const auto name = call.json.text("name");
    const auto type = call.json.text("type");
    const auto base_url = call.json.text("baseUrl");
    const auto round_robin = call.json.boolean("roundRobinAccounts");
    const auto id = call.id<ProviderId>("providerId");

    const auto before = find_provider(call.lease, call.user(), id);
    if (!before) throw not_found();
    const ProviderFields fields = edited(manage, *before, name, type, base_url, round_robin);
    if (!edit_provider(call.lease, call.user(), id, fields)) throw not_found();
    auto document = provider_document(call.lease, call.user(), id);
    if (!document) throw not_found();
    return Response::json(*std::move(document));
}

Response delete_provider(Manage&, Call& call) {
    if (!delete_provider(call.lease, call.user(), call.id<ProviderId>("providerId")))
        throw not_found();
    return Response::no_content();
}

Response replace_provider_key(Manage& manage, Call& call) {
    auto api_key = call.json.text("apiKey");
    const auto id = call.id<ProviderId>("providerId");
    const auto provider = find_provider(call.lease, call.user(), id);
    if (!provider) throw not_found();
    const Secret key = api_key_field(api_key);

    const KeyBinding binding{call.user(), id, std::nullopt, origin_of(provider->base_url)};
    const StoredKey stored = seal_key(manage, call.lease, binding, key);
    if (!set_provider_key(call.lease, call.user(), id, stored)) throw not_found();
    return Response::json(boost::json::serialize(
        boost::json::object{{"id", id.text()}, {"hasKey", true}, {"keyHint", stored.hint}}));
}

Response set_provider_status(Manage&, Call& call) {
    const auto status = call.json.text("status");
    const auto id = call.id<ProviderId>("providerId");
    if (!find_provider(call.lease, call.user(), id)) throw not_found();
    const bool active = status_field(status);
    if (!set_provider_status(call.lease, call.user(), id, active)) throw not_found();
    return Response::json(boost::json::serialize(
        boost::json::object{{"id", id.text()}, {"status", active ? "active" : "inactive"}}));
}

} // namespace usershell
