// Error bodies and streams as providers document them, in answers.json: one row a class of input.
// An error: provider, outcome, its words that are shown, HTTP status, body, header fields.
// A stream: provider, type, its result, its events. The result is text, reasoning, finish reason
// and tokens (in, out, reasoning), or "outcome: words". An event in quotes is sent as it is.
// A list (requests_test.cpp): name, type, models (id|name|capabilities), next page, answer.
// A search (there): type, request line, header of the key, body, the lines shown of that answer.
// A script (non_interference_test.cpp): type, status, body, how it comes.
#include "tests/unit/adapters/support.hpp"
using namespace usershell::adapters;
namespace {
/// All that follows from a failure; see outcome().
std::string followed_by(std::string_view name, std::string_view said) {
    const std::string words = said.empty() ? "" : " It said: " + std::string{said};
    return text_of(answers("outcomes").at(name)) + words;
}
UpstreamError understood(const json::value& row) {
    net::HttpHead head;
    head.status = static_cast<int>(row.at(3).as_int64());
    head.content_type = "application/json";
    if (const auto* const fields = find_value(row, "/5"))
        for (const auto& [name, value] : fields->as_object())
            head.fields.emplace(name, text_of(value));
    return understand(read_provider_error(head, text_of(row.at(4)), false), no_key);
}
std::string expected(const json::value& result) {
    if (!result.is_string()) return text_of(result);
    const std::string line = text_of(result);
    const auto colon = line.find(": ");
    return followed_by(line.substr(0, colon),
                       colon == std::string::npos ? "" : line.substr(colon + 2));
}
std::string shown(const Heard& heard) {
    if (heard.error) return outcome(*heard.error);
    const auto& [content, model, finish_reason, finish_word, usage] = heard.reply;
    const auto number = [](auto count) { return count ? json::value(*count) : json::value{}; };
    return json::serialize(json::array{content, heard.reasoning, name_of(finish_reason),
                                       number(usage.input), number(usage.output),
                                       number(usage.reasoning)});
}

BOOST_AUTO_TEST_CASE(an_error_has_the_outcome_of_its_cause) {
    for (const auto& row : answers("errors").as_array())
        BOOST_TEST(outcome(understood(row)) == followed_by(text_of(row.at(1)), text_of(row.at(2))),
                   text_of(row));
}

BOOST_AUTO_TEST_CASE(a_stream_is_read_alike_whole_and_in_pieces) {
    auto request = asking();
    request.reasoning = true;
    for (const auto& row : answers("streams").as_array()) {
        std::string stream;
        for (std::size_t i = 3; i < row.as_array().size(); ++i)
            stream += (row.at(i).is_string() ? "" : "data: ") + text_of(row.at(i)) + "\n\n";
        const Answered how{.protocol = find_provider_type(text_of(row.at(1)))->protocol};
        BOOST_TEST(shown(hear(how, {stream}, request)) == expected(row.at(2)), stream);
        BOOST_TEST(shown(hear(how, byte_by_byte(stream), request)) == expected(row.at(2)), stream);
    }
}
} // namespace
