#include "tests/unit/adapters/support.hpp"
#include "adapters/reading/chat_reader.hpp"
namespace usershell::test {
using namespace adapters;
namespace {
std::string health(Fault fault) {
    switch (fault) {
    case Fault::key:
        return "key";
    case Fault::provider:
        return "provider";
    default:
        return "nobody";
    }
}
} // namespace
ChatRequest asking() {
    ChatRequest request;
    request.model = "asked-model";
    request.messages = {{ChatMessage::Role::user, "Hi"}};
    return request;
}
std::string Heard::reason() const { return error ? std::string{error->reason_name()} : ""; }
std::string Heard::shown() const {
    std::string text;
    for (const auto& token : tokens) text += "[" + token + "]";
    text += " " + reply.content + " by " + reply.model;
    if (!error) return text;
    const auto wait = error->retry_after();
    return text + " " + reason() + ": " + error->sentence().english() + " " + error->said().code +
           ": " + error->said().words + (wait ? " " + std::to_string(wait->count()) : "");
}
Heard hear(const Answered& how, const std::vector<std::string_view>& pieces,
           const ChatRequest& request, std::string_view key) {
    Heard heard;
    ChatSinks sinks;
    sinks.text = [&](std::string_view token) { heard.tokens.emplace_back(token); };
    if (request.reasoning)
        sinks.reasoning = [&](std::string_view piece) { heard.reasoning += piece; };
    ChatReader reader{*find_adapter(how.protocol), request, sinks, how.limit};
    net::HttpResult result;
    result.head.status = how.status;
    if (!how.retry_after.empty()) result.head.fields["retry-after"] = how.retry_after;
    reader.take_head(result.head);
    for (const auto piece : pieces)
        if (!heard.stopped && !piece.empty()) heard.stopped = !reader.take_body(piece);
    heard.last_word = reader.has_last_word();
    result.failure = heard.stopped ? net::HttpFailure::stopped : how.failure;
    try {
        if (reader.has_failed()) throw understand(reader.provider_error(result), key);
        heard.reply = reader.conclude(result);
        for (const auto& token : heard.tokens) heard.reply.content += token;
    } catch (const UpstreamError& error) {
        heard.error = error;
    }
    return heard;
}
json::value parsed(std::string_view text) {
    auto document = parse_json(text, {});
    if (!document.value) throw std::invalid_argument{std::string{text}};
    return std::move(*document.value);
}
const json::value& answers(std::string_view part) {
    static const json::value document = [] {
        std::ifstream file{USERSHELL_SOURCE_DIR "/tests/unit/adapters/answers.json"};
        return parsed(std::string{std::istreambuf_iterator<char>{file}, {}});
    }();
    return document.at(part);
}
std::string text_of(const json::value& value) {
    return value.is_string() ? std::string{value.as_string()} : json::serialize(value);
}
std::string outcome(const UpstreamError& error) {
    const auto cooldown = error.cooldown();
    return std::string{error.reason_name()} + ", " + std::to_string(status_of(error.code())) +
           ", " + health(error.fault()) + ", " +
           (error.may_try_another_key() ? "next key" : "no other") + ", " +
           (cooldown ? std::to_string(cooldown->count()) + " s" : "no cooldown") + ": " +
           error.sentence().english() +
           (error.said().words.empty() ? "" : " It said: " + error.said().words);
}
std::vector<std::string_view> byte_by_byte(std::string_view text) {
    std::vector<std::string_view> bytes;
    for (std::size_t at = 0; at < text.size(); ++at) bytes.push_back(text.substr(at, 1));
    return bytes;
}
} // namespace usershell::test
