// A tool's request: its model, and what its token does not allow.
#include "execute/relay/model_names.hpp"
#include "execute/relay/relay_body.hpp"
#include "execute/relay/token_call.hpp"
#include "tests/unit/test.hpp"

#include <zlib.h>
#include <zstd.h>
using namespace usershell::execute;
namespace {
opener::BodyLimits token(bool has_model_limit = false, bool may_use_stored_objects = false) {
    return {.may_use_stored_objects = may_use_stored_objects, .has_model_limit = has_model_limit};
}
/// The model's text in the body, or the refusal's code and field.
std::string model_in(std::string_view body, opener::BodyLimits given = token(),
                     RelayRoute route = RelayRoute::responses) {
    try {
        const RelayBody read = read_relay_body(body, route);
        require_allowed(read, given);
        return std::string{body.substr(read.model_at, read.model_size)};
    } catch (const Refusal& refusal) {
        return std::string{name_of(refusal.code())} + " " + refusal.field();
    }
}
opener::TokenProvider provider(const std::string& handle, std::vector<std::string> models,
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
    for (const auto& [body, model] : table)
        BOOST_TEST(model_in(body, token(false, true)) == model, body);
}
BOOST_AUTO_TEST_CASE(a_name_ends_where_every_parser_ends_it) {
    for (const std::string_view name :
         {R"("model\u0000")", R"("mod\u0000el")", R"("\u0001x")", R"("x\u007f")",
          R"("\u202emodel")", "\"mod\xff\x65l\"", R"("model\n")"})
        for (const auto given : {token(true, true), token(), token(false, true)}) {
            const std::string body = R"({"model":"a",)" + std::string{name} + ":\"b\"}";
            BOOST_TEST(model_in(body, given).starts_with("invalid_field "), body);
        }
    // A tool's arguments are data.
    BOOST_TEST(model_in(R"({"model":"a","messages":[{"function_call":{"arguments":{"x\n":1}}}]})",
                        token(true), RelayRoute::chat) == R"("a")");
}

namespace {
constexpr std::string_view routes[] = {"chat",    "completions", "embeddings",   "responses",
                                       "compact", "messages",    "count_tokens", "images",
                                       "speech",  "rerank"};
RelayRoute route_of(std::string_view word) {
    return static_cast<RelayRoute>(std::ranges::find(routes, word) - std::begin(routes));
}
/// The rest of a body, after its model.
std::string body_with(std::string_view members) {
    return R"({"model":"a",)" + std::string{members} + "}";
}
} // namespace

BOOST_AUTO_TEST_CASE(a_limited_token_has_no_other_way_to_a_model) {
    const std::pair<std::string_view, std::string_view> table[] = {
        {"chat", R"("models":["b"])"},
        {"chat", R"("FALLBACKS":[])"},
        {"chat", R"("route":"x")"},
        {"chat", R"("pre\u0073et":"x")"},
        {"chat", R"("plugin\u017f":[])"},
        {"chat", R"("unknown":"b")"},
        {"chat", R"("extra_body":{"model":"b"})"},
        {"chat", R"("providerOptions":{"gateway":{"models":["b"]}})"},
        {"chat", R"("user_config":{"model_list":[]})"},
        {"chat", R"("metadata":{"mod\u0065l":"b"})"},
        {"chat", R"("metadata":{"x":{"model":"b"}})"},
        {"chat", R"("metadata":[{"models":["b"]}])"},
        {"chat", R"("temperature":{"model":"b"})"},
        {"chat", R"("stop":[{"model":"b"}])"},
        {"chat", R"("stream_options":{"model":"b"})"},
        {"chat", R"("reasoning":{"model":"b"})"},
        {"chat", R"("provider":{"order":[{"model":"b"}]})"},
        {"chat", R"("messages":[{"role":"user","content":[{"type":"text","model":"b"}]}])"},
        {"chat", R"("messages":[{"role":"user","x":{"model":"b"}}])"},
        {"chat", R"("tools":[{"type":"t","model":"b"}])"},
        {"chat", R"("tools":[{"type":"openrouter:subagent","parameters":{"model":"b"}}])"},
        {"chat", R"("tools":[{"parameters":{"model":"b"},"type":"openrouter:fusion"}])"},
        {"chat", R"("tools":[{"type":"function","parameters":{},"TYPE":"openrouter:fusion"}])"},
        {"chat", R"("tools":[{"typ\u0065":"openrouter:advisor"}])"},
        {"chat", R"("tools":[{"type":"web_search","parameters":{"model":"b"}}])"},
        {"chat", R"("tools":[{"type":"function","function":{"name":"f","model":"b"}}])"},
        {"chat", R"("tool_choice":{"type":"function","model":"b"})"},
        {"responses", R"("tools":[{"type":"image_generation","model":"b"}])"},
        {"responses", R"("tools":[{"type":"image_generation"}])"},
        {"messages", R"("tools":[{"type":"advisor_20260301","name":"advisor"}])"},
        {"messages", R"("fallbacks":[{"model":"b"}])"},
        {"embeddings", R"("input":[{"text":"x","model":"b"}])"},
        {"completions", R"("messages":[])"},
        {"images", R"("image_loras":[{"path":"b"}])"},
        {"images", R"("messages":[])"},
        {"images", R"("prompt":{"model":"b"})"},
        {"speech", R"("voice":{"model":"b"})"},
        {"speech", R"("extra_body":{"model":"b"})"},
        {"rerank", R"("query":{"model":"b"})"},
        {"rerank", R"("models":["b"])"},
    };
    for (const auto& [route, members] : table) {
        const std::string body = body_with(members);
        BOOST_TEST(model_in(body, token(true, true), route_of(route)).starts_with("invalid_field "),
                   body);
        BOOST_TEST(model_in(body, token(false, true), route_of(route)) == R"("a")", body);
    }
}

BOOST_AUTO_TEST_CASE(stored_objects_are_for_tokens_that_may_use_them) {
    const std::pair<std::string_view, std::string_view> table[] = {
        {"responses", R"("previous_response_id":"r")"},
        {"responses", R"("conversation":{"id":"c"})"},
        {"responses", R"("background":true)"},
        {"compact", R"("previous_response_id":"r")"},
        {"compact", R"("input":[{"type":"item_reference","id":"i"}])"},
        {"responses", R"("prompt":{"id":"p"})"},
        {"responses", R"("extra_body":{"previous_response_id":"r"})"},
        {"responses", R"("input":[{"type":"item_reference","id":"i"}])"},
        {"responses", R"("input":[{"type":"item\u005freference","id":"i"}])"},
        {"responses", R"("input":[{"type":"ITEM_REFERENCE","id":"i"}])"},
        {"responses", R"("input":[{"id":"i"}])"},
        {"responses", R"("input":[{"type":null,"id":"i"}])"},
        {"responses", R"("input":[{"id":"i","role":"user"}])"},
        {"responses", R"("input":[{"id":"i","role":"user","content":null}])"},
        {"responses", R"("input":[{"id":"i","role":"user","content":"x","content":null}])"},
        {"responses", R"("input":[{"type":"reasoning","id":"rs_1","summary":[]}])"},
        {"responses", R"("input":[{"type":"image_generation_call","id":"ig_1"}])"},
        {"responses",
         R"("input":[{"role":"user","content":[{"type":"input_file","file_id":"f"}]}])"},
        {"responses",
         R"("input":[{"role":"user","content":[{"type":"input_file","f\u0069le_id":"f"}]}])"},
        {"responses",
         R"("input":[{"role":"user","content":[{"type":"input_image","image_url":"file-1"}]}])"},
        {"responses", R"("input":[{"type":"computer_call_output","output":{"file_id":"f"}}])"},
        {"responses", R"("input":[{"type":"code_interpreter_call","container_id":"c"}])"},
        {"responses", R"("tools":[{"type":"file_search","vector_store_ids":["v"]}])"},
        {"responses", R"("tools":[{"type":"code_interpreter","container":"c"}])"},
        {"responses", R"("tools":[{"type":"code_interpreter","container":{"file_ids":["f"]}}])"},
        {"responses", R"("tools":[{"type":"code_interpreter","parameters":{"container":"c"}}])"},
        {"responses", R"("tools":[{"type":"shell","environment":{"container_id":"c"}}])"},
        {"chat", R"("messages":[{"role":"assistant","audio":{"id":"a"}}])"},
        {"chat", R"("messages":[{"content":[{"type":"file","file":{"file_id":"f"}}]}])"},
        {"chat",
         R"("messages":[{"content":[{"type":"file","file":{"type":"code_execution_output","file_id":"f"}}]}])"},
        {"chat", R"("messages":[{"content":[{"type":"image_url","image_url":{"url":"ms://f"}}]}])"},
        {"chat", R"("audio":{"voice":{"id":"v"}})"},
        {"chat", R"("metadata":{"file_id":"f"})"},
        {"chat", R"("extra_body":{"google":{"cached_content":"c"}})"},
        {"speech", R"("voice":{"id":"v"})"},
        {"images", R"("image":"file-1")"},
        {"images", R"("image":["file-1"])"},
        {"images", R"("image":{"file_id":"f"})"},
        {"rerank", R"("file_ids":["f"])"},
        {"messages", R"("container":"c")"},
        {"messages", R"("container":{"skills":[{"skill_id":"s"}]})"},
        {"messages", R"("messages":[{"content":[{"type":"container_upload","file_id":"f"}]}])"},
        {"messages",
         R"("messages":[{"content":[{"type":"image","source":{"type":"file","file_id":"f"}}]}])"},
        {"messages",
         R"("messages":[{"content":[{"type":"tool_result","content":[{"source":{"file_id":"f"}}]}]}])"},
        {"messages", R"("system":[{"type":"document","source":{"file_id":"f"}}])"},
    };
    for (const auto& [route, members] : table) {
        const std::string body = body_with(members);
        BOOST_TEST(model_in(body, token(), route_of(route)).starts_with("invalid_field "), body);
        BOOST_TEST(model_in(body, token(false, true), route_of(route)) == R"("a")", body);
    }
}

BOOST_AUTO_TEST_CASE(what_names_nothing_passes_with_every_token) {
    const std::pair<std::string_view, std::string_view>
        table[] =
            {
                {"responses",
                 R"("previous_response_id":null,"background":false,"conversation":null)"},
                {"responses",
                 R"("input":[{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AA","file_id":null}]}])"},
                {"responses",
                 R"("input":"hi","tools":[{"type":"code_interpreter","container":{"type":"auto","file_ids":[]}}])"},
                {"responses",
                 R"("input":[{"id":"m","role":"assistant","content":[{"type":"output_text","text":"x","annotations":[{"type":"file_citation","file_id":"f"}]}]}])"},
                {"responses",
                 R"("input":[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"},{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{\"file_id\":\"x\"}"},{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"{}"}]}])"},
                {"responses",
                 R"("tools":[{"type":"function","name":"f","parameters":{"properties":{"model":{},"file_id":{}}}},{"type":"custom","name":"p","format":{"type":"grammar"}},{"type":"web_search","user_location":{"type":"approximate","city":"Bern"}}],"tool_choice":"auto","text":{"format":{"type":"json_schema","schema":{"model":{}}}})"},
                {"chat",
                 R"("tools":[{"type":"function","function":{"name":"f","parameters":{"properties":{"model":{},"file_id":{}}}}}],"tool_choice":{"type":"function","function":{"name":"f"}})"},
                {"chat",
                 R"("messages":[{"role":"assistant","content":null,"audio":null,"reasoning_content":"r","tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"f","arguments":{"file_id":"x","model":"y"}}}]}],"min_p":0.1,"repetition_penalty":1.1,"reasoning":{"effort":"low"},"chat_template_kwargs":{"enable_thinking":false},"unknown":null)"},
                {"chat",
                 R"("response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{"properties":{"model":{"type":"string"}}}}},"metadata":{"task":"x","n":1},"logit_bias":{"50256":-100})"},
                {"messages",
                 R"("system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral","ttl":"1h"}}],"metadata":{"user_id":"u"},"thinking":{"type":"enabled","budget_tokens":1024},"tools":[{"name":"f","input_schema":{"properties":{"file_id":{}}}},{"type":"bash_20250124","name":"bash"},{"type":"web_search_20250305","name":"web_search","max_uses":5}],"context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]})"},
                {"messages", R"("messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"t","name":"f","input":{"file_id":"of the person's own","model":"b"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":false,"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA"}}]}]}])"},
                {"messages",
                 R"("messages":[{"content":[{"type":"code_execution_tool_result","content":{"type":"code_execution_result","stdout":"x","return_code":0,"content":[{"type":"code_execution_output","file_id":"f"}]}}]}])"},
                {"images",
                 R"("prompt":"a cat","n":2,"size":"1024x1024","response_format":"b64_json","image":"data:image/png;base64,AA")"},
                {"speech",
                 R"("input":"hello","voice":"alloy","response_format":"mp3","speed":1.1,"instructions":"calm","stream_format":"audio")"},
                {"rerank",
                 R"("query":"q","documents":["a",{"text":"b","model":"of the person's own"}],"top_n":1,"return_documents":false)"},
                {"compact", R"("input":[{"role":"user","content":"x"}],"instructions":"i")"},
                {"completions", R"("prompt":"text","suffix":"x","max_tokens":9)"},
                {"embeddings", R"("input":["a","b"],"encoding_format":"float","dimensions":256)"},
            };
    for (const auto& [route, members] : table) {
        const std::string body = body_with(members);
        BOOST_TEST(model_in(body, token(true), route_of(route)) == R"("a")", body);
    }
}

BOOST_AUTO_TEST_CASE(the_bodies_of_known_tools_pass_with_every_token) {
    const std::pair<std::string_view, RelayRoute> table[] = {
        {"cline", RelayRoute::chat},
        {"cline_reasoning", RelayRoute::chat},
        {"continue_autocomplete", RelayRoute::completions},
        {"continue_chat", RelayRoute::chat},
        {"continue_embeddings", RelayRoute::embeddings},
        {"cursor_agent", RelayRoute::responses},
        {"cursor_chat", RelayRoute::chat},
        {"zed_chat", RelayRoute::chat},
        {"zed_messages", RelayRoute::messages},
        {"zed_responses", RelayRoute::responses},
    };
    const std::string recorded = content_of(std::filesystem::path{__FILE__}.parent_path() /
                                            "../../stack/api_clients/recorded.txt");
    for (const auto& [name, route] : table) {
        const std::string heading = "== " + std::string{name} + "\n";
        const auto at = recorded.find(heading) + heading.size();
        const auto body = recorded.substr(at, recorded.find("\n== ", at) - at);
        BOOST_TEST(model_in(body, token(true), route) == R"("MODEL")", name);
    }
}

BOOST_AUTO_TEST_CASE(a_body_tells_how_many_tokens_it_may_take) {
    const auto need = [](const std::string& body, RelayRoute route = RelayRoute::chat) {
        return read_relay_body(body, route).need;
    };
    const std::string picture(450UL * 1024, 'A');
    const std::string in_chat =
        body_with(R"("messages":[{"content":[{"image_url":{"url":"data:image/png;base64,)" +
                  picture + R"("}}]}])");
    const std::string in_messages =
        body_with(R"("messages":[{"content":[{"source":{"data":")" + picture +
                  R"(","media_type":"image/png","type":"base64"}}]}])");
    const std::string as_text =
        body_with(R"("messages":[{"content":[{"source":{"data":")" + picture +
                  R"(","media_type":"image/png","type":"text"}}]}])");
    for (const auto& body : {in_chat, in_messages}) {
        BOOST_TEST(need(body).input >= 1600);
        BOOST_TEST(need(body).input < 1700);
    }
    BOOST_TEST(need(as_text).input > 450 * 1024 / 4);
    BOOST_TEST(need(body_with(R"("max_tokens":9)")).output == 9);
    BOOST_TEST(need(body_with(R"("MAX_Tokens":9,"max_completion_tokens":"70","n":3)")).output ==
               210);
    BOOST_TEST(need(body_with(R"("max_output_tokens":1e3)"), RelayRoute::responses).output == 1000);
    BOOST_TEST(need(body_with(R"("max_tokens":1,"n_predict":5000)")).output == 5000);
    BOOST_TEST(need(body_with(R"("max_tokens":1,"options":{"num_predict":70})")).output == 70);
    for (const auto* const boundless :
         {R"("n_predict":9)", R"("max_tokens":1,"n_predict":-1)", R"("metadata":{"max_tokens":1})"})
        BOOST_TEST(need(body_with(boundless)).output == 32768, boundless);
    BOOST_TEST(need(body_with(R"("max_tokens":9,"thinking_budget":70,"n":2)")).output == 158);
    BOOST_TEST(need(body_with(R"("max_tokens":9,"enable_thinking":true)")).output == 32777);
    for (const auto& [prompt, made] : {std::pair{R"("a,b")", 9},
                                       {R"([1,2,3])", 9},
                                       {R"(["a\",b", "c"])", 18},
                                       {R"([[1,2],[3],[4]])", 27}})
        BOOST_TEST(need(R"({"model":"a","max_tokens":9,"prompt":)" + std::string{prompt} + "}",
                        RelayRoute::completions)
                           .output == made,
                   prompt);
    BOOST_TEST(need(body_with(R"("prompt":"x","batch_size":4)"), RelayRoute::images).output ==
               4 * 6'240);
    for (const auto* const none : {R"("x":1)", R"("max_tokens":null)", R"("max_tokens":-1)"})
        BOOST_TEST(need(body_with(none)).output == 32768);
    BOOST_TEST(need(body_with(R"("max_tokens":1e300,"n":1e300)")).output == 1'000'000'000);
    BOOST_TEST(need(body_with(R"("input":"x")"), RelayRoute::embeddings).output == 0);
    for (const auto route : {RelayRoute::speech, RelayRoute::rerank})
        BOOST_TEST(need(body_with(R"("input":"x","max_tokens":9)"), route).output == 0);
    BOOST_TEST(need(body_with(R"("prompt":"x")"), RelayRoute::images).output == 6240);
    BOOST_TEST(need(body_with(R"("prompt":"x","n":3)"), RelayRoute::images).output == 18720);
    const auto counted = need(body_with(R"("max_tokens":9)"), RelayRoute::count_tokens);
    BOOST_TEST((counted.input == 0 && counted.output == 0));
}

BOOST_AUTO_TEST_CASE(a_name_means_one_model_or_none) {
    const std::vector providers{
        provider("one", {"m", "both", "off", "v@1"}, {"m", "both", "v@1"}),
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
        {"m@one", RelayRoute::chat, "one m"},
        {"both@one", RelayRoute::chat, "one both"},
        {"both@r", RelayRoute::chat, "r both"},
        {"x/y@r", RelayRoute::chat, "r x/y"},
        {"v@1@one", RelayRoute::chat, "one v@1"},
        {"v@1", RelayRoute::chat, "one v@1"},
        {"m@one@one", RelayRoute::chat, "not_found"},
        {"m@none", RelayRoute::chat, "not_found"},
        {"c@claudia", RelayRoute::messages, "claudia c"},
        {"off@one", RelayRoute::chat, "not_found"},
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
            const auto of =
                std::ranges::find(providers, named.provider, &opener::TokenProvider::id);
            outcome = of->handle + " " + named.model;
        } catch (const Refusal& refusal) {
            outcome = name_of(refusal.code());
        }
        BOOST_TEST(outcome == found, name);
    }
    std::string listed;
    for (const ListedModel& model : list_models(providers, RelayRoute::chat))
        listed += model.name + " ";
    BOOST_TEST(listed == "m both@one v@1 gpt openai/gpt@r both@r x/y ");
    const std::pair<std::string_view, bool> asked[] = {
        {"m", true},    {"one/m", true}, {"both@r", true},     {"both", false},
        {"off", false}, {"c", false},    {"idle-model", false}};
    for (const auto& [name, is_there] : asked) {
        const auto found = listed_model(providers, name, RelayRoute::chat);
        BOOST_TEST((found.has_value() == is_there && (!found || found->name == name)), name);
    }
}
namespace {
std::string pressed(std::string_view text, int window, int level = 6) {
    z_stream stream{};
    ::deflateInit2(&stream, level, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);
    std::string out(text.size() + 1000, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    ::deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    ::deflateEnd(&stream);
    return out;
}
std::string pressed_by_zstd(std::string_view text, int window_log = 0) {
    ZSTD_CCtx* const context = ::ZSTD_createCCtx();
    if (window_log > 0) ::ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
    std::string out(::ZSTD_compressBound(text.size()), '\0');
    out.resize(::ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
    ::ZSTD_freeCCtx(context);
    return out;
}
/// The size of what is decoded, or the refusal's code.
std::string decoding(std::string_view body, ContentCoding coding, std::size_t memory = 1U << 28U) {
    try {
        return std::to_string(decoded(body, coding, std::size_t{32} << 20U, [&](std::size_t bytes) {
                                  return bytes <= memory;
                              }).size());
    } catch (const Refusal& refusal) {
        return std::string{name_of(refusal.code())};
    }
}
} // namespace
BOOST_AUTO_TEST_CASE(a_pressed_body_is_read_as_it_was) {
    constexpr int zlib = 15, gzip = 31, raw = -15;
    const std::string text = R"({"model":"m"})";
    const std::tuple<ContentCoding, std::string> table[] = {
        {ContentCoding::gzip, pressed(text, gzip)},
        {ContentCoding::deflate, pressed(text, zlib)},
        {ContentCoding::deflate, pressed(text, raw)},
        {ContentCoding::zstd, pressed_by_zstd(text)},
    };
    for (const auto& [coding, body] : table) {
        BOOST_TEST(decoded(body, coding, 1000, [](std::size_t) { return true; }) == text);
        BOOST_TEST(decoding(body, coding, 1000) == "unavailable");
        for (std::size_t cut = 0; cut < body.size(); ++cut)
            BOOST_TEST(decoding(body.substr(0, cut), coding) == "malformed_json", cut);
        BOOST_TEST(decoding(body + "x", coding) == "malformed_json");
    }
    BOOST_TEST(decoding(text, ContentCoding::gzip) == "malformed_json");
    BOOST_TEST(decoding(pressed(text, gzip) + pressed(text, gzip), ContentCoding::gzip) == "26");
    BOOST_TEST(decoding(pressed_by_zstd(text) + pressed_by_zstd(text), ContentCoding::zstd) ==
               "26");
}
BOOST_AUTO_TEST_CASE(a_pressed_body_grows_within_bounds) {
    const std::string plain(4'000'000, 'x');
    std::string bomb, mixed; // pressed a thousand times, and four
    bomb.resize(34'000'000, 'x');
    for (std::uint32_t state = 1; mixed.size() < 34'000'000;) {
        state = state * 1664525U + 1013904223U;
        mixed += std::to_string(state >> 30U);
    }
    for (const auto& [text, found] :
         {std::pair{&plain, "4000000"}, {&bomb, "body_too_large"}, {&mixed, "body_too_large"}}) {
        BOOST_TEST(decoding(pressed(*text, 31, 1), ContentCoding::gzip) == found);
        BOOST_TEST(decoding(pressed_by_zstd(*text), ContentCoding::zstd) == found);
    }
    const std::string most = mixed.substr(0, std::size_t{32} << 20U);
    BOOST_TEST(decoding(pressed(most, 31, 1), ContentCoding::gzip) == "33554432");
    BOOST_TEST(decoding(pressed_by_zstd(most), ContentCoding::zstd) == "33554432");
    BOOST_TEST(decoding(pressed_by_zstd(most, 24), ContentCoding::zstd) == "malformed_json");
}
BOOST_AUTO_TEST_CASE(a_coding_is_known_or_refused) {
    const std::pair<std::optional<std::string_view>, ContentCoding> table[] = {
        {std::nullopt, ContentCoding::none}, {"", ContentCoding::none},
        {"identity", ContentCoding::none},   {" GZip ", ContentCoding::gzip},
        {"x-gzip", ContentCoding::gzip},     {"deflate", ContentCoding::deflate},
        {"zstd", ContentCoding::zstd}};
    for (const auto& [header, coding] : table) BOOST_TEST((coding_of(header) == coding));
    for (const char* const header : {"br", "gzip, zstd", "compress", "zstd;q=1", "aes128gcm"})
        BOOST_CHECK_EXCEPTION(coding_of(header), Refusal, [](const Refusal& refusal) {
            return refusal.status() == 415 && has(refusal.sentence().english(), "Content-Encoding");
        });
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

BOOST_AUTO_TEST_CASE(what_is_stored_has_names_that_are_texts) {
    const std::pair<std::string_view, std::string_view> stored[] = {
        {"chat", R"("messages":[{"role":"system","content":"fileid://file-1"}])"},
        {"chat", R"("messages":[{"role":"user","content":"\u0066ileid://file-1"}])"},
        {"chat", R"("messages":[{"content":" \n FileID://a,fileid://b","role":"system"}])"},
        {"chat", R"("messages":[{"role":"system","content":["fileid://file-1"]}])"},
        {"chat",
         R"("messages":[{"role":"system","content":[{"type":"text","text":"fileid://f"}]}])"},
        {"chat",
         R"("messages":[{"role":"system","content":[{"role":"tool","text":"fileid://f"}]}])"},
        {"chat",
         R"("messages":[{"role":"system","content":[{"type":"tool_result","text":"x-f://f"}]}])"},
        {"chat", R"("messages":[{"role":"cache","content":"tag=a"}])"},
        {"chat", R"("messages":[{"content":"tag=a","role":"C\u0061che"}])"},
        {"chat", R"("messages":[{"role":["cache"],"content":"tag=a"}])"},
        {"chat", R"("messages":[{"content":[{"input_audio":{"data":"oss://a/b"}}]}])"},
        {"chat", R"("messages":[{"content":[{"file":{"file_data":"asset://a"}}]}])"},
        {"chat", R"("messages":[{"content":[{"image_url":{"url":"https://a%2eb/c"}}]}])"},
        {"chat", R"("messages":[{"content":[{"image_url":{"url":"https://a@b/c"}}]}])"},
        {"chat", R"("audio":{"voice":"voice_1234"})"},
        {"chat", R"("deferred":true)"},
        {"responses", R"("input":"fileid://f")"},
        {"responses", R"("instructions":"fileid://f")"},
        {"messages", R"("system":"fileid://f")"},
        {"messages", R"("system":[{"type":"text","text":"fileid://f"}])"},
        {"speech", R"("voice":"speech:ada:clzkyf4vy00e5qr6hqum4u84c:ttjnyzzwxlvavyzcxysz")"},
        {"speech", R"("voice":"voice_clone_20240315_143052_001")"},
        {"speech", R"("voice":"cosyvoice-v2-ada-b3f9e6e0a1")"},
        {"speech", R"("voice":"qwen-tts-vc-ada-voice-2025")"},
        {"speech", R"("voice":"a0e99841-438c-4a64-b679-ae501e7d6091")"},
    };
    for (const auto& [route, members] : stored) {
        const std::string body = body_with(members);
        BOOST_TEST(model_in(body, token(), route_of(route)).starts_with("invalid_field "), body);
        BOOST_TEST(model_in(body, token(false, true), route_of(route)) == R"("a")", body);
    }
    const std::string long_one(5000, 'x');
    BOOST_TEST(model_in(body_with(R"("messages":[{"role":"system","content":"\u0066ileid://f,)" +
                                  long_one + R"("}])"),
                        token(), RelayRoute::chat) == "invalid_field content");
    const std::pair<std::string_view, std::string_view> others[] = {
        {"chat", R"("messages":[{"role":"user","content":"https://a.example/b says fileid://c"}])"},
        {"chat", R"("messages":[{"role":"user","content":"postgresql+psycopg://h/d fails"}])"},
        {"chat", R"("messages":[{"role":"user","content":"file:///home/ada: what is it?"}])"},
        {"chat", R"("messages":[{"role":"tool","content":"fileid://f"}])"},
        {"chat", R"("messages":[{"role":"assistant","content":"app://x","name":null}])"},
        {"messages",
         R"("messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"app://x"}]}]}])"},
        {"responses",
         R"("input":[{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"app://x"}]}])"},
        {"chat", R"("metadata":{"role":"admin","text":"app://x"})"},
        {"chat",
         R"("messages":[{"role":"USER","content":[{"type":"image_url","image_url":{"url":"https://a.example/c@2x.png"}}]}])"},
        {"embeddings", R"("input":"app://x")"},
        {"speech", R"("voice":"FunAudioLLM/CosyVoice2-0.5B:alex")"},
        {"speech", R"("voice":"af_bella(2)+af_v0nicole")"},
        {"speech", R"("voice":"longxiaochun_v2")"},
        {"speech", R"("voice":"en-US-Wavenet2")"},
        {"speech", R"("voice":"Calm Lady")"},
        {"images", R"("prompt":"x","background":"transparent")"},
    };
    for (const auto& [route, members] : others) {
        const std::string body = body_with(members);
        BOOST_TEST(model_in(body, token(true), route_of(route)) == R"("a")", body);
    }
}

BOOST_AUTO_TEST_CASE(a_file_at_the_providers_own_host_is_stored_there) {
    const auto outcome = [](const std::string& url, opener::BodyLimits given) {
        const RelayBody body = read_relay_body(
            body_with(R"("messages":[{"content":[{"image_url":{"url":")" + url + R"("}}]}])"),
            RelayRoute::chat);
        try {
            require_allowed(body, given);
            require_other_hosts(body, "api.example", given);
            return "ok"s;
        } catch (const Refusal& refusal) {
            return std::string{name_of(refusal.code())};
        }
    };
    for (const char* const url : {"https://api.example/v1/files/1", "HTTP://API.Example:80?a",
                                  "https://\u0061pi.example./x", "https://eu.api.example/x",
                                  "https://127.1/x", "https://api%2eexample/x"}) {
        BOOST_TEST(outcome(url, token()) == "invalid_field", url);
        BOOST_TEST(outcome(url, token(false, true)) == "ok", url);
    }
    for (const char* const url : {"https://i.example/api.example", "data:image/png;base64,AA"})
        BOOST_TEST(outcome(url, token()) == "ok", url);
}

BOOST_AUTO_TEST_CASE(a_token_with_a_limit_of_a_day_gets_its_answer_at_once) {
    opener::BodyLimits day = token(false, true);
    day.has_day_limit = true;
    for (const auto* const later : {R"("background":true)", R"("DEFERRED":true)"}) {
        BOOST_TEST(model_in(body_with(later), day).starts_with("invalid_field "), later);
        BOOST_TEST(model_in(body_with(later), token(false, true)) == R"("a")", later);
    }
    BOOST_TEST(model_in(body_with(R"("unknown":1,"background":true)"), day) ==
               "invalid_field background");
    BOOST_TEST(model_in(body_with(R"("background":false)"), day) == R"("a")");
}
