#include "base/text.hpp"
#include "tests/unit/test.hpp"

BOOST_AUTO_TEST_CASE(well_formed_utf8_is_told_from_the_rest) {
    const std::pair<std::string_view, bool> table[] = {
        {"é", true},
        {"\xf0\x9f\x98\x80", true},
        {"\xf4\x8f\xbf\xbf", true},  // U+10FFFF
        {"\xc3", false},             // cut
        {"\xc0\xaf", false},         // overlong '/'
        {"\xed\xa0\x80", false},     // surrogate
        {"\xf4\x90\x80\x80", false}, // beyond U+10FFFF
        {"\xff", false},
    };
    for (const auto& [text, good] : table)
        BOOST_TEST_CONTEXT(text) BOOST_TEST(is_utf8(text) == good);
}

BOOST_AUTO_TEST_CASE(white_space_at_the_ends_is_trimmed) {
    const std::pair<std::string_view, std::string_view> table[] = {
        {"  ", ""},
        {" \t\r\n\v\fa b \n", "a b"},
        {"\u00a0Ann\xe3\x80\x80", "Ann"},         // no-break and ideographic space
        {"\u2003Ann\xe2\x80\xa8\xc2\x85", "Ann"}, // em space, line separator, NEL
        {" \xff ", "\xff"},
    };
    for (const auto& [text, trimmed] : table)
        BOOST_TEST_CONTEXT(text) BOOST_TEST(trim(text) == trimmed);
}

BOOST_AUTO_TEST_CASE(control_characters_are_found) {
    for (const char* const text : {"", "plain é \xf0\x9f\x98\x80", "a\u00a0b", "\u2764\ufe0f",
                                   "\u0645\u06cc\u200c\u062e", "\U0001F468\u200d\U0001F469"})
        BOOST_TEST((!has_control(text) && !has_control(text, true)), text);
    // In lines alone: breaks, and what steers the direction of text.
    std::vector<std::string> of_lines{"\t",     "\n",     "\r",     "\u2028",
                                      "\u2029", "\u061c", "\u200e", "\u200f"};
    for (const char last : {'\xaa', '\xab', '\xac', '\xad', '\xae'}) // U+202A to U+202E
        of_lines.push_back(std::string{"\xe2\x80"} + last);
    for (const char last : {'\xa6', '\xa7', '\xa8', '\xa9'}) // U+2066 to U+2069
        of_lines.push_back(std::string{"\xe2\x81"} + last);
    for (const std::string& text : of_lines)
        BOOST_TEST((has_control(text) && !has_control(text, true)), visible(text));
    for (const std::string_view text : {std::string_view{"a\0", 2}, "a\x1b"sv, "a\x7f"sv,
                                        "a\n\x01"sv, "a\xc2\x80"sv, "a\xc2\x85"sv}) // C1, NEL
        BOOST_TEST((has_control(text) && has_control(text, true)), text);
}

BOOST_AUTO_TEST_CASE(one_code_point_is_case_folded) {
    const struct {
        std::string_view text, folded;
        std::size_t size;
    } table[] = {
        {"Sx", "s", 1}, {"ſx", "s", 2}, {"ß", "ß", 2},
        {"ς", "σ", 2},  {"-", "-", 1},  {"\xff-", "\ufffd", 1},
    };
    for (const auto& row : table) BOOST_TEST_CONTEXT(row.text) {
            std::string folded = "+";
            BOOST_TEST(fold_first(row.text, folded) == row.size);
            BOOST_TEST(folded == "+" + std::string{row.folded});
        }
}

BOOST_AUTO_TEST_CASE(long_text_is_shortened_to_its_limit) {
    const std::tuple<std::string_view, std::size_t, std::string_view> table[] = {
        {"", 3, ""},       {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"éàüö", 3, "éà…"},
        {"éàü", 3, "éàü"}, {"ab", 1, "…"},    {"a", 1, "a"},      {"abc", 0, ""},
    };
    for (const auto& [text, limit, shown] : table) BOOST_TEST_CONTEXT(text << " to " << limit)
    BOOST_TEST(shorten(text, limit) == shown);
}

BOOST_AUTO_TEST_CASE(any_bytes_become_fit_to_show) {
    const std::pair<std::string_view, std::string_view> table[] = {
        {"a\r\nb\tc é", "a  b c é"},  {std::string_view{"a\0b", 3}, "a b"},
        {"a\x1b[31m", "a [31m"},      {"a\xc3", "a\xef\xbf\xbd"},
        {"a\u2028b\xc2\x85", "a b "}, {"a\u202eb\u202c\u200f", "a b  "},
    };
    for (const auto& [bytes, shown] : table)
        BOOST_TEST_CONTEXT(shown) BOOST_TEST(printable(bytes) == shown);
}

BOOST_AUTO_TEST_CASE(what_steers_or_hides_becomes_visible) {
    const std::pair<std::string_view, std::string_view> table[] = {
        {"fine é \"\\ \U0001F600", "fine é \"\\ \U0001F600"},
        {"a\tb\n\x1b[2J\x7f", R"(a\u0009b\u000a\u001b[2J\u007f)"},
        {std::string_view{"a\0b", 3}, R"(a\u0000b)"},
        {"a\xc2\x9b\x33\x31m\xc2\x85", R"(a\u009b31m\u0085)"}, // CSI in one character
        {"a\u202egpj\u2066\u200e\u2069\u202c\u061c", R"(a\u202egpj\u2066\u200e\u2069\u202c\u061c)"},
        {"a\xff\xc3", "a\ufffd\ufffd"},
        // A zero-width space, soft hyphen, word joiner, filler, byte order mark, tag.
        {"a\u200b\u00ad\u2060\u3164\ufeff", R"(a\u200b\u00ad\u2060\u3164\ufeff)"},
        {"a\U000E0041", R"(a\udb40\udc41)"},
        {"ad\u200dmin\u200c", R"(ad\u200dmin\u200c)"},
        {"\U0001F468\u200d\U0001F469", "\U0001F468\u200d\U0001F469"},
        {"\u2764\ufe0f", "\u2764\ufe0f"},
        {"\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"},
    };
    for (const auto& [bytes, shown] : table) {
        BOOST_TEST(visible(bytes) == shown);
        BOOST_TEST(visible(shown) == shown);
    }
}

BOOST_AUTO_TEST_CASE(initials_come_from_the_first_and_last_word) {
    const std::pair<std::string_view, std::string_view> table[] = {
        {"ada", "A"},
        {"  ada maria von lovelace  ", "AL"},
        {"Anne-Marie O'Neil", "AO"},
        {"(ada) \"lovelace\"", "AL"},
        {"42 bears", "4B"},
        {"e\xcc\x81mile zola", "ÉZ"},
        {"g\xcc\x83 b", "G\u0303B"}, // no composed form: the cluster stays whole
        {"ß", "Ss"},
        {"山田 太郎", "山太"},
        {"नि शा", "निशा"}, // clusters with vowel signs
        {"\xf0\x9f\x98\x80 ada", "A"},
        {"\xff ...", "?"},
    };
    for (const auto& [name, expected] : table)
        BOOST_TEST_CONTEXT(name) BOOST_TEST(initials(name) == expected);
}
