// The fields of a provider, a model or an account, in a request's body or in an import file.
// A request's constructor reads the members and checks their types. The functions check the rules
// of domain/rules.hpp and those that no row there can express: each returns the value as it is
// stored. Between the two a handler answers 404. Throws Refusal missing_field or invalid_field.
// Pure.
#pragma once

#include "crypto/avatar_box.hpp"
#include "crypto/secret.hpp"
#include "crypto/token.hpp"
#include "domain/catalogue.hpp"
#include "manage/services.hpp"
#include "pipeline/route.hpp"
#include "store/providers/parts.hpp"
#include "web/body.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::manage {

struct ProviderRequest {
    explicit ProviderRequest(const web::JsonBody& body);

    std::optional<std::string> name;
    std::optional<std::string> handle;
    std::optional<std::string> type;
    std::optional<std::string> base_url;
};

struct AccountRequest {
    explicit AccountRequest(const web::JsonBody& body);
    /// Name and priority.
    store::NewAccount account(const AccountId& id) const;
    std::optional<int> checked_priority() const;

    std::optional<std::string> name;
    std::optional<std::int64_t> priority;
};

struct ModelRequest {
    explicit ModelRequest(const web::JsonBody& body);
    /// Without a name it is the id; without capabilities they are rules::default_capabilities.
    store::NewModel model(const ProviderType& type) const;

    std::optional<std::string> model_id;
    std::optional<std::string> display_name;
    std::optional<std::string> capabilities;
};

/// An id for a new row of that kind: what the request and its `Idempotency-Key` lead to, so that a
/// repeat finds the row of the first; without that header a random one.
template <class IdType>
IdType new_id(const Services& services, const pipeline::RequestContext& context,
              std::string_view kind) {
    const auto key = context.request.header("idempotency-key").value_or("");
    if (key.empty()) return crypto::random_id<IdType>();
    return *IdType::parse(
        crypto::repeatable_uuid(services.web_ring, {kind, context.user(), key, context.request.path,
                                                    context.request.body}));
}

/// The member `apiKey`.
std::optional<crypto::Secret> api_key_member(const web::JsonBody& body);
crypto::Secret api_key_field(const std::optional<crypto::Secret>& given);

/// The member `value` of a header.
crypto::Secret header_value_field(const web::JsonBody& body);
/// The name of a header, in lower case. Refused when no provider may be given it
/// (domain/entered.hpp).
std::string header_name_field(const Services& services, const std::optional<std::string>& given);

/// The type of that name; generic-compatible when nothing is given.
const ProviderType& type_field(std::optional<std::string_view> given);

/// By rules::handle.
std::string handle_field(const std::optional<std::string>& given);

/// As it is stored: the catalogue's for search types; else the given one in canonical form, cut by
/// stored_base_url(). Refused when the settings do not allow its host.
std::string base_url_field(const Services& services, const ProviderType& type,
                           const std::optional<std::string>& given);

/// True for "active".
bool status_field(const std::optional<std::string>& given);

/// Where the type puts it into a URL's path, it must fit there (domain/address/url.hpp:
/// fits_into_path()).
std::string model_id_field(const std::optional<std::string>& given, const ProviderType& type);

/// `model_id` when nothing or an empty text is given.
std::string model_name_field(const std::optional<std::string>& given, const std::string& model_id);

/// A list with commas; each word is trimmed and lower-cased, duplicates are dropped, the order is
/// kept. Throws missing_field when nothing is given.
std::string capabilities_field(const std::optional<std::string>& given);

} // namespace usershell::manage
