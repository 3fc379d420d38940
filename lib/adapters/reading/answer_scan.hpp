// The meaning of a document, or of an event, for its route: one pass over its text, for relays.
// An answer has the members of its route's own; the scan says whether they are there, whether it
// bears the mark of an error beside them, whether it ends the answer, and its numbers of tokens.
// Sources: OpenAI API reference, "Chat", "Completions", "Embeddings", "Responses", "Images",
// "Create speech" (streaming events); of rerank, those of vLLM, Fireworks and SiliconFlow; Claude
// API reference, "Messages", "Streaming messages", "Count tokens"; MiniMax, "Error codes"
// (base_resp).
#pragma once

#include "adapters/relay.hpp"
#include "base/json.hpp"
#include "net/key_search.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace usershell::adapters {

/// Which choices of an answer have begun, and which have ended: a bit for each. Those of one answer
/// end one by one.
struct Choices {
    void add(const Choices& more) {
        begun |= more.begun;
        ended |= more.ended;
    }
    /// Old servers count tokens in `index`, from 1 on: then no choice has the index 0.
    bool have_ended() const { return ended != 0 && ((begun & ~ended) == 0 || (begun & 1U) == 0); }

    std::uint64_t begun = 0;
    std::uint64_t ended = 0;
};

class AnswerScan final : public JsonVisitor {
public:
    enum class Part { document, event };

    /// `key`: looked for in the texts of the answer; outlives the scan, as does what is scanned.
    AnswerScan(RelayRoute route, Part part, net::KeySearch& key)
        : route_{route},
          part_{part},
          key_{key} {}

    /// Has it the members of its route's own?
    bool is_own() const { return is_own_; }
    /// Is its list empty? Then an error beside it counts.
    bool is_empty() const { return is_empty_; }
    /// Does it say of itself that it is an error?
    bool has_failed() const { return has_failed_ || is_failed_response(); }
    /// Nothing of the answer follows.
    bool is_last() const;
    /// Of an answer.
    const Choices& choices() const { return choices_; }
    /// Adds what it says of tokens. At the start of a message its output is not told yet.
    void read_usage(Usage& usage) const;
    /// The part with the failure: `text`, or the response inside it.
    std::string_view failure_in(std::string_view text) const;
    /// Have the texts of the answer brought the key to its end?
    bool has_key() const { return has_key_; }

    bool enter(std::size_t depth, std::string_view name, char first) override;
    void leave(std::size_t depth, std::string_view name, std::string_view value) override;
    void open() override { ++objects_; }
    void close() override;

private:
    void enter_top(std::string_view name, char first);
    void leave_top(std::string_view name, std::string_view value);
    /// A reason why the answer, or a choice of it, has ended; false: it is none.
    bool ends(std::string_view literal);
    /// Of a route whose events have a type: does it begin so?
    bool has_type(std::span<const std::string_view> starts) const;
    bool is_failed_response() const;
    /// Looks for the key in the texts that were read of one source: a choice, a call of a tool.
    void search_texts();

    const RelayRoute route_;
    const Part part_;
    net::KeySearch& key_;
    std::string_view top_{}; ///< the member of the whole that is being read
    std::string_view type_{};
    std::string_view response_{}; ///< of an event of Responses
    std::string_view usage_{};
    Choices choices_{};
    std::string indexes_{}; ///< the indexes that were read
    std::vector<std::pair<std::string_view, std::string_view>> texts_{}; ///< with their members
    Choices choice_{};        ///< that is being read; a choice without an index is the first
    std::size_t objects_ = 0; ///< that are open
    bool is_own_ = false;
    bool is_empty_ = false;
    bool has_failed_ = false;
    bool has_key_ = false;
};

} // namespace usershell::adapters
