// The answer to a failed call is the same, byte for byte, with two keys of one length, though the
// upstream repeats the key wherever it can and the caller chooses everything else.
#include "tests/unit/adapters/support.hpp"
#include <random>
using namespace usershell::adapters;
namespace {
struct Script {
    Answered how;
    std::string body; ///< "{k}": what is said of the key; "{c}": what the caller has sent
};
const std::vector<Script>& scripts() {
    static const std::vector<Script> all = [] {
        std::vector<Script> made;
        for (const auto& row : answers("scripts").as_array()) {
            Answered how{.protocol = find_provider_type(text_of(row.at(0)))->protocol,
                         .status = static_cast<int>(row.at(1).as_int64())};
            if (find_value(row, "/3/cut_off")) how.failure = net::HttpFailure::cut_off;
            if (const auto* wait = find_value(row, "/3/retry_after"))
                how.retry_after = text_of(*wait);
            made.push_back({how, text_of(row.at(2))});
        }
        return made;
    }();
    return all;
}
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
/// The answer to a caller who sends `text` everywhere; the upstream says `quoted` of `key`.
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
} // namespace
