// Each protocol's requests (address, headers, body), and how its lists are read.
#include "adapters/adapter.hpp"
#include "adapters/protocols/search.hpp"
#include "tests/unit/adapters/support.hpp"
#include "tests/unit/test.hpp"
#include <boost/json/serialize.hpp>

using namespace usershell::adapters;
namespace {
ChatRequest conversation() {
    ChatRequest request;
    request.model = "org/model x";
    request.system = "Be brief.";
    request.messages = {{ChatMessage::Role::user, "Hi"},
                        {ChatMessage::Role::assistant, "Hello"},
                        {ChatMessage::Role::user, "\"Grüß\"\n"}};
    request.temperature = 0.5;
    request.max_tokens = 77;
    return request;
}

net::HttpRequest chat_request(std::string_view type, std::string_view base,
                              const ChatRequest& request) {
    const auto* const row = find_provider_type(type);
    const auto url = BaseUrl::parse(base);
    const CallTarget target{*row, url, "the-key"};
    const auto& adapter = *find_adapter(row->protocol);
    return adapter.chat_request(target, request, adapter.options(target, request));
}

json::value body(const net::HttpRequest& request) { return parsed(request.body); }

std::string header(const net::HttpRequest& request, std::string_view name) {
    for (const auto& [key, value] : request.headers)
        if (key == name) return value;
    return {};
}
} // namespace
BOOST_AUTO_TEST_SUITE(requests)
BOOST_AUTO_TEST_CASE(addresses_follow_the_base_url) {
    const std::string deployment =
        "/deployments/org%2Fmodel%20x/chat/completions?api-version=2024-10-21";
    const std::string deployments = "/deployments?api-version=2023-03-15-preview";
    const std::string gemini = "/models/org%2Fmodel%20x:";
    const struct {
        std::string type, base;
        bool stream;
        std::string chat; ///< what follows the base URL
        std::string models;
    } places[] = {
        {"openai", "https://api.openai.com/v1", false, "/chat/completions", "/models"},
        {"generic-compatible", "http://127.0.0.1:8080", true, "/chat/completions", "/models"},
        {"groq", "https://api.groq.com/openai/v1", true, "/chat/completions", "/models"},
        {"anthropic", "https://api.anthropic.com/v1", true, "/messages", "/models?limit=1000"},
        {"anthropic", "https://api.anthropic.com", false, "/v1/messages", "/v1/models?limit=1000"},
        {"anthropic", "https://proxy.example/anthropic", false, "/v1/messages",
         "/v1/models?limit=1000"},
        {"google-gemini", "https://generativelanguage.googleapis.com/v1beta", false,
         gemini + "generateContent", "/models?pageSize=1000"},
        {"google-gemini", "https://generativelanguage.googleapis.com", true,
         "/v1beta" + gemini + "streamGenerateContent?alt=sse", "/v1beta/models?pageSize=1000"},
        {"azure-openai", "https://r.openai.azure.com", true, "/openai" + deployment,
         "/openai" + deployments},
        {"azure-openai", "https://r.openai.azure.com/openai", false, deployment, deployments},
        {"azure-openai", "https://r.openai.azure.com/openai/v1", false, "/chat/completions",
         "/models"},
        {"ollama", "https://ollama.com", false, "/v1/chat/completions", "/api/tags"},
        {"ollama", "http://127.0.0.1:11434/lan", true, "/v1/chat/completions", "/api/tags"},
    };
    for (const auto& place : places) {
        auto request = conversation();
        request.stream = place.stream;
        const auto chat = chat_request(place.type, place.base, request);
        BOOST_TEST(chat.url == place.base + place.chat);
        const auto* const type = find_provider_type(place.type);
        const auto base = BaseUrl::parse(place.base);
        const auto models =
            find_adapter(type->protocol)->models_request({*type, base, "the-key"}, {}, {});
        BOOST_TEST(models.url == place.base + place.models);
        BOOST_TEST(models.method == "GET");
        BOOST_TEST((base.covers(chat.url) && base.covers(models.url)));
    }
}

BOOST_AUTO_TEST_CASE(keys_travel_in_headers_only) {
    struct Row {
        const char* type;
        const char* name;
        const char* prefix;
    };
    for (const auto& [type, name, prefix] :
         {Row{"openai", "Authorization", "Bearer "}, Row{"mistral", "Authorization", "Bearer "},
          Row{"anthropic", "x-api-key", ""}, Row{"google-gemini", "x-goog-api-key", ""},
          Row{"azure-openai", "api-key", ""}, Row{"ollama", "Authorization", "Bearer "}}) {
        const auto* const row = find_provider_type(type);
        const auto base = BaseUrl::parse("https://example.com/v1");
        const CallTarget target{*row, base, "the-key"};
        const auto& adapter = *find_adapter(row->protocol);
        for (const auto& request : {adapter.chat_request(target, conversation(), {}),
                                    adapter.models_request(target, "page two", {})}) {
            BOOST_REQUIRE(request.key.has_value());
            BOOST_TEST(request.key->name == name);
            BOOST_TEST(request.key->prefix == prefix);
            BOOST_TEST(request.key->key == "the-key");
            BOOST_TEST(!has(request.url, "the-key"));
            BOOST_TEST(!has(request.body, "the-key"));
            for (const auto& [header_name, value] : request.headers)
                BOOST_TEST(!has(value, "the-key"));
        }
    }
}

BOOST_AUTO_TEST_CASE(bodies_say_what_was_asked) {
    auto request = conversation();
    request.stream = true;
    const auto compatible = chat_request("generic-compatible", "https://example.com/v1", request);
    BOOST_TEST(
        json::serialize(body(compatible)) ==
        R"({"model":"org/model x","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"},)"
        R"({"role":"assistant","content":"Hello"},{"role":"user","content":"\"Grüß\"\n"}],"stream":true,"stream_options":{"include_usage":true},"temperature":5E-1,"max_tokens":77})");
    BOOST_TEST(header(compatible, "Content-Type") == "application/json");
    BOOST_TEST(header(compatible, "Accept") == "text/event-stream");
    const auto openai = body(chat_request("openai", "https://example.com/v1", request));
    BOOST_TEST(find_value(openai, "/max_completion_tokens")->as_int64() == 77);
    BOOST_TEST(!find_value(openai, "/max_tokens"));
    const auto claude = chat_request("anthropic", "https://example.com", request);
    BOOST_TEST(
        json::serialize(body(claude)) ==
        R"({"model":"org/model x","max_tokens":77,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},)"
        R"({"role":"user","content":"\"Grüß\"\n"}],"stream":true,"system":"Be brief.","temperature":5E-1})");
    BOOST_TEST(header(claude, "anthropic-version") == "2023-06-01");
    const auto gemini = chat_request("google-gemini", "https://example.com", request);
    BOOST_TEST(
        json::serialize(body(gemini)) ==
        R"({"contents":[{"parts":[{"text":"Hi"}],"role":"user"},{"parts":[{"text":"Hello"}],"role":"model"},)"
        R"({"parts":[{"text":"\"Grüß\"\n"}],"role":"user"}],"systemInstruction":{"parts":[{"text":"Be brief."}]},)"
        R"("generationConfig":{"temperature":5E-1,"maxOutputTokens":77}})");
}

BOOST_AUTO_TEST_CASE(nothing_is_sent_that_was_not_asked) {
    ChatRequest plain;
    plain.model = "m";
    plain.messages = {{ChatMessage::Role::user, "Hi"}};
    BOOST_TEST(chat_request("groq", "https://example.com", plain).body ==
               R"({"model":"m","messages":[{"role":"user","content":"Hi"}],"stream":false})");
    BOOST_TEST(chat_request("google-gemini", "https://example.com", plain).body ==
               R"({"contents":[{"parts":[{"text":"Hi"}],"role":"user"}]})");
    BOOST_TEST(
        chat_request("anthropic", "https://example.com", plain).body ==
        R"({"model":"m","max_tokens":4096,"messages":[{"role":"user","content":"Hi"}],"stream":false})");
    plain.check = true;
    for (const auto& [type, place] :
         {std::pair{"groq", "/max_tokens"}, std::pair{"openai", "/max_completion_tokens"},
          std::pair{"anthropic", "/max_tokens"},
          std::pair{"google-gemini", "/generationConfig/maxOutputTokens"}}) {
        const auto sent = body(chat_request(type, "https://example.com", plain));
        BOOST_TEST(find_value(sent, place)->as_int64() == 1024, type);
    }
}

BOOST_AUTO_TEST_CASE(gemini_resources_keep_their_collection) {
    ChatRequest request;
    for (const auto& [model, url] : std::vector<std::pair<std::string, std::string>>{
             {"gemini-x", "models/gemini-x:"},
             {"models/gemini-x", "models/gemini-x:"},
             {"tunedModels/a-1", "tunedModels/a-1:"},
             {"../../evil?x#y", "models/..%2F..%2Fevil%3Fx%23y:"},
             {"é", "models/%C3%A9:"}}) {
        request.model = model;
        BOOST_TEST(chat_request("google-gemini", "https://example.com/v1", request).url ==
                   "https://example.com/v1/" + url + "generateContent");
    }
}

namespace {
struct List {
    const char* name;
    Protocol protocol;
    std::string text;
    std::string models; ///< id|name|capabilities, a line each
    std::string next;
};
} // namespace
BOOST_AUTO_TEST_CASE(lists_are_read_with_what_they_tell) {
    const std::vector<List> lists{
        {"OpenAI", Protocol::openai,
         R"({"object":"list","data":[{"id":"gpt-x","object":"model","owned_by":"openai"},{"id":""},{"object":"model"},{"id":7}]})",
         "gpt-x|gpt-x|\n", ""},
        {"OpenRouter", Protocol::openai,
         R"({"data":[{"id":"a/b","name":"A: B","architecture":{"input_modalities":["text","image"],"output_modalities":["text"]},"supported_parameters":["tools","reasoning"]}]})",
         "a/b|A: B|generation,assistant,reasoning,vision,tools\n", ""},
        {"Mistral", Protocol::openai,
         R"({"data":[{"id":"m-1","name":"m-1","capabilities":{"completion_chat":true,"function_calling":true,"vision":false},"type":"base"},{"id":"m-e","capabilities":{"completion_chat":false}}]})",
         "m-1|m-1|generation,assistant,tools\nm-e|m-e|\n", ""},
        {"Together", Protocol::openai,
         R"([{"id":"t/chat","display_name":"T Chat","type":"chat"},{"id":"t/e","type":"embedding"},{"id":"t/i","type":"image"},{"id":"t/r","type":"rerank"}])",
         "t/chat|T Chat|generation,assistant\nt/e|t/e|embedding\nt/i|t/i|image\nt/r|t/r|rerank\n",
         ""},
        {"ids that can't be used", Protocol::openai,
         R"({"data":[{"id":"a\nb"},{"id":")" + std::string(201, 'x') +
             R"("},{"id":"ok","name":"\u001b[1mX"}]})",
         "ok|[1mX|\n", ""},
        {"Anthropic", Protocol::anthropic,
         R"({"data":[{"type":"model","id":"claude-x","display_name":"Claude X","capabilities":{"image_input":{"supported":true},"thinking":{"supported":false}}}],"has_more":true,"first_id":"a","last_id":"claude-x"})",
         "claude-x|Claude X|generation,assistant,vision\n", "claude-x"},
        {"Anthropic, the last page", Protocol::anthropic,
         R"({"data":[],"has_more":false,"last_id":"x"})", "", ""},
        {"Gemini", Protocol::gemini,
         R"({"models":[{"name":"models/gemini-x","displayName":"Gemini X","supportedGenerationMethods":["generateContent","countTokens"],"thinking":true},{"name":"models/e","supportedGenerationMethods":["embedContent"]}],"nextPageToken":"p2"})",
         "e|e|embedding\ngemini-x|Gemini X|generation,assistant,reasoning\n", "p2"},
        {"Azure", Protocol::azure_openai,
         R"({"data":[{"id":"my-gpt","model":"gpt-x","status":"succeeded"}],"object":"list"})",
         "my-gpt|my-gpt|\n", ""},
        {"Ollama", Protocol::ollama,
         R"({"models":[{"name":"llama3:8b","size":1,"capabilities":["completion","tools","thinking"]},{"name":"old:1b"}]})",
         "llama3:8b|llama3:8b|generation,assistant,tools,reasoning\nold:1b|old:1b|\n", ""},
    };
    for (const auto& list : lists) {
        ModelList models;
        const auto next = find_adapter(list.protocol)->read_models(parsed(list.text), models);
        std::string text;
        for (const auto& model : std::move(models).take().models)
            text += model.id + "|" + model.display_name + "|" + model.capabilities + "\n";
        BOOST_TEST(text == list.models, list.name << ": " << text);
        BOOST_TEST((next == list.next), list.name);
    }
    ModelList none;
    for (const auto protocol :
         {Protocol::openai, Protocol::anthropic, Protocol::gemini, Protocol::ollama})
        BOOST_TEST(!find_adapter(protocol)->read_models(json::object{{"x", 1}}, none));
}

BOOST_AUTO_TEST_CASE(searches_are_asked_as_each_provider_wants) {
    struct Row {
        const char* type;
        const char* line;
        const char* key;
        const char* body;
    };
    const std::vector<Row> rows{
        {"tavily", "POST https://api.tavily.com/search", "Authorization: Bearer ",
         R"({"query":"a b&c","max_results":3})"},
        {"brave-search", "GET https://api.search.brave.com/res/v1/web/search?q=a%20b%26c&count=3",
         "X-Subscription-Token: ", ""},
        {"exa", "POST https://api.exa.ai/search",
         "x-api-key: ", R"({"query":"a b&c","numResults":3})"},
        {"serper", "POST https://google.serper.dev/search",
         "X-API-KEY: ", R"({"q":"a b&c","num":3})"},
        {"jina-reader", "POST https://s.jina.ai/", "Authorization: Bearer ",
         R"({"q":"a b&c","num":3})"},
        {"firecrawl", "POST https://api.firecrawl.dev/v2/search", "Authorization: Bearer ",
         R"({"query":"a b&c","limit":3})"},
    };
    for (const auto& row : rows) {
        const auto* const type = find_provider_type(row.type);
        BOOST_REQUIRE(type);
        const auto base = BaseUrl::parse(type->default_base_url);
        const auto request =
            search_request(*find_search(type->protocol), {*type, base, "the-key"}, "a b&c");
        BOOST_TEST(request.method + " " + request.url == row.line);
        BOOST_TEST(request.key->name + ": " + request.key->prefix == row.key);
        BOOST_TEST(request.body == row.body);
        BOOST_TEST(header(request, "Accept") == "application/json");
        BOOST_TEST((header(request, "X-Respond-With") == "no-content") ==
                   (type->protocol == Protocol::jina));
    }
}

BOOST_AUTO_TEST_CASE(search_results_are_read_where_each_provider_puts_them) {
    const std::string one =
        R"([{"title":" A\u0007 ","url":"https://a.example/","content":"x"},{"title":"B","link":"https://b.example/","url":"https://b.example/"},{"score":1},{"title":"C","url":"u"},{"title":"D","url":"u"}])";
    const std::string linked = R"([{"title":"A","link":"https://a.example/"}])";
    const std::vector<std::tuple<Protocol, std::string, std::string>> rows{
        {Protocol::tavily, R"({"results":)" + one + "}",
         "1. A – https://a.example/\n2. B – https://b.example/\n3. C – u"},
        {Protocol::brave_search, R"({"web":{"results":)" + one + "}}",
         "1. A – https://a.example/\n2. B – https://b.example/\n3. C – u"},
        {Protocol::exa, R"({"results":[]})", "No results."},
        {Protocol::serper, R"({"organic":)" + linked + "}", "1. A – https://a.example/"},
        {Protocol::jina, R"({"code":200,"data":)" + one + "}",
         "1. A – https://a.example/\n2. B – https://b.example/\n3. C – u"},
        {Protocol::firecrawl, R"({"success":true,"data":{"web":)" + one + "}}",
         "1. A – https://a.example/\n2. B – https://b.example/\n3. C – u"},
    };
    for (const auto& [protocol, text, shown] : rows) {
        BOOST_TEST(read_results(*find_search(protocol), parsed(text)).value_or("nothing") == shown);
        BOOST_TEST(!read_results(*find_search(protocol), json::object{{"x", 1}}));
    }
}

BOOST_AUTO_TEST_CASE(every_type_has_an_adapter_that_fits) {
    for (const auto& type : provider_types()) {
        BOOST_TEST((find_search(type.protocol) != nullptr) == type.is_search, type.value);
        BOOST_TEST((find_adapter(type.protocol) != nullptr) == !type.is_search, type.value);
    }
}
BOOST_AUTO_TEST_SUITE_END()
