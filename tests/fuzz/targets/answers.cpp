// What providers answer: heads, errors, lists, chats and relayed answers, and server-sent events.
#include "adapters/adapter.hpp"
#include "adapters/errors/provider_error.hpp"
#include "adapters/errors/upstream_error.hpp"
#include "adapters/protocols/search.hpp"
#include "adapters/reading/chat_reader.hpp"
#include "adapters/reading/json.hpp"
#include "adapters/reading/relay_reader.hpp"
#include "adapters/reading/token_joiner.hpp"
#include "base/ascii.hpp"
#include "base/text.hpp"
#include "domain/rules.hpp"
#include "execute/event_frames.hpp"
#include "net/event_stream.hpp"
#include "net/http_head.hpp"
#include "net/retry_after.hpp"
#include "target.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace usershell;

// One answer of a provider, read as a call reads it.
namespace answer {

adapters::ChatRequest asking() {
    adapters::ChatRequest request;
    request.model = "asked-model";
    request.messages = {{adapters::ChatMessage::Role::user, "Hi"}};
    request.reasoning = true;
    return request;
}

/// All that a caller sees of it, and that follows from it, in one text. With a status other than
/// 200 it is an error.
std::string heard(Protocol protocol, const net::HttpHead& head,
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
Protocol protocol_of(std::size_t number) {
    constexpr Protocol all[] = {Protocol::openai, Protocol::anthropic, Protocol::gemini,
                                Protocol::azure_openai, Protocol::ollama};
    return all[number % std::size(all)];
}

} // namespace answer

// An answer to a chat, whole or as a stream, of each protocol, in random pieces. The first byte:
// the protocol; the second: how it is cut.
namespace chat_answer {

void run(std::string_view input) {
    fuzz::Input from{input};
    const auto protocol = answer::protocol_of(from.byte());
    const auto seed = from.byte();
    const auto pieces = fuzz::cut(from.rest(), seed);
    net::HttpHead head;
    head.status = 200;
    const auto in_pieces = answer::heard(protocol, head, pieces, "sk-1234567890abcdefghij");
    fuzz::require(in_pieces ==
                      answer::heard(protocol, head, {from.rest()}, "sk-1234567890abcdefghij"),
                  "an answer does not depend on its pieces");
    fuzz::require(is_utf8(in_pieces), "an answer is UTF-8");
}

// The tree of one event, of 1 MiB at most, may take four times its size.
const fuzz::Target target{"chat_answer", run, std::size_t{128} * 1024, std::size_t{4608} * 1024};

} // namespace chat_answer

// A provider's error: pieces parted by a NUL: Retry-After, Content-Type, body. The first byte: the
// protocol; the second: the status and two keys. The body may quote the key, and all that follows
// from it is the same for both.
namespace error_body {

using Keys = std::array<std::string_view, 2>;

/// Two of the same length, which no answer may tell apart.
constexpr std::array<Keys, 3> keys{{{"sk-1234567890abcdefghij", "xy_ZZZZZ98765ZZZZZ0987z"},
                                    {"abcdefghijklmnopqrstuvw", "zyxwvutsrqponmlkjihgfed"},
                                    {"correct-horse-battery-x", "invalid-model-request-y"}}};

/// The body with the key in place of the first 64 bytes of 1.
std::string quoting(std::string_view body, std::string_view key) {
    std::string text;
    std::size_t quoted = 0;
    for (const char byte : body)
        if (byte == '\1' && quoted++ < 64)
            text += key;
        else
            text += byte;
    return text;
}

void run(std::string_view input) {
    constexpr std::array statuses{200, 301, 400, 401, 402, 403, 404, 413, 422, 429, 500, 503, 529};
    fuzz::Input from{input};
    const auto protocol = answer::protocol_of(from.byte());
    const auto choice = from.byte();
    net::HttpHead head;
    head.status = statuses.at(choice % statuses.size());
    head.fields["retry-after"] = from.piece();
    head.content_type = from.piece();
    const auto& [one, other] = keys.at(choice / statuses.size() % keys.size());
    const auto told = answer::heard(protocol, head, {quoting(from.rest(), one)}, one);
    fuzz::require(is_utf8(told) && !has_control(told, true), "a sentence can be shown");
    if (head.status != 200) // an answer is shown as it came
        fuzz::require(told == answer::heard(protocol, head, {quoting(from.rest(), other)}, other),
                      "no output about a failed call depends on the key");
}

const fuzz::Target target{"error_body", run, std::size_t{32} * 1024, std::size_t{1024} * 1024};

} // namespace error_body

// A provider's list of models, of each protocol, or the results of a search. The first byte: the
// protocol.
namespace model_list {

using namespace usershell::adapters;
void check_models(const Adapter& adapter, const json::value& value) {
    ModelList list;
    try {
        if (!read_list(value, adapter.list_form(), list)) return;
    } catch (const UpstreamError&) {
        return; // of elements none is a model
    }
    const auto models = std::move(list).take().models;
    fuzz::require(models.size() <= rules::max_listed_models, "a list is bounded");
    fuzz::require(std::ranges::adjacent_find(models, std::ranges::greater_equal{},
                                             &AvailableModel::id) == models.end(),
                  "ids are sorted, each once");
    ModelList again;
    for (const auto& model : models) {
        fuzz::require(is_utf8(model.id) && !has_control(model.id) && !model.id.empty(),
                      "an id can be shown");
        fuzz::require(is_utf8(model.display_name) && !has_control(model.display_name),
                      "a name can be shown");
        again.add(model.id, model.display_name, model.capabilities);
    }
    const auto same = std::move(again).take().models;
    fuzz::require(std::ranges::equal(models, same,
                                     [](const AvailableModel& a, const AvailableModel& b) {
                                         return a.id == b.id && a.display_name == b.display_name;
                                     }),
                  "a list that was read is canonical");
}

void run(std::string_view input) {
    constexpr auto count = static_cast<std::size_t>(Protocol::firecrawl) + 1;
    fuzz::Input from{input};
    const auto protocol = static_cast<Protocol>(from.byte() % count);
    JsonMemory memory{std::size_t{256} * 1024};
    const auto parsed = parse_json(from.rest(), &memory);
    if (!parsed.value) return;
    if (const Adapter* const adapter = find_adapter(protocol))
        check_models(*adapter, *parsed.value);
    if (const SearchProtocol* const search = find_search(protocol)) {
        const auto results = read_results(*search, *parsed.value);
        fuzz::require(!results || (is_utf8(*results) && !has_control(*results, true)),
                      "results can be shown");
    }
}

// The tree of the JSON may take 1 MiB here, and the models have memory of their own.
const fuzz::Target target{"model_list", run, std::size_t{256} * 1024, std::size_t{3072} * 1024};

} // namespace model_list

// The head of a provider's answer, line by line, and the times that it names.
namespace provider_head {

using namespace std::chrono_literals;
void require_bounded(std::optional<std::chrono::seconds> wait) {
    fuzz::require(!wait || (*wait >= 0s && *wait <= 24h), "a time is at most a day");
}

void run(std::string_view input) {
    net::HeadReader reader;
    bool goes_on = true;
    for_each_piece(input, '\n', [&](std::string_view line) {
        if (goes_on) goes_on = reader.take(line) == net::HeadReader::State::reading;
        require_bounded(net::parse_wait("retry-after", line, {}));
        require_bounded(net::wait_in_words(line, {}));
    });
    const auto& head = reader.head();
    fuzz::require(head.content_type == lower_ascii(head.content_type), "a type is canonical");
    for (const auto& [name, value] : head.fields)
        fuzz::require(trim_blanks(value) == value && lower_ascii(name) == name,
                      "a field is canonical");
    require_bounded(net::retry_after(head, std::chrono::sys_days{std::chrono::days{20'000}}));
}

// The reader stops at 64 KiB, of which each field of a few bytes takes about a hundred.
const fuzz::Target target{"provider_head", run, std::size_t{128} * 1024, std::size_t{4096} * 1024};

} // namespace provider_head

// A provider's answer to a tool: given on are its own bytes, in order, and none of an error.
namespace relay_answer {

struct Sink final : adapters::RelaySink {
    explicit Sink(std::string_view given) : left{given} {}

    std::string_view left; ///< of the answer, behind what was given on
    std::string written;
    bool has_begun = false;

    void take_limits(adapters::RelayLimits) override {}
    void begin(const adapters::RelayHead& /*head*/) override {
        fuzz::require(!has_begun, "an answer begins once");
        has_begun = true;
    }
    void write(std::string_view event) override {
        fuzz::require(has_begun, "an answer begins before its bytes");
        written += event;
        if (event == ":\n" || event == "\n") return; // an emptied comment; half of a line's end
        auto at = left.find(event);
        if (at == std::string_view::npos && event.ends_with("\n\n")) // the last event
            at = left.find(event.substr(0, event.size() - 2));
        fuzz::require(at != std::string_view::npos, "what is given on is the provider's");
        left.remove_prefix(std::min(at + event.size(), left.size()));
    }
    void write(std::string document, CallMemory::Part /*memory*/) override { write(document); }
};

std::string heard(std::string_view body, const net::HttpHead& head,
                  const std::vector<std::string_view>& pieces) {
    Sink sink{body};
    adapters::Usage usage;
    adapters::RelayReader reader{RelayRoute::chat, "a-key-of-sixteen", sink, usage};
    net::HttpResult result;
    result.head = head;
    reader.take_head(head);
    for (const auto piece : pieces) {
        if (reader.take_body(piece)) continue;
        result.failure = net::HttpFailure::stopped;
        break;
    }
    if (reader.finish(result)) return sink.written + "\nfailed";
    try {
        reader.conclude(result);
    } catch (const adapters::UpstreamError& error) {
        return sink.written + "\n" + std::string{error.reason_name()};
    }
    return sink.written + "\n" + std::to_string(usage.output.value_or(0));
}

void run(std::string_view input) {
    fuzz::Input parts{input};
    const auto seed = parts.byte();
    const std::string body{parts.rest()};
    net::HttpHead head;
    head.status = 200;
    const std::string whole = heard(body, head, {body});
    fuzz::require(heard(body, head, fuzz::cut(body, seed)) == whole,
                  "pieces are read as the whole is");
}

const fuzz::Target target{"relay_answer", run, std::size_t{256} * 1024,
                          std::size_t{4} * 1024 * 1024};

} // namespace relay_answer

// Server-sent events are the same wherever they are cut, and our own are read as they were meant.
// The first byte chooses the pieces.
namespace event_stream {

constexpr std::size_t limit = 2048;

std::string events_of(const std::vector<std::string_view>& pieces) {
    std::string events;
    net::EventStream stream{limit};
    const auto take = [&] {
        while (const auto event = stream.next()) {
            events.append(event->name).append("=").append(event->data);
            events += '\0';
        }
    };
    for (const auto piece : pieces) {
        stream.feed(piece);
        take();
    }
    stream.finish();
    take();
    return stream.is_over() ? events + "too large" : events;
}

std::string joined(const std::vector<std::string_view>& pieces) {
    adapters::TokenJoiner joiner;
    std::string text;
    for (const auto piece : pieces) text += joiner.join(piece);
    return text += joiner.flush();
}

/// Keeps the bytes that a caller is sent.
class Recorder final : public web::Stream {
public:
    void begin(const web::Response& /*head*/) override {}
    bool write(std::string_view bytes) override {
        sent += bytes;
        return true;
    }
    AsyncEvent& writable() override { std::abort(); }
    CancellationToken& cancellation() override { std::abort(); }

    std::string sent;
};

void check_frame(const std::string& text) {
    Recorder caller;
    execute::EventFrames{caller}.send_text("token", text);
    std::string read;
    net::EventStream stream;
    stream.feed(caller.sent);
    while (const auto event = stream.next()) {
        const auto frame = adapters::parse_json(event->data, {});
        if (frame.value) read += adapters::text_at(*frame.value, "/token");
    }
    fuzz::require(read == text, "a frame is read as it was meant");
}

void run(std::string_view input) {
    fuzz::Input from{input};
    const auto seed = from.byte();
    const auto pieces = fuzz::cut(from.rest(), seed);
    fuzz::require(events_of(pieces) == events_of({from.rest()}), "events do not depend on pieces");
    const auto text = joined(pieces);
    fuzz::require(text == joined({from.rest()}), "text does not depend on pieces");
    fuzz::require(is_utf8(text), "text is UTF-8");
    check_frame(text);
}

// A byte that is no text becomes three, and six in a frame.
const fuzz::Target target{"event_stream", run, std::size_t{64} * 1024, std::size_t{2048} * 1024};

} // namespace event_stream

} // namespace
