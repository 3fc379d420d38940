// Every number that is read from a provider, in each of its places, with each odd value: none goes
// beyond its bound in numbers.hpp. The remaining credit, of each type that reports it.
#include "adapters/credit.hpp"
#include "adapters/numbers.hpp"
#include "adapters/reading/answer_scan.hpp"
#include "net/retry_after.hpp"
#include "tests/unit/adapters/support.hpp"
#include <boost/json/parse.hpp>
using namespace usershell::adapters;
namespace {
/// What is counted for a number; null: none.
using Count = std::optional<std::uint64_t>;
struct Odd {
    std::string_view text;
    Count count;
};
constexpr auto most = max_json_count;
const Odd odd_values[] = {
    {"0", 0},
    {"7", 7},
    {"7.0", 7},
    {"7e0", 7},
    {"1e9", most},
    {"1000000001", most},
    {"9223372036854775807", most},
    {"9223372036854775808", most},
    {"18446744073709551616", most},
    {"1e300", most},
    {"1e400", most},
    {"-0.0", 0},
    {"-1", std::nullopt},
    {"-9223372036854775809", std::nullopt},
    {"-1e400", std::nullopt},
    {"0.5", std::nullopt},
    {"\"7\"", std::nullopt},
    {"null", std::nullopt},
    {"true", std::nullopt},
    {"[7]", std::nullopt},
};
Usage chat(Protocol protocol, const std::string& usage, const std::string& rest) {
    return hear({.protocol = protocol}, {"{" + rest + usage + "}"}).reply.usage;
}
Usage relayed(RelayRoute route, const std::string& document) {
    net::KeySearch none{no_key};
    AnswerScan scan{route, AnswerScan::Part::document, none};
    Usage usage;
    if (scan_json(document, 8, scan)) scan.read_usage(usage);
    return usage;
}
const std::string openai_usage = R"("choices":[{"message":{"content":"a"}}],"usage":)";
const std::string anthropic_usage = R"("content":[{"type":"text","text":"a"}],"usage":)";
const std::string gemini_usage =
    R"("candidates":[{"content":{"parts":[{"text":"a"}]}}],"usageMetadata":)";
std::string object(const std::string& name, const std::string& value) {
    return "{\"" + name + "\":" + value + "}";
}
} // namespace

BOOST_AUTO_TEST_CASE(a_count_is_bounded_wherever_it_is_read) {
    for (const auto& [text, count] : odd_values) {
        const std::string number{text};
        const auto member = [&](const std::string& name) { return object(name, number); };
        const std::pair<const char*, Count> read[] = {
            {"input", chat(Protocol::openai, member("prompt_tokens"), openai_usage).input},
            {"output", chat(Protocol::openai, member("completion_tokens"), openai_usage).output},
            {"input", chat(Protocol::anthropic, member("input_tokens"), anthropic_usage).input},
            {"output", chat(Protocol::anthropic, member("output_tokens"), anthropic_usage).output},
            {"input", chat(Protocol::gemini, member("promptTokenCount"), gemini_usage).input},
            {"output", chat(Protocol::gemini, member("candidatesTokenCount"), gemini_usage).output},
            {"input",
             relayed(RelayRoute::chat, "{\"usage\":" + member("prompt_tokens") + "}").input},
            {"output",
             relayed(RelayRoute::responses, "{\"usage\":" + member("output_tokens") + "}").output},
        };
        for (const auto& [what, value] : read) BOOST_TEST((value == count), what << " of " << text);
        const auto sum = relayed(
            RelayRoute::messages,
            R"({"usage":{"input_tokens":1000000000,"cache_read_input_tokens":)" + number + "}}");
        BOOST_TEST(sum.input.value() <= most, text);
        const auto status =
            read_provider_error(parsed(R"({"error":{"code":)" + number + "}}")).status;
        BOOST_TEST(status == 0, text);
    }
}

BOOST_AUTO_TEST_CASE(a_wait_and_a_credit_are_bounded) {
    for (const std::string_view text :
         {"-1", "1e9", "1e300", "1e400", "inf", "nan", "18446744073709551616"}) {
        net::HttpHead head;
        for (const auto* const name : {"retry-after", "retry-after-ms", "x-ms-retry-after-ms"}) {
            head.fields = {{name, std::string{text}}};
            const auto wait = retry_after(head, std::chrono::system_clock::now());
            BOOST_TEST((!wait || (wait->count() >= 0 && *wait <= net::max_wait)), text);
        }
        const auto wait = net::parse_wait("retry_after", std::string{text} + "s",
                                          std::chrono::system_clock::now());
        BOOST_TEST((!wait || (wait->count() >= 0 && *wait <= net::max_wait)), text);
    }
    const auto* const source = find_credit_source("openrouter");
    for (const auto* const text : {"1e12", "-1e12", "1e400", "\"nan\"", "18446744073709551616"})
        BOOST_TEST(
            !read_credit(*source, BaseUrl::parse("https://a.example"),
                         parsed("{\"data\":{\"limit_remaining\":" + std::string{text} + "}}")),
            text);
}

BOOST_AUTO_TEST_CASE(a_credit_is_a_number_and_a_currency) {
    const struct {
        const char *type, *host, *answer, *credit; ///< empty: none
    } table[] = {
        {"openrouter", "openrouter.ai", R"({"data":{"limit":20,"limit_remaining":12.345}})",
         "12.35 USD"},
        {"openrouter", "openrouter.ai", R"({"data":{"limit":null,"limit_remaining":null}})", ""},
        {"deepseek", "api.deepseek.com",
         R"({"balance_infos":[{"currency":"CNY","total_balance":"110.00"}]})", "110.00 CNY"},
        {"deepseek", "api.deepseek.com",
         R"({"balance_infos":[{"currency":"sk-1","total_balance":"110.00"}]})", ""},
        {"deepseek", "api.deepseek.com",
         R"({"balance_infos":[{"currency":"USD","total_balance":"1 key"}]})", ""},
        {"deepseek", "api.deepseek.com", R"({"balance_infos":[]})", ""},
        {"moonshot", "api.moonshot.ai", R"({"code":0,"data":{"available_balance":-1}})",
         "-1.00 USD"},
        {"moonshot", "api.moonshot.cn", R"({"code":0,"data":{"available_balance":49.58}})",
         "49.58 CNY"},
        {"siliconflow", "api.siliconflow.com", R"({"data":{"totalBalance":"88.00"}})", "88.00 USD"},
        {"siliconflow", "api.siliconflow.com", R"({"data":{"totalBalance":"1e300"}})", ""},
        {"siliconflow", "api.siliconflow.com", R"({"data":{"totalBalance":"nan"}})", ""},
        {"siliconflow", "api.siliconflow.com", R"({"data":{"totalBalance":true}})", ""},
    };
    for (const auto& [type, host, answer, credit] : table) BOOST_TEST_CONTEXT(answer) {
            const auto base = BaseUrl::parse(std::string{"https://"} + host + "/v1");
            const auto read =
                read_credit(*find_credit_source(type), base, boost::json::parse(answer));
            BOOST_TEST((read ? read->amount + " " + read->currency : "") == credit);
        }
    BOOST_TEST(find_credit_source("openai") == nullptr);
}
