#include "base/timestamp.hpp"

namespace usershell {

namespace {

using namespace std::chrono;

void append_number(std::string& text, long long number, std::size_t digits) {
    const std::string plain = std::to_string(number);
    if (plain.size() < digits) text.append(digits - plain.size(), '0');
    text += plain;
}

/// "2026-01-02T03:04:05"
std::string date_and_time(Timestamp moment) {
    const auto day = floor<days>(moment);
    const year_month_day date{day};
    const hh_mm_ss time{floor<std::chrono::seconds>(moment - day)};
    std::string text;
    append_number(text, static_cast<int>(date.year()), 4);
    append_number(text += '-', static_cast<unsigned>(date.month()), 2);
    append_number(text += '-', static_cast<unsigned>(date.day()), 2);
    append_number(text += 'T', time.hours().count(), 2);
    append_number(text += ':', time.minutes().count(), 2);
    append_number(text += ':', time.seconds().count(), 2);
    return text;
}

} // namespace

std::string rfc3339(Timestamp moment) {
    std::string text = date_and_time(moment) + ".";
    append_number(text, floor<milliseconds>(moment - floor<std::chrono::seconds>(moment)).count(),
                  3);
    return text + "Z";
}

std::string rfc3339_seconds(Timestamp moment) { return date_and_time(moment) + "Z"; }

} // namespace usershell
