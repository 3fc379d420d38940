// What a chat protocol is to calls.cpp: how a request is put and how an answer is read. One file a
// protocol, one row in adapter.cpp. Adapters hold no state and do no I/O; any thread may use them.
#pragma once

#include "adapters/calls.hpp"
#include "adapters/event_stream.hpp"
#include "adapters/provider_error.hpp"
#include "adapters/reading/json.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::adapters {

/// How a request is put where upstreams of one protocol differ. It starts as the adapter's guess;
/// what an upstream's refusal asks for changes it (adjust() in calls.cpp), each point once.
struct RequestOptions {
    bool stream = false;
    bool completion_tokens =
        false; ///< max_completion_tokens in place of max_tokens (OpenAI's newer models)
    bool temperature = true;   ///< sent, where the request has one
    bool version_path = false; ///< "/v1" after a base URL that is a bare host
};

enum class FinishReason {
    none,
    stop,   ///< all of it
    length, ///< all allowed tokens were used
    filter, ///< stopped by the provider's content policy
};

/// What redaction looks for in a call's errors.
CallTexts texts_of(std::string_view key, const ChatRequest& request);

/// What an answer has said so far. Readers add to it.
struct Answer {
    explicit Answer(const CallTexts& of_call) : call{of_call} {}

    /// The answer tells of an error, in this JSON.
    void fail(const json::value& error) { provider_error = read_provider_error(error, call); }

    const CallTexts& call;
    std::string text;  ///< since the caller last took it
    std::string model; ///< as the provider names it
    FinishReason finish_reason = FinishReason::none;
    bool closed = false;                         ///< the protocol's last word: nothing follows
    bool recognised = false;                     ///< something of this protocol has been seen
    std::optional<ProviderError> provider_error; ///< an error inside the answer
};

/// The models of a provider's list, page after page.
class ModelList {
public:
    /// Passed over: ids that can't be used, and what comes after 10,000 others.
    void add(std::string_view id, std::string_view display_name, std::string capabilities);
    /// Enough has been read.
    bool full() const;
    /// Sorted by id, each once, at most 2,000.
    std::vector<AvailableModel> take() &&;

private:
    std::vector<AvailableModel> models_;
};

class Adapter {
public:
    virtual ~Adapter() = default;

    virtual RequestOptions options(const CallTarget& target, const ChatRequest& request) const;
    virtual net::HttpRequest chat(const CallTarget& target, const ChatRequest& request,
                                  const RequestOptions& options) const = 0;
    /// One event of a stream, its data read as JSON already.
    virtual void read_event(const json::value& event, Answer& answer) const = 0;
    /// A whole answer that did not come as a stream.
    virtual void read_whole(const json::value& value, Answer& answer) const = 0;

    /// `page` is what read_models() gave; empty for the first page.
    virtual net::HttpRequest models(const CallTarget& target, std::string_view page,
                                    const RequestOptions& options) const = 0;
    /// Adds the models of a page. The next page's name; empty after the last. Nothing when it is no
    /// list.
    virtual std::optional<std::string> read_models(const json::value& value,
                                                   ModelList& models) const = 0;

protected:
    Adapter() = default;
    Adapter(const Adapter&) = default;
    Adapter& operator=(const Adapter&) = default;
};

/// nullptr for a search protocol.
const Adapter* find_adapter(Protocol protocol);

const Adapter& openai_adapter();
const Adapter& anthropic_adapter();
const Adapter& gemini_adapter();
const Adapter& azure_openai_adapter();
const Adapter& ollama_adapter();

/// Tokens a check may use when the request says nothing: reasoning models think before their one
/// word, some models accept no fewer than 16, and a check that ends by length counts as reached
/// anyway.
inline constexpr std::uint32_t check_tokens = 1024;
std::optional<std::uint32_t> token_limit(const ChatRequest& request);

net::HttpRequest post_json(std::string url, net::KeyHeader key, const json::value& body,
                           bool stream = false);
net::HttpRequest get_json(std::string url, net::KeyHeader key);

/// Does this path end in "/v1", "/v1beta", …?
bool ends_in_version(std::string_view path);

/// Collects capability words as rules::capability spells them, each once.
class Capabilities {
public:
    void add(std::string_view word, bool condition = true);
    std::string text() && { return std::move(text_); }

private:
    std::string text_;
};

} // namespace usershell::adapters
