// Bodies of requests: JSON objects, URL-encoded forms, multipart forms. Strict readers that throw a
// Refusal; values that reach a handler are well-formed UTF-8 (JSON, forms) or bytes (files). Bodies
// hold keys and passwords: whatever the readers allocate for values is overwritten when it is let
// go.
#pragma once

#include "base/wiping.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::web {

/// A JSON object as a request carries it: of bounded depth (how large it may be is its route's
/// matter), UTF-8, no key twice in one object. Unknown members are ignored; a known one of another
/// type is 400 invalid_field naming it. null counts as missing.
class JsonBody {
public:
    /// An empty body is an empty object. Throws Refusal malformed_json, and invalid_field
    /// naming the top-level member in which a number is beyond a double or a string
    /// has a control character (tab, CR and LF are let through: messages have lines).
    static JsonBody parse(std::string_view body);

    std::optional<std::string> text(std::string_view field) const;
    /// text() without a copy, for secrets. Valid as long as this body is.
    std::optional<std::string_view> text_view(std::string_view field) const;
    std::optional<bool> boolean(std::string_view field) const;
    /// A whole number (1.0 counts, up to 2^53 in that spelling); anything else invalid_field.
    std::optional<std::int64_t> integer(std::string_view field) const;
    std::optional<double> number(std::string_view field) const;
    /// nullptr when missing; invalid_field when not an array.
    const boost::json::array* list(std::string_view field) const;
    /// The objects of a list, empty when missing; invalid_field when it contains other values.
    std::vector<JsonBody> objects(std::string_view field) const;

    JsonBody();

private:
    explicit JsonBody(boost::json::object&& object);

    boost::json::object object_; ///< in memory that is wiped
};

/// Fields of an application/x-www-form-urlencoded body, at most 64; of repeated names the first
/// counts. More of them, malformed percent escapes, bad UTF-8 and control characters other than
/// tab, CR and LF are 400 invalid_field.
using FormFields = std::map<std::string, WipedString, std::less<>>;
FormFields parse_form(std::string_view body);

/// multipart/form-data (RFC 7578): plain fields (as in a form) and files by field name (their bytes
/// lie in the body; a file input left empty is an empty file); of repeated names the first counts.
/// At most 16 parts, 2 KiB of headers each; nothing before the first boundary or after the last, no
/// nested multipart, no transfer encoding, no `filename*`. Throws invalid_field for anything else.
struct Form {
    FormFields fields;
    std::map<std::string, std::string_view, std::less<>> files;
};
Form parse_multipart(std::string_view content_type, std::string_view body);

} // namespace usershell::web
