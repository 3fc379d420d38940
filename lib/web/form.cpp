#include "base/ascii.hpp"
#include "base/error.hpp"
#include "web/body.hpp"
#include "web/header_value.hpp"

#include <algorithm>

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

namespace {

constexpr std::size_t max_parts = 16;
constexpr std::size_t max_part_headers = 2048; ///< bytes
constexpr std::size_t max_boundary = 70;       ///< RFC 2046, 5.1.1

Refusal unreadable(Sentence sentence) { return invalid({}, std::move(sentence)); }

/// RFC 2046's bchars; a space only between others.
bool is_boundary(std::string_view text) {
    constexpr std::string_view extra = "'()+_,-./:=? ";
    if (text.empty() || text.size() > max_boundary || text.back() == ' ') return false;
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return is_alphanumeric(c) || extra.find(c) != std::string_view::npos;
    });
}

std::string boundary_of(std::string_view content_type) {
    const auto type = parse_header_value(content_type);
    const auto boundary = type ? type->parameter("boundary") : std::nullopt;
    if (!boundary || type->main != "multipart/form-data" || !is_boundary(*boundary))
        throw unreadable("The form has no proper boundary."_en);
    return *boundary;
}

/// The headers of a part.
struct PartHead {
    std::string name;
    bool is_file = false;
};

void read_disposition(std::string_view value, PartHead& head, bool& seen) {
    const auto disposition = parse_header_value(value);
    const auto name = disposition ? disposition->parameter("name") : std::nullopt;
    if (seen || !name || disposition->main != "form-data" || disposition->parameter("filename*"))
        throw unreadable("A part of the form has no proper Content-Disposition."_en);
    seen = true;
    head.name = *name;
    head.is_file = disposition->parameter("filename").has_value();
}

void check_encoding(std::string_view value) {
    const std::string encoding = lower_ascii(value);
    if (encoding != "binary" && encoding != "8bit" && encoding != "7bit")
        throw unreadable("A part of the form has a transfer encoding."_en);
}

PartHead read_part_head(std::string_view headers) {
    if (!is_form_text(headers)) throw unreadable("A part’s headers are not well-formed text."_en);
    PartHead head;
    bool disposition_seen = false;
    while (!headers.empty()) {
        const std::size_t end = std::min(headers.find("\r\n"), headers.size());
        const std::string_view line = headers.substr(0, end);
        headers.remove_prefix(std::min(end + 2, headers.size()));
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos ||
            !std::ranges::all_of(line.substr(0, colon), is_token_character) ||
            line.find_first_of("\r\n") != std::string_view::npos)
            throw unreadable("A part of the form has a malformed header."_en);
        const std::string name = lower_ascii(line.substr(0, colon));
        const std::string_view value = trim_blanks(line.substr(colon + 1));
        if (name == "content-disposition") read_disposition(value, head, disposition_seen);
        if (name == "content-transfer-encoding") check_encoding(value);
        if (name == "content-type" && lower_ascii(value).starts_with("multipart/"))
            throw unreadable("A form inside a form is not read."_en);
    }
    if (!disposition_seen)
        throw unreadable("A part of the form has no proper Content-Disposition."_en);
    return head;
}

// Strict on purpose: a body that two readers may take apart differently (two dispositions, a nested
// form, a preamble, `filename*`) is refused and not guessed at. Nothing is copied but field values:
// a file is a view of the request's body, which lives as long as the request.

/// Walks the parts of a body from boundary to boundary.
class PartReader {
public:
    PartReader(std::string_view body, const std::string& boundary)
        : delimiter_{"\r\n--" + boundary},
          rest_{body} {
        if (!rest_.starts_with(std::string_view{delimiter_}.substr(2)))
            throw unreadable("The form does not begin with its boundary."_en);
        rest_.remove_prefix(delimiter_.size() - 2);
        finish_delimiter();
    }

    bool at_end() const { return at_end_; }

    PartHead take_head() {
        const std::size_t end = rest_.substr(0, max_part_headers).find("\r\n\r\n");
        if (end == std::string_view::npos)
            throw unreadable("A part of the form has no end of its headers."_en);
        PartHead head = read_part_head(rest_.substr(0, end));
        rest_.remove_prefix(end + 4);
        return head;
    }

    std::string_view take_content() {
        const std::size_t end = rest_.find(delimiter_);
        if (end == std::string_view::npos) throw unreadable("The form has no final boundary."_en);
        const std::string_view content = rest_.substr(0, end);
        rest_.remove_prefix(end + delimiter_.size());
        finish_delimiter();
        return content;
    }

private:
    /// Reads what follows a boundary: "--" and the end of the body, or the end of the line.
    void finish_delimiter() {
        at_end_ = rest_.starts_with("--");
        if (at_end_) rest_.remove_prefix(2);
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
        const bool line_ends = rest_.starts_with("\r\n");
        if (line_ends) rest_.remove_prefix(2);
        if (at_end_ ? !rest_.empty() : !line_ends)
            throw unreadable("The form has something behind its boundary."_en);
    }

    std::string delimiter_;
    std::string_view rest_;
    bool at_end_ = false;
};

void keep_part(PartHead head, std::string_view content, Form& form) {
    if (head.is_file) {
        form.files.try_emplace(std::move(head.name), content);
        return;
    }
    if (!is_form_text(content)) throw invalid(head.name, "The field is not well-formed text."_en);
    form.fields.try_emplace(std::move(head.name), content);
}

} // namespace

Form parse_multipart(std::string_view content_type, std::string_view body) {
    PartReader reader{body, boundary_of(content_type)};
    Form form;
    for (std::size_t parts = 0; !reader.at_end(); ++parts) {
        if (parts == max_parts) throw unreadable("The form has more than 16 parts."_en);
        PartHead head = reader.take_head();
        keep_part(std::move(head), reader.take_content(), form);
    }
    return form;
}

} // namespace usershell::web
