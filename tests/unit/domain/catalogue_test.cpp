#include "base/ascii.hpp"
#include "domain/address/address.hpp"
#include "domain/address/url.hpp"
#include "domain/catalogue.hpp"
#include "domain/rules.hpp"
#include "tests/unit/test.hpp"

#include <set>

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
    };
    for (const auto& row : table) {
        const auto& type = *find_provider_type(row.type);
        const auto base = base_url_in(type, std::string{type.default_base_url}, row.given);
        BOOST_TEST(base.value_or("") == row.base, row.type << " " << row.given);
    }
}
