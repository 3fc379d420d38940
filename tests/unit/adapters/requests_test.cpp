// Each protocol's requests (address, headers, body), and how its lists are read. No model id leads
// a call, and its key, to another path than the provider's.
#include "adapters/calls.hpp"
#include "adapters/protocols/search.hpp"
#include "domain/entered.hpp"
#include "tests/unit/adapters/support.hpp"
#include "tests/unit/run_on.hpp"
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

BOOST_AUTO_TEST_CASE(addresses_follow_the_base_url) {
    const std::string deployment =
        "/deployments/org%2Fmodel%20x/chat/completions?api-version=2024-10-21";
    const std::string deployments = "/deployments?api-version=2023-03-15-preview";
    const std::string gemini = "/models/org%2Fmodel%20x:";
    const std::tuple<std::string, std::string, bool, std::string, std::string> places[] = {
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
    for (const auto& [name, below, stream, chat_path, models_path] : places) {
        auto request = conversation();
        request.stream = stream;
        const auto chat = chat_request(name, below, request);
        BOOST_TEST(chat.url == below + chat_path);
        const auto* const type = find_provider_type(name);
        const auto base = BaseUrl::parse(below);
        const auto models =
            find_adapter(type->protocol)->models_request({*type, base, "the-key"}, {}, {});
        BOOST_TEST(models.url == below + models_path);
        BOOST_TEST(models.method == "GET");
        BOOST_TEST((base.covers(chat.url) && base.covers(models.url)));
    }
}

// Whatever type a provider is changed to.
BOOST_AUTO_TEST_CASE(no_own_header_takes_the_place_of_a_key) {
    const auto base = BaseUrl::parse("https://example.com/v1");
    for (const ProviderType& type : provider_types()) {
        const CallTarget target{type, base, "the-key"};
        const auto* const protocol = find_search(type.protocol);
        const auto key = protocol ? search_request(*protocol, target, "q").key
                                  : find_adapter(type.protocol)->relay_key(target);
        BOOST_REQUIRE(key);
        BOOST_TEST(!is_own_header(lower_ascii(key->name), true), type.value);
    }
}

BOOST_AUTO_TEST_CASE(keys_travel_in_headers_only) {
    const std::pair<const char*, std::string> keys[] = {
        {"openai", "Authorization: Bearer "}, {"mistral", "Authorization: Bearer "},
        {"anthropic", "x-api-key: "},         {"google-gemini", "x-goog-api-key: "},
        {"azure-openai", "api-key: "},        {"ollama", "Authorization: Bearer "}};
    for (const auto& [type, line] : keys) {
        const auto* const row = find_provider_type(type);
        const auto base = BaseUrl::parse("https://example.com/v1");
        const CallTarget target{*row, base, "the-key"};
        const auto& adapter = *find_adapter(row->protocol);
        for (const auto& request : {adapter.chat_request(target, conversation(), {}),
                                    adapter.models_request(target, "page two", {})}) {
            const auto& key = request.key.value();
            BOOST_TEST(key.name + ": " + key.prefix == line);
            BOOST_TEST(key.key == "the-key");
            BOOST_TEST((!has(request.url, "the-key") && !has(request.body, "the-key")));
            for (const auto& [name, value] : request.headers) BOOST_TEST(!has(value, "the-key"));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_server_that_is_not_anthropics_gets_the_key_as_a_bearer_token_too) {
    for (const auto& [url, both] : {std::pair{"https://api.anthropic.com/v1", false},
                                    {"https://anthropic.com", false},
                                    {"https://api.anthropic.com.example/v1", true},
                                    {"https://xanthropic.com/v1", true},
                                    {"https://api.minimax.io/anthropic", true},
                                    {"http://127.0.0.1:8000", true}}) {
        const auto request = chat_request("anthropic", url, conversation());
        BOOST_TEST(request.key->name == "x-api-key");
        BOOST_TEST(request.key->as_bearer == both, url);
    }
    for (const auto* const type : {"openai", "google-gemini", "azure-openai"})
        BOOST_TEST(!chat_request(type, "https://a.example/v1", conversation()).key->as_bearer);
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

BOOST_AUTO_TEST_CASE(images_go_in_each_protocols_own_form) {
    ChatRequest request;
    request.model = "m";
    request.messages = {
        {ChatMessage::Role::user, "One", {{"image/png", "AAAA"}}},
        {ChatMessage::Role::assistant, "\xc3\xbf"},
        {ChatMessage::Role::user, "", {{"image/jpeg", "BB=="}, {"image/webp", "C+/="}}}};
    const auto image_url = [](const std::string& data) {
        return R"({"type":"image_url","image_url":{"url":"data:image/)" + data + "\"}}";
    };
    const std::string openai =
        R"({"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"One"},)" +
        image_url("png;base64,AAAA") +
        "]},{\"role\":\"assistant\",\"content\":\"\xc3\xbf\"},"
        R"({"role":"user","content":[)" +
        image_url("jpeg;base64,BB==") + "," + image_url("webp;base64,C+/=") +
        R"(]}],"stream":false})";
    for (const char* type : {"openai", "mistral", "ollama", "azure-openai"})
        BOOST_TEST(chat_request(type, "https://example.com/v1", request).body == openai, type);
    BOOST_TEST(
        chat_request("anthropic", "https://example.com", request).body ==
        R"({"model":"m","max_tokens":4096,"messages":[{"role":"user","content":[{"type":"image",)"
        R"("source":{"type":"base64","media_type":"image/png","data":"AAAA"}},{"type":"text","text":"One"}]},)"
        "{\"role\":\"assistant\",\"content\":\"\xc3\xbf\"},"
        R"({"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"BB=="}},)"
        R"({"type":"image","source":{"type":"base64","media_type":"image/webp","data":"C+/="}}]}],"stream":false})");
    BOOST_TEST(
        chat_request("google-gemini", "https://example.com", request).body ==
        R"({"contents":[{"parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}},{"text":"One"}],"role":"user"},)"
        "{\"parts\":[{\"text\":\"\xc3\xbf\"}],\"role\":\"model\"},"
        R"({"parts":[{"inlineData":{"mimeType":"image/jpeg","data":"BB=="}},{"inlineData":{"mimeType":"image/webp","data":"C+/="}}],)"
        R"("role":"user"}]})");
}

BOOST_AUTO_TEST_CASE(gemini_resources_keep_their_collection_and_every_type_has_its_adapter) {
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
    for (const auto& type : provider_types()) {
        BOOST_TEST((find_search(type.protocol) != nullptr) == type.is_search, type.value);
        BOOST_TEST((find_adapter(type.protocol) != nullptr) == !type.is_search, type.value);
    }
}

BOOST_AUTO_TEST_CASE(lists_are_read_with_what_they_tell) {
    for (const auto& row : answers("lists").as_array()) {
        ModelList models;
        const auto& adapter = *find_adapter(find_provider_type(text_of(row.at(1)))->protocol);
        const auto next = read_list(row.at(4), adapter.list_form(), models);
        json::array lines;
        for (const auto& model : std::move(models).take().models)
            lines.emplace_back(model.id + "|" + model.display_name + "|" + model.capabilities);
        BOOST_TEST(text_of(lines) == text_of(row.at(2)), text_of(row));
        BOOST_TEST((next == text_of(row.at(3))), text_of(row));
        BOOST_TEST(!read_list(json::object{{"x", 1}}, adapter.list_form(), models));
    }
}

BOOST_AUTO_TEST_CASE(searches_are_asked_as_each_provider_wants_and_their_results_read) {
    for (const auto& row : answers("searches").as_array()) {
        const auto& type = *find_provider_type(text_of(row.at(0)));
        const auto& search = *find_search(type.protocol);
        const auto base = BaseUrl::parse(type.default_base_url);
        const auto request = search_request(search, {type, base, "the-key"}, "a b&c");
        BOOST_TEST(request.method + " " + request.url == text_of(row.at(1)));
        BOOST_TEST(request.key->name + ": " + request.key->prefix == text_of(row.at(2)));
        BOOST_TEST(request.body == text_of(row.at(3)));
        BOOST_TEST(header(request, "Accept") == "application/json");
        BOOST_TEST((header(request, "X-Respond-With") == "no-content") ==
                   (type.protocol == Protocol::jina));
        BOOST_TEST(read_results(search, row.at(5)).value_or("nothing") == text_of(row.at(4)));
        BOOST_TEST(!read_results(search, json::object{{"x", 1}}));
    }
}

constexpr std::string_view escaping[] = {
    // dots
    ".", "..", "./x", "../x", "x/.", "x/..", "../", "/..", "/../x", "//../x", "..//x", "a/../b",
    "a/./b", "a/../../b", "../../tenant-x", "../../../../v1/tenant-x", "models/..", "models/../x",
    "tunedModels/../../x", "tunedModels/.",
    // backslashes
    "\\", "..\\x", "x\\..\\y", "a\\b",
    // escapes
    "%", "100%", "%2e%2e", "%2E%2E/x", ".%2e/x", "%2e./x", "%2e%2e%2fx", "..%2fx", "..%5cx",
    "%5c..", "%252e%252e/x", "a%00b",
    // queries and fragments
    "a?b", "?", "../x?y", "x?/../y", "a#b", "#", "a/..#", "..#/x"};
static_assert(std::size(escaping) >= 40);
/// The reason for which a call of that model fails; nothing may be called.
std::string reason_of(std::string_view type, std::string_view base, std::string_view model) {
    Loop loop;
    net::HttpClient http{loop, EgressPolicy{}, {}};
    const BaseUrl url = BaseUrl::parse(base);
    ChatRequest request;
    request.model = model;
    try {
        run_on(loop, complete_chat({*find_provider_type(type), url, "the-key"}, request,
                                   {.http = http}, {}));
    } catch (const UpstreamError& error) {
        return std::string{error.reason_name()};
    }
    return "answered";
}

BOOST_AUTO_TEST_CASE(no_id_leads_out_of_the_base_url) {
    const std::pair<std::string, std::string> ways[] = {{"azure-openai", ""},
                                                        {"azure-openai", "/openai"},
                                                        {"google-gemini", ""},
                                                        {"google-gemini", "/v1beta"}};
    for (const auto& [type, below] : ways) {
        const std::string base = "http://127.0.0.1:1/tenant-a" + below;
        for (const auto model : escaping)
            BOOST_TEST(reason_of(type, base, model) == "rejected", base << " " << model);
        for (const auto* const model : {"gpt-4o", "models/gemini-pro", "a..b/.c/d.", "a b:c@d;"})
            BOOST_TEST(reason_of(type, base, model) == "unreachable", base << " " << model);
    }
    // Where it is no part of a path it may be anything.
    for (const auto model : escaping)
        BOOST_TEST(reason_of("generic-compatible", "http://127.0.0.1:1/v1", model) ==
                   "unreachable");
}
} // namespace
