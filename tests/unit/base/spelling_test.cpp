#include "base/text.hpp"
#include "tests/unit/test.hpp"
#include <optional>
#include <string>
#include <utility>
namespace usershell {
namespace {
const std::optional<std::string> none;
std::optional<std::string> prepared(std::string_view password) {
    const auto form = opaque_string(password);
    return form ? std::optional{std::string{std::string_view{*form}}} : none;
}

BOOST_AUTO_TEST_CASE(a_name_that_shows_nothing_is_empty) {
    for (const std::string_view name : {"",
                                        " ",
                                        "\t\n",
                                        "\u200b",
                                        "\u2800",
                                        "\u115f",
                                        "\u1160",
                                        "\u00ad",
                                        "\u200f",
                                        "\u200e",
                                        "\u061c",
                                        "\u200d",
                                        "\ufeff",
                                        "\u3164",
                                        "\uffa0",
                                        "\u2060",
                                        "\u180e",
                                        "\u034f",
                                        "\u00a0",
                                        "\u3000",
                                        "\u2028",
                                        "\ufe0f",
                                        "\ufff9\ufffb",
                                        "\U0001d159",
                                        "\U000e0041",
                                        "\U0001d173",
                                        "\u200b \u2800\u00ad\u200f\u115f"})
        BOOST_TEST(tidy_name(name).empty());
}

BOOST_AUTO_TEST_CASE(a_name_keeps_what_can_be_seen) {
    const std::pair<std::string_view, std::string_view> table[] = {
        {" Ada\t", "Ada"},
        {"\u05d0\u05d7\u05d9\u05d9\u200f \u05db\u05d4\u05df",
         "\u05d0\u05d7\u05d9\u05d9 \u05db\u05d4\u05df"},
        {"\u200eAda \u200f", "Ada"},
        {"\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"},
        {"\U0001f468\u200d\U0001f469", "\U0001f468\u200d\U0001f469"},
        {"\u0600", "\u0600"}, // a format character that is seen
        {"\u0301", "\u0301"},
        {"Ada\u202e", "Ada\u202e"}, // the rule refuses it
        {".", "."},
    };
    for (const auto& [given, kept] : table) BOOST_TEST(tidy_name(given) == kept);
}

BOOST_AUTO_TEST_CASE(a_password_has_one_form_on_every_system) {
    const std::pair<std::string_view, std::optional<std::string>> table[] = {
        {"correct horse", "correct horse"},
        {"Cr\u00e8me br\u00fbl\u00e9e", "Cr\u00e8me br\u00fbl\u00e9e"},
        {"Cre\u0300me bru\u0302le\u0301e", "Cr\u00e8me br\u00fbl\u00e9e"},
        {"\u212b", "\u00c5"},
        {"\u1112\u1161\u11ab", "\ud55c"},
        {"a\u0323\u0307", "\u1ea1\u0307"}, // marks in one order
        {"a\u0307\u0323", "\u1ea1\u0307"},
        {"correct\u00a0horse", "correct horse"},
        {"a\u3000b\u2003c\u202fd", "a b c d"},
        {" a ", " a "},
        {"Pass\uff57ord", "Pass\uff57ord"},               // width and case are kept
        {"\U0001d160", "\U0001d158\U0001d165\U0001d16e"}, // the longest growth
        {"", none},
        {"a\tb", none},
        {"a\x7f", none},
        {"a\u0085", none},
        {"\xff", none},
        {std::string_view{"a\0b", 3}, none},
    };
    for (const auto& [given, form] : table) BOOST_TEST((prepared(given) == form), given);
    std::string marks = "a";
    for (int i = 0; i < 500; ++i) marks += i % 2 == 0 ? "\u0307" : "\u0323";
    BOOST_TEST(prepared(prepared(marks).value()).value() == prepared(marks).value());
}
} // namespace
} // namespace usershell
