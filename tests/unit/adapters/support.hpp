// One answer read as complete_chat() reads it, without a network: what the caller gets, and how.
#pragma once
#include "adapters/adapter.hpp"
#include "domain/catalogue.hpp"
#include "net/http_client.hpp"
#include "tests/unit/test.hpp"
#include <boost/json/serialize.hpp>
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
    bool last_word = false;
    /// The name of the error's reason; empty when there is none.
    std::string reason() const;
    std::string shown() const;
};
Heard hear(const Answered& how, const std::vector<std::string_view>& pieces,
           const adapters::ChatRequest& request = asking(), std::string_view key = no_key);
/// In one line: reason, our answer's status, whose health it lowers, whether the next key is tried,
/// the key's cooldown, the sentence, and the provider's words where they are shown.
std::string outcome(const adapters::UpstreamError& error);
adapters::json::value parsed(std::string_view text);
/// A part of answers.json, which chat_reader_test.cpp describes.
const adapters::json::value& answers(std::string_view part);
/// A string without its quotes, or JSON.
std::string text_of(const adapters::json::value& value);
std::vector<std::string_view> byte_by_byte(std::string_view text);
} // namespace usershell::test
