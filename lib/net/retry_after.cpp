#include "net/retry_after.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <string>

namespace usershell::net {

namespace {

using namespace std::chrono;

constexpr double longest{std::chrono::duration<double>{max_wait}.count()};
constexpr double first_epoch = 1e9; ///< a smaller number is a duration; 2001 in seconds
constexpr double first_epoch_ms = 1e12;

std::optional<double> number_of(std::string_view text) {
    const auto number = parse_number<double>(text);
    return number && std::isfinite(*number) ? number : std::nullopt;
}

seconds bounded(double wait) {
    return seconds{static_cast<seconds::rep>(std::ceil(std::clamp(wait, 0.0, longest)))};
}

std::string_view field(const HttpHead& head, std::string_view name) {
    const auto found = head.fields.find(name);
    return found == head.fields.end() ? std::string_view{} : std::string_view{found->second};
}

struct Unit {
    std::string_view names; ///< in lower case, of words without the "s" at their end
    double seconds;
};
constexpr auto units = std::to_array<Unit>({
    {" ms millisecond ", 0.001},
    {" s sec second ", 1},
    {" m min minute ", 60},
    {" h hr hour ", 3600},
    {" d day week month ", longest},
});

std::string_view taken_while(std::string_view& text, bool (*holds)(char)) {
    const auto* const end = std::ranges::find_if_not(text, holds);
    const auto taken = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(taken.size());
    return taken;
}

bool is_of_number(char c) { return is_digit(c) || c == '.'; }
bool is_letter(char c) { return is_alphanumeric(c) && !is_digit(c); }
bool is_blank(char c) { return c == ' '; }

double unit_of(std::string_view word) {
    if (word.size() > 2 && word.ends_with('s')) word.remove_suffix(1);
    const auto* const row = std::ranges::find_if(units, [&](const Unit& unit) {
        return unit.names.find(" " + std::string{word} + " ") != std::string_view::npos;
    });
    return row == units.end() ? 0 : row->seconds;
}

/// Takes "7m12.5s", "1 minute 30 seconds", "500ms" from the front of the text, in lower case.
std::optional<double> take_duration(std::string_view& text) {
    std::optional<double> all;
    for (std::string_view rest = text;; text = rest) {
        taken_while(rest, is_blank);
        const auto number = number_of(taken_while(rest, is_of_number));
        taken_while(rest, is_blank);
        const double unit = unit_of(taken_while(rest, is_letter));
        if (!number || unit == 0) return all;
        all = all.value_or(0) + *number * unit;
    }
}

/// RFC 9110 5.6.7, in three forms, and RFC 3339 in UTC.
std::optional<sys_seconds> parse_date(const std::string& text) {
    for (const char* const form : {"%a, %d %b %Y %H:%M:%S GMT", "%a, %d-%b-%y %H:%M:%S GMT",
                                   "%a %b %d %H:%M:%S %Y", "%Y-%m-%dT%H:%M:%S"}) {
        std::tm parts{};
        const char* const end = ::strptime(text.c_str(), form, &parts);
        if (end == nullptr) continue;
        std::string_view rest{end};
        const bool is_rfc3339 = std::string_view{form}.starts_with("%Y");
        if (is_rfc3339 && rest.starts_with('.')) taken_while(rest, is_of_number);
        const bool is_whole = is_rfc3339 ? rest == "Z" || rest == "+00:00" : rest.empty();
        const bool is_day = (year{parts.tm_year + 1900} / (parts.tm_mon + 1) / parts.tm_mday).ok();
        if (is_whole && is_day) return sys_seconds{seconds{::timegm(&parts)}};
    }
    return std::nullopt;
}

/// A wait in any form: seconds, a duration, a time, seconds or milliseconds since 1970.
std::optional<double> wait_in(std::string_view text, system_clock::time_point now) {
    const auto until = [&](double epoch) {
        return epoch - duration<double>(now.time_since_epoch()).count();
    };
    if (const auto number = number_of(text)) {
        if (*number >= first_epoch_ms) return until(*number / 1000);
        return *number >= first_epoch ? until(*number) : *number;
    }
    // In whole seconds: in the clock's own unit a date in a few hundred years overflows.
    if (const auto date = parse_date(std::string{text}))
        return duration<double>(*date - floor<seconds>(now)).count();
    const std::string lower = lower_ascii(text);
    std::string_view rest = lower;
    const auto wait = take_duration(rest);
    return rest.empty() ? wait : std::nullopt;
}

/// Of headers such as "x-ratelimit-reset-requests": the longest wait, of those limits that are
/// spent as far as is known.
std::optional<double> reset_in(const HttpHead& head, system_clock::time_point now) {
    constexpr std::string_view reset = "reset";
    std::optional<double> longest_wait;
    for (const auto& [name, value] : head.fields) {
        const auto at = name.find(reset);
        if (at == std::string::npos || lower_ascii(name).find("limit") == std::string::npos)
            continue;
        auto counterpart = name;
        counterpart.replace(at, reset.size(), "remaining");
        const auto left = number_of(field(head, counterpart));
        const auto wait = left && *left > 0 ? std::nullopt : wait_in(value, now);
        if (wait && *wait > longest_wait.value_or(-1)) longest_wait = wait;
    }
    return longest_wait;
}

} // namespace

std::optional<seconds> retry_after(const HttpHead& head, system_clock::time_point now) {
    for (const char* name : {"retry-after-ms", "x-ms-retry-after-ms"})
        if (const auto wait = number_of(field(head, name))) return bounded(*wait / 1000);
    const auto told = wait_in(field(head, "retry-after"), now);
    const auto wait = told || head.status != 429 ? told : reset_in(head, now);
    return wait ? std::optional{bounded(*wait)} : std::nullopt;
}

std::optional<seconds> parse_wait(std::string_view text, system_clock::time_point now) {
    const auto wait = wait_in(text, now);
    return wait ? std::optional{bounded(*wait)} : std::nullopt;
}

std::optional<seconds> wait_in_words(std::string_view message) {
    for (const std::string_view words : {"again in", "again after", "retry in", "retry after",
                                         "wait", "reset in", "resets in", "available in"}) {
        const auto at = message.find(words);
        if (at == std::string_view::npos) continue;
        auto rest = message.substr(at + words.size());
        for (const std::string_view filler : {" for", " about", " at least", " approximately", ":"})
            if (rest.starts_with(filler)) rest.remove_prefix(filler.size());
        if (const auto wait = take_duration(rest)) return bounded(*wait);
    }
    return std::nullopt;
}

} // namespace usershell::net
