#include "auth/access/usage.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

namespace usershell::auth {
namespace {

constexpr std::string_view page_token = "00000000-0000-0000-0000-000000000000";

/// The line before any call is added to it.
UsageLine named(const std::string& id, const std::string& name, English otherwise) {
    if (!name.empty()) return {.id = id, .label = name, .days{}};
    return {.id = std::string{otherwise.text()}, .sentence = otherwise, .days{}};
}

UsageLine token_line(const store::UsageRow& row) {
    return named(row.token, row.token_name,
                 row.token == page_token ? "Playground and tests"_en : "Ended tokens"_en);
}

UsageLine provider_line(const store::UsageRow& row) {
    return named(row.provider, row.provider_name, "Removed providers"_en);
}

UsageLine model_line(const store::UsageRow& row) {
    const std::string start = row.provider_name.empty() ? "" : row.provider_name + ": ";
    return {.id = start + row.model, .label = start + row.model, .days{}};
}

void add(std::vector<UsageLine>& lines, UsageLine line, const store::UsageRow& row,
         std::size_t day) {
    auto found = std::ranges::find(lines, line.id, &UsageLine::id);
    if (found == lines.end()) {
        line.days.resize(days_shown);
        found = lines.insert(lines.end(), std::move(line));
    }
    found->calls += row.calls;
    found->failures += row.failures;
    found->estimates += row.estimates;
    found->input_tokens += row.input_tokens;
    found->output_tokens += row.output_tokens;
    found->days[day] += row.input_tokens + row.output_tokens;
}

bool may_be_formula(std::string_view text) {
    return !text.empty() &&
           std::string_view{"=+-@\t\r"}.find(text.front()) != std::string_view::npos;
}

std::string cell(const std::string& text) {
    std::string quoted = may_be_formula(text) ? "\"'" : "\"";
    for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
    return quoted + '"';
}

/// Providers are few, so that all of them have a line, and their sum is that of all calls.
UsageLine sum_of(const UsageBars& bars) {
    UsageLine all{.id = {}, .days = std::vector<std::int64_t>(days_shown)};
    for (const UsageLine& line : bars.providers) {
        all.calls += line.calls;
        all.failures += line.failures;
        all.estimates += line.estimates;
        all.input_tokens += line.input_tokens;
        all.output_tokens += line.output_tokens;
        std::ranges::transform(all.days, line.days, all.days.begin(), std::plus{});
    }
    return all;
}

constexpr std::int64_t bar_height = 24;
void show_chart(web::PageData& usage, const UsageLine& all, const std::vector<std::string>& days) {
    const auto most = std::ranges::max_element(all.days);
    usage.set("FIRST_DAY", days.front()).set("LAST_DAY", days.back());
    usage.say("CHART_TEXT", {"{total} tokens in 30 days; the most on {day}: {most}"_en,
                             {{"total", grouped(all.tokens())},
                              {"day", days[static_cast<std::size_t>(most - all.days.begin())]},
                              {"most", grouped(*most)}}});
    for (std::size_t day = 0; day < all.days.size(); ++day) {
        const std::int64_t tokens = all.days[day];
        if (tokens == 0) continue;
        const std::int64_t height = std::max<std::int64_t>(1, tokens * bar_height / *most);
        usage.show("BAR")
            .set("X", std::to_string(day * 4))
            .set("Y", std::to_string(bar_height - height))
            .set("HEIGHT", std::to_string(height))
            .set("DAY", days[day])
            .set("TOKENS", grouped(tokens));
    }
}

void show_numbers(web::PageData& row, const UsageLine& line) {
    row.set("INPUT", grouped(line.input_tokens)).set("OUTPUT", grouped(line.output_tokens));
    row.set("CALLS", grouped(line.calls)).set("FAILED", grouped(line.failures));
    row.set("ESTIMATED", grouped(line.estimates));
}

void show_group(web::PageData& usage, English heading, const UsageLine& all,
                const std::vector<UsageLine>& lines) {
    web::PageData& group = usage.show("GROUP").say("HEADING", heading);
    for (const UsageLine& line : lines) {
        web::PageData& row = group.show("LINE");
        if (line.label.empty())
            row.say("LABEL", line.sentence);
        else
            row.set("LABEL", line.label);
        show_numbers(row, line);
    }
    show_numbers(group.show("TOTAL"), all);
}

} // namespace

UsageBars bars_of(const std::vector<store::UsageSum>& sums, Timestamp today) {
    UsageBars bars;
    for (int ago = days_shown - 1; ago >= 0; --ago)
        bars.days.push_back(rfc3339_seconds(today - std::chrono::days{ago}).substr(0, 10));
    for (const auto& [of, row] : sums) {
        const auto found = std::ranges::find(bars.days, row.day);
        if (found == bars.days.end()) continue;
        const auto day = static_cast<std::size_t>(found - bars.days.begin());
        if (of == store::UsageSum::Of::token)
            add(bars.tokens, token_line(row), row, day);
        else if (of == store::UsageSum::Of::provider)
            add(bars.providers, provider_line(row), row, day);
        else
            add(bars.models, model_line(row), row, day);
    }
    for (auto* lines : {&bars.tokens, &bars.providers, &bars.models})
        std::ranges::stable_sort(*lines, std::ranges::greater{}, &UsageLine::tokens);
    return bars;
}

void show_usage(web::PageData& data, const UsageBars& bars) {
    if (bars.tokens.empty()) {
        data.show("NO_USAGE");
        return;
    }
    web::PageData& usage = data.show("USAGE");
    const UsageLine all = sum_of(bars);
    show_chart(usage, all, bars.days);
    show_group(usage, "By token"_en, all, bars.tokens);
    show_group(usage, "By provider"_en, all, bars.providers);
    show_group(usage, "By model"_en, all, bars.models);
}

std::string usage_csv(const std::vector<store::UsageRow>& rows) {
    std::string file = "day,token,token_id,provider,provider_id,model,calls,failures,"
                       "estimated_calls,input_tokens,output_tokens\r\n";
    for (const store::UsageRow& row : rows) {
        for (const std::string* text :
             {&row.day, &row.token_name, &row.token, &row.provider_name, &row.provider, &row.model})
            file += cell(*text) + ",";
        for (const std::int64_t number : {row.calls, row.failures, row.estimates, row.input_tokens})
            file += std::to_string(number) + ",";
        file += std::to_string(row.output_tokens) + "\r\n";
    }
    return file;
}

} // namespace usershell::auth
