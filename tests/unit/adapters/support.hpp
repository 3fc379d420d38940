// One answer read as complete_chat() reads it, without a network: what the caller gets, and how.
#pragma once
#include "adapters/adapter.hpp"
#include "base/catalogue.hpp"
#include "net/http_client.hpp"
#include <string>
#include <string_view>
#include <vector>

namespace usershell::test {
/// Asks "asked-model" for "Hi", with no key.
adapters::ChatRequest asking();

struct Answered {
    Protocol protocol = Protocol::openai;
    int status = 200;
    net::HttpFailure failure = net::HttpFailure::none; ///< when the reader has not had enough
    std::size_t limit = std::size_t{1} << 20U;
    std::string retry_after{};
};

struct Heard {
    std::vector<std::string> tokens;
    std::string reasoning; ///< when the request asked for it
    adapters::ChatReply reply;
    std::optional<adapters::UpstreamError> error;
    bool stopped = false; ///< the reader had enough
    /// The name of the error's reason; empty when there is none.
    std::string reason() const;
    /// All that a caller sees, token by token, in one line.
    std::string shown() const;
};

Heard hear(const Answered& how, const std::vector<std::string_view>& pieces,
           const adapters::ChatRequest& request = asking(), std::string_view key = no_key);

/// All that follows from a failed call, in one line: reason, our answer's status, whose health it
/// lowers, whether the next key is tried, the cooldown of the key: the sentence. With the
/// provider's words behind it, where they are shown.
std::string outcome(const adapters::UpstreamError& error);

/// Valid JSON, with memory of its own.
adapters::json::value parsed(std::string_view text);

std::vector<std::string_view> byte_by_byte(std::string_view text);
} // namespace usershell::test
