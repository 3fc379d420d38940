#include "web/message.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "web/header_value.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace usershell::web {

namespace {

/// In the order of Method.
constexpr std::array<std::string_view, 6> methods{"GET", "HEAD", "POST", "PUT", "DELETE", "OTHER"};

/// The value of the one `name=value` piece that `is_named` accepts; null when there are none or
/// several.
template <class IsNamed>
std::optional<std::string_view> only_value(std::string_view text, char separator,
                                           IsNamed is_named) {
    std::optional<std::string_view> value;
    int found = 0;
    for_each_piece(text, separator, [&](std::string_view piece) {
        const std::size_t equals = piece.find('=');
        if (!is_named(piece.substr(0, equals))) return;
        ++found;
        value = equals == std::string_view::npos ? std::string_view{} : piece.substr(equals + 1);
    });
    return found == 1 ? value : std::nullopt;
}

/// RFC 6265, 4.1.1.
bool is_cookie_octet(char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != ',' && c != ';' && c != '\\';
}

/// The value of a Set-Cookie header.
std::string set_cookie_value(const Cookie& cookie) {
    if (!cookie.name.starts_with("__Host-")) throw Error{"a cookie's name lacks its prefix"};
    if (!std::ranges::all_of(cookie.value, is_cookie_octet))
        throw Error{"a cookie's value has a character that can't stand there"};
    std::string text = std::string{cookie.name} + "=" + cookie.value;
    text += "; Path=/; Secure; HttpOnly; SameSite=Lax";
    if (cookie.max_age) text += "; Max-Age=" + std::to_string(cookie.max_age->count());
    return text;
}

} // namespace

Method parse_method(std::string_view text) {
    const auto* const found = std::ranges::find(methods, text);
    return found == methods.end() ? Method::other : static_cast<Method>(found - methods.begin());
}

std::string_view name_of(Method method) { return methods.at(static_cast<std::size_t>(method)); }

std::optional<std::string_view> Request::header(std::string_view lower_name) const {
    const auto [first, last] = headers.equal_range(lower_name);
    if (first == last) return std::nullopt;
    const std::string_view value = trim_blanks(first->second);
    const bool alike = std::all_of(std::next(first), last, [&](const auto& other) {
        return trim_blanks(other.second) == value;
    });
    if (!alike) return std::nullopt;
    return value;
}

std::optional<std::string_view> Request::cookie(std::string_view name) const {
    const auto cookies = header("cookie");
    if (!cookies) return std::nullopt;
    const auto value = only_value(
        *cookies, ';', [&](std::string_view found) { return trim_blanks(found) == name; });
    if (!value) return std::nullopt;
    return trim_blanks(*value);
}

std::optional<std::string> Request::query_value(std::string_view name) const {
    const auto value = only_value(
        query, '&', [&](std::string_view found) { return decode_form_text(found) == name; });
    const auto decoded = value ? decode_form_text(*value) : std::nullopt;
    if (!decoded) return std::nullopt;
    return std::string{std::string_view{*decoded}};
}

std::string Request::media_type() const { return main_value(header("content-type").value_or("")); }

bool Request::asks_for(std::string_view media_type) const {
    bool found = false;
    for_each_piece(header("accept").value_or(""), ',', [&](std::string_view range) {
        const auto value = parse_header_value(range);
        if (!value || value->main != media_type) return;
        found = parse_number<double>(value->parameter("q").value_or("1")) != 0.0;
    });
    return found;
}

Cookie forgotten(std::string_view name) { return {name, "", std::chrono::seconds{0}}; }

Response& Response::set(std::string name, std::string value) {
    const std::string wanted = lower_ascii(name);
    const auto same = std::find_if(headers.begin(), headers.end(), [&](const auto& header) {
        return lower_ascii(header.first) == wanted;
    });
    if (same == headers.end())
        headers.emplace_back(std::move(name), std::move(value));
    else
        same->second = std::move(value);
    return *this;
}

Response& Response::set(const Cookie& cookie) {
    headers.emplace_back("Set-Cookie", set_cookie_value(cookie));
    return *this;
}

Response Response::redirect(int status, std::string location) {
    Response response;
    response.status = status;
    response.set("Location", std::move(location));
    return response;
}

Response Response::json(std::string document, int status) {
    Response response;
    response.status = status;
    response.body = std::move(document);
    response.set("Content-Type", "application/json; charset=utf-8");
    return response;
}

Response Response::html(std::string page, int status) {
    Response response;
    response.status = status;
    response.body = std::move(page);
    response.set("Content-Type", "text/html; charset=utf-8");
    return response;
}

Response Response::no_content() {
    Response response;
    response.status = 204;
    return response;
}

Task<BodyEnd> Stream::read_body(TakeBody) { co_return BodyEnd::complete; }

} // namespace usershell::web
