// The routes of /v1 that tools call, and the types of providers that have them. Two tables: a row
// for each route, a row for each type. Read-only; any thread may read.
#pragma once

#include "domain/address/url.hpp"
#include "domain/catalogue.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace usershell {

enum class RelayRoute : std::uint8_t {
    chat,
    completions,
    embeddings,
    responses,
    compact,
    messages,
    count_tokens,
    images,
    speech,
    rerank,
};

struct RelayRouteRow {
    RelayRoute route;
    std::string_view path; ///< below "/v1" of this service and below a base URL
    std::string_view word; ///< of rules::token_route; a part of another route has that one's
};

/// In the order of RelayRoute.
std::span<const RelayRouteRow> relay_routes();

std::string_view path_of(RelayRoute route);
std::string_view word_of(RelayRoute route);
/// Is it the route itself, or a part of it (one has the other's word)?
inline bool is_part_of(RelayRoute route, RelayRoute whole) {
    return word_of(route) == word_of(whole);
}

/// For sets of routes.
constexpr unsigned bit_of(RelayRoute route) { return 1U << static_cast<unsigned>(route); }

/// Does a provider of that type have the route?
bool has_route(const ProviderType& type, RelayRoute route);

/// Where an API of the route's own begins below the base URL; mostly empty.
std::string_view root_of(const ProviderType& type, RelayRoute route);

/// The URL that the route's path follows: the base URL with root_of(). Of some providers that are
/// known by their base URL it is another path of the same host.
std::string route_base(const ProviderType& type, RelayRoute route, const BaseUrl& base_url);

} // namespace usershell
