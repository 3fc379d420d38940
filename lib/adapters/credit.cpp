#include "adapters/credit.hpp"

#include "adapters/numbers.hpp"
#include "base/ascii.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace usershell::adapters {

namespace {

constexpr CreditSource credit_sources[] = {
    {"openrouter", "/key", "/data/limit_remaining", ""},
    {"deepseek", "/user/balance", "/balance_infos/0/total_balance", "/balance_infos/0/currency"},
    {"moonshot", "/users/me/balance", "/data/available_balance", ""},
    {"siliconflow", "/user/info", "/data/totalBalance", ""},
};

/// A number, or one written as a text.
std::optional<double> amount_at(const json::value& value, std::string_view pointer) {
    constexpr auto most = static_cast<double>(max_credit);
    auto amount = parse_number<double>(text_at(value, pointer));
    if (const auto* const found = find_value(value, pointer); found && found->is_number())
        amount = found->to_number<double>();
    return amount && std::abs(*amount) < most ? amount : std::nullopt; // not so of NaN
}

std::string currency_of(const CreditSource& source, const BaseUrl& base_url,
                        const json::value& value) {
    if (source.currency.empty())
        return std::string_view{base_url.host()}.ends_with(".cn") ? "CNY" : "USD";
    const std::string_view text = text_at(value, source.currency);
    const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
    return text.size() == 3 && std::ranges::all_of(text, is_capital) ? std::string{text} : "";
}

} // namespace

const CreditSource* find_credit_source(std::string_view type) {
    const auto* const row = std::ranges::find(credit_sources, type, &CreditSource::type);
    return row == std::end(credit_sources) ? nullptr : row;
}

std::optional<Credit> read_credit(const CreditSource& source, const BaseUrl& base_url,
                                  const json::value& value) {
    const auto amount = amount_at(value, source.amount);
    std::string currency = currency_of(source, base_url, value);
    if (!amount || currency.empty()) return std::nullopt;
    std::array<char, 32> text{};
    const int size = std::snprintf(text.data(), text.size(), "%.2f", *amount);
    return Credit{{text.data(), static_cast<std::size_t>(size)}, std::move(currency)};
}

} // namespace usershell::adapters
