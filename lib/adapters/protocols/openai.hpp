// OpenAI's chat completions API, which many providers offer too, and the base class of the two
// protocols that differ from it in URLs and headers only. Sources: OpenAI API reference, "Chat"
// (Create, streaming events) and "Models"; OpenRouter "Streaming" and "Errors and debugging"
// (comments, errors inside a stream); Mistral "Models" (capabilities) and "Reasoning" (content in
// parts); Together "List models" (a bare array); OpenAI "Images and vision" and OpenRouter "Image
// Inputs" (data URLs, after the text).
#pragma once

#include "adapters/adapter.hpp"

namespace usershell::adapters {

class OpenAiAdapter : public Adapter {
public:
    RequestOptions options(const CallTarget& target, const ChatRequest& request) const override;
    net::HttpRequest chat_request(const CallTarget& target, const ChatRequest& request,
                                  const RequestOptions& options) const override;
    net::HttpRequest models_request(const CallTarget& target, std::string_view page,
                                    const RequestOptions& options) const override;
    /// Null when the key is no_key and the type allows that.
    std::optional<net::KeyHeader> relay_key(const CallTarget& target) const override;

protected:
    bool add(const json::value& event, Answer& answer) const override;
    virtual std::string models_url(const CallTarget& target, const RequestOptions& options) const;
};

} // namespace usershell::adapters
