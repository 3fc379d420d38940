#include "domain/address/host.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "domain/address/address.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>

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

} // namespace usershell
