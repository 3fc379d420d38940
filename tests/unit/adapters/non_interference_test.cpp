// The answer to a failed call does not depend on the key: two keys of one length, an
// upstream that repeats the key wherever it can, and a caller who may choose everything else.
// The answers are the same, byte for byte.
#include "tests/unit/adapters/support.hpp"
#include "tests/unit/test.hpp"
#include <boost/json/serialize.hpp>
#include <random>

using namespace usershell::adapters;
namespace {
struct Script {
    Answered how;
    std::string body; ///< "{k}": what is said of the key; "{c}": what the caller has sent
};

const std::vector<Script>& scripts() {
    static const std::vector<Script> table{
        {{.status = 404},
         R"({"error":{"message":"The model `{c}` does not exist, {k}","code":"model_not_found"}})"},
        {{.status = 401},
         R"({"error":{"message":"Incorrect API key provided: {k}.","code":"{k}","param":"{k}"}})"},
        {{.status = 401}, R"({"error":{"message":"{c} {k} {c}{k}","type":"{k}{c}","code":"{k}"}})"},
        {{.status = 400},
         R"({"error":{"message":"max_tokens {k} is not supported","param":"{k}"}})"},
        {{.protocol = Protocol::anthropic, .status = 400},
         R"({"type":"error","error":{"type":"invalid_request_error","message":"max_tokens {k} x"}})"},
        {{.protocol = Protocol::gemini, .status = 403},
         R"([{"error":{"code":403,"message":"Key={k}","status":"PERMISSION_DENIED"}}])"},
        {{.status = 400}, "No: {k} is not right, {c}!"},
        {{.status = 400}, "{k}"},
        {{.status = 422}, R"({"detail":[{"loc":["body","{k}"],"msg":"extra {c} {k}"}]})"},
        {{.status = 429, .retry_after = "7"}, R"({"error":"{k}{c} limit"})"},
        {{.status = 429},
         R"({"error":{"code":"{k}","details":[{"reason":"{k}","retryDelay":"{k}s"}]}})"},
        {{.status = 503, .failure = net::HttpFailure::cut_off}, R"({"error":"down {c} {k} {)"},
        {{.status = 400}, R"({"error":{"message":"m","metadata":{"raw":"behind: {c} {k}"}}})"},
        {{}, R"({"error":{"message":"{c} {k}","code":"{k}","status":"{k}"}})"},
        {{},
         "data: {\"choices\":[{\"delta\":{\"content\":\"{c}\"}}]}\n\n"
         "data: {\"error\":{\"message\":\"{c} {k} was flagged\",\"code\":\"{k}\"}}\n\n"},
        {{}, "event: error\ndata: {c} says {k}\n\n"},
        {{.protocol = Protocol::anthropic},
         "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"{c}"
         "\"}}\n\n"
         "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"{k}\",\"message\":\"{k}\"}}"
         "\n\n"},
        {{.protocol = Protocol::gemini},
         "data: {\"error\":{\"code\":429,\"message\":\"{k}\",\"details\":[{\"reason\":\"{k}\"}]}}"
         "\n\n"},
        {{.protocol = Protocol::ollama, .status = 404},
         R"({"error":"model '{c}' not found, {k}"})"},
        {{.protocol = Protocol::azure_openai, .status = 404},
         R"({"error":{"code":"DeploymentNotFound","message":"{k}"}})"},
    };
    return table;
}

/// As the inside of a JSON string, where the body is JSON.
std::string written(const std::string& text, std::string_view body) {
    if (!has(body, "{") || !has(body, "\"")) return text;
    const auto string = json::serialize(json::string{text});
    return string.substr(1, string.size() - 2);
}

std::string filled(std::string_view body, const std::string& key, const std::string& caller) {
    const auto of_key = written(key, body);
    const auto of_caller = written(caller, body);
    std::string text;
    for (std::size_t at = 0; at < body.size();) {
        const auto place = body.substr(at, 3);
        if (place == "{k}" || place == "{c}") {
            text += place == "{k}" ? of_key : of_caller;
            at += 3;
        } else {
            text += body[at++];
        }
    }
    return text;
}

/// The answer to a caller who sends `text` in every place, while the upstream says `quoted` of
/// `key`.
std::string seen(const Script& script, const std::string& key, const std::string& text,
                 const std::string& quoted) {
    ChatRequest request;
    request.model = text;
    request.system = text;
    request.messages = {{ChatMessage::Role::user, "words before " + text},
                        {ChatMessage::Role::assistant, text},
                        {ChatMessage::Role::user, text + " words behind"}};
    return hear(script.how, {filled(script.body, quoted, text)}, request, key).shown();
}

struct Keys {
    std::string one, other;
};

/// Keys of every kind. No beginning or end of one is a word or a number.
std::vector<Keys> pairs() {
    std::mt19937_64 random{20261123}; // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
    const auto some = [&](std::string_view alphabet, int size) {
        std::string text;
        while (size-- > 0) text += alphabet[random() % alphabet.size()];
        return text;
    };
    const std::string letters = "BCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrtvwxz";
    const std::string all = letters + "0123456789-_";
    const std::string odd = letters + "\"\\%20+/='`{}<>,;:!#";
    std::vector<Keys> keys{{"zebra-quartz-walrus-lantern", "qfghj-bcdfgh-klmnpq-rstvwxz"},
                           {"qass%20word+phrase%2Fq", "xyzzy%41plugh%42plughz"},
                           {R"(qq"quartz\walrus"zebra\q)", "qqqfghjkqlmnpqrsqtvwxzqqq"}};
    for (int round = 0; round < 4; ++round) {
        keys.push_back({"sk-" + some(all, 30) + "q", "sk-" + some(all, 30) + "q"});
        keys.push_back({some(letters, 16), some(letters, 16)});
        keys.push_back({"q" + some(odd, 24) + "q", "q" + some(odd, 24) + "q"});
        keys.push_back({"q" + some(all, 6) + "q", "q" + some(all, 6) + "q"});
    }
    return keys;
}
} // namespace
BOOST_AUTO_TEST_SUITE(non_interference)
BOOST_AUTO_TEST_CASE(a_guess_of_the_key_changes_no_answer) {
    for (const auto& [one, other] : pairs()) {
        const auto but_one = one.substr(0, one.size() - 1);
        for (const auto& text : {std::string{"m"}, one, other, but_one, but_one + "~",
                                 "provided: " + one, one + " x", one.substr(one.size() / 2)})
            for (const auto& script : scripts())
                BOOST_TEST(seen(script, one, text, one) == seen(script, other, text, other),
                           script.body << " and " << one << ", guessed " << text);
    }
}

BOOST_AUTO_TEST_CASE(an_upstream_that_says_a_part_of_a_key) {
    for (const auto& [one, other] : pairs())
        for (const auto& script : scripts())
            for (std::size_t size = 1; size < one.size(); ++size) {
                const auto rest = one.size() - size;
                BOOST_TEST(seen(script, one, one, one.substr(0, size)) ==
                           seen(script, other, one, other.substr(0, size)));
                BOOST_TEST(seen(script, one, one, one.substr(rest)) ==
                           seen(script, other, one, other.substr(rest)));
                BOOST_TEST(
                    seen(script, one, one, one.substr(0, size) + "..." + one.substr(rest)) ==
                    seen(script, other, one, other.substr(0, size) + "..." + other.substr(rest)));
            }
}

BOOST_AUTO_TEST_CASE(a_body_cut_anywhere) {
    for (const auto& [one, other] : pairs())
        for (auto script : scripts()) {
            script.how.failure = net::HttpFailure::cut_off;
            const auto body = filled(script.body, one, "m");
            const auto another = filled(script.body, other, "m");
            if (body.size() != another.size()) continue; // escapes
            ChatRequest request = asking();
            for (std::size_t size = 0; size <= body.size(); ++size)
                BOOST_TEST(hear(script.how, {std::string_view{body}.substr(0, size)}, request, one)
                                   .shown() == hear(script.how,
                                                    {std::string_view{another}.substr(0, size)},
                                                    request, other)
                                                   .shown(),
                           body << " cut at " << size);
        }
}
BOOST_AUTO_TEST_SUITE_END()
