#include "manage/profile/profile.hpp"
#include "tests/unit/test.hpp"
#include <cmath>
using namespace usershell::manage;
namespace {
std::string between(const std::string& text, const std::string& before, const std::string& after) {
    const auto begin = text.find(before);
    BOOST_REQUIRE(begin != std::string::npos);
    const auto end = text.find(after, begin + before.size());
    BOOST_REQUIRE(end != std::string::npos);
    return text.substr(begin + before.size(), end - begin - before.size());
}
std::string colour_of(const std::string& svg) {
    return between(svg, R"(height="128" fill=")", R"(")");
}
std::string letters_of(const std::string& svg) {
    return between(svg, R"(sans-serif">)", "</text>");
}
/// WCAG 2.2, relative luminance of "#rrggbb".
double luminance(const std::string& colour) {
    const auto channel = [&](std::size_t at) {
        const double value = std::stoi(colour.substr(at, 2), nullptr, 16) / 255.0;
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}
double contrast_to_white(const std::string& colour) { return 1.05 / (luminance(colour) + 0.05); }

BOOST_AUTO_TEST_CASE(the_colour_is_the_ids_with_contrast_enough_and_the_letters_are_the_names) {
    std::set<std::string> colours;
    for (int i = 0; i < 2000; ++i) colours.insert(colour_of(initials_svg("A", std::to_string(i))));
    BOOST_TEST(colours.size() == 12U);
    for (const std::string& colour : colours) BOOST_TEST(contrast_to_white(colour) >= 4.5, colour);
    BOOST_TEST(between(initials_svg("A", "1"), R"(middle" fill=")", R"(")") == "#fff");
    const std::string ada = initials_svg("Ada Lovelace", "1");
    BOOST_TEST(colour_of(ada) == colour_of(initials_svg("Bob", "1")));
    BOOST_TEST(letters_of(ada) == "AL");
}

BOOST_AUTO_TEST_CASE(no_name_breaks_out_of_the_picture) {
    for (const char* const name :
         {"<svg onload=alert(1)>", "a</text><script>", "&lt; &amp;", R"("x" onload=")", "']]>"}) {
        const std::string svg = initials_svg(name, "1");
        BOOST_TEST(svg.starts_with(R"(<svg xmlns="http://www.w3.org/2000/svg" )"));
        BOOST_TEST(svg.ends_with("</text></svg>"));
        const std::string letters = letters_of(svg);
        BOOST_TEST(letters.find_first_of(R"(<>&"')") == std::string::npos, letters);
        BOOST_TEST(!has(svg, "onload"), svg);
    }
}
} // namespace
