// A chat protocol: how requests are written and how answers are read. For calls.cpp. Each has its
// sources in protocols/ and a row in adapter.cpp. Adapters hold no state and do no I/O; any thread
// may use them.
#pragma once

#include "adapters/calls.hpp"
#include "adapters/errors/provider_error.hpp"
#include "adapters/model_list.hpp"
#include "adapters/reading/endings.hpp"
#include "adapters/reading/json.hpp"
#include "adapters/relay.hpp"
#include "adapters/request_options.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace usershell::adapters {

/// The part of an answer that has been read so far: adapters add to it, event by event; the chat
/// reader takes text from it.
struct Answer {
    explicit Answer(bool with_reasoning) : wants_reasoning{with_reasoning} {}

    /// The answer contains an error, in this JSON; a string has it in plain words.
    void fail(const json::value& error) { failure.emplace(error, json::storage_ptr{}); }
    /// Text where none of an answer is: it is the error of one that gives no reason for its end.
    void hint(const json::value& said) {
        if (!possible_failure) possible_failure.emplace(said, json::storage_ptr{});
    }
    /// The provider's word for why it ended; `said` has the error if that is one.
    void end(std::string_view word, const json::value& said) {
        const FinishReason reason = finish_reason_of(word);
        if (reason == FinishReason::failed) fail(said);
        if (reason != FinishReason::none) finish_reason = reason;
        finish_word = reason == FinishReason::other ? word : std::string_view{};
    }
    /// Its end has come: an answer of this protocol that gave no reason has stopped.
    void complete() {
        take_hint();
        if (recognised && finish_reason == FinishReason::none) finish_reason = FinishReason::stop;
    }
    void take_hint() {
        if (finish_reason == FinishReason::none && possible_failure && !failure)
            failure = std::move(possible_failure);
    }

    const bool wants_reasoning; ///< else adapters need not fill `reasoning`
    std::string text;           ///< since the caller last took it
    std::string reasoning;      ///< likewise
    std::string model;          ///< as the provider names it
    Usage usage;
    FinishReason finish_reason = FinishReason::none;
    std::string finish_word; ///< of another finish reason
    bool asks_for_tool = false;
    bool has_first_choice = false; ///< of several that come side by side, only the first is read
    bool closed = false;           ///< the protocol's end marker came: nothing follows
    bool recognised = false;       ///< something of this protocol has been seen
    /// An error inside the answer, as it came: to read it takes some milliseconds.
    std::optional<json::value> failure;
    std::optional<json::value> possible_failure; ///< of hint()
};

class Adapter {
public:
    virtual ~Adapter() = default;

    virtual RequestOptions options(const CallTarget& target, const ChatRequest& request) const;
    virtual net::HttpRequest chat_request(const CallTarget& target, const ChatRequest& request,
                                          const RequestOptions& options) const = 0;
    /// Adds the content of an event of a stream, or of a whole answer. Other JSON in the form of an
    /// error is an error; so is a document with a message.
    void read(const json::value& value, Answer& answer, bool is_whole) const;

    /// `page`: as read_list() returned it; empty for the first page.
    virtual net::HttpRequest models_request(const CallTarget& target, std::string_view page,
                                            const RequestOptions& options) const = 0;
    /// How the protocol's list of models differs from others.
    virtual ListForm list_form() const { return {}; }

    /// The URL of a route that the type has. `version_path`: "/v1" after a bare host.
    virtual std::string relay_url(const CallTarget& target, RelayRoute route,
                                  std::string_view model, bool version_path) const;
    virtual std::optional<net::KeyHeader> relay_key(const CallTarget& target) const;

protected:
    /// False: it is nothing of this protocol. An error of a provider's is not given here.
    virtual bool add(const json::value& event, Answer& answer) const = 0;
    virtual bool add_whole(const json::value& value, Answer& answer) const {
        return add(value, answer);
    }
};

/// nullptr for a search protocol.
const Adapter* find_adapter(Protocol protocol);

const Adapter& openai_adapter();
const Adapter& anthropic_adapter();
const Adapter& gemini_adapter();
const Adapter& azure_openai_adapter();
const Adapter& ollama_adapter();

net::HttpRequest post_json(std::string url, std::optional<net::KeyHeader> key,
                           const json::value& body, bool stream = false);
/// As post_json(), of a chat whose body has image_gap where the data of its images goes, in their
/// order: so a tree of JSON has no copy of them.
net::HttpRequest post_chat(std::string url, std::optional<net::KeyHeader> key,
                           const json::value& body, const ChatRequest& request, bool stream);
/// In no text, since all are UTF-8.
inline constexpr std::string_view image_gap = "\xff";
net::HttpRequest get_json(std::string url, std::optional<net::KeyHeader> key);

/// "Authorization: Bearer KEY".
net::KeyHeader bearer(std::string_view key);
/// "x-api-key: KEY", to a host that is not Anthropic's as a bearer token besides.
net::KeyHeader messages_key(const CallTarget& target);

/// Does this path end in "/v1", "/v1beta", …?
bool ends_in_version(std::string_view path);

} // namespace usershell::adapters
