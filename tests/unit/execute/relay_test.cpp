// A tool's request: its model, and what its token does not allow.
#include "execute/relay/model_names.hpp"
#include "execute/relay/relay_body.hpp"
#include "execute/relay/user_shares.hpp"
#include "tests/unit/test.hpp"
using namespace usershell::execute;
using adapters::RelayRoute;
namespace {
store::BodyLimits token(bool has_model_limit = false, bool may_use_stored_objects = false) {
    return {.may_use_stored_objects = may_use_stored_objects, .has_model_limit = has_model_limit};
}
/// The model's text in the body, or the refusal's code and field.
std::string model_in(std::string_view body, store::BodyLimits given = token(),
                     RelayRoute route = RelayRoute::responses) {
    try {
        const RelayBody read = read_relay_body(body, route, given);
        return std::string{body.substr(read.model_at, read.model_size)};
    } catch (const Refusal& refusal) {
        return std::string{name_of(refusal.code())} + " " + refusal.field();
    }
}
store::TokenProvider provider(const std::string& handle, std::vector<std::string> models,
                              std::vector<std::string> allowed, std::string_view type = "openai") {
    const bool is_active = !allowed.empty();
    return {.id = ProviderId::parse("00000000-0000-4000-8000-00000000000" +
                                    std::to_string(handle.size()))
                      .value(),
            .handle = handle,
            .type = find_provider_type(type),
            .is_active = is_active,
            .models = std::move(models),
            .allowed = std::move(allowed)};
}
} // namespace
BOOST_AUTO_TEST_CASE(the_model_is_found_where_every_parser_finds_it) {
    const std::pair<std::string_view, std::string_view> table[] = {
        {R"({"model":"a/b","x":{"model":"c"}})", R"("a/b")"},
        {R"( {"x":[{"model":1}],"\u006dodel" : "\u0061"})", R"("\u0061")"},
        {R"({"model":"a","model":"b"})", "invalid_field model"},
        {R"({"model":"a","MODEL":"b"})", "invalid_field model"},
        {R"({"Model":"a"})", R"("a")"},
        {R"({"model":"a","mod\u0065l":"b"})", "invalid_field model"},
        {R"({"model":{"a":1}})", "invalid_field model"},
        {R"({"x":1})", "missing_field model"},
        {R"(["model"])", "malformed_json "},
        {R"({"model":"a")", "malformed_json "},
        {"", "malformed_json "},
    };
    for (const auto& [body, model] : table) BOOST_TEST(model_in(body) == model, body);
}
BOOST_AUTO_TEST_CASE(a_limited_token_has_no_other_way_to_a_model) {
    for (const std::string_view body :
         {R"({"model":"a","models":["b"]})", R"({"model":"a","FALLBACKS":[]})",
          R"({"model":"a","route":"x"})", R"({"model":"a","pre\u0073et":"x"})",
          R"({"model":"a","plugin\u017f":[]})",
          R"({"tools":[{"type":"t","model":"b"}],"model":"a"})"}) {
        BOOST_TEST(model_in(body, token(true)).starts_with("invalid_field "), body);
        BOOST_TEST(model_in(body, token()) == R"("a")");
    }
    // A tool's own schema chooses no model.
    BOOST_TEST(model_in(R"({"model":"a","tools":[{"parameters":{"properties":{"model":{}}}}]})",
                        token(true)) == R"("a")");
}
BOOST_AUTO_TEST_CASE(stored_objects_are_for_tokens_that_may_use_them) {
    for (const std::string_view body :
         {R"({"model":"a","previous_response_id":"r"})",
          R"({"model":"a","conversation":{"id":"c"}})", R"({"model":"a","background":true})",
          R"({"model":"a","prompt":{"id":"p"}})",
          R"({"model":"a","input":[{"type":"item_reference","id":"i"}]})",
          R"({"model":"a","input":[{"content":[{"type":"input_file","file_id":"f"}]}]})",
          R"({"model":"a","tools":[{"type":"file_search","vector_store_ids":["v"]}]})",
          R"({"model":"a","tools":[{"type":"code_interpreter","container":"c"}]})"}) {
        BOOST_TEST(model_in(body).starts_with("invalid_field "), body);
        BOOST_TEST(model_in(body, token(false, true)) == R"("a")");
    }
    for (
        const std::string_view body :
        {R"({"model":"a","previous_response_id":null,"background":false})",
         R"({"model":"a","tools":[{"container":{"type":"auto"},"input_schema":{"properties":{"file_id":{}}}}]})",
         R"({"model":"a","input":[{"type":"tool_use","input":{"file_id":"of the person's own"}}]})"})
        BOOST_TEST(model_in(body) == R"("a")", body);
    BOOST_TEST(model_in(R"({"model":"a","prompt":"text"})", token(), RelayRoute::completions) ==
               R"("a")");
}
BOOST_AUTO_TEST_CASE(a_name_means_one_model_or_none) {
    const std::vector providers{
        provider("one", {"m", "both", "off"}, {"m", "both"}),
        provider("openai", {"gpt"}, {"gpt"}),
        provider("r", {"openai/gpt", "both", "x/y"}, {"openai/gpt", "both", "x/y"}, "openrouter"),
        provider("claudia", {"c"}, {"c"}, "anthropic"),
        provider("idle", {"idle-model", "m2"}, {}),
    };
    const std::tuple<std::string_view, RelayRoute, std::string_view> table[] = {
        {"m", RelayRoute::chat, "one m"},
        {"one/m", RelayRoute::chat, "one m"},
        {"x/y", RelayRoute::chat, "r x/y"},
        {"r/openai/gpt", RelayRoute::chat, "r openai/gpt"},
        {"openai/gpt", RelayRoute::chat, "invalid_field"}, // a handle and a model, or a model
        {"both", RelayRoute::chat, "invalid_field"},
        {"off", RelayRoute::chat, "not_found"},
        {"idle/m2", RelayRoute::chat, "not_found"},
        {"none", RelayRoute::chat, "not_found"},
        {"c", RelayRoute::messages, "claudia c"},
        {"c", RelayRoute::chat, "invalid_field"}, // wrong_api
        {"m", RelayRoute::messages, "invalid_field"},
    };
    for (const auto& [name, route, found] : table) {
        std::string outcome;
        try {
            const NamedModel named = find_model(providers, name, route);
            const auto of = std::ranges::find(providers, named.provider, &store::TokenProvider::id);
            outcome = of->handle + " " + named.model;
        } catch (const Refusal& refusal) {
            outcome = name_of(refusal.code());
        }
        BOOST_TEST(outcome == found, name);
    }
    std::string listed;
    for (const ListedModel& model : list_models(providers, RelayRoute::chat))
        listed += model.name + " ";
    BOOST_TEST(listed == "one/m m one/both gpt r/openai/gpt r/both r/x/y x/y ");
}
BOOST_AUTO_TEST_CASE(a_user_takes_a_part_of_what_there_is) {
    const auto one = UserId::parse("00000000-0000-4000-8000-000000000001").value();
    const auto other = UserId::parse("00000000-0000-4000-8000-000000000002").value();
    UserShares shares{10, 6};
    UserShares::Share first{shares, one}, second{shares, one}, third{shares, other};
    BOOST_TEST((first.grow_to(4) && first.grow_to(3) && second.grow_to(2)));
    BOOST_TEST(!second.grow_to(3)); // 7 of one user
    BOOST_TEST((third.grow_to(4) && !third.grow_to(5)));
    first.give_back();
    BOOST_TEST((third.grow_to(6) && second.grow_to(4) && !second.grow_to(5)));
}
