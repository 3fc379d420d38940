#include "base/error.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <system_error>

namespace usershell {

namespace {

struct CodeRow {
    ErrorCode code;
    std::string_view name;
    int status;
};

constexpr auto code_rows = std::to_array<CodeRow>({
    {ErrorCode::not_signed_in, "not_signed_in", 401},
    {ErrorCode::antiforgery_invalid, "antiforgery_invalid", 400},
    {ErrorCode::malformed_json, "malformed_json", 400},
    {ErrorCode::missing_field, "missing_field", 400},
    {ErrorCode::invalid_field, "invalid_field", 400},
    {ErrorCode::cap_reached, "cap_reached", 400},
    {ErrorCode::not_allowed, "not_allowed", 403},
    {ErrorCode::not_found, "not_found", 404},
    {ErrorCode::method_not_allowed, "method_not_allowed", 405},
    {ErrorCode::conflict, "conflict", 409},
    {ErrorCode::provider_inactive, "provider_inactive", 409},
    {ErrorCode::no_enabled_model, "no_enabled_model", 409},
    {ErrorCode::body_too_large, "body_too_large", 413},
    {ErrorCode::unsupported_media_type, "unsupported_media_type", 415},
    {ErrorCode::rate_limited, "rate_limited", 429},
    {ErrorCode::internal_error, "internal_error", 500},
    {ErrorCode::upstream_error, "upstream_error", 502},
    {ErrorCode::unavailable, "unavailable", 503},
    {ErrorCode::outcome_unknown, "outcome_unknown", 503},
    {ErrorCode::upstream_timeout, "upstream_timeout", 504},
    {ErrorCode::password_needed, "password_needed", 403},
});

constexpr bool rows_stand_in_order() {
    for (std::size_t i = 0; i < code_rows.size(); ++i)
        if (static_cast<std::size_t>(code_rows.at(i).code) != i) return false;
    return true;
}
static_assert(rows_stand_in_order());

constexpr auto remedy_names = std::to_array<std::string_view>({
    "unknown",
    "correct_setting",
    "correct_host",
    "start_server",
    "write_access_lines",
    "more_connections",
    "no_pooler",
    "init",
    "migrate",
    "other_version",
    "reinstall",
    "install_curl",
    "restore_rings",
    "permit_reading",
    "close_rings",
    "end_lock",
});
static_assert(remedy_names.size() == static_cast<std::size_t>(Remedy::end_lock) + 1);

const CodeRow& row_of(ErrorCode code) { return code_rows.at(static_cast<std::size_t>(code)); }

} // namespace

std::string_view name_of(ErrorCode code) { return row_of(code).name; }

int status_of(ErrorCode code) { return row_of(code).status; }

Refusal password_needed() {
    return Refusal{ErrorCode::password_needed,
                   "Your tools follow this change. Enter your password again, then repeat it."_en};
}

Refusal not_found() { return Refusal{ErrorCode::not_found, "There is nothing here."_en}; }

Refusal missing(std::string_view field) {
    const std::string name{field};
    return Refusal{ErrorCode::missing_field, {"{field} is required."_en, {{"field", name}}}, name};
}

Refusal invalid(std::string_view field, Sentence sentence) {
    return Refusal{ErrorCode::invalid_field, std::move(sentence), std::string{field}};
}

Refusal body_too_large(std::size_t limit) {
    return Refusal{ErrorCode::body_too_large,
                   {"The request is larger than {limit}."_en, {{"limit", readable_size(limit)}}}};
}

Refusal body_cut_short() {
    return Refusal{ErrorCode::malformed_json, "The request body was cut short."_en};
}

Refusal unavailable(Sentence sentence, std::chrono::seconds wait) {
    return Refusal{ErrorCode::unavailable, std::move(sentence)}.retry_after(wait);
}

Refusal service_is_busy() {
    return unavailable("The service is busy. Try again in a moment."_en, std::chrono::seconds{1});
}

Refusal internal_error() {
    return Refusal{ErrorCode::internal_error, "Something went wrong on our side."_en};
}

Remedy remedy_of_errno(int code, Remedy otherwise) {
    return code == EACCES ? Remedy::permit_reading : otherwise;
}

std::string_view name_of(Remedy remedy) { return remedy_names[static_cast<std::size_t>(remedy)]; }

Remedy remedy_named(std::string_view name) {
    const auto* const found = std::ranges::find(remedy_names, name);
    return found == remedy_names.end() ? Remedy::unknown
                                       : static_cast<Remedy>(found - remedy_names.begin());
}

Remedy remedy_of(const std::exception& error) {
    const auto* ours = dynamic_cast<const Error*>(&error);
    if (ours != nullptr) return ours->remedy();
    const auto* systems = dynamic_cast<const std::system_error*>(&error);
    return systems == nullptr ? Remedy::unknown
                              : remedy_of_errno(systems->code().value(), Remedy::unknown);
}

SystemError::SystemError(const std::string& what, int code)
    : Error{what + ": " + std::generic_category().message(code)},
      code_{code} {}

} // namespace usershell
