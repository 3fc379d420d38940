#include "fcgi/request.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace usershell::fcgi {

namespace {

/// Every parameter that is read, none of which may stand twice.
struct Known {
    std::optional<std::string_view> method;
    std::optional<std::string_view> uri;
    std::optional<std::string_view> content_type;
    std::optional<std::string_view> content_length;
    std::optional<std::string_view> client_address;
    std::optional<std::string_view> content_type_header; ///< the same as nginx's generic HTTP_*
    std::optional<std::string_view> cookie;
};

struct KnownRow {
    std::string_view name;
    std::optional<std::string_view> Known::*slot;
    std::string_view header; ///< as people call it, for the refusal
};

constexpr KnownRow known_rows[] = {
    {"REQUEST_METHOD", &Known::method, "method"},
    {"REQUEST_URI", &Known::uri, "path"},
    {"CONTENT_TYPE", &Known::content_type, "Content-Type"},
    {"HTTP_CONTENT_TYPE", &Known::content_type_header, "Content-Type"},
    {"CONTENT_LENGTH", &Known::content_length, "Content-Length"},
    {"REMOTE_ADDR", &Known::client_address, "client address"},
    {"HTTP_COOKIE", &Known::cookie, "Cookie"},
};

Refusal repeated(std::string_view header) {
    return invalid(
        header, {"The request has more than one {header}."_en, {{"header", std::string{header}}}});
}

/// True when `name` is one of the rows.
bool keep_known(Known& known, std::string_view name, std::string_view value) {
    const auto* row = std::find_if(std::begin(known_rows), std::end(known_rows),
                                   [&](const KnownRow& each) { return each.name == name; });
    if (row == std::end(known_rows)) return false;
    if ((known.*row->slot).has_value()) throw repeated(row->header);
    known.*row->slot = value;
    return true;
}

/// HTTP_ACCEPT_LANGUAGE → accept-language. Leading underscores stay: no header begins with '-'.
std::string header_name(std::string_view parameter) {
    std::string name = lower_ascii(parameter);
    const std::size_t first = std::min(name.find_first_not_of('_'), name.size());
    std::replace(name.begin() + static_cast<std::ptrdiff_t>(first), name.end(), '_', '-');
    return name;
}

void keep_header(web::Request& request, std::string_view parameter, std::string_view value) {
    std::string name = header_name(parameter);
    if (name == "x-request-id" || name == "content-length") return;
    request.headers.emplace(std::move(name), value);
}

Known read_params(web::Request& request, const std::vector<Param>& params) {
    constexpr std::string_view prefix = "HTTP_";
    Known known;
    for (const auto& [name, value] : params) {
        if (!keep_known(known, name, value) && name.starts_with(prefix))
            keep_header(request, name.substr(prefix.size()), value);
    }
    return known;
}

void keep_content_type(web::Request& request, const Known& known) {
    const auto& from_server = known.content_type;
    const auto& from_client = known.content_type_header;
    const bool both = from_server && !from_server->empty() && from_client;
    if (both && *from_server != *from_client) throw repeated("Content-Type");
    const std::string_view type =
        from_server.value_or("").empty() ? from_client.value_or("") : *from_server;
    if (!type.empty()) request.headers.emplace("content-type", type);
}

void split_uri(web::Request& request, std::string_view uri) {
    const std::size_t question = std::min(uri.find('?'), uri.size());
    request.path = uri.substr(0, question);
    request.query = uri.substr(std::min(question + 1, uri.size()));
    if (!request.path.starts_with('/')) throw invalid("path", "The request has no path."_en);
}

void check_length(std::string_view declared, std::size_t came) {
    const auto size = parse_number<std::size_t>(declared);
    if (!size) throw invalid("Content-Length", "Content-Length is no number."_en);
    if (*size != came) throw invalid("Content-Length", "The request body was cut short."_en);
}

} // namespace

void fill_request(web::Request& request, RequestRecords& records) {
    request.is_late = records.is_late;
    request.body = std::move(records.body);
    request.body_size = records.body_size;
    const Known known = read_params(request, records.params);
    request.method = web::parse_method(known.method.value_or(""));
    request.client_address = known.client_address.value_or("");
    if (known.cookie) request.headers.emplace("cookie", *known.cookie);
    split_uri(request, known.uri.value_or(""));
    keep_content_type(request, known);
    if (!request.is_late && !known.content_length.value_or("").empty())
        check_length(*known.content_length, records.body_size);
}

} // namespace usershell::fcgi
