// One answer of a provider, read as a call reads it.
#pragma once

#include "adapters/adapter.hpp"
#include "adapters/reading/chat_reader.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace usershell::fuzz {

inline adapters::ChatRequest asking() {
    adapters::ChatRequest request;
    request.model = "asked-model";
    request.messages = {{adapters::ChatMessage::Role::user, "Hi"}};
    request.reasoning = true;
    return request;
}

/// All that a caller sees of it, and that follows from it, in one text. With a status other than
/// 200 it is an error.
inline std::string heard(Protocol protocol, const net::HttpHead& head,
                         const std::vector<std::string_view>& pieces, std::string_view key) {
    using namespace adapters;
    static const ChatRequest request = asking();
    std::string told;
    std::string thought;
    ChatSinks sinks;
    sinks.text = [&](std::string_view token) { told += token; };
    sinks.reasoning = [&](std::string_view piece) { thought += piece; };
    ChatReader reader{*find_adapter(protocol), request, sinks, std::size_t{64} * 1024};
    net::HttpResult result;
    result.head = head;
    reader.take_head(result.head);
    for (const auto piece : pieces) {
        if (reader.take_body(piece)) continue;
        result.failure = net::HttpFailure::stopped;
        break;
    }
    try {
        if (reader.has_failed()) throw understand(reader.provider_error(result), key);
        const auto reply = reader.conclude(result);
        told += '\n' + reply.model + ' ' + std::string{name_of(reply.finish_reason)} + ' ' +
                std::to_string(reply.usage.output.value_or(0));
    } catch (const UpstreamError& error) {
        const auto cooldown = error.cooldown().value_or(std::chrono::seconds{-1});
        told += '\n' + std::string{error.reason_name()} + ": " + error.sentence().english() + ' ' +
                std::to_string(cooldown.count()) + ' ' + error.said().code + ' ' +
                error.said().words;
    }
    return told + '\n' + thought;
}

/// The chat protocol of that number.
inline Protocol protocol_of(std::size_t number) {
    constexpr Protocol all[] = {Protocol::openai, Protocol::anthropic, Protocol::gemini,
                                Protocol::azure_openai, Protocol::ollama};
    return all[number % std::size(all)];
}

} // namespace usershell::fuzz
