#include "domain/address/url.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "domain/address/host.hpp"
#include "domain/rules.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <boost/url/parse_path.hpp>

namespace usershell {

namespace {

// A base URL is taken apart here and not by a URL library, because keys are bound to its text: two
// spellings of one address must become the same text, and what two readers could take for different
// hosts must be refused. So everything unusual is refused (user names, fragments, encoded slashes,
// numbers as hosts), the rest is brought into one form, and libcurl is given that form only.

[[noreturn]] void refuse(Sentence sentence) { throw invalid("baseUrl", std::move(sentence)); }

void check_length(std::string_view text) {
    if (text.size() > rules::base_url.max) refuse(rules::error_in(rules::base_url, text));
}

void refuse_forbidden_characters(std::string_view text) {
    if (text.empty()) refuse("The base URL is empty."_en);
    check_length(text);
    if (!is_utf8(text) || has_control(text))
        refuse("The base URL has a control character in it."_en);
    if (text.find(' ') != std::string_view::npos) refuse("The base URL has a space in it."_en);
    if (text.find('\\') != std::string_view::npos) refuse("The base URL has a backslash in it."_en);
    if (text.find('#') != std::string_view::npos)
        refuse("The base URL can't have a fragment: leave out everything from the # on."_en);
    if (text.find('?') != std::string_view::npos)
        refuse(
            "The base URL can't have a query: leave out everything from the question mark on."_en);
}

std::string take_scheme(std::string_view& text) {
    for (const std::string_view scheme : {"https", "http"}) {
        const auto mark = std::string{scheme} + "://";
        if (lower_ascii(text.substr(0, mark.size())) != mark) continue;
        text.remove_prefix(mark.size());
        return std::string{scheme};
    }
    refuse("The base URL must begin with https:// or http://."_en);
}

std::string read_host(std::string_view text) {
    if (text.empty()) refuse("The base URL needs a host."_en);
    if (text.find('%') != std::string_view::npos)
        refuse("The host of the base URL can't be percent-encoded or have a zone."_en);
    auto host = canonical_host(text);
    if (!host && ends_in_number(text))
        refuse("A host that ends in a number must be a whole IPv4 address, as in 192.0.2.1."_en);
    if (!host) refuse("The host of the base URL is neither a domain name nor an IP address."_en);
    return std::move(*host);
}

std::uint16_t read_port(std::optional<std::string_view> digits, std::uint16_t otherwise) {
    if (!digits) return otherwise;
    const auto port = parse_port(*digits);
    if (!port) refuse("The port of the base URL must be a number from 1 to 65535."_en);
    return *port;
}

/// RFC 3986 6.2.2: what needs no percent-encoding loses it, the rest gets upper-case digits.
std::string normal_encoding(std::string_view path) {
    std::string normal;
    for (std::size_t i = 0; i < path.size(); ++i) {
        if (path[i] != '%') {
            normal += path[i];
            continue;
        }
        const char c = byte_of_hex(path.substr(i + 1)).value();
        i += 2;
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '/' || c == '\\')
            refuse("The path of the base URL has an encoded slash or control character in it."_en);
        if (is_unreserved(c))
            normal += c;
        else
            normal += "%" + upper_hex(c);
    }
    return normal;
}

bool has_dot_segment(std::string_view path) {
    const std::string bounded = "/" + std::string{path} + "/";
    return bounded.find("/./") != std::string::npos || bounded.find("/../") != std::string::npos;
}

/// Boost.URL judges the path alone, and host.cpp the host: 1.81 reads "https://127.0.0.1.example"
/// as the host 127.0.0.1 with the path ".example".
std::string canonical_path(std::string_view path) {
    if (!boost::urls::parse_path(path))
        refuse("The path of the base URL has characters in it that must be percent-encoded."_en);
    std::string canonical = normal_encoding(path);
    while (canonical.ends_with('/')) canonical.pop_back();
    if (has_dot_segment(canonical)) refuse("The path of the base URL has a dot segment in it."_en);
    return canonical;
}

/// With every percent-encoding taken off once.
std::string decoded(std::string_view path) {
    std::string plain;
    while (!path.empty()) {
        const auto byte = path.front() == '%' ? byte_of_hex(path.substr(1)) : std::nullopt;
        plain += byte.value_or(path.front());
        path.remove_prefix(byte ? 3 : 1);
    }
    return plain;
}

} // namespace

BaseUrl BaseUrl::parse(std::string_view text) {
    refuse_forbidden_characters(text);
    BaseUrl url;
    url.scheme_ = take_scheme(text);
    const auto slash = std::min(text.find('/'), text.size());
    const auto authority = text.substr(0, slash);
    if (authority.find('@') != std::string_view::npos)
        refuse("The base URL can't have a user name or password in it."_en);

    const std::uint16_t usual_port = url.scheme_ == "https" ? 443 : 80;
    const auto [host, port] = split_port(authority);
    url.host_ = read_host(host);
    url.port_ = read_port(port, usual_port);

    url.text_ = url.scheme_ + "://" + bracketed(url.host_);
    if (url.port_ != usual_port) url.text_ += ":" + std::to_string(url.port_);
    url.path_ = canonical_path(text.substr(slash));
    url.text_ += url.path_;
    check_length(url.text_);
    return url;
}

bool BaseUrl::covers(std::string_view url) const {
    if (!url.starts_with(text_)) return false;
    const auto rest = url.substr(text_.size());
    const bool at_boundary = rest.empty() || rest.front() == '/' || rest.front() == '?';
    return at_boundary && fits_into_path(decoded(rest.substr(0, rest.find('?'))));
}

std::string BaseUrl::origin() const { return scheme_ + "://" + join_port(host_, port_); }

bool fits_into_path(std::string_view text) {
    return !has_dot_segment(text) &&
           std::ranges::none_of(rules::words::not_in_path, [&](std::string_view character) {
               return text.find(character) != std::string_view::npos;
           });
}

} // namespace usershell
