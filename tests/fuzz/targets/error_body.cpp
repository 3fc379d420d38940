// A provider's error: pieces parted by a NUL: Retry-After, Content-Type, body. The first byte: the
// protocol; the second: the status and two keys. The body may quote the key, and all that follows
// from it is the same for both.
#include "answer.hpp"
#include "base/text.hpp"
#include "target.hpp"

#include <array>
#include <string>

namespace {

using namespace usershell;

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
    const auto protocol = fuzz::protocol_of(from.byte());
    const auto choice = from.byte();
    net::HttpHead head;
    head.status = statuses.at(choice % statuses.size());
    head.fields["retry-after"] = from.piece();
    head.content_type = from.piece();
    const auto& [one, other] = keys.at(choice / statuses.size() % keys.size());
    const auto told = fuzz::heard(protocol, head, {quoting(from.rest(), one)}, one);
    fuzz::require(is_utf8(told) && !has_control(told, true), "a sentence can be shown");
    if (head.status != 200) // an answer is shown as it came
        fuzz::require(told == fuzz::heard(protocol, head, {quoting(from.rest(), other)}, other),
                      "no output about a failed call depends on the key");
}

const fuzz::Target target{"error_body", run, std::size_t{32} * 1024, std::size_t{1024} * 1024};

} // namespace
