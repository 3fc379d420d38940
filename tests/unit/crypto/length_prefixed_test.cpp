#include "crypto/bytes.hpp"
#include "tests/unit/test.hpp"
namespace usershell::crypto {
namespace {
BOOST_AUTO_TEST_CASE(each_field_has_its_length_in_front) {
    BOOST_TEST(length_prefixed({}).empty());
    BOOST_TEST((length_prefixed({"ab", "", "c"}) == "\0\0\0\2ab\0\0\0\0\0\0\0\1c"s));
    BOOST_TEST((length_prefixed({std::string(258, 'x')}).substr(0, 5) == "\0\0\1\2x"s));
}

BOOST_AUTO_TEST_CASE(nothing_is_written_past_the_room) {
    std::array<unsigned char, 8> room{};
    room.fill(0xee);
    constexpr std::array<std::string_view, 1> field{"ab"};
    BOOST_CHECK_THROW(write_length_prefixed({room.data(), 5}, field), Error);
    write_length_prefixed({room.data(), 6}, field);
    BOOST_TEST(room[5] == 'b');
    BOOST_TEST(room[6] == 0xee);
    constexpr std::size_t four_gib = std::size_t{1} << 32U;
    const std::vector<char> one(1);
    const std::array fields{std::string_view{one.data(), four_gib}}; // only its size is read
    BOOST_CHECK_THROW(static_cast<void>(length_prefixed_size(fields)), Error);
}

BOOST_AUTO_TEST_CASE(a_record_cut_short_gives_no_last_field) {
    const auto record = length_prefixed({"abc", "de"});
    for (std::size_t size = 0; size < record.size(); ++size) {
        const std::string cut =
            record.substr(0, size); // its own memory: reading on is seen by ASan
        FieldReader reader{cut};
        const auto first = reader.next();
        BOOST_TEST(first.has_value() == (size >= 7));
        if (first) BOOST_TEST(!reader.next());
    }
    FieldReader whole{record};
    BOOST_TEST((whole.next() == "abc" && whole.next() == "de" && whole.at_end()));
    for (const std::string& wrong : {"\0\0\0\1"s, "\xff\xff\xff\xff"s, "\0\0\0\4abc"s})
        BOOST_TEST(!FieldReader{wrong}.next());
}
} // namespace
} // namespace usershell::crypto
