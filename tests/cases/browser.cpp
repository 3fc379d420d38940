#include "browser.hpp"

#include <utility>
#include <vector>

namespace usershell::test {

namespace {

/// name=value pairs of the Set-Cookie lines; of an ended cookie the value is empty.
std::vector<std::pair<std::string, std::string>> cookies_set(const web::Response& response) {
    std::vector<std::pair<std::string, std::string>> cookies;
    for (const auto& [name, line] : response.headers) {
        if (name != "Set-Cookie") continue;
        const auto pair = line.substr(0, line.find(';'));
        const auto equals = pair.find('=');
        const bool ended = (line + ";").find("; Max-Age=0;") != std::string::npos;
        cookies.emplace_back(pair.substr(0, equals), ended ? "" : pair.substr(equals + 1));
    }
    return cookies;
}

} // namespace

std::string Browser::cookie_header() const {
    std::string header;
    for (const auto& [name, value] : cookies_) {
        if (!header.empty()) header += "; ";
        header.append(name).append("=").append(value);
    }
    return header;
}

void Browser::keep(const web::Response& response) {
    for (const auto& [name, value] : cookies_set(response)) {
        if (value.empty())
            cookies_.erase(name);
        else
            cookies_[name] = value;
    }
}

std::optional<std::string> Browser::cookie(const std::string& name) const {
    const auto found = cookies_.find(name);
    if (found == cookies_.end()) return std::nullopt;
    return found->second;
}

std::optional<std::string> page_token(std::string_view page) {
    constexpr std::string_view mark = R"(name="__RequestVerificationToken" value=")";
    const auto begin = page.find(mark);
    if (begin == std::string_view::npos) return std::nullopt;
    page.remove_prefix(begin + mark.size());
    return std::string{page.substr(0, page.find('"'))};
}

std::optional<std::string> set_cookie_value(const web::Response& response,
                                            const std::string& name) {
    for (const auto& [found, value] : cookies_set(response)) {
        if (found == name) return value;
    }
    return std::nullopt;
}

} // namespace usershell::test
