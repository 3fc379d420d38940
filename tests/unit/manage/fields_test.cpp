#include "manage/providers/fields.hpp"
#include "tests/unit/web/refusal_check.hpp"
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
} // namespace
