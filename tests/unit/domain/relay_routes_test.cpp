// Which types have which routes of /v1.
#include "domain/relay_routes.hpp"
#include "domain/rules.hpp"
#include "tests/unit/test.hpp"

#include <algorithm>

using namespace usershell;

namespace {

/// The paths that a type has.
std::string routes_of(std::string_view type) {
    std::string paths;
    for (const RelayRouteRow& row : relay_routes())
        if (has_route(*find_provider_type(type), row.route)) paths.append(row.path).append(" ");
    return paths;
}

} // namespace

BOOST_AUTO_TEST_CASE(each_route_is_at_its_own_place_of_the_table) {
    for (const RelayRouteRow& row : relay_routes()) {
        BOOST_TEST(path_of(row.route) == row.path);
        BOOST_TEST(std::ranges::count(relay_routes(), row.path, &RelayRouteRow::path) == 1);
        BOOST_TEST(std::ranges::count(rules::words::token_routes, word_of(row.route)) == 1);
    }
    for (const std::string_view word : rules::words::token_routes)
        BOOST_TEST(std::ranges::count(relay_routes(), word, &RelayRouteRow::word) > 0, word);
}

BOOST_AUTO_TEST_CASE(each_type_with_models_has_routes) {
    for (const ProviderType& type : provider_types())
        BOOST_TEST(routes_of(type.value).empty() == type.is_search, type.value);
}

BOOST_AUTO_TEST_CASE(a_type_has_the_routes_that_it_documents) {
    const std::string texts = "/chat/completions /completions /embeddings ";
    const std::pair<std::string_view, std::string> table[] = {
        {"openai", texts + "/responses /responses/compact /images/generations /audio/speech "},
        {"anthropic", "/messages /messages/count_tokens "},
        {"deepseek", "/chat/completions /completions /messages "},
        {"moonshot", "/chat/completions "}, // its Messages are beside the base URL
        {"ollama", texts + "/responses /messages /images/generations /audio/speech "},
        {"groq", "/chat/completions /responses /audio/speech "},
        {"vllm", texts + "/responses /messages /messages/count_tokens /rerank "},
        {"generic-compatible", texts +
                                   "/responses /responses/compact /messages /messages/count_tokens "
                                   "/images/generations /audio/speech /rerank "},
    };
    for (const auto& [type, paths] : table) BOOST_TEST(routes_of(type) == paths, type);
}
