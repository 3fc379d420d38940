#include "base/ascii.hpp"
#include "base/error.hpp"
#include "web/body.hpp"
#include "web/percent.hpp"

namespace usershell::web {

namespace {

/// A field of two bytes takes over a hundred in memory.
constexpr std::size_t max_fields = 64;

void read_pair(std::string_view piece, FormFields& fields) {
    const std::size_t equals = piece.find('=');
    const auto decoded_name = decode_form_text(piece.substr(0, equals));
    if (!decoded_name) throw invalid({}, "The form has a field with a malformed name."_en);
    const std::string name{std::string_view{*decoded_name}};
    const auto encoded =
        equals == std::string_view::npos ? std::string_view{} : piece.substr(equals + 1);
    auto value = decode_form_text(encoded);
    if (!value) throw invalid(name, "The field is not well-formed text."_en);
    fields.try_emplace(name, *std::move(value));
}

} // namespace

FormFields parse_form(std::string_view body) {
    FormFields fields;
    std::size_t pairs = 0;
    for_each_piece(body, '&', [&](std::string_view pair) {
        if (pair.empty()) return;
        if (++pairs > max_fields) throw invalid({}, "The form has more than 64 fields."_en);
        read_pair(pair, fields);
    });
    return fields;
}

} // namespace usershell::web
