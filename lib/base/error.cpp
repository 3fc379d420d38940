#include "base/error.hpp"

#include <array>
#include <cstddef>

namespace usershell {

namespace {

struct CodeRow {
    Code code;
    std::string_view name;
    int status;
};

constexpr auto code_rows = std::to_array<CodeRow>({
    {Code::not_signed_in, "not_signed_in", 401},
    {Code::antiforgery_invalid, "antiforgery_invalid", 400},
    {Code::malformed_json, "malformed_json", 400},
    {Code::missing_field, "missing_field", 400},
    {Code::invalid_field, "invalid_field", 400},
    {Code::cap_reached, "cap_reached", 400},
    {Code::not_found, "not_found", 404},
    {Code::method_not_allowed, "method_not_allowed", 405},
    {Code::conflict, "conflict", 409},
    {Code::provider_inactive, "provider_inactive", 409},
    {Code::no_enabled_model, "no_enabled_model", 409},
    {Code::body_too_large, "body_too_large", 413},
    {Code::unsupported_media_type, "unsupported_media_type", 415},
    {Code::rate_limited, "rate_limited", 429},
    {Code::internal_error, "internal_error", 500},
    {Code::upstream_error, "upstream_error", 502},
    {Code::unavailable, "unavailable", 503},
    {Code::upstream_timeout, "upstream_timeout", 504},
});

constexpr bool rows_stand_in_order() {
    for (std::size_t i = 0; i < code_rows.size(); ++i)
        if (static_cast<std::size_t>(code_rows.at(i).code) != i) return false;
    return true;
}
static_assert(rows_stand_in_order());

const CodeRow& row_of(Code code) { return code_rows.at(static_cast<std::size_t>(code)); }

} // namespace

std::string_view name_of(Code code) { return row_of(code).name; }

int status_of(Code code) { return row_of(code).status; }

Refusal not_found() { return Refusal{Code::not_found, "There is nothing here."}; }

Refusal missing(std::string_view field) {
    return Refusal{Code::missing_field, std::string{field} + " is required.", std::string{field}};
}

Refusal invalid(std::string_view field, std::string sentence) {
    return Refusal{Code::invalid_field, std::move(sentence), std::string{field}};
}

Refusal unavailable(std::string sentence, std::chrono::seconds wait) {
    return Refusal{Code::unavailable, std::move(sentence)}.retry_after(wait);
}

} // namespace usershell
