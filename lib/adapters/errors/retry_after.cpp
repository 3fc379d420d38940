#include "adapters/errors/provider_error.hpp"

#include "adapters/numbers.hpp"
#include "base/ascii.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace usershell::adapters {

namespace {

using namespace std::chrono;

constexpr auto longest = static_cast<double>(wait_seconds.most);
constexpr double first_epoch = 1e9; ///< a smaller number is a duration; 2001 in seconds
constexpr double first_epoch_ms = 1e12;

std::optional<double> number_of(std::string_view text) {
    const auto number = parse_number<double>(text);
    return number && std::isfinite(*number) ? number : std::nullopt;
}

seconds bounded(double wait) {
    return seconds{static_cast<seconds::rep>(std::ceil(std::clamp(wait, 0.0, longest)))};
}

std::string_view field(const net::HttpHead& head, std::string_view name) {
    const auto found = head.fields.find(name);
    return found == head.fields.end() ? std::string_view{} : std::string_view{found->second};
}

struct Unit {
    std::string_view name;
    double seconds;
};
/// In lower case; of words without the "s" at their end.
constexpr auto units = std::to_array<Unit>({{"ms", 0.001},
                                            {"millisecond", 0.001},
                                            {"s", 1},
                                            {"sec", 1},
                                            {"second", 1},
                                            {"m", 60},
                                            {"min", 60},
                                            {"minute", 60},
                                            {"h", 3600},
                                            {"hr", 3600},
                                            {"hour", 3600},
                                            {"d", longest},
                                            {"day", longest},
                                            {"week", longest},
                                            {"month", longest}});

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
    const auto* const row = std::ranges::find(units, word, &Unit::name);
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

/// The fields of a date as they stand in it.
struct Date {
    std::string_view year, month, day, time;
};

std::optional<sys_seconds> time_of(const Date& date) {
    constexpr std::array<std::string_view, 12> months{"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
    const auto* const name = std::ranges::find(months, lower_ascii(date.month));
    const auto month_number = name == months.end()
                                  ? parse_number<unsigned>(date.month)
                                  : std::optional{static_cast<unsigned>(name - months.begin()) + 1};
    auto year_number = parse_number<unsigned>(date.year);
    if (year_number && date.year.size() == 2) *year_number += 2000;
    const auto day_number = parse_number<unsigned>(date.day);
    const auto& time = date.time;
    if (time.size() != 8 || time[2] != ':' || time[5] != ':') return std::nullopt;
    const auto hour = parse_number<unsigned>(time.substr(0, 2));
    const auto minute = parse_number<unsigned>(time.substr(3, 2));
    const auto second = parse_number<unsigned>(time.substr(6, 2));
    if (!year_number || *year_number > 9999 || !month_number || !day_number || !hour || !minute ||
        !second)
        return std::nullopt;
    const year_month_day day_of{year{static_cast<int>(*year_number)}, month{*month_number},
                                day{*day_number}};
    if (!day_of.ok()) return std::nullopt;
    return sys_days{day_of} + hours{*hour} + minutes{*minute} + seconds{*second};
}

/// RFC 9110 5.6.7: "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT" and
/// "Sun Nov  6 08:49:37 1994". RFC 3339: "1994-11-06T08:49:37Z".
std::optional<sys_seconds> parse_date(std::string_view text) {
    std::vector<std::string_view> parts;
    for_each_piece(text, ' ', [&](std::string_view part) {
        if (!part.empty()) parts.push_back(part);
    });
    if (parts.size() == 6 && parts[5] == "GMT")
        return time_of({parts[3], parts[2], parts[1], parts[4]});
    if (parts.size() == 5) return time_of({parts[4], parts[1], parts[2], parts[3]});
    if (parts.size() == 4 && parts[3] == "GMT" && parts[1].size() == 9)
        return time_of(
            {parts[1].substr(7), parts[1].substr(3, 3), parts[1].substr(0, 2), parts[2]});
    const bool is_utc = text.size() >= 20 && text[10] == 'T' && text[4] == '-' && text[7] == '-' &&
                        (text.ends_with('Z') || text.ends_with("+00:00"));
    if (!is_utc) return std::nullopt;
    return time_of({text.substr(0, 4), text.substr(5, 2), text.substr(8, 2), text.substr(11, 8)});
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
    if (const auto date = parse_date(text))
        return duration<double>(*date - floor<seconds>(now)).count();
    const std::string lower = lower_ascii(text);
    std::string_view rest = lower;
    const auto wait = take_duration(rest);
    return rest.empty() ? wait : std::nullopt;
}

/// Of headers such as "x-ratelimit-reset-requests": the longest wait, of those limits that are
/// spent as far as that is told.
std::optional<double> reset_in(const net::HttpHead& head, system_clock::time_point now) {
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

std::optional<seconds> retry_after(const net::HttpHead& head, system_clock::time_point now) {
    for (const char* name : {"retry-after-ms", "x-ms-retry-after-ms"})
        if (const auto wait = number_of(field(head, name))) return bounded(*wait / 1000);
    const auto told = wait_in(field(head, "retry-after"), now);
    const bool is_limited = head.status == 429;
    const auto wait = told || !is_limited ? told : reset_in(head, now);
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

} // namespace usershell::adapters
