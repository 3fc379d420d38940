// The tokens that a person's calls have used: as tables and a chart on the page, and as a file.
// Pure; any thread may call.
#pragma once

#include "base/sentence.hpp"
#include "base/timestamp.hpp"
#include "store/tokens/access_tokens.hpp"
#include "web/pages.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace usershell::auth {

inline constexpr int days_shown = 30;
inline constexpr std::size_t lines_shown = 20; ///< of a group; the file has all

/// The usage of one token, provider or model.
struct UsageLine {
    std::string id;      ///< of the token or the provider, or both parts of the model's name
    std::string label{}; ///< a name; empty: `sentence`
    Sentence sentence{}; ///< of ours
    std::int64_t calls = 0;
    std::int64_t failures = 0;
    std::int64_t estimates = 0;
    std::int64_t input_tokens = 0;
    std::int64_t output_tokens = 0;
    std::vector<std::int64_t> days; ///< tokens of each of the days, the oldest first

    std::int64_t tokens() const { return input_tokens + output_tokens; }
};

/// Lines with the most tokens first. Tokens that have ended are one line, removed providers too.
struct UsageBars {
    std::vector<std::string> days; ///< "2026-11-25", the oldest first
    std::vector<UsageLine> tokens;
    std::vector<UsageLine> providers;
    std::vector<UsageLine> models;
};
/// Of the `days_shown` days up to `today`, in UTC.
UsageBars bars_of(const std::vector<store::UsageSum>& sums, Timestamp today);

/// The sections USAGE, or NO_USAGE. A bar's place and height are numbers of a drawing that is
/// `days_shown` * 4 wide and 24 high. Each table ends with the sum of all calls, also of lines that
/// it leaves out.
void show_usage(web::PageData& data, const UsageBars& bars);

/// RFC 4180, with a heading. A text that a spreadsheet would take for a formula begins with an
/// apostrophe.
std::string usage_csv(const std::vector<store::UsageRow>& rows);

} // namespace usershell::auth
