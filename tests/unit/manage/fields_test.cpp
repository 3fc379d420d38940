// Fields of what people manage, and the avatar of initials.
#include "manage/profile/profile.hpp"
#include "manage/providers/fields.hpp"
#include "tests/unit/test.hpp"
#include <cmath>
using namespace usershell::manage;
namespace {
using Given = std::optional<std::string>;
/// The value of `read`, or its refusal.
template <class Read>
std::string value_or_refusal(Read read) {
    std::string value;
    const std::string outcome = outcome_of([&] { value = read(); });
    return outcome == "served" ? value : outcome;
}

BOOST_AUTO_TEST_CASE(types) {
    BOOST_TEST(type_field(std::nullopt).value == "generic-compatible");
    for (const ProviderType& type : provider_types())
        BOOST_TEST(&type_field(std::string{type.value}) == &type);
    for (const char* const wrong :
         {"", " ", "OpenAI", "openai ", "gpt", "google_gemini", "Generic-Compatible"})
        BOOST_TEST(outcome_of([&] { type_field(wrong); }) == "invalid_field type", wrong);
}

BOOST_AUTO_TEST_CASE(handles) {
    const auto read = [](const Given& given) {
        return value_or_refusal([&] { return handle_field(given); });
    };
    for (const std::string& good : {"a"s, "0"s, "a-b--c-9"s, std::string(40, 'a')})
        BOOST_TEST(read(good) == good);
    for (const Given& missing : {Given{}, Given{" "}})
        BOOST_TEST(read(missing) == "missing_field handle");
    for (const std::string& wrong :
         {"A"s, "-a"s, "a-"s, "-"s, "a/b"s, "a_b"s, "a b"s, "ä"s, std::string(41, 'a')})
        BOOST_TEST(read(wrong) == "invalid_field handle", wrong);
}

BOOST_AUTO_TEST_CASE(values_of_headers) {
    const auto read = [](const std::string& json) {
        return value_or_refusal(
            [&] { return std::string{header_value_field(web::JsonBody::parse(json)).reveal()}; });
    };
    BOOST_TEST(read(R"({"value": "\n a b;c: d \t"})") == "a b;c: d");
    BOOST_TEST(read(R"({"value": ")" + std::string(4096, 'v') + "\"}") == std::string(4096, 'v'));
    for (const char* missing : {"{}", R"({"value": null})", R"({"value": " \r\n\t "})"})
        BOOST_TEST(read(missing) == "missing_field value", missing);
    for (const char* wrong :
         {R"({"value": "a\r\nHost: b"})", R"({"value": "a\nb"})", R"({"value": "a\rb"})",
          R"({"value": "a\tb"})", R"({"value": "a\u0000b"})", R"({"value": "a\u007fb"})",
          R"({"value": "caf\u00e9"})", R"({"value": "a\u2028b"})", R"({"value": "a\u00a0b"})"})
        BOOST_TEST(read(wrong) == "invalid_field value", wrong);
    BOOST_TEST(read(R"({"value": ")" + std::string(4097, 'v') + "\"}") == "invalid_field value");
}

BOOST_AUTO_TEST_CASE(api_keys) {
    const auto read = [](const Given& given) {
        std::optional<crypto::Secret> key;
        if (given) key.emplace(*given);
        return value_or_refusal([&] { return std::string{api_key_field(key).reveal()}; });
    };
    for (const Given& missing : {Given{}, Given{""}, Given{" \t\r\n "}})
        BOOST_TEST(read(missing) == "missing_field apiKey");
    BOOST_TEST(read("k") == "k");
    BOOST_TEST(read("\n sk-abc_DEF.123/+=~! \r\n") == "sk-abc_DEF.123/+=~!");
    for (const std::string& wrong : {std::string(4097, 'k'), "sk abc"s, "sk\tabc"s,
                                     "sk\r\nHost: evil"s, "sk-\xc3\xa4"s, "sk-\x7f"s, "sk-\xff"s})
        BOOST_TEST(read(wrong) == "invalid_field apiKey", wrong);
    try {
        api_key_field(crypto::Secret{"sk-canary with a space"});
        BOOST_ERROR("taken");
    } catch (const Refusal& refusal) {
        BOOST_TEST(!has(refusal.sentence().english(), "canary"));
    }
}

BOOST_AUTO_TEST_CASE(an_id_that_becomes_part_of_a_path_fits_into_it) {
    for (const ProviderType& type : provider_types()) BOOST_TEST_CONTEXT(type.value) {
            const auto id = [&](const Given& given) {
                return value_or_refusal([&] { return model_id_field(given, type); });
            };
            BOOST_TEST(id(" models/gemini-2.5:x ") == "models/gemini-2.5:x");
            BOOST_TEST(id(" ") == "missing_field modelId");
            for (const char* const other : {"../../tenant-x", "a\\b", "a%2eb", "a?b", "a#b"})
                BOOST_TEST(id(other) ==
                           (type.model_in_path ? "invalid_field modelId" : std::string{other}));
        }
}

BOOST_AUTO_TEST_CASE(capabilities) {
    const std::string all = "generation,assistant,reasoning,vision,tools,code,embedding,rerank,"
                            "image,audio,video,moderation,search,fetch";
    const std::pair<Given, std::string> table[] = {
        {std::nullopt, "missing_field capabilities"},
        {"generation", "generation"},
        {"tools,code", "tools,code"},
        {"code,tools", "code,tools"},
        {" Vision ,\tCODE,, ", "vision,code"},
        {"code,vision,Code,CODE,vision", "code,vision"},
        {all, all},
    };
    const auto read = [](const Given& given) {
        return value_or_refusal([&] { return capabilities_field(given); });
    };
    for (const auto& [given, result] : table) BOOST_TEST(read(given) == result);
    for (const auto* wrong : {"", " ", ",", " , ,, ", "generation,flying", "generation;assistant",
                              "generation assistant", "gen\0eration", "VISİON"})
        BOOST_TEST(read(wrong) == "invalid_field capabilities", wrong);
}

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
std::string letters_of(const std::string& svg) { return between(svg, "<title>", "</title>"); }
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
    for (const auto& [name, element] : {std::pair{"Ada", "<g"}, {"山田", "<text"}}) {
        const std::string svg = initials_svg(name, "1");
        const std::string drawn = between(svg, element, ">");
        BOOST_TEST(has(drawn, R"(fill="#fff")"), drawn);
    }
    BOOST_TEST(has(initials_svg("Émile Živković", "1"), "<path"));
    const std::string ada = initials_svg("Ada Lovelace", "1");
    BOOST_TEST(colour_of(ada) == colour_of(initials_svg("Bob", "1")));
    BOOST_TEST(letters_of(ada) == "AL");
}

BOOST_AUTO_TEST_CASE(no_name_breaks_out_of_the_picture) {
    for (const char* const name :
         {"<svg onload=alert(1)>", "a</text><script>", "&lt; &amp;", R"("x" onload=")", "']]>"}) {
        const std::string svg = initials_svg(name, "1");
        BOOST_TEST(svg.starts_with(R"(<svg xmlns="http://www.w3.org/2000/svg" )"));
        BOOST_TEST(svg.ends_with("</g></svg>"));
        const std::string letters = letters_of(svg);
        BOOST_TEST(letters.find_first_of(R"(<>&"')") == std::string::npos, letters);
        BOOST_TEST(!has(svg, "onload"), svg);
    }
}
} // namespace
