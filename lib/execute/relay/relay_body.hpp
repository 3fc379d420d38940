// Reads of a tool's request body what counts: the model, members that would get around the token's
// limits, and how many tokens it may take. The rest goes to the provider as it came. Pure.
#pragma once

#include "adapters/relay.hpp"
#include "base/error.hpp"
#include "opener/wire/call_starts.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::execute {

/// The tokens that a member is not for.
enum class TokenLimit {
    any,    ///< with a limit of models, or without stored objects
    models, ///< with a limit of models
    stored, ///< without stored objects
    day,    ///< with a limit of a day
};

struct RelayBody {
    std::string model;          ///< as the tool names it
    std::size_t model_at = 0;   ///< where its JSON string begins in the body
    std::size_t model_size = 0; ///< with its quotes
    bool wants_stream = false;
    opener::TokenNeed need{};         ///< an estimate
    std::vector<std::string> hosts{}; ///< of the addresses of files, in lower case, each once
    /// The first of each kind, in the body's order.
    std::vector<std::pair<TokenLimit, Refusal>> not_allowed{};
};

/// Scans a body once, before or after its token is known. Throws Refusal malformed_json;
/// missing_field or invalid_field for a model that is missing, no string, or there twice in any
/// spelling that some parser takes for it; and invalid_field for a name with a control character.
RelayBody read_relay_body(std::string_view body, RelayRoute route);

/// Throws Refusal invalid_field for a member that the token does not allow: one with a limit of
/// models, or without stored objects, has the members of body_members.hpp that name nothing of the
/// kind, and no others; one with a limit of a day gets its answer at once.
void require_allowed(const RelayBody& body, opener::BodyLimits limits);
/// The same once the provider is known: a file at its own host is one that it has stored.
void require_other_hosts(const RelayBody& body, std::string_view host, opener::BodyLimits limits);

// Tools may press a body; the model's name in it is replaced, so it is read here and goes to the
// provider as it was before. net/http_head.hpp decodes.

enum class ContentCoding { none, gzip, deflate, zstd };

/// Of the header Content-Encoding. Throws Refusal unsupported_media_type for another coding, and
/// for several.
ContentCoding coding_of(std::optional<std::string_view> header);

/// The whole body without its coding, which is not none. `may_take`: may it take so many bytes of
/// memory? It is asked before each growth. Takes up to half a second for the largest body. Throws
/// Refusal: body_too_large above `max_bytes`, and for what is pressed a hundred times and more,
/// beyond some MiB; malformed_json for what can't be decoded; unavailable when there is no memory.
std::string decoded(std::string_view body, ContentCoding coding, std::size_t max_bytes,
                    const std::function<bool(std::size_t)>& may_take);

} // namespace usershell::execute
