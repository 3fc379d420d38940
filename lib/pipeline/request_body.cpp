#include "pipeline/request_body.hpp"

#include "base/error.hpp"
#include "domain/rules.hpp"
#include "pipeline/guard.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace usershell::pipeline {

namespace {

struct BodyRow {
    std::size_t max; ///< bytes
    std::string_view media_type;
};
/// In the order of Body.
constexpr auto body_rows = std::to_array<BodyRow>({
    {rules::max_json_body, ""},
    {rules::max_json_body, "application/json"},
    {rules::max_large_json_body, "application/json"},
    {rules::max_image_body, "application/json"},
    {rules::max_form_body, "application/x-www-form-urlencoded"},
    {rules::max_multipart_body, "multipart/form-data"},
});

const BodyRow& row_of(Body body) { return body_rows.at(static_cast<std::size_t>(body)); }

std::optional<std::string_view> field_token(const web::Form& form) {
    const auto found = form.fields.find(antiforgery_field);
    if (found == form.fields.end()) return std::nullopt;
    return found->second;
}

} // namespace

std::size_t most_bytes_of(Body body) { return row_of(body).max; }

void check_body(const web::Request& request, Body body) {
    const BodyRow& row = row_of(body);
    if (std::max(request.body.size(), request.awaited.value_or(0)) > row.max)
        throw body_too_large(row.max);
    if (body == Body::none || request.body.empty()) return;
    if (request.media_type() != row.media_type) {
        throw Refusal{ErrorCode::unsupported_media_type,
                      {"Send this as {type}."_en, {{"type", std::string{row.media_type}}}}};
    }
}

ReadBody read_body(RequestContext& context, Body body) {
    ReadBody read;
    if (context.request.body.empty()) return read;
    try {
        switch (body) {
        case Body::json:
        case Body::large_json:
        case Body::json_with_images:
            context.json = web::JsonBody::parse(context.request.body);
            read.token = context.json.text_view(antiforgery_field);
            break;
        case Body::form:
            context.form.fields = web::parse_form(context.request.body);
            read.token = field_token(context.form);
            break;
        case Body::multipart:
            context.form = web::parse_multipart(context.request.header("content-type").value_or(""),
                                                context.request.body);
            read.token = field_token(context.form);
            break;
        case Body::none:
            break;
        }
    } catch (const Refusal&) {
        read.malformed = std::current_exception();
    }
    return read;
}

} // namespace usershell::pipeline
