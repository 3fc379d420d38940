#include "base/sentence.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

using namespace usershell;

namespace {

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
