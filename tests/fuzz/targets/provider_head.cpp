// The head of a provider's answer, line by line, and the times that it names.
#include "base/ascii.hpp"
#include "net/http_head.hpp"
#include "net/retry_after.hpp"
#include "target.hpp"

namespace {

using namespace usershell;
using namespace std::chrono_literals;

void require_bounded(std::optional<std::chrono::seconds> wait) {
    fuzz::require(!wait || (*wait >= 0s && *wait <= 24h), "a time is at most a day");
}

void run(std::string_view input) {
    net::HeadReader reader;
    bool goes_on = true;
    for_each_piece(input, '\n', [&](std::string_view line) {
        if (goes_on) goes_on = reader.take(line) == net::HeadReader::State::reading;
        require_bounded(net::parse_wait(line, {}));
        require_bounded(net::wait_in_words(line));
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

} // namespace
