// What is shown of an upstream does not depend on the key: two keys, the same upstream word for
// word, and nothing that a caller sees differs (tokens and where they are cut, reason, sentence,
// time to come back), unless the upstream repeats a whole key.
#include "tests/unit/adapters/support.hpp"

#include <boost/test/unit_test.hpp>

#include <random>

using namespace usershell;
using namespace usershell::adapters;
using namespace usershell::test;

namespace {

struct Script {
    Answered how;
    std::string body; ///< with "{}" where the upstream says what it is told to say
};

const std::vector<Script>& scripts() {
    static const std::vector<Script> table{
        {{.status = 404},
         R"({"error":{"message":"The model `{}` does not exist","code":"model_not_found"}})"},
        {{.status = 401},
         R"({"error":{"message":"Incorrect API key provided: {}.","code":"{}","param":"{}"}})"},
        {{.protocol = Protocol::anthropic, .status = 400},
         R"({"type":"error","error":{"type":"invalid_request_error","message":"max_tokens {} x"}})"},
        {{.protocol = Protocol::gemini, .status = 403},
         R"([{"error":{"code":403,"message":"Key={}","status":"PERMISSION_DENIED"}}])"},
        {{.status = 400}, "No: {} is not right, {}!"},
        {{.status = 422}, R"({"detail":[{"loc":["body","{}"],"msg":"extra {}"}]})"},
        {{.status = 429, .retry_after = "7"}, R"({"error":"{}{} limit"})"},
        {{.status = 503, .failure = net::HttpFailure::cut_off}, R"({"error":"down {} {)"},
        {{}, R"({"model":"{}","choices":[{"message":{"content":"A{}"},"finish_reason":"stop"}]})"},
        {{},
         "data: {\"choices\":[{\"delta\":{\"content\":\"a{}\"}}]}\n\n"
         "data: {\"choices\":[{\"delta\":{\"content\":\"{}b\",\"reasoning\":\"{}\"}}]}\n\n"
         "data: {\"error\":{\"message\":\"{} was flagged\",\"code\":\"{}\"}}\n\n"},
        {{.protocol = Protocol::anthropic},
         "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"{}"
         "\"}}\n\n"
         "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"{}\",\"message\":\"{}\"}}"
         "\n\n"},
        {{.protocol = Protocol::gemini},
         "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"{}\"}]}}]}\n\n"
         "data: {\"error\":{\"code\":429,\"message\":\"{}\",\"details\":[{\"reason\":\"{}\"}]}}"
         "\n\n"},
        {{.protocol = Protocol::ollama, .status = 404}, R"({"error":"model '{}' not found"})"},
        {{.protocol = Protocol::azure_openai, .status = 404},
         R"({"error":{"code":"DeploymentNotFound","message":"{}"}})"},
    };
    return table;
}

std::string filled(std::string_view body, std::string_view word) {
    std::string text;
    for (auto at = body.find("{}"); at != std::string_view::npos; at = body.find("{}")) {
        text.append(body.substr(0, at)).append(word);
        body.remove_prefix(at + 2);
    }
    return text.append(body);
}

/// What a caller sees who asks for `model` with `key` while the upstream says `word`.
std::string seen(const Script& script, std::string_view key, const std::string& model,
                 std::string_view word, std::size_t cut = 0) {
    ChatRequest request = asking();
    request.model = model;
    const std::string body = filled(script.body, word);
    const std::string_view all = body;
    return hear(script.how, {all.substr(0, cut), all.substr(std::min(cut, all.size()))}, request,
                key)
        .shown();
}

struct Keys {
    std::string one;
    std::string other;
};

std::vector<Keys> pairs() {
    std::mt19937_64 random{20261121}; // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
    const auto some = [&](std::string_view alphabet, int size) {
        std::string text;
        while (size-- > 0) text += alphabet[random() % alphabet.size()];
        return text;
    };
    const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const std::string all = letters + "0123456789-_";
    return {{"sk-" + some(all, 21), "sk-" + some(all, 21)},
            {some(letters, 16), some(letters, 16)},
            {some(all, 6), some(all, 6)}};
}

} // namespace

BOOST_AUTO_TEST_SUITE(non_interference)

BOOST_AUTO_TEST_CASE(an_upstream_that_says_any_part_of_a_key) {
    for (const auto& [one, other] : pairs())
        for (const auto& script : scripts())
            for (std::size_t begin = 0; begin < one.size(); ++begin)
                for (std::size_t size = 1; begin + size <= one.size(); ++size) {
                    const auto part = one.substr(begin, size);
                    if (part == one) continue;
                    BOOST_TEST(seen(script, one, "m", part) == seen(script, other, "m", part));
                    BOOST_TEST(seen(script, one, part, part) == seen(script, other, part, part));
                }
}

BOOST_AUTO_TEST_CASE(a_model_of_any_one_character) {
    for (const auto& [one, other] : pairs())
        for (const auto& script : scripts())
            for (char model = '!'; model <= '~'; ++model) {
                const std::string name{model};
                const std::string word = name == "\"" || name == "\\" ? "\\" + name : name;
                const auto rest = word + one.substr(1);
                BOOST_TEST(seen(script, one, name, word) == seen(script, other, name, word));
                if (rest.find(one) != std::string::npos) continue;
                BOOST_TEST(seen(script, one, name, rest) == seen(script, other, name, rest));
            }
}

BOOST_AUTO_TEST_CASE(a_body_cut_anywhere) {
    for (const auto& [one, other] : pairs())
        for (const auto& script : scripts()) {
            const auto part = one.substr(0, one.size() - 1);
            const auto whole = seen(script, one, part, part);
            for (std::size_t cut = 0; cut <= filled(script.body, part).size(); ++cut) {
                BOOST_TEST(seen(script, one, part, part, cut) == whole);
                BOOST_TEST(seen(script, other, part, part, cut) == whole);
            }
        }
}

BOOST_AUTO_TEST_CASE(a_right_guess_of_the_whole_key_looks_like_a_wrong_one) {
    for (const auto& [one, other] : pairs())
        for (const auto& script : scripts())
            BOOST_TEST(seen(script, one, one, one) == seen(script, other, one, one));
}

BOOST_AUTO_TEST_SUITE_END()
