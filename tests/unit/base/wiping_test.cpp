#include "base/wiping.hpp"

#include "tests/unit/freed_memory.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

using namespace usershell;

namespace {

constexpr std::string_view marker = "sk-secret";

/// Blocks given back by `use` that still hold the marker.
int left_behind(const std::function<void()>& use) {
    const test::FreedMemory freed{marker};
    use();
    return freed.blocks_with_marker();
}

} // namespace

BOOST_AUTO_TEST_SUITE(wiping)

BOOST_AUTO_TEST_CASE(a_plain_string_leaves_its_text_behind) {
    BOOST_TEST(left_behind([] { std::string{"key: "}.append(marker).append(20, ' '); }) > 0);
}

BOOST_AUTO_TEST_CASE(no_buffer_keeps_its_text) {
    const std::pair<const char*, std::function<void()>> uses[] = {
        {"destroyed", [] { const WipedString text{marker}; }},
        {"copied",
         [] {
             const WipedString text{marker};
             const WipedString copy = text; // NOLINT: the copy is the point
         }},
        {"moved",
         [] {
             WipedString text{marker};
             WipedString other{"other"};
             other = std::move(text);
             const WipedString last = std::move(other);
         }},
        {"grown",
         [] {
             WipedString text{marker};
             for (int i = 0; i < 10'000; ++i) text.push_back('x');
             text.append(std::string(100'000, 'y'));
             text.reserve(1'000'000);
         }},
        {"shortened",
         [] {
             WipedString text{marker};
             text.resize(2);
         }},
        {"assigned",
         [] {
             WipedString text{marker};
             text = "something else";
             text = marker;
             text = WipedString{};
         }},
        {"cleared",
         [] {
             WipedString text{marker};
             text.clear();
         }},
        {"in a map",
         [] {
             std::map<std::string, WipedString> texts;
             texts.emplace("key", marker);
             texts.clear();
         }},
        {"thrown past",
         [] {
             try {
                 const WipedString text{marker};
                 throw std::runtime_error{"no"};
             } catch (const std::runtime_error&) {
             }
         }},
    };
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

BOOST_AUTO_TEST_SUITE_END()
