#include "domain/address/url.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "domain/address/address.hpp"
#include "domain/rules.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include <boost/url/parse_path.hpp>
#include <idn2.h>

namespace usershell {

namespace {

constexpr std::size_t max_name = 253;
constexpr std::size_t max_label = 63;

bool is_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

bool is_label(std::string_view label) {
    if (label.empty() || label.size() > max_label) return false;
    if (label.front() == '-' || label.back() == '-') return false;
    return std::ranges::all_of(
        label, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-'; });
}

bool is_name(std::string_view name) {
    bool is_good = name.size() <= max_name;
    for_each_piece(name, '.',
                   [&](std::string_view label) { is_good = is_good && is_label(label); });
    return is_good;
}

/// libidn2 2.3.3 must not be given IDN2_USE_STD3_ASCII_RULES: it then drops what the rules forbid
/// ("a_b.com" becomes "ab.com", another host) where it should fail. is_name() looks at the result
/// instead.
std::optional<std::string> idna(const std::string& name) {
    char* ascii = nullptr;
    const int result =
        idn2_to_ascii_8z(name.c_str(), &ascii, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
    const std::unique_ptr<char, decltype(&idn2_free)> owner{ascii, [](void* p) { idn2_free(p); }};
    if (result != IDN2_OK) return std::nullopt;
    return std::string{ascii};
}

} // namespace

std::optional<std::string> ascii_domain(std::string_view name) {
    std::optional<std::string> ascii = lower_ascii(name);
    if (has_control(name)) return std::nullopt;
    if (!is_ascii(name) || ascii->find("xn--") != std::string::npos) ascii = idna(*ascii);
    if (!ascii || !is_name(*ascii)) return std::nullopt;
    return ascii;
}

bool ends_in_number(std::string_view ascii_host) {
    if (ascii_host.ends_with('.')) ascii_host.remove_suffix(1);
    const auto label = ascii_host.substr(ascii_host.rfind('.') + 1);
    if (label.empty()) return false;
    if (std::ranges::all_of(label, is_digit)) return true;
    const std::string lower = lower_ascii(label);
    return lower.starts_with("0x") && std::all_of(lower.begin() + 2, lower.end(), is_hex_digit);
}

std::optional<std::string> canonical_host(std::string_view text) {
    if (text.starts_with('[') && text.ends_with(']')) {
        const auto address = Address::parse(text.substr(1, text.size() - 2));
        if (!address || address->is_v4()) return std::nullopt;
        return address->text();
    }
    auto name = ascii_domain(text);
    if (name && ends_in_number(*name) && !Address::parse(*name)) return std::nullopt;
    return name;
}

std::optional<std::uint16_t> parse_port(std::string_view digits) {
    if (digits.starts_with('0')) return std::nullopt;
    return parse_number<std::uint16_t>(digits);
}

HostAndPort split_port(std::string_view text) {
    const auto bracket = text.rfind(']');
    const auto colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
    if (colon == std::string_view::npos) return {text, std::nullopt};
    return {text.substr(0, colon), text.substr(colon + 1)};
}

std::string bracketed(std::string_view host) {
    if (host.find(':') == std::string_view::npos) return std::string{host};
    return "[" + std::string{host} + "]";
}

std::string join_port(std::string_view host, std::uint16_t port) {
    return bracketed(host) + ":" + std::to_string(port);
}

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
        refuse("The base URL can’t have a fragment: leave out everything from the # on."_en);
    if (text.find('?') != std::string_view::npos)
        refuse(
            "The base URL can’t have a query: leave out everything from the question mark on."_en);
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
        refuse("The host of the base URL can’t be percent-encoded or have a zone."_en);
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

/// Boost.URL judges the path alone, and canonical_host() the host: 1.81 reads
/// "https://127.0.0.1.example" as the host 127.0.0.1 with the path ".example".
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
        refuse("The base URL can’t have a user name or password in it."_en);

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
