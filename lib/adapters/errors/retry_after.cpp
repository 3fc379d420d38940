#include "adapters/errors/provider_error.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace usershell::adapters {

namespace {

using namespace std::chrono;

constexpr double longest = 24 * 60 * 60;

std::optional<double> duration_of(std::string_view text) {
    const auto number = parse_number<double>(text);
    return number && std::isfinite(*number) ? number : std::nullopt;
}

seconds bounded(double wait) {
    return seconds{static_cast<seconds::rep>(std::ceil(std::clamp(wait, 0.0, longest)))};
}

/// "Sun, 06 Nov 1994 08:49:37 GMT"
std::optional<sys_seconds> parse_date(std::string_view text) {
    constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    if (text.size() != 29 || !text.ends_with(" GMT") || text[19] != ':' || text[22] != ':')
        return std::nullopt;
    const auto* const name = std::ranges::find(months, text.substr(8, 3));
    const auto day_number = parse_number<unsigned>(text.substr(5, 2));
    const auto year_number = parse_number<unsigned>(text.substr(12, 4));
    const auto hour = parse_number<unsigned>(text.substr(17, 2));
    const auto minute = parse_number<unsigned>(text.substr(20, 2));
    const auto second = parse_number<unsigned>(text.substr(23, 2));
    if (name == months.end() || !day_number || !year_number || !hour || !minute || !second)
        return std::nullopt;
    const auto month_number = static_cast<unsigned>(name - months.begin()) + 1;
    const year_month_day date{year{static_cast<int>(*year_number)}, month{month_number},
                              day{*day_number}};
    if (!date.ok()) return std::nullopt;
    return sys_days{date} + hours{*hour} + minutes{*minute} + seconds{*second};
}

std::string_view field(const net::HttpHead& head, std::string_view name) {
    const auto found = head.fields.find(name);
    return found == head.fields.end() ? std::string_view{} : std::string_view{found->second};
}

} // namespace

std::optional<seconds> retry_after(const net::HttpHead& head, system_clock::time_point now) {
    for (const char* name : {"retry-after-ms", "x-ms-retry-after-ms"})
        if (const auto wait = duration_of(field(head, name))) return bounded(*wait / 1000);
    const auto text = field(head, "retry-after");
    if (const auto wait = duration_of(text)) return bounded(*wait);
    // In whole seconds: in the clock's own unit a date in a few hundred years overflows.
    if (const auto date = parse_date(text))
        return bounded(duration<double>(*date - floor<seconds>(now)).count());
    return std::nullopt;
}

std::optional<seconds> parse_duration(std::string_view text) {
    if (!text.ends_with('s')) return std::nullopt;
    const auto number = duration_of(text.substr(0, text.size() - 1));
    return number ? std::optional{bounded(*number)} : std::nullopt;
}

} // namespace usershell::adapters
