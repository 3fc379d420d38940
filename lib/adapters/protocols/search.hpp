// The web search providers: one row each. All take a query and answer with a list of titles and
// URLs. Sources: Tavily "Search"; Brave Search API "Web search"; Exa "Search"; Serper's playground;
// Jina "Reader" (s.jina.ai); Firecrawl API v2 "Search".
#pragma once

#include "adapters/adapter.hpp"

namespace usershell::adapters {

struct SearchProtocol {
    Protocol protocol;
    std::string_view path;       ///< after the base URL
    std::string_view query_name; ///< of the parameter that holds the query
    std::string_view count_name; ///< of the one that bounds the results; empty: there is none
    bool by_get;                 ///< parameters in the URL, else in a JSON body
    std::string_view key_name;   ///< header
    std::string_view key_prefix;
    std::string_view results; ///< where the list is, a JSON pointer
    std::string_view url;     ///< where a result's address is
};

/// nullptr for a chat protocol.
const SearchProtocol* find_search(Protocol protocol);

net::HttpRequest search_request(const SearchProtocol& protocol, const CallTarget& target,
                                std::string_view query);

/// The first results, a line each: "1. Title – URL". Null when the answer has no list where it
/// belongs.
std::optional<std::string> read_results(const SearchProtocol& protocol, const json::value& value);

} // namespace usershell::adapters
