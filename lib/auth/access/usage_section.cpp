#include "auth/access/usage_section.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace usershell::auth {
namespace {

constexpr std::int64_t bar_height = 24;
constexpr std::size_t lines_shown = 20; ///< of a group; the file has all

void show_bars(web::PageData& row, const UsageLine& line, const std::vector<std::string>& days,
               std::int64_t most) {
    for (std::size_t day = 0; day < line.days.size(); ++day) {
        const std::int64_t tokens = line.days[day];
        if (tokens == 0) continue;
        const std::int64_t height = std::max<std::int64_t>(1, tokens * bar_height / most);
        row.show("BAR")
            .set("X", std::to_string(day * 4))
            .set("Y", std::to_string(bar_height - height))
            .set("HEIGHT", std::to_string(height))
            .set("DAY", days[day])
            .set("TOKENS", grouped(tokens));
    }
}

void show_line(web::PageData& row, const UsageLine& line) {
    if (line.label.empty())
        row.say("LABEL", line.sentence);
    else
        row.set("LABEL", line.label);
    row.set("INPUT", grouped(line.input_tokens)).set("OUTPUT", grouped(line.output_tokens));
    row.set("CALLS", grouped(line.calls));
    if (line.failures > 0) row.show("FAILED").set("TEXT", grouped(line.failures));
    if (line.estimates > 0) row.show("ESTIMATED").set("TEXT", grouped(line.estimates));
}

void show_group(web::PageData& usage, English heading, const UsageBars& bars,
                const std::vector<UsageLine>& lines) {
    web::PageData& group = usage.show("GROUP").say("HEADING", heading);
    std::int64_t most = 1;
    for (const UsageLine& line : lines) most = std::max(most, std::ranges::max(line.days));
    for (const UsageLine& line : lines) {
        if (group.sections["LINE"].size() == lines_shown) break;
        web::PageData& row = group.show("LINE");
        show_line(row, line);
        show_bars(row, line, bars.days, most);
    }
}

} // namespace

void show_usage(web::PageData& data, const UsageBars& bars) {
    if (bars.tokens.empty()) {
        data.show("NO_USAGE");
        return;
    }
    web::PageData& usage = data.show("USAGE");
    show_group(usage, "By token"_en, bars, bars.tokens);
    show_group(usage, "By provider"_en, bars, bars.providers);
    show_group(usage, "By model"_en, bars, bars.models);
}

} // namespace usershell::auth
