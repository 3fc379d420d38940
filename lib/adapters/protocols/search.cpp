#include "adapters/protocols/search.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>

namespace usershell::adapters {

namespace {

constexpr int results_wanted = 3;
constexpr std::size_t max_title = 120;
constexpr std::size_t max_address = 300;

constexpr auto rows = std::to_array<SearchProtocol>({
    {Protocol::tavily, "/search", "query", "max_results", false, "Authorization", "Bearer ",
     "/results", "/url"},
    {Protocol::brave_search, "/web/search", "q", "count", true, "X-Subscription-Token", "",
     "/web/results", "/url"},
    {Protocol::exa, "/search", "query", "numResults", false, "x-api-key", "", "/results", "/url"},
    {Protocol::serper, "/search", "q", "num", false, "X-API-KEY", "", "/organic", "/link"},
    {Protocol::jina, "/", "q", "num", false, "Authorization", "Bearer ", "/data", "/url"},
    {Protocol::firecrawl, "/v2/search", "query", "limit", false, "Authorization", "Bearer ",
     "/data/web", "/url"},
});

} // namespace

const SearchProtocol* find_search(Protocol protocol) {
    const auto* const row = std::ranges::find(rows, protocol, &SearchProtocol::protocol);
    return row == rows.end() ? nullptr : row;
}

net::HttpRequest search_request(const SearchProtocol& protocol, const CallTarget& target,
                                std::string_view query) {
    net::KeyHeader key{std::string{protocol.key_name}, std::string{protocol.key_prefix},
                       target.key};
    std::string url = target.base_url.text() + std::string{protocol.path};
    if (protocol.by_get) {
        url += "?" + std::string{protocol.query_name} + "=" + percent_encoded(query) + "&" +
               std::string{protocol.count_name} + "=" + std::to_string(results_wanted);
        return get_json(std::move(url), std::move(key));
    }
    auto request = post_json(
        std::move(url), std::move(key),
        json::object{{protocol.query_name, query}, {protocol.count_name, results_wanted}});
    // Titles and addresses are enough; Jina would fetch every page, and charge for it.
    if (protocol.protocol == Protocol::jina)
        request.headers.emplace_back("X-Respond-With", "no-content");
    return request;
}

std::optional<std::string> read_results(const SearchProtocol& protocol, const json::value& value) {
    const auto* const results = array_at(value, protocol.results);
    if (!results) return std::nullopt;
    std::string text;
    int number = 0;
    for (const auto& result : *results) {
        const auto title = shorten(trim(printable(text_at(result, "/title"))), max_title);
        const auto address = shorten(printable(text_at(result, protocol.url)), max_address);
        if (title.empty() && address.empty()) continue;
        if (number == results_wanted) break;
        if (!text.empty()) text += '\n';
        text.append(std::to_string(++number)).append(". ").append(title);
        text.append(" \u2013 ").append(address);
    }
    return text.empty() ? "No results." : text;
}

} // namespace usershell::adapters
