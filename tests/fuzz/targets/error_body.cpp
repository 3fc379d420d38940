// A provider's error: pieces parted by a NUL: Retry-After, Content-Type, body. The first byte: the
// protocol; the second: the status.
#include "answer.hpp"
#include "base/text.hpp"
#include "target.hpp"

#include <array>

namespace {

using namespace usershell;

void run(std::string_view input) {
    constexpr std::array statuses{200, 301, 400, 401, 402, 403, 404, 413, 422, 429, 500, 503, 529};
    constexpr std::string_view key = "sk-1234567890abcdefghij";
    fuzz::Input from{input};
    const auto protocol = fuzz::protocol_of(from.byte());
    net::HttpHead head;
    head.status = statuses.at(from.byte() % statuses.size());
    head.fields["retry-after"] = from.piece();
    head.content_type = from.piece();
    const auto told = fuzz::heard(protocol, head, {from.rest()}, key);
    fuzz::require(is_utf8(told) && !has_control(told, true), "a sentence can be shown");
    if (head.status != 200)
        fuzz::require(told.find(key) == std::string::npos, "no sentence has the key");
}

const fuzz::Target target{"error_body", run, std::size_t{32} * 1024, std::size_t{1024} * 1024};

} // namespace
