// The part of an answer that has been read so far: adapters add to it, event by event; the chat
// reader takes text from it.
#pragma once

#include "adapters/calls.hpp"
#include "adapters/errors/provider_error.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace usershell::adapters {

struct Answer {
    explicit Answer(bool with_reasoning) : wants_reasoning{with_reasoning} {}

    /// The answer contains an error, in this JSON.
    void fail(const json::value& error) {
        failure.emplace(json::value(error, json::storage_ptr{}));
    }
    /// The same in plain words.
    void fail(std::string_view words) { failure.emplace(std::string{words}); }

    const bool wants_reasoning; ///< else adapters need not fill `reasoning`
    std::string text;           ///< since the caller last took it
    std::string reasoning;      ///< likewise
    std::string model;          ///< as the provider names it
    Usage usage;
    FinishReason finish_reason = FinishReason::none;
    bool asks_for_tool = false;
    bool has_first_choice = false; ///< of several that come side by side, only the first is read
    bool closed = false;           ///< the protocol's end marker came: nothing follows
    bool recognised = false;       ///< something of this protocol has been seen
    /// An error inside the answer, as it came: to read it takes some milliseconds.
    std::optional<std::variant<json::value, std::string>> failure;
};

} // namespace usershell::adapters
