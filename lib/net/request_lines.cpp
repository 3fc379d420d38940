#include "net/request_lines.hpp"

#include <algorithm>
#include <cstring> // explicit_bzero(3)

namespace usershell::net {
namespace {

constexpr std::size_t max_key = 4096;

bool is_line(std::string_view text) {
    return std::ranges::all_of(text, [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

bool is_key(std::string_view key) {
    return !key.empty() && key.size() <= max_key &&
           std::ranges::all_of(key, [](unsigned char c) { return c > 0x20 && c < 0x7f; });
}

} // namespace

bool can_be_sent(const HttpRequest& request) {
    const bool lines = std::ranges::all_of(request.headers, [](const auto& header) {
        return is_line(header.first) && is_line(header.second);
    });
    return lines && (request.method == "GET" || request.method == "POST") &&
           (!request.key || (is_line(request.key->name) && is_line(request.key->prefix) &&
                             is_key(request.key->key)));
}

LineList header_lines(const HttpRequest& request) {
    LineList lines;
    lines.add("User-Agent: usershell/" USERSHELL_VERSION);
    lines.add("Expect:"); // none: a server that ignores it would cost a second of waiting
    std::string line;
    for (const auto& [name, value] : request.headers) {
        line.assign(name).append(": ").append(value);
        lines.add(line);
    }
    if (!request.key) return lines;
    const KeyHeader& key = *request.key;
    line.reserve(key.name.size() + 2 + key.prefix.size() + key.key.size()); // one copy to wipe
    line.assign(key.name).append(": ").append(key.prefix).append(key.key);
    lines.add(line);
    ::explicit_bzero(line.data(), line.size());
    return lines;
}

} // namespace usershell::net
