#include "base/wiping.hpp"
#include "tests/unit/freed_memory.hpp"
namespace {
constexpr std::string_view marker = "sk-secret";
using Use = std::function<void(WipedString&)>;
/// Blocks given back with the marker in them, where a string that holds it is used so.
int left_behind(const Use& use) {
    const test::FreedMemory freed{marker};
    try {
        WipedString text{marker};
        use(text);
    } catch (const std::runtime_error&) {
    }
    return freed.blocks_with_marker();
}

BOOST_AUTO_TEST_CASE(no_buffer_keeps_its_text) {
    const std::pair<const char*, Use> uses[] = {
        {"destroyed", [](auto&) {}},
        {"copied", [](auto& text) { static_cast<void>(WipedString{text}); }},
        {"moved",
         [](auto& text) {
             WipedString other{"other"};
             other = std::move(text);
             const WipedString last = std::move(other);
         }},
        {"grown",
         [](auto& text) {
             for (int i = 0; i < 10'000; ++i) text.push_back('x');
             text.append(std::string(100'000, 'y'));
             text.reserve(1'000'000);
         }},
        {"shortened",
         [](auto& text) {
             text = "before it: ";
             text.append(marker);
             text.resize(2);
         }},
        {"assigned",
         [](auto& text) {
             text = "something else";
             text = marker;
             text = WipedString{};
         }},
        {"cleared", [](auto& text) { text.clear(); }},
        {"in a map",
         [](auto&) {
             std::map<std::string, WipedString> texts;
             texts.emplace("key", marker);
             texts.clear();
         }},
        {"thrown past", [](auto&) { throw std::runtime_error{"no"}; }},
    };
    const auto plain = [](auto&) { std::string{"key: "}.append(marker).append(20, ' '); };
    BOOST_REQUIRE(left_behind(plain) > 0); // of a std::string something is found
    for (const auto& [name, use] : uses) BOOST_TEST(left_behind(use) == 0, name);
}

BOOST_AUTO_TEST_CASE(it_is_a_text) {
    WipedString text{"abc"};
    text = std::string_view{text}.substr(1); // a part of itself
    text.append("d").push_back('e');
    BOOST_TEST(std::string_view{text} == "bcde");
    BOOST_TEST((text == "bcde" && text == std::string_view{WipedString{"bcde"}} && text != "bcd"));
    text.resize(6);
    BOOST_TEST(std::string_view{text} == (std::string_view{"bcde\0\0", 6}));
    text.clear();
    BOOST_TEST(text.empty());
}
} // namespace
