// Model ids that try to lead a call, and its key, to another path than the provider's.
#include "adapters/calls.hpp"
#include "tests/unit/run_on.hpp"
#include "tests/unit/test.hpp"
using namespace usershell::adapters;
namespace {
constexpr std::string_view escaping[] = {
    // dots
    ".", "..", "./x", "../x", "x/.", "x/..", "../", "/..", "/../x", "//../x", "..//x", "a/../b",
    "a/./b", "a/../../b", "../../tenant-x", "../../../../v1/tenant-x", "models/..", "models/../x",
    "tunedModels/../../x", "tunedModels/.",
    // backslashes
    "\\", "..\\x", "x\\..\\y", "a\\b",
    // escapes
    "%", "100%", "%2e%2e", "%2E%2E/x", ".%2e/x", "%2e./x", "%2e%2e%2fx", "..%2fx", "..%5cx",
    "%5c..", "%252e%252e/x", "a%00b",
    // queries and fragments
    "a?b", "?", "../x?y", "x?/../y", "a#b", "#", "a/..#", "..#/x"};
static_assert(std::size(escaping) >= 40);
/// The reason for which a call of that model fails; nothing may be called.
std::string reason_of(std::string_view type, std::string_view base, std::string_view model) {
    Loop loop;
    net::HttpClient http{loop, EgressPolicy{}, {}};
    const BaseUrl url = BaseUrl::parse(base);
    ChatRequest request;
    request.model = model;
    try {
        run_on(loop, complete_chat({*find_provider_type(type), url, "the-key"}, request,
                                   {.http = http}, {}));
    } catch (const UpstreamError& error) {
        return std::string{error.reason_name()};
    }
    return "answered";
}

BOOST_AUTO_TEST_CASE(no_id_leads_out_of_the_base_url) {
    const std::pair<std::string, std::string> ways[] = {{"azure-openai", ""},
                                                        {"azure-openai", "/openai"},
                                                        {"google-gemini", ""},
                                                        {"google-gemini", "/v1beta"}};
    for (const auto& [type, below] : ways) {
        const std::string base = "http://127.0.0.1:1/tenant-a" + below;
        for (const auto model : escaping)
            BOOST_TEST(reason_of(type, base, model) == "rejected", base << " " << model);
        for (const auto* const model : {"gpt-4o", "models/gemini-pro", "a..b/.c/d.", "a b:c@d;"})
            BOOST_TEST(reason_of(type, base, model) == "unreachable", base << " " << model);
    }
    // Where it is no part of a path it may be anything.
    for (const auto model : escaping)
        BOOST_TEST(reason_of("generic-compatible", "http://127.0.0.1:1/v1", model) ==
                   "unreachable");
}
} // namespace
