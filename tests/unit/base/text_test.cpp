// Text and its forms: letters, numbers, names, ids, moments, sentences, and the scan of a JSON
// text.
#include "base/ids.hpp"
#include "base/json.hpp"
#include "base/sentence.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "tests/unit/test.hpp"
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <type_traits>
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

BOOST_AUTO_TEST_CASE(hexadecimal) {
    BOOST_TEST(hex({"\x00\x0f\xa0\xff", 4}) == "000fa0ff");
    BOOST_TEST(hex("") == "");
    for (int value = 0; value < 256; ++value) {
        const auto byte = static_cast<char>(value);
        BOOST_TEST((byte_of_hex(hex({&byte, 1})) == byte));
        BOOST_TEST((byte_of_hex(upper_hex(byte) + "rest") == byte));
    }
    for (const std::string_view wrong : {"", "a", "g0", "0g", "0G", " 1", "+1", "-1", "\xff\xff"})
        BOOST_TEST(!byte_of_hex(wrong).has_value(), wrong);
}

BOOST_AUTO_TEST_CASE(numbers_are_the_whole_text) {
    BOOST_TEST(parse_number<std::uint16_t>("0").value() == 0);
    BOOST_TEST(parse_number<std::uint16_t>("65535").value() == 65535);
    BOOST_TEST(parse_number<double>("0.5").value() == 0.5);
    for (const std::string_view wrong :
         {"", " 1", "1 ", "+1", "-1", "65536", "0x1", "1.0", "one", "1,000"})
        BOOST_TEST(!parse_number<std::uint16_t>(wrong).has_value(), wrong);
}

BOOST_AUTO_TEST_CASE(blanks_go_ascii_is_lowered_and_bytes_are_encoded) {
    BOOST_TEST(trim_blanks(" \t\r\na b\n ") == "a b");
    BOOST_TEST(trim_blanks("\u00a0a") == "\u00a0a");
    BOOST_TEST(lower_ascii("AZaz09-ÉÀ@[`{") == "azaz09-ÉÀ@[`{");
    BOOST_TEST(percent_encoded("/user?a=b&c d+") == "%2Fuser%3Fa%3Db%26c%20d%2B");
    BOOST_TEST(percent_encoded("gr\u00fc\xff%") == "gr%C3%BC%FF%25");
}

BOOST_AUTO_TEST_CASE(pieces_stand_between_separators) {
    const auto pieces = [](std::string_view text) {
        std::vector<std::string_view> all;
        for_each_piece(text, ',', [&](std::string_view piece) { all.push_back(piece); });
        return all;
    };
    BOOST_TEST((pieces("a,,b") == std::vector<std::string_view>{"a", "", "b"}));
    BOOST_TEST((pieces("") == std::vector<std::string_view>{""}));
    BOOST_TEST((pieces("a,") == std::vector<std::string_view>{"a", ""}));
}

BOOST_AUTO_TEST_CASE(only_the_lower_case_text_form_is_a_uuid_and_kinds_do_not_mix) {
    for (const std::string_view good :
         {"0f8fad5b-d9cb-469f-a165-70867728950e", "00000000-0000-0000-0000-000000000000"})
        BOOST_TEST((is_uuid(good) && UserId::parse(good).has_value()), good);
    for (const auto wrong :
         {"0F8FAD5B-D9CB-469F-A165-70867728950E"sv, "0f8fad5bd9cb469fa16570867728950e"sv,
          "{0f8fad5b-d9cb-469f-a165-70867728950e}"sv, "0f8fad5b-d9cb-469f-a165-70867728950"sv,
          "0f8fad5b-d9cb-469f-a165-70867728950e1"sv, "0f8fad5b-d9cb-469f-a165-70867728950g"sv,
          "0f8fad5bd-9cb-469f-a165-70867728950e"sv, "0f8fad5b-d9cb-469f-a165 70867728950e"sv,
          "0f8fad5b-d9cb-469f-a165-70867728950\n"sv, "0f8fad5b-d9cb-469f-a165-7086772895\0e"sv,
          ""sv})
        BOOST_TEST((!is_uuid(wrong) && !UserId::parse(wrong).has_value()), wrong);
    BOOST_TEST(!(std::is_convertible_v<AccountId, ProviderId>));
    BOOST_TEST(!(std::is_constructible_v<ProviderId, AccountId>));
    BOOST_TEST(!(std::is_constructible_v<ProviderId, std::string>));
}

BOOST_AUTO_TEST_CASE(moments_are_written_as_rfc_3339_in_utc) {
    const std::pair<long long, const char*> table[] = {
        {0, "1970-01-01T00:00:00.000Z"},
        {1'767'323'045'678'901, "2026-01-02T03:04:05.678Z"},
        {1'709'251'199'999'999, "2024-02-29T23:59:59.999Z"},
        {-1, "1969-12-31T23:59:59.999Z"},
    };
    for (const auto& [microseconds, text] : table) {
        const Timestamp moment{std::chrono::microseconds{microseconds}};
        BOOST_TEST(rfc3339(moment) == text);
        BOOST_TEST(rfc3339_seconds(moment) == std::string{text}.substr(0, 19) + "Z");
    }
}

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

std::string german(std::string_view english) {
    if (english == "{what} has at most {count} letters.") return "{what} hat {count} und {other}.";
    if (english == "A name") return "Ein {count}";
    if (english == "{one} and {two}") return "{two}, {one}";
    return std::string{english};
}

const Sentence too_long{"{what} has at most {count} letters."_en,
                        {{"what", "A name"_en}, {"count", "3"}}};
const Sentence both{
    "{one} and {two}"_en,
    {{"one", std::vector{too_long, Sentence{"A name"_en}}}, {"two", "{one} A name"}}};

} // namespace

BOOST_AUTO_TEST_SUITE(sentence)

BOOST_AUTO_TEST_CASE(values_are_put_in_and_not_looked_at) {
    const struct {
        Sentence sentence;
        std::string english;
        std::string german;
    } table[] = {
        {{}, "", ""},
        {"A name"_en, "A name", "Ein {count}"},
        {"Open { and {none} and } and {"_en, "Open { and {none} and } and {",
         "Open { and {none} and } and {"},
        {{"{one}!"_en, {{"one", "A name"}}}, "A name!", "A name!"},
        {too_long, "A name has at most 3 letters.", "Ein {count} hat 3 und {other}."},
        {both, "A name has at most 3 letters.; A name and {one} A name",
         "{one} A name, Ein {count} hat 3 und {other}.; Ein {count}"},
    };
    for (const auto& row : table) {
        BOOST_TEST(row.sentence.english() == row.english);
        BOOST_TEST(row.sentence.in(german) == row.german);
        BOOST_TEST(row.sentence.empty() == row.english.empty());
        const Sentence read = Sentence::read(row.sentence.stored());
        BOOST_TEST(read.english() == row.english);
        BOOST_TEST(read.in(german) == row.german);
    }
}

BOOST_AUTO_TEST_CASE(is_stored_as_english_where_it_has_no_values) {
    BOOST_TEST(Sentence{"A name"_en}.stored() == "A name");
    BOOST_TEST(too_long.stored() ==
               R"({"text":"{what} has at most {count} letters.","values":{"what":[{"text":)"
               R"("A name","values":{}}],"count":"3"}})");
    for (const std::string other :
         {"{}", "{", "[]", R"({"text":"a"})", R"({"text":1,"values":{}})",
          R"({"text":"a","values":{"b":1}})", R"({"text":"a","values":{"b":["c"]}})"})
        BOOST_TEST(Sentence::read(other).english() == other);
}

BOOST_AUTO_TEST_CASE(an_answer_has_its_places_where_there_are_any) {
    boost::json::object answer;
    Sentence{"A name"_en}.tell(answer, "error");
    BOOST_TEST(boost::json::serialize(answer) == R"({"error":"A name"})");
    Sentence{"{one}!"_en, {{"one", "1"}}}.tell(answer, "error", "places");
    BOOST_TEST(boost::json::serialize(answer) ==
               R"({"error":"1!","places":{"text":"{one}!","values":{"one":"1"}}})");
}

BOOST_AUTO_TEST_SUITE_END()

namespace {
/// Writes down what it is shown: "1 name value".
struct Recorder final : JsonVisitor {
    bool enter(std::size_t, std::string_view name, char) override { return name != "muted"; }
    void leave(std::size_t depth, std::string_view name, std::string_view value) override {
        seen.append(std::to_string(depth)).append(" ").append(name).append(" ").append(value);
        seen += ";";
    }
    std::string seen;
};
std::string seen_in(std::string_view text, std::size_t max_depth = 8) {
    Recorder recorder;
    return scan_json(text, max_depth, recorder) ? recorder.seen : "no JSON";
}
} // namespace
BOOST_AUTO_TEST_CASE(a_scan_shows_each_member_with_its_depth_and_text) {
    const std::pair<std::string_view, std::string_view> table[] = {
        {R"({"a": 1, "b" : "x\"y" })", R"(1 a 1;1 b "x\"y";)"},
        {R"({"\u006dodel":[{"c":null},[]], "e":{}})",
         R"(3 c null;1 model [{"c":null},[]];1 e {};)"},
        {R"({"muted":{"x":{"y":1}},"z":{"w":-1.5e+3}})",
         R"(1 muted {"x":{"y":1}};2 w -1.5e+3;1 z {"w":-1.5e+3};)"},
        {" [1, {\"a\":true}]\n", "2 a true;"},
    };
    for (const auto& [text, seen] : table) BOOST_TEST(seen_in(text) == seen);
}
// NOLINTBEGIN(modernize-raw-string-literal): JSON among line ends
BOOST_AUTO_TEST_CASE(a_scan_takes_json_alone) {
    for (const std::string_view text : {"",
                                        "{",
                                        "}",
                                        "{\"a\"}",
                                        "{\"a\":}",
                                        "{\"a\":1,}",
                                        "{a:1}",
                                        "{'a':1}",
                                        "{\"a\":1}{}",
                                        "[1 2]",
                                        "[1,]",
                                        "{\"a\":nul}",
                                        "{\"a\":+1}",
                                        "{\"a\":\"\n\"}",
                                        "{\"a\":\"\\x\"}",
                                        "{\"a\":\"\\u12g4\"}",
                                        "{\"\\ud800\":1}",
                                        "\xef\xbb\xbf{}",
                                        "{\"a\":1/*c*/}",
                                        "{\"a\":{]}",
                                        "{\"a\":NaN}"})
        BOOST_TEST(seen_in(text) == "no JSON", text);
    BOOST_TEST(seen_in("[[[1]]]", 3) == "");
    BOOST_TEST(seen_in("[[[[1]]]]", 3) == "no JSON");
}
// NOLINTEND(modernize-raw-string-literal)
