// The JSON body of a playground call. It is read in two steps, because the owner of the provider is
// checked between them: first the types of the fields (400), then their values (400) and the
// provider's state (409).
#pragma once

#include "adapters/calls.hpp"
#include "opener/wire/call_starts.hpp"
#include "web/body.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>

namespace usershell::execute {

struct PlaygroundRequest {
    std::optional<std::string> model_id;
    std::string message;
    std::vector<adapters::ChatImage> images; ///< of the message
    std::string system;
    std::vector<adapters::ChatMessage> history;
    std::optional<double> temperature;
    std::optional<std::int64_t> max_tokens;
    bool stream = false;
    bool reasoning = false; ///< the model's reasoning is wanted, too
};

/// Throws malformed types as invalid_field, a missing providerId as missing_field, a malformed one
/// as 404. Images are views into the body. `bytes`: of the body; body_too_large when what is no
/// image has too many of them.
PlaygroundRequest read_playground_request(const web::JsonBody& body, std::size_t bytes = 0);

/// Does that model of the provider read images? It is asked only for a message with some.
using Sees = std::function<bool(const std::string& model)>;

/// Checks values against the provider and gives the call to make. For search types only the message
/// counts. Without `sees` no model reads images.
adapters::ChatRequest chat_of(const PlaygroundRequest& request,
                              const opener::CallProvider& provider, const Sees& sees = {});

// The images of a message, as a playground call's body has them: a type and Base64. Their first
// bytes are looked at and no more: nothing of them is decoded or shown here, and the provider reads
// them.

/// The images of one message; null: none. They are views into the list. Throws Refusal
/// invalid_field of that field for what is no image, and for too many or too large ones.
std::vector<adapters::ChatImage> read_images(std::string_view field,
                                             const boost::json::array* images);

/// The bytes of an image.
std::size_t bytes_of(const adapters::ChatImage& image);

} // namespace usershell::execute
