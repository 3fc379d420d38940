// Tools may press a body; the model's name in it is replaced, so it is read here and goes to the
// provider as it was before. net/content_decoder.hpp decodes.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::execute {

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
