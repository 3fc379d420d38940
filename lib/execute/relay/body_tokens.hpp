// How many tokens a tool's request may take, as far as its body tells: for the reserve of a token's
// day, and for usage that no provider has told. Pure.
#pragma once

#include "adapters/relay.hpp"
#include "opener/wire/call_starts.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace usershell::execute {

/// An answer whose request states no maximum. Source: OpenAI's models page, the most that GPT-4.1
/// writes; few models write more.
inline constexpr std::int64_t unstated_answer = 32'768;
/// Source: Claude API documentation, "Vision": the largest image takes some 1,600 tokens.
inline constexpr std::int64_t tokens_of_image = 1'600;

/// An image that is made. Source: OpenAI, "Image generation", the cost of a large one of high
/// quality. Of an image for which no provider has told tokens it is the estimate, too.
inline constexpr std::int64_t tokens_of_made_image = 6'240;

/// Do tokens of output go by the bytes of an answer? Vectors, rankings and sound have none; those
/// of an image are no text.
bool answers_in_text(RelayRoute route);

/// The contents of a member. In any other place a text counts as text, whatever it begins with.
enum class BodyPlace {
    other,
    media,   ///< a file or an image, as base64 or a data URL
    address, ///< the same, or its address
};

/// Is told of a body's objects and members in their order.
class BodyTokens {
public:
    explicit BodyTokens(RelayRoute route) : route_{route} {}

    void open(bool is_media) { objects_.push_back({.is_media = is_media}); }
    /// `name`: folded.
    void take(std::size_t depth, std::string_view name, std::string_view value, BodyPlace place);
    /// `type`: the object's.
    void close(std::string_view type);

    opener::TokenNeed need(std::size_t body_bytes) const;

private:
    struct Object {
        bool is_media = false;
        bool is_image = false;
        std::size_t data = 0; ///< bytes of base64
    };
    void take_maximum(std::string_view name, std::string_view value);
    void add(std::size_t bytes, bool is_image);

    RelayRoute route_;
    std::vector<Object> objects_;
    std::size_t binary_bytes_ = 0;
    std::int64_t binary_tokens_ = 0;
    std::int64_t answer_ = 0;   ///< the largest maximum that is stated by any name; 0: none
    bool is_stated_ = false;    ///< by a name of the route's own
    bool is_boundless_ = false; ///< a maximum that is none was stated
    std::int64_t choices_ = 1;  ///< for each prompt
    std::int64_t prompts_ = 1;
    bool thinks_ = false;       ///< in so many words
    std::int64_t thinking_ = 0; ///< tokens besides the answer's
};

} // namespace usershell::execute
