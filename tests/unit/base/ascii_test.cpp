#include "base/ascii.hpp"
#include "tests/unit/test.hpp"

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
