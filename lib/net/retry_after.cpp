#include "net/retry_after.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
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
    {" ms msec millisecond 毫秒 ", 0.001},
    {" s sec second 秒 秒钟 秒鐘 초 ", 1},
    {" m min minute 分 分钟 分鐘 분 ", 60},
    {" h hr hour 小时 小時 時間 시간 ", 3600},
    {" d day week month 天 日 일 ", longest},
});

std::string_view taken_while(std::string_view& text, bool (*holds)(char)) {
    const auto* const end = std::ranges::find_if_not(text, holds);
    const auto taken = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(taken.size());
    return taken;
}

bool is_of_number(char c) { return is_digit(c) || c == '.'; }
bool is_blank(char c) { return c == ' '; }
bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }
bool is_between_words(char c) {
    return std::string_view{" :=-_~(\"'`"}.find(c) != std::string_view::npos;
}

double unit_named(std::string_view word) {
    if (word.empty()) return 0;
    if (word.size() > 2 && word.ends_with('s')) word.remove_suffix(1);
    const auto* const row = std::ranges::find_if(units, [&](const Unit& unit) {
        return unit.names.find(" " + std::string{word} + " ") != std::string_view::npos;
    });
    return row == units.end() ? 0 : row->seconds;
}

/// A unit from the front of the text; 0 for another word. Beyond ASCII no blank ends it.
double take_unit(std::string_view& text) {
    if (const auto word = taken_while(text, is_letter); !word.empty()) return unit_named(word);
    std::string_view rest = text;
    for (auto word = taken_while(rest, is_beyond_ascii); !word.empty(); word.remove_suffix(1)) {
        const double unit = unit_named(word);
        if (unit > 0) text.remove_prefix(word.size());
        if (unit > 0) return unit;
    }
    return 0;
}

/// "12.5", "a", "an", "one".
std::optional<double> take_count(std::string_view& text) {
    if (const auto digits = taken_while(text, is_of_number); !digits.empty())
        return number_of(digits);
    const auto word = taken_while(text, is_letter);
    return word == "a" || word == "an" || word == "one" ? std::optional{1.0} : std::nullopt;
}

/// Takes "7m12.5s", "1 hour and 5 minutes", "500ms", "a minute" from the front of the text, in
/// lower case.
std::optional<double> take_duration(std::string_view& text) {
    std::optional<double> all;
    for (std::string_view rest = text;; text = rest) {
        taken_while(rest, is_blank);
        for (const std::string_view between : {", ", "and "})
            if (all && rest.starts_with(between)) rest.remove_prefix(between.size());
        const auto count = take_count(rest);
        taken_while(rest, is_blank);
        const double unit = take_unit(rest);
        if (!count || unit == 0) return all;
        all = all.value_or(0) + *count * unit;
    }
}

/// "pt1m30s" (ISO 8601): the same units behind one letter.
std::optional<double> take_iso_duration(std::string_view& text) {
    std::string_view rest = text;
    std::string plain{taken_while(rest, [](char c) { return is_of_number(c) || is_letter(c); })};
    if (!plain.starts_with('p')) return std::nullopt;
    std::erase_if(plain, [](char c) { return c == 'p' || c == 't'; });
    std::string_view left = plain;
    const auto wait = take_duration(left);
    if (!wait || !left.empty()) return std::nullopt;
    text = rest;
    return wait;
}

/// Takes a zone's distance to UTC: "z", "utc", "+02:00".
std::optional<seconds> take_zone(std::string_view& text) {
    taken_while(text, is_blank);
    for (const std::string_view utc : {"z", "gmt", "utc"})
        if (text.starts_with(utc)) {
            text.remove_prefix(utc.size());
            return seconds{0};
        }
    const bool is_east = text.starts_with('+');
    if (!is_east && !text.starts_with('-')) return std::nullopt;
    std::string digits{text.substr(1, 5)};
    std::erase(digits, ':');
    const auto number = parse_number<int>(std::string_view{digits}.substr(0, 4));
    if (digits.size() < 4 || !number) return std::nullopt;
    text.remove_prefix(text.substr(1, 5).find(':') == std::string_view::npos ? 5 : 6);
    const auto distance = hours{*number / 100} + minutes{*number % 100};
    return is_east ? distance : -distance;
}

/// RFC 9110 5.6.7 in three forms, and RFC 3339, in lower case. With a zone, but for asctime().
std::optional<sys_seconds> take_date(std::string_view& text) {
    const std::string copy{text.substr(0, 64)};
    for (const char* const form :
         {"%a, %d %b %Y %H:%M:%S", "%a, %d-%b-%y %H:%M:%S", "%a %b %d %H:%M:%S %Y",
          "%Y-%m-%dt%H:%M:%S", "%Y-%m-%d %H:%M:%S"}) {
        std::tm parts{};
        const char* const end = ::strptime(copy.c_str(), form, &parts);
        if (end == nullptr) continue;
        std::string_view rest = text.substr(static_cast<std::size_t>(end - copy.c_str()));
        if (rest.starts_with('.')) taken_while(rest, is_of_number);
        const bool has_zone = !std::string_view{form}.starts_with("%a %b");
        const auto zone = has_zone ? take_zone(rest) : seconds{0};
        const bool is_day = (year{parts.tm_year + 1900} / (parts.tm_mon + 1) / parts.tm_mday).ok();
        if (!zone || !is_day) continue;
        text = rest;
        return sys_seconds{seconds{::timegm(&parts)}} - *zone;
    }
    return std::nullopt;
}

/// Takes a date or a duration with its units.
std::optional<double> take_wait(std::string_view& text, system_clock::time_point now) {
    // In whole seconds: in the clock's own unit a date in a few hundred years overflows.
    if (const auto date = take_date(text))
        return duration<double>(*date - floor<seconds>(now)).count();
    if (const auto wait = take_iso_duration(text)) return wait;
    return take_duration(text);
}

/// Takes a number: of units, or of seconds or milliseconds since 1970.
std::optional<double> take_number(std::string_view& text, system_clock::time_point now,
                                  double unit) {
    const auto number =
        number_of(taken_while(text, [](char c) { return is_of_number(c) || c == '-'; }));
    if (!number || *number < first_epoch) return number ? std::optional{*number * unit} : number;
    const double epoch = *number >= first_epoch_ms ? *number / 1000 : *number;
    return epoch - duration<double>(now.time_since_epoch()).count();
}

/// A wait in any form, behind which a list, a parameter or a comment may follow.
std::optional<double> wait_in(std::string_view text, system_clock::time_point now, double unit) {
    constexpr std::string_view ends = ",;(\"'";
    const std::string lower = lower_ascii(trim_blanks(text));
    std::string_view rest = lower;
    if (rest.starts_with('"') || rest.starts_with('\'')) rest.remove_prefix(1);
    auto wait = take_wait(rest, now);
    if (!wait) wait = take_number(rest, now, unit);
    taken_while(rest, is_blank);
    const bool is_whole = rest.empty() || ends.find(rest.front()) != std::string_view::npos;
    return is_whole ? wait : std::nullopt;
}

/// The name of a header or a member whose value is a wait.
struct WaitName {
    explicit WaitName(std::string_view name) : text{lower_ascii(name)} {
        std::erase_if(text, [](char c) { return c == '-' || c == '_'; });
    }
    bool has(std::string_view part) const { return text.find(part) != std::string::npos; }
    bool is_of_retry() const {
        return has("retryafter") || has("retryin") || has("retryat") || has("retrydelay") ||
               has("waitsec") || has("waittime") || has("waitms") || has("cooldown");
    }
    double unit() const {
        const bool is_short = text.ends_with("ms") && (is_of_retry() || text.ends_with("resetms"));
        if (is_short || has("milli")) return 0.001;
        return has("minutes") ? 60 : 1;
    }
    std::string text;
};

/// Of `"default";r=0;t=30` and `limit=9, remaining=0, reset=30` (RateLimit, the drafts of the
/// IETF): the longest wait of a limit that is spent.
std::optional<double> wait_of_limits(std::string value) {
    std::optional<double> wait;
    double left = 0;
    std::ranges::replace(value, ',', ';');
    for_each_piece(value, ';', [&](std::string_view piece) {
        piece = trim_blanks(piece);
        const auto at = std::min(piece.find('='), piece.size());
        const auto name = piece.substr(0, at);
        const auto number = number_of(piece.substr(std::min(at + 1, piece.size())));
        if (!number) left = 0;
        if (number && (name == "r" || name == "remaining")) left = *number;
        if (number && (name == "t" || name == "reset") && left <= 0)
            wait = std::max(*number, wait.value_or(0));
    });
    return wait;
}

/// Of headers such as "x-ratelimit-reset-requests": the longest wait, of those limits that are
/// spent as far as is known.
std::optional<double> reset_in(const HttpHead& head, system_clock::time_point now) {
    constexpr std::string_view reset = "reset";
    std::optional<double> longest_wait;
    for (const auto& [name, value] : head.fields) {
        const WaitName read{name};
        const auto at = name.find(reset);
        if (!read.has("limit")) continue;
        auto counterpart = name;
        if (at != std::string::npos) counterpart.replace(at, reset.size(), "remaining");
        const auto left = number_of(field(head, counterpart));
        const bool is_spent = !left || *left <= 0;
        std::optional<double> wait;
        if (at != std::string::npos && is_spent) wait = wait_in(value, now, read.unit());
        if (name.ends_with("ratelimit")) wait = wait_of_limits(value);
        if (wait && *wait > longest_wait.value_or(-1)) longest_wait = wait;
    }
    return longest_wait;
}

/// In milliseconds if the head has it so.
std::optional<double> retry_in(const HttpHead& head, system_clock::time_point now) {
    std::optional<double> first;
    for (const auto& [name, value] : head.fields) {
        const WaitName read{name};
        if (!read.is_of_retry() || (first && read.unit() == 1)) continue;
        if (const auto wait = wait_in(value, now, read.unit())) first = wait;
    }
    return first;
}

/// A wait in the sentence behind a word such as "again", next to that word or to one of those
/// below: not in "again later: 5 calls every 60 minutes".
std::optional<double> wait_behind(std::string_view text, system_clock::time_point now) {
    constexpr std::string_view before =
        "  in after for at until on about least approximately around "
        "another next to time ";
    constexpr int most_words = 8;
    taken_while(text, is_letter); // "resets"
    std::string word;
    for (int words = 0; words < most_words && !text.empty(); ++words) {
        taken_while(text, is_between_words);
        std::string_view rest = text;
        const bool may_be = before.find(" " + word + " ") != std::string_view::npos;
        if (const auto wait = may_be ? take_wait(rest, now) : std::nullopt) return wait;
        const auto number = word == "after" ? take_number(rest, now, 1) : std::nullopt;
        if (number && (rest.empty() || (rest.front() != ' ' && !is_alphanumeric(rest.front()))))
            return number;
        word = taken_while(text, is_letter);
        const auto other = text.substr(0, text.find_first_of(" :=-_~(\"'`"));
        if (other.find_first_of(".;!?") != std::string_view::npos) break;
        text.remove_prefix(other.size());
        word += other;
    }
    return std::nullopt;
}

/// "30秒后": the wait is before its word.
std::optional<double> wait_before(std::string_view text) {
    constexpr std::size_t most = 32;
    text = text.substr(text.size() - std::min(text.size(), most));
    while (!text.empty()) {
        std::string_view rest = text;
        const auto wait = take_duration(rest);
        taken_while(rest, is_blank);
        if (wait && rest.empty()) return wait;
        if (taken_while(text, is_of_number).empty()) text.remove_prefix(1);
    }
    return std::nullopt;
}

} // namespace

std::optional<seconds> retry_after(const HttpHead& head, system_clock::time_point now) {
    const auto told = retry_in(head, now);
    const auto wait = told || head.status != 429 ? told : reset_in(head, now);
    return wait ? std::optional{bounded(*wait)} : std::nullopt;
}

std::optional<seconds> parse_wait(std::string_view name, std::string_view value,
                                  system_clock::time_point now) {
    const WaitName read{name};
    if (!read.is_of_retry() && !read.has("reset")) return std::nullopt;
    const auto wait = wait_in(value, now, read.unit());
    return wait ? std::optional{bounded(*wait)} : std::nullopt;
}

std::optional<seconds> wait_in_words(std::string_view message, system_clock::time_point now) {
    const auto find = [&](std::string_view word, auto read) -> std::optional<seconds> {
        for (auto at = message.find(word); at != std::string_view::npos;
             at = message.find(word, at + 1))
            if (const auto wait = read(at, word.size())) return bounded(*wait);
        return std::nullopt;
    };
    for (const std::string_view word :
         {"again", "retry", "wait", "reset", "available", "come back", "等待"})
        if (const auto wait = find(word, [&](std::size_t at, std::size_t size) {
                return wait_behind(message.substr(at + size), now);
            }))
            return wait;
    for (const std::string_view word : {"后", "後", "후"})
        if (const auto wait = find(word, [&](std::size_t at, std::size_t) {
                return wait_before(message.substr(0, at));
            }))
            return wait;
    return std::nullopt;
}

} // namespace usershell::net
