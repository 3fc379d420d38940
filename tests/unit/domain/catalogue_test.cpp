// The types of providers, and which of them have which routes of /v1.
#include "domain/address/address.hpp"
#include "domain/address/url.hpp"
#include "domain/catalogue.hpp"
#include "domain/relay_routes.hpp"
#include "tests/unit/test.hpp"
BOOST_AUTO_TEST_CASE(base_urls_are_canonical_and_callable) {
    const EgressPolicy policy;
    for (const auto& type : provider_types()) BOOST_TEST_CONTEXT(type.value) {
            if (type.default_base_url.empty()) {
                BOOST_TEST((type.key_optional || type.value == "azure-openai"));
                continue;
            }
            const auto url = BaseUrl::parse(type.default_base_url);
            BOOST_TEST(url.text() == type.default_base_url);
            BOOST_TEST(url.scheme() == "https");
            BOOST_TEST(policy.may_try(url.host(), url.port()));
        }
}

BOOST_AUTO_TEST_CASE(default_models_may_be_added_as_they_are) {
    for (const auto& type : provider_types()) BOOST_TEST_CONTEXT(type.value) {
            std::set<std::string_view> ids;
            for (const auto& model : type.default_models) BOOST_TEST_CONTEXT(model.id) {
                    BOOST_TEST(ids.insert(model.id).second);
                    BOOST_TEST(rules::error_in(rules::model_id, model.id).empty());
                    BOOST_TEST(rules::error_in(rules::model_name, model.name).empty());
                    BOOST_TEST((!type.model_in_path || fits_into_path(std::string{model.id})));
                    for_each_piece(model.capabilities, ',', [](std::string_view word) {
                        BOOST_CHECK_NO_THROW(rules::read(rules::capability, std::string{word}));
                    });
                }
            const bool is_hosted = !type.is_search && !type.default_base_url.empty();
            BOOST_TEST(type.default_models.empty() != is_hosted);
        }
}

BOOST_AUTO_TEST_CASE(a_base_url_is_stored_where_all_calls_of_its_type_begin) {
    const std::tuple<const char*, const char*, const char*> table[] = {
        {"azure-openai", "https://r.example", "https://r.example"},
        {"azure-openai", "https://r.example/openai/v1", "https://r.example/openai/v1"},
        {"azure-openai", "https://r.example/openai/deployments", "https://r.example"},
        {"azure-openai", "https://r.example/a/openai/deployments/b/c", "https://r.example/a"},
        {"azure-openai", "https://openai/deployments/a", "https://openai/deployments/a"},
        {"azure-openai", "https://r.example/openai/deploymentsx",
         "https://r.example/openai/deploymentsx"},
        {"ollama", "http://h.example:11434/v1", "http://h.example:11434"},
        {"ollama", "http://h.example:11434/a//v1", "http://h.example:11434/a"},
        {"ollama", "http://h.example:11434/v1/a", "http://h.example:11434/v1/a"},
        {"ollama", "http://h.example:11434/xv1", "http://h.example:11434/xv1"},
        {"ollama", "http://h.example:11434/v1/v1", "http://h.example:11434"},
        {"ollama", "http://v1", "http://v1"},
        {"deepseek", "https://api.deepseek.com/v1", "https://api.deepseek.com"},
        {"deepseek", "https://proxy.example/v1", "https://proxy.example/v1"},
        {"mistral", "https://api.mistral.ai/v1", "https://api.mistral.ai/v1"},
        {"openai", "https://r.example/openai/deployments/x",
         "https://r.example/openai/deployments/x"},
    };
    for (const auto& [type, given, stored] : table)
        BOOST_TEST(stored_base_url(*find_provider_type(type), BaseUrl::parse(given)) == stored);
}

BOOST_AUTO_TEST_CASE(the_operator_overrides_a_base_url) {
    const auto& openai = *find_provider_type("openai");
    const auto& generic = *find_provider_type("generic-compatible");
    BOOST_TEST(default_base_url(openai, {}) == "https://api.openai.com/v1");
    BOOST_TEST(default_base_url(generic, {}) == "");
    const std::vector<std::string> rows{"openai=http://127.0.0.1:9/v1", "exa=https://exa.example",
                                        "openai=http://127.0.0.1:10/v1"};
    BOOST_TEST(default_base_url(openai, rows) == "http://127.0.0.1:10/v1");
    BOOST_TEST(default_base_url(*find_provider_type("tavily"), rows) == "https://api.tavily.com");
}

BOOST_AUTO_TEST_CASE(a_pasted_address_has_a_base_url_in_it) {
    const struct {
        std::string_view type, given;
        std::string base; ///< empty: it is one already, or none at all
    } table[] = {
        {"generic-compatible", "https://a.example/v1", ""},
        {"generic-compatible", "https://models.example/v1", ""},
        {"generic-compatible", "https://a.example/models/v1", ""},
        {"generic-compatible", "https://a.example/v1/allmodels", ""},
        {"generic-compatible", "https://a.example/v1?x=1", "https://a.example/v1"},
        {"generic-compatible", "not a url/models", ""},
        {"generic-compatible", "https://a.example/v1/chat/completions//", "https://a.example/v1"},
        {"generic-compatible", "https://a.example:8443/v1/completions",
         "https://a.example:8443/v1"},
        {"generic-compatible", "https://a.example/v1/embeddings#x", "https://a.example/v1"},
        {"openai", "https://api.openai.com", "https://api.openai.com/v1"},
        {"openai", "https://api.openai.com/v1", ""},
        {"openai", "https://api.openai.com/v1/responses", "https://api.openai.com/v1"},
        {"openai", "https://gateway.example", ""},
        {"openrouter", "https://openrouter.ai/ap", ""},
        {"openrouter", "https://openrouter.ai/v1", "https://openrouter.ai/api/v1"},
        {"openrouter", "https://openrouter.ai/api", "https://openrouter.ai/api/v1"},
        {"openrouter", "https://openrouter.ai/settings/keys", "https://openrouter.ai/api/v1"},
        {"groq", "https://api.groq.com/v1/chat/completions", "https://api.groq.com/openai/v1"},
        {"groq", "https://console.groq.com/docs", "https://api.groq.com/openai/v1"},
        {"generic-compatible", "https://api.groq.com/v1", "https://api.groq.com/openai/v1"},
        {"generic-compatible", "https://console.mistral.ai/x", "https://api.mistral.ai/v1"},
        {"openai", "https://platform.openai.com/api-keys", "https://api.openai.com/v1"},
        {"openai", "https://api.openai.com:8443/", ""},
        {"together", "https://api.together.ai/v1", ""},
        {"together", "https://api.together.ai/settings/api-keys", "https://api.together.xyz/v1"},
        {"zhipu", "https://api.z.ai/api/coding/paas/v4", ""},
        {"anthropic", "https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1"},
        {"google-gemini", "https://g.example/v1beta/models/x:streamGenerateContent?alt=sse",
         "https://g.example/v1beta"},
        {"azure-openai", "https://n.openai.azure.com/openai/deployments/gpt/chat/completions", ""},
        {"azure-openai",
         "https://n.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=1",
         "https://n.openai.azure.com"},
        {"ollama", "http://o.example:11434/v1/chat/completions", "http://o.example:11434"},
        {"ollama", "http://o.example:11434/api/tags", "http://o.example:11434"},
        {"ollama", "http://o.example/a/chat/completions/api/tags", "http://o.example/a"},
        {"generic-compatible", "https://a.example/v1/images/generations", "https://a.example/v1"},
        {"generic-compatible", "https://a.example/v4/audio/transcriptions", "https://a.example/v4"},
        {"generic-compatible", "https://a.example/v1/models/gpt-x", "https://a.example/v1"},
        {"generic-compatible", "https://a.example/v1/chat", "https://a.example/v1"},
        {"generic-compatible", "https://a.example/x/v1/moderations?a=b", "https://a.example/x/v1"},
        {"generic-compatible", "https://a.example/models/o/m/v1", ""},
        {"generic-compatible", "https://a.example/v1/account/gateway/openai", ""},
        {"generic-compatible", "https://a.example/v1/models/m/v1", ""},
        {"generic-compatible", "https://a.example/v1/v1", "https://a.example/v1"},
        {"generic-compatible", "https://a.example/v1/v1/v1/chat/completions",
         "https://a.example/v1"},
        {"generic-compatible", "https://a.example/v1beta/v1", "https://a.example/v1beta"},
        {"generic-compatible", "https://a.example/api/paas/v4/v1", "https://a.example/api/paas/v4"},
        {"generic-compatible", "https://a.example/v2-preview/v1", ""},
        {"generic-compatible", "https://a.example/v1/Chat/Completions", "https://a.example/v1"},
        {"generic-compatible", "https://a.example/X/CHAT/completions", "https://a.example/X"},
        {"generic-compatible", "https://r.openai.azure.com/openai/deployments/d?api-version=1",
         "https://r.openai.azure.com/openai/v1"},
        {"generic-compatible", "https://r.example/openai/deployments/d", ""},
        {"generic-compatible", "https://a.example//v1", "https://a.example/v1"},
        {"generic-compatible", "https://a.example/a///v1//v1", "https://a.example/a/v1"},
        {"generic-compatible", "https://r.services.ai.azure.com/models", ""},
        {"generic-compatible",
         "https://r.services.ai.azure.com/models/chat/completions?api-version=2024-05-01",
         "https://r.services.ai.azure.com/models"},
        {"generic-compatible", "https://services.ai.azure.com.example/models",
         "https://services.ai.azure.com.example"},
        {"azure-openai", "https://r.services.ai.azure.com/models",
         "https://r.services.ai.azure.com"},
        {"azure-openai", "https://r.openai.azure.com/openai/v1/chat/completions",
         "https://r.openai.azure.com/openai/v1"},
        {"google-gemini", "https://generativelanguage.googleapis.com/v1beta/openai",
         "https://generativelanguage.googleapis.com/v1beta"},
        {"google-gemini", "https://g.example/v1beta/openai/chat/completions",
         "https://g.example/v1beta"},
        {"google-gemini", "https://aiplatform.googleapis.com/v1/publishers/google",
         "https://generativelanguage.googleapis.com/v1beta"},
        {"google-gemini",
         "https://us-central1-aiplatform.googleapis.com/v1/publishers/google/models/"
         "m:generateContent?key=x",
         "https://generativelanguage.googleapis.com/v1beta"},
        {"google-gemini", "https://generativelanguage.googleapis.com", ""},
        {"generic-compatible", "https://generativelanguage.googleapis.com/v1beta",
         "https://generativelanguage.googleapis.com/v1beta/openai"},
        {"generic-compatible", "https://generativelanguage.googleapis.com/v1beta/openai", ""},
        {"google-gemini", "https://aiplatform.eu.rep.googleapis.com/v1",
         "https://generativelanguage.googleapis.com/v1beta"},
        {"ollama", "http://o.example:11434/api", "http://o.example:11434"},
        {"ollama", "http://o.example:11434/api/pull", "http://o.example:11434"},
        {"ollama", "http://o.example/api/v/api/version", "http://o.example"},
    };
    for (const auto& row : table) {
        const auto& type = *find_provider_type(row.type);
        const auto base = base_url_in(type, std::string{type.default_base_url}, row.given);
        BOOST_TEST(base.value_or("") == row.base, row.type << " " << row.given);
    }
}

BOOST_AUTO_TEST_CASE(an_address_is_pasted_with_what_stood_around_it) {
    const auto& type = *find_provider_type("generic-compatible");
    for (const std::string_view given :
         {"\"https://a.example/v1\"",
          "'https://a.example/v1',",
          "<https://a.example/v1>",
          "https://a.example/v1,",
          "https://a.example/v1;",
          "https://a.example/v1.",
          "https://a.example/v1.///<",
          "(https://a.example/v1)",
          "[a](https://a.example/v1)",
          "`https://a.example/v1`",
          "\u201chttps://a.example/v1\u201d",
          "\ufeffhttps://a.example/v1",
          "a.example/v1",
          "//a.example/v1",
          "BASE_URL=https://a.example/v1",
          "BASE_URL = \"a.example/v1\"",
          "base_url: https://a.example/v1",
          R"("base_url": "https://a.example/v1",)",
          "$env:BASE_URL=\"https://a.example/v1\"",
          "https://https://a.example/v1",
          "http://https://a.example/v1",
          "https:/a.example/v1",
          "https:///a.example/v1",
          R"(https:\\a.example\v1)",
          "htps://a.example/v1",
          "hhttps://a.example/v1",
          "POST https://a.example/v1/chat/completions",
          "wss://a.example/v1/realtime?model=m",
          "https://a.example/v1\\n",
          "https://a.example/v1https://a.example/v1",
          "https://a.example/v1/chat/completions/v1/chat/completions",
          "Base URL: https://a.example/v1 (a)",
          "curl https://a.example/v1/models -H 'x: y'"}) {
        const auto base = base_url_in(type, "", given);
        BOOST_TEST(base.value_or("") == "https://a.example/v1", given);
    }
    for (const std::string_view near : {"localhost:11434/v1", "127.0.0.1:11434/v1"})
        BOOST_TEST(base_url_in(type, "", near).value_or("") == "http://" + std::string{near});
    for (const std::string_view none :
         {"", "https://", "ftp://a.example/v1", "gpt-4.1", "model", "a b.c", "HTTPS://A.Example/v1",
          "https://[2001:db8::1]/v1", "http://a.example/x/http:/b", "=", "://", "https:/"})
        BOOST_TEST(base_url_in(type, "", none).value_or("") == "", none);
}

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
