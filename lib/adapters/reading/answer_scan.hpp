// What a document, or an event of a stream, is to its route: one pass over its text, for relays.
// An answer has the members of its route's own; the scan says whether they are there, whether it
// bears the mark of an error beside them, whether it ends the answer, and what it says of tokens.
// Sources: OpenAI API reference, "Chat", "Completions", "Embeddings", "Responses", "Images",
// "Create speech" (streaming events); of rerank, those of vLLM, Fireworks and SiliconFlow; Claude
// API reference, "Messages", "Streaming messages", "Count tokens"; MiniMax, "Error codes"
// (base_resp).
#pragma once

#include "adapters/reading/key_search.hpp"
#include "adapters/relay.hpp"
#include "base/json_scanner.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace usershell::adapters {

/// Which choices of an answer have begun, and which have ended. Those of one answer end one by one.
class Choices {
public:
    /// A bit for each choice of one event or document.
    void add(std::uint64_t begun, std::uint64_t ended) {
        begun_ |= begun;
        ended_ |= ended;
    }
    /// Old servers count tokens in `index`, from 1 on: then no choice has the index 0.
    bool have_ended() const {
        return ended_ != 0 && ((begun_ & ~ended_) == 0 || (begun_ & 1U) == 0);
    }

private:
    std::uint64_t begun_ = 0; ///< a bit a choice
    std::uint64_t ended_ = 0;
};

class AnswerScan final : public JsonVisitor {
public:
    enum class Part { document, event };

    /// `key`: looked for in the texts of the answer; outlives the scan, as does what is scanned.
    AnswerScan(RelayRoute route, Part part, KeySearch& key)
        : route_{route},
          part_{part},
          key_{key} {}

    /// Has it the members of its route's own?
    bool is_own() const { return is_own_; }
    /// Does it say of itself that it is an error?
    bool has_failed() const { return has_failed_ || is_failed_response(); }
    /// Nothing of the answer follows.
    bool is_last() const;
    void add_choices(Choices& choices) const;
    /// Adds what it says of tokens. At the start of a message its output is not told yet.
    void read_usage(Usage& usage) const;
    /// The part with the failure: `text`, or the response inside it.
    std::string_view failure_in(std::string_view text) const;
    /// Have the texts of the answer brought the key to its end?
    bool has_key() const { return has_key_; }

    bool enter(std::size_t depth, std::string_view name, char first) override;
    void leave(std::size_t depth, std::string_view name, std::string_view value) override;

private:
    void enter_top(std::string_view name, char first);
    void leave_top(std::string_view name, std::string_view value);
    void leave_choice(std::string_view name, std::string_view value);
    void ends(std::string_view literal);
    bool is_type(std::string_view start) const;
    bool is_failed_response() const;

    const RelayRoute route_;
    const Part part_;
    KeySearch& key_;
    std::string_view top_{}; ///< the member of the whole that is being read
    std::string_view type_{};
    std::string_view response_{}; ///< of an event of Responses
    std::string_view usage_{};
    std::array<std::uint8_t, 64> indices_{}; ///< of the choices, as they come
    std::size_t index_count_ = 0;
    std::uint64_t endings_ = 0; ///< a bit for each choice, in the order in which they come
    std::size_t ending_count_ = 0;
    bool is_own_ = false;
    bool has_failed_ = false;
    bool has_key_ = false;
    bool has_ended_ = false;
};

} // namespace usershell::adapters
