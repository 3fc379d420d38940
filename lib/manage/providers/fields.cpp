#include "manage/providers/fields.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "crypto/token.hpp"
#include "domain/address/url.hpp"
#include "domain/entered.hpp"
#include "domain/rules.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace usershell::manage {

ProviderRequest::ProviderRequest(const web::JsonBody& body)
    : name{body.text("name")},
      handle{body.text("handle")},
      type{body.text("type")},
      base_url{body.text("baseUrl")} {}

AccountRequest::AccountRequest(const web::JsonBody& body)
    : name{body.text("name")},
      priority{body.integer("priority")} {}

store::NewAccount AccountRequest::account(const AccountId& id) const {
    std::string checked_name = rules::read(rules::account_name, name);
    return {id, std::move(checked_name), checked_priority()};
}

std::optional<int> AccountRequest::checked_priority() const {
    if (!priority) return std::nullopt;
    return rules::read(rules::priority, *priority);
}

ModelRequest::ModelRequest(const web::JsonBody& body)
    : model_id{body.text("modelId")},
      display_name{body.text("displayName")},
      capabilities{body.text("capabilities")} {}

store::NewModel ModelRequest::model(const ProviderType& type) const {
    store::NewModel model;
    model.model_id = model_id_field(model_id, type);
    model.display_name = model_name_field(display_name, model.model_id);
    model.capabilities =
        capabilities ? capabilities_field(capabilities) : std::string{rules::default_capabilities};
    return model;
}

std::optional<crypto::Secret> api_key_member(const web::JsonBody& body) {
    const auto text = body.text_view(rules::api_key.field);
    if (!text) return std::nullopt;
    return crypto::Secret{*text};
}

std::string handle_field(const std::optional<std::string>& given) {
    std::string handle = rules::read(rules::handle, given);
    const bool is_good = std::ranges::all_of(
        handle, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-'; });
    if (is_good && handle.front() != '-' && handle.back() != '-') return handle;
    throw invalid(rules::handle.field,
                  "A handle has small letters and digits, and hyphens between them."_en);
}

const ProviderType& type_field(std::optional<std::string_view> given) {
    const ProviderType* type = find_provider_type(given.value_or("generic-compatible"));
    if (type == nullptr) throw invalid("type", "There is no provider type of that name."_en);
    return *type;
}

std::string base_url_field(const Services& services, const ProviderType& type,
                           const std::optional<std::string>& given) {
    if (type.owns_base_url) return default_base_url(type, services.settings.catalogue_base_url);
    const std::string text = rules::read(rules::base_url, given);
    const auto own = default_base_url(type, services.settings.catalogue_base_url);
    if (const auto base = base_url_in(type, own, text))
        throw invalid("baseUrl", {"The base URL is {url}."_en, {{"url", *base}}});
    const BaseUrl url = BaseUrl::parse(text);
    if (services.settings.require_https && url.scheme() != "https") {
        throw invalid("baseUrl", "The base URL must begin with https://."_en);
    }
    if (!services.egress.may_try(url.host(), url.port())) {
        throw invalid(
            "baseUrl",
            "This address is on a private network. Ask your administrator to allow it."_en);
    }
    return stored_base_url(type, url);
}

crypto::Secret api_key_field(const std::optional<crypto::Secret>& given) {
    if (!given) throw missing(rules::api_key.field);
    crypto::Secret key{trimmed_paste(given->reveal())};
    if (key.empty()) throw missing(rules::api_key.field);
    rules::check(rules::api_key, key.reveal());
    return key;
}

crypto::Secret header_value_field(const web::JsonBody& body) {
    const crypto::Secret given{body.text_view(rules::header_value.field).value_or("")};
    crypto::Secret value{trimmed_paste(given.reveal())};
    if (value.empty()) throw missing(rules::header_value.field);
    rules::check(rules::header_value, value.reveal());
    return value;
}

std::string header_name_field(const Services& services, const std::optional<std::string>& given) {
    std::string name = lower_ascii(rules::read(rules::header_name, given));
    if (is_own_header(name, services.settings.provider_cookies)) return name;
    throw invalid(rules::header_name.field,
                  "A header’s name has letters, digits and hyphens. Names that carry keys, or by "
                  "which requests find their way, can’t be set."_en);
}

bool status_field(const std::optional<std::string>& given) {
    return rules::words::statuses[rules::read(rules::status, given)] == "active";
}

std::string model_id_field(const std::optional<std::string>& given, const ProviderType& type) {
    std::string id = rules::read(rules::model_id, given);
    if (type.model_in_path && !fits_into_path(id))
        throw invalid(
            rules::model_id.field,
            {"With this type of provider a model’s id is part of an address: it has no {signs} "
             "and no . or .. between slashes."_en,
             {{"signs", rules::joined(rules::words::not_in_path, " ")}}});
    return id;
}

std::string model_name_field(const std::optional<std::string>& given, const std::string& model_id) {
    std::string name = rules::read(rules::model_name, given);
    return name.empty() ? model_id : name;
}

std::string capabilities_field(const std::optional<std::string>& given) {
    if (!given) throw missing(rules::capability.field);
    std::vector<std::string_view> words;
    for_each_piece(*given, ',', [&](std::string_view piece) {
        const std::string name = lower_ascii(trim(piece));
        if (name.empty()) return;
        const std::string_view word =
            rules::words::capabilities[rules::read(rules::capability, name)];
        if (std::ranges::find(words, word) == words.end()) words.push_back(word);
    });
    if (words.empty()) throw invalid(rules::capability.field, "Name at least one capability."_en);
    return rules::joined(words, ",");
}

} // namespace usershell::manage
