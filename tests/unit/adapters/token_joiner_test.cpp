// Characters cut in two become whole again, and nothing malformed gets through.
#include "adapters/reading/json.hpp"
#include "adapters/reading/token_joiner.hpp"
#include "tests/unit/adapters/support.hpp"
using namespace usershell::adapters;
namespace {
std::string join(const std::vector<std::string>& pieces) {
    TokenJoiner joiner;
    std::string all;
    for (const auto& piece : pieces) {
        const auto text = joiner.join(piece);
        BOOST_TEST(is_utf8(text));
        all += text;
    }
    const auto rest = joiner.flush();
    BOOST_TEST(is_utf8(rest));
    return all + rest;
}
const std::string face = "\xf0\x9f\x98\x80"; // U+1F600: D83D DE00
const std::string high = "\xed\xa0\xbd";
const std::string low = "\xed\xb8\x80";
const std::string bad = "\xef\xbf\xbd";

BOOST_AUTO_TEST_CASE(text_cut_anywhere_comes_out_as_it_was) {
    const std::string text = "a\xc3\xa9\xe2\x82\xac" + face + "z";
    for (std::size_t one = 0; one <= text.size(); ++one)
        for (std::size_t two = one; two <= text.size(); ++two)
            BOOST_TEST(join({text.substr(0, one), text.substr(one, two - one), text.substr(two)}) ==
                       text);
    const std::string halves = "a" + high + low + "b";
    for (std::size_t cut = 0; cut <= halves.size(); ++cut)
        BOOST_TEST(join({halves.substr(0, cut), halves.substr(cut)}) == "a" + face + "b");
}

BOOST_AUTO_TEST_CASE(what_cannot_become_a_character_is_replaced) {
    BOOST_TEST(join({high + "a"}) == bad + "a");
    BOOST_TEST(join({low + "a"}) == bad + "a");
    BOOST_TEST(join({high}) == bad);
    BOOST_TEST(join({high, high + low}) == bad + face);
    BOOST_TEST(join({"\xff"
                     "a\x80"}) == bad + "a" + bad);
    BOOST_TEST(join({"\xe2\x82", "a"}) == bad + "a");
    BOOST_TEST(join({"a\xe2\x82"}) == "a" + bad);
    BOOST_TEST(join({high + "\xed", "a"}) == bad + bad + "a");
    const std::string cut = join({high + "\xed\xa0", "a"}); // libunistring 1.3 replaces each byte
    BOOST_TEST((cut == bad + bad + "a" || cut == bad + bad + bad + "a"), cut);
    BOOST_TEST(join({"\xc0\xaf"}) == bad + bad);
    BOOST_TEST(join({"", ""}).empty());
}

BOOST_AUTO_TEST_CASE(what_is_replaced_does_not_depend_on_pieces) {
    const std::string text = "h\xe9\xa0\xe2\x82\xf7\x87\x9f\x9av\xf0\x9f\xed\xa0\xf8\x88\xed";
    for (std::size_t cut = 0; cut <= text.size(); ++cut)
        BOOST_TEST(join({text.substr(0, cut), text.substr(cut)}) == join({text}));
}

BOOST_AUTO_TEST_CASE(nothing_is_held_back_without_need) {
    TokenJoiner joiner;
    BOOST_TEST(joiner.join("plain") == "plain");
    BOOST_TEST(joiner.join("\xe2\x82") == "");
    BOOST_TEST(joiner.join("\xac") == "\xe2\x82\xac");
    BOOST_TEST(joiner.join("x") == "x");
    BOOST_TEST(joiner.flush() == "");
}

BOOST_AUTO_TEST_CASE(json_hands_halves_on) {
    const auto text = [](std::string_view document) {
        return std::string{text_at(parsed(document), "/t")};
    };
    BOOST_TEST(text(R"({"t":"\ud83d\ude00"})") == face);
    BOOST_TEST(text(R"({"t":"a\ud83d"})") == "a" + high);
    BOOST_TEST(text(R"({"t":"\uDE00b"})") == low + "b");
    BOOST_TEST(text(R"({"t":"\ud83d\ud83d\ude00"})") == high + face);
    BOOST_TEST(text(R"({"t":"\\ud83d \ud83d"})") == "\\ud83d " + high);
    BOOST_TEST(text(R"({"t":"\ud83d\n"})") == high + "\n");
    BOOST_TEST(text("{\"t\":\"\xe2\x82\"}") == "\xe2\x82");
    BOOST_TEST(text("\xef\xbb\xbf{\"t\":\"a\"}") == "a");
    for (const char* broken : {"", "{", R"({"t":"\ud83d)", R"({"t":"\ud8")", "{} x"})
        BOOST_TEST(!parse_json(broken, {}).value.has_value(), broken);
}
} // namespace
