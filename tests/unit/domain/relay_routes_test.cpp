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
        {"moonshot", "/chat/completions /messages "},
        {"zhipu", "/chat/completions /embeddings /messages /images/generations /audio/speech "
                  "/rerank "},
        {"dashscope", texts + "/responses /messages "},
        {"lm-studio", texts + "/responses /messages "},
        {"llama-cpp", texts + "/responses /messages /messages/count_tokens /rerank "},
        {"openrouter", texts + "/responses /messages /audio/speech /rerank "},
        {"ollama", texts + "/responses /messages /images/generations /audio/speech "},
        {"groq", "/chat/completions /responses /audio/speech "},
        {"vllm", texts + "/responses /messages /messages/count_tokens /rerank "},
        {"generic-compatible", texts +
                                   "/responses /responses/compact /messages /messages/count_tokens "
                                   "/images/generations /audio/speech /rerank "},
    };
    for (const auto& [type, paths] : table) BOOST_TEST(routes_of(type) == paths, type);
}

// Never on another host, and only of a base URL that is the provider's own to the letter.
BOOST_AUTO_TEST_CASE(messages_may_be_beside_the_base_url) {
    const auto base = [](std::string_view type, RelayRoute route, std::string_view url) {
        return route_base(*find_provider_type(type), route, BaseUrl::parse(url));
    };
    const auto messages = RelayRoute::messages;
    const std::tuple<std::string_view, std::string_view, std::string_view> table[] = {
        {"moonshot", "https://api.moonshot.ai/v1", "https://api.moonshot.ai/anthropic/v1"},
        {"moonshot", "https://API.moonshot.ai:443/v1/", "https://api.moonshot.ai/anthropic/v1"},
        {"zhipu", "https://api.z.ai/api/paas/v4", "https://api.z.ai/api/anthropic/v1"},
        {"dashscope", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
         "https://dashscope-intl.aliyuncs.com/apps/anthropic/v1"},
        {"generic-compatible", "https://api.minimax.io/v1", "https://api.minimax.io/anthropic/v1"},
        {"moonshot", "https://api.moonshot.ai/v1/a", "https://api.moonshot.ai/v1/a"},
        {"moonshot", "https://gateway.example/v1", "https://gateway.example/v1"},
        {"deepseek", "https://gateway.example/a", "https://gateway.example/a/anthropic/v1"},
    };
    for (const auto& [type, url, expected] : table) {
        BOOST_TEST(base(type, messages, url) == expected, url);
        BOOST_TEST(BaseUrl::parse(expected).host() == BaseUrl::parse(url).host(), url);
        BOOST_TEST(base(type, RelayRoute::chat, url) == BaseUrl::parse(url).text(), url);
    }
}
