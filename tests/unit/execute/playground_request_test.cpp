// The playground's requests, and the frames that answer them.
#include "execute/check.hpp"
#include "execute/event_frames.hpp"
#include "execute/playground/playground_request.hpp"
#include "tests/unit/execute/support.hpp"
#include "tests/unit/pipeline/support.hpp"
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
using namespace usershell::execute;
namespace {
std::string body_of(const std::string& members) {
    return R"({"providerId":")" + some_provider().text() + (members.empty() ? "\"" : "\",") +
           members + "}";
}
std::string history(const std::string& entries) { return R"("history":[)" + entries + "]"; }
const std::string line = R"({"role":"user","content":"x"})";
const std::string hi = R"("message":"hi",)";
std::string json_text(const std::string& text) {
    return boost::json::serialize(boost::json::string{text});
}
std::string message_of(const std::string& text) { return R"("message":)" + json_text(text); }
PlaygroundRequest asked(const std::string& members) {
    return read_playground_request(web::JsonBody::parse(body_of(members)));
}
void all_are(const std::string& outcome, const std::vector<std::string>& bodies) {
    for (const auto& body : bodies)
        BOOST_TEST(outcome_of([&] { read_playground_request(web::JsonBody::parse(body)); }) ==
                       outcome,
                   body);
}
void chats_are(const std::string& outcome, const std::vector<std::string>& all,
               const opener::CallProvider& provider = bare_provider()) {
    for (const auto& members : all)
        BOOST_TEST(outcome_of([&] { chat_of(asked(members), provider); }) == outcome,
                   members.substr(0, 60));
}
opener::CallProvider search_provider() {
    opener::CallProvider provider = bare_provider();
    provider.type = find_provider_type("tavily");
    provider.enabled_models.clear();
    return provider;
}

BOOST_AUTO_TEST_CASE(types_of_fields) {
    all_are("missing_field providerId",
            {"{}", R"({"message":"hi"})", R"({"providerId":""})", R"({"providerId":null})"});
    all_are("invalid_field providerId", {R"({"providerId":1})"});
    all_are("not_found", {R"({"providerId":"1234"})"});
    all_are("invalid_field message", {R"({"providerId":"1234","message":1})"});
    const std::pair<std::string, std::string> wrong[] = {
        {"message", R"(["x"])"}, {"modelId", "7"},           {"stream", R"("true")"},
        {"reasoning", "1"},      {"system", "{}"},           {"history", "{}"},
        {"maxTokens", "1.5"},    {"temperature", R"("hot")"}};
    for (const auto& [field, value] : wrong)
        all_are("invalid_field " + field,
                {body_of(std::string{"\""}.append(field).append("\":").append(value))});
    const auto most = line + repeated("," + line, rules::max_history - 1);
    const auto too_many = most + "," + line;
    for (const std::string& entries :
         {R"("x")"s, "{}"s, R"({"role":"user"})"s, R"({"role":"user","content":1})"s,
          R"({"role":"system","content":"x"})"s, R"({"role":"User","content":"x"})"s, too_many})
        all_are("invalid_field history", {body_of(history(entries))});
    all_are("served",
            {body_of(""), body_of(history("") + R"(,"else":{"x":[1]})"), body_of(history(most))});
}

BOOST_AUTO_TEST_CASE(everything_asked_for_is_in_the_call) {
    const auto chat = chat_of(
        asked(
            R"("modelId":"second/x","message":" Hi\nthere ","system":"Be brief.","stream":true,"reasoning":true,)"
            R"("temperature":0.5,"maxTokens":100,"history":[{"role":"user","content":"a"},)"
            R"({"role":"assistant","content":"b"}])"),
        bare_provider());
    BOOST_TEST(chat.model == "second/x");
    BOOST_TEST(chat.system == "Be brief.");
    BOOST_TEST((chat.stream && chat.reasoning && !chat.check));
    BOOST_TEST(chat.temperature.value() == 0.5);
    BOOST_TEST(chat.max_tokens.value() == 100U);
    std::string said;
    for (const auto& [role, content, images] : chat.messages)
        said +=
            (role == adapters::ChatMessage::Role::user ? "user:" : "assistant:") + content + "|";
    BOOST_TEST(said == "user:a|assistant:b|user: Hi\nthere |");
}

BOOST_AUTO_TEST_CASE(what_is_left_out_is_left_to_the_provider) {
    const auto chat = chat_of(asked(hi + R"("modelId":"")"), bare_provider());
    BOOST_TEST(chat.model == "first");
    BOOST_TEST((!chat.stream && !chat.reasoning && !chat.temperature && !chat.max_tokens));
    BOOST_TEST((chat.system.empty() && chat.messages.size() == 1U));
}

// The bounds themselves: rules_test.cpp.
BOOST_AUTO_TEST_CASE(values) {
    chats_are("missing_field message", {"", message_of(""), message_of(" \n\t\xe3\x80\x80")});
    const std::string longest(32768, 'x'), too_long = json_text(longest + "x");
    chats_are("served",
              {message_of("x"), message_of("a\tb\r\nc"), message_of(longest),
               message_of(repeated("\xc3\xa4", 32768 / 2)), hi + R"("temperature":0)",
               hi + R"("temperature":2)", hi + R"("maxTokens":1)", hi + R"("maxTokens":1000000)",
               hi + R"("modelId":"first")", hi + R"("modelId":"second/x")"});
    chats_are("invalid_field message", {R"("message":)" + too_long, message_of("a\u0085b")});
    chats_are("invalid_field system", {hi + R"("system":)" + too_long});
    chats_are("invalid_field history",
              {hi + history(R"({"role":"user","content":)" + too_long + "}")});
    chats_are("invalid_field temperature",
              {hi + R"("temperature":2.01)", hi + R"("temperature":-0.01)"});
    chats_are("invalid_field maxTokens",
              {hi + R"("maxTokens":0)", hi + R"("maxTokens":-1)", hi + R"("maxTokens":1000001)"});
    chats_are("invalid_field modelId", {hi + R"("modelId":"third")", hi + R"("modelId":"First")",
                                        hi + R"("modelId":" first")"});
}

BOOST_AUTO_TEST_CASE(state_comes_after_values) {
    opener::CallProvider inactive = bare_provider(), no_model = bare_provider(),
                         neither = bare_provider();
    inactive.is_active = neither.is_active = false;
    no_model.enabled_models.clear();
    neither.enabled_models.clear();
    const std::string message = message_of("hi");
    chats_are("provider_inactive", {message}, inactive);
    chats_are("provider_inactive", {message}, neither);
    chats_are("missing_field message", {R"("message":"")"}, inactive);
    chats_are("invalid_field modelId", {hi + R"("modelId":"third")"}, inactive);
    chats_are("no_enabled_model", {message}, no_model);
    chats_are("invalid_field modelId", {hi + R"("modelId":"first")"}, no_model);
    chats_are("invalid_field temperature", {hi + R"("temperature":9)"}, no_model);
}

std::string image(const std::string& type, const std::string& data) {
    return R"({"type":"image/)" + type + R"(","data":")" + data + "\"}";
}
std::string images(const std::string& all) { return R"("images":[)" + all + "]"; }
const std::string some_png = image("png", "iVBORw0KGgo=");
bool first_sees(const std::string& model) { return model == "first"; }
/// Of the provider whose first model alone reads images.
std::string outcome_with(const std::string& members, const Sees& sees = first_sees,
                         const opener::CallProvider& provider = bare_provider()) {
    return outcome_of([&] {
        const auto body = web::JsonBody::parse(body_of(members));
        chat_of(read_playground_request(body), provider, sees);
    });
}

BOOST_AUTO_TEST_CASE(images_are_in_the_messages_of_the_user) {
    const auto body = web::JsonBody::parse(
        body_of(hi + images(some_png + "," + image("webp", "UklGRgAAAABXRUJQ")) + "," +
                history(R"({"role":"user","content":"a",)" + images(image("jpeg", "/9j/")) +
                        R"(},{"role":"assistant","content":"b","images":null})")));
    const auto chat = chat_of(read_playground_request(body), bare_provider(), first_sees);
    std::string said;
    for (const auto& message : chat.messages)
        for (const auto& each : message.images)
            said +=
                message.content + " " + std::string{each.type} + " " + std::string{each.data} + "|";
    BOOST_TEST(said ==
               "a image/jpeg /9j/|hi image/png iVBORw0KGgo=|hi image/webp UklGRgAAAABXRUJQ|");
    const auto wordless = web::JsonBody::parse(body_of(message_of(" \n") + "," + images(some_png)));
    const auto asks = chat_of(read_playground_request(wordless), bare_provider(), first_sees);
    BOOST_TEST((asks.messages.back().content.empty() && has_images(asks)));
}

BOOST_AUTO_TEST_CASE(what_is_no_image_is_refused) {
    for (const std::string& wrong : {"1"s,
                                     "{}"s,
                                     R"({"type":"image/png"})"s,
                                     R"({"type":1,"data":"iVBORw0KGgo="})"s,
                                     image("gif", "R0lGODlh"),
                                     image("PNG", "iVBORw0KGgo="),
                                     image("png", ""),
                                     image("png", "===="),
                                     image("png", "iVBORw0KGgo"),
                                     image("png", "iVBORw0KGgp="),
                                     image("png", "iVBORw0K GgoAAAA"),
                                     image("png", "iVBORw0K\\nGgo="),
                                     image("png", "iVBORw0KGg-="),
                                     image("png", "iVBORw0KGgo" + repeated("A", 4083) + "==AAAA"),
                                     image("png", "iVBO"),
                                     image("png", "iVBORw0KGgE="),
                                     image("png", "/9j/"),
                                     image("jpeg", "iVBORw0KGgo="),
                                     image("jpeg", "/9g="),
                                     image("webp", "UklGRgAAAABXQVZF"),
                                     image("webp", "UklGRg==")}) {
        BOOST_TEST(outcome_with(hi + images(wrong)) == "invalid_field images", wrong);
        BOOST_TEST(outcome_with(hi + history(R"({"role":"user","content":"a",)" + images(wrong) +
                                             "}")) == "invalid_field history",
                   wrong);
    }
    const auto four = some_png + repeated("," + some_png, rules::max_images - 1);
    BOOST_TEST(outcome_with(hi + images(four)) == "served");
    BOOST_TEST(outcome_with(hi + images(four + "," + some_png)) == "invalid_field images");
    BOOST_TEST(outcome_with(hi + R"("images":{})") == "invalid_field images");
    BOOST_TEST(outcome_with(hi + history(R"({"role":"user","content":"a","images":{}})")) ==
               "invalid_field history");
    BOOST_TEST(outcome_with(hi + history(R"({"role":"assistant","content":"a",)" + images("") +
                                         "}")) == "invalid_field history");
}

BOOST_AUTO_TEST_CASE(images_have_bounds) {
    // Of as many bytes as there may be, and of one more.
    std::string data = "iVBORw0KGgo" + std::string((rules::max_image_bytes + 2) / 3 * 4 - 11, 'A');
    const std::string too_large = image("png", data);
    data.back() = '=';
    const std::string largest = image("png", data);
    BOOST_TEST(outcome_with(hi + images(too_large)) == "invalid_field images");
    const std::string most = hi + images(largest + repeated("," + largest, 3));
    BOOST_TEST(outcome_with(most) == "served");
    BOOST_TEST(outcome_with(most + "," +
                            history(R"({"role":"user","content":"a",)" + images(some_png) + "}")) ==
               "invalid_field images");
}

BOOST_AUTO_TEST_CASE(without_its_images_a_body_is_no_larger_than_others) {
    const auto outcome_at = [](const std::string& members, std::size_t bytes) {
        return outcome_of(
            [&] { read_playground_request(web::JsonBody::parse(body_of(members)), bytes); });
    };
    const std::size_t most = rules::max_large_json_body;
    BOOST_TEST(outcome_at("", most) == "served");
    BOOST_TEST(outcome_at("", most + 1) == "body_too_large");
    BOOST_TEST(outcome_at(images(some_png), most + 12) == "served");
    BOOST_TEST(outcome_at(images(some_png), most + 13) == "body_too_large");
}

BOOST_AUTO_TEST_CASE(images_go_to_models_that_read_them) {
    const std::string now = hi + images(some_png);
    const std::string before =
        hi + history(R"({"role":"user","content":"a",)" + images(some_png) + "}");
    for (const std::string& members : {now, before}) {
        BOOST_TEST(outcome_with(members) == "served");
        BOOST_TEST(outcome_with(members, {}) == "invalid_field images");
        BOOST_TEST(outcome_with(members + R"(,"modelId":"second/x")") == "invalid_field images");
        BOOST_TEST(outcome_with(members, first_sees, search_provider()) == "invalid_field images");
    }
    opener::CallProvider inactive = bare_provider(), no_model = bare_provider();
    inactive.is_active = false;
    no_model.enabled_models.clear();
    BOOST_TEST(outcome_with(now, {}, inactive) == "invalid_field images");
    BOOST_TEST(outcome_with(now, first_sees, inactive) == "provider_inactive");
    BOOST_TEST(outcome_with(now, {}, no_model) == "no_enabled_model");
    bool was_asked = false;
    outcome_with(hi + images(""), [&](const std::string&) { return was_asked = true; });
    BOOST_TEST(!was_asked);
}

BOOST_AUTO_TEST_CASE(a_search_needs_no_model) {
    const auto chat =
        chat_of(asked(message_of("weather") + R"(,"modelId":"any")"), search_provider());
    BOOST_TEST(chat.model == "");
    BOOST_TEST(chat.messages.back().content == "weather");
    opener::CallProvider inactive = search_provider();
    inactive.is_active = false;
    chats_are("provider_inactive", {message_of("hi")}, inactive);
    chats_are("missing_field message", {message_of(" ")}, search_provider());
}
} // namespace

BOOST_AUTO_TEST_CASE(a_good_result_has_four_members_and_a_bad_one_why) {
    CheckResult good;
    good.ok = true;
    good.reply = "pong \"!\"";
    good.model = "m/1";
    good.error = "left over"_en;
    good.latency_ms = 1234;
    BOOST_TEST(boost::json::serialize(check_document(good)) ==
               R"({"ok":true,"reply":"pong \"!\"","latencyMs":1234,"model":"m/1"})");
    good.credit = {"12.30", "USD"};
    BOOST_TEST(
        boost::json::serialize(check_document(good)) ==
        R"({"ok":true,"reply":"pong \"!\"","latencyMs":1234,"model":"m/1","credit":{"amount":"12.30","currency":"USD"}})");
    CheckResult bad = good;
    bad.ok = false;
    bad.error = "The provider refused the key."_en;
    BOOST_TEST(boost::json::serialize(check_document(bad)) ==
               R"({"ok":false,"error":"The provider refused the key."})");
    bad.reason = "key_refused";
    BOOST_TEST(boost::json::serialize(check_document(bad)) ==
               R"({"ok":false,"error":"The provider refused the key.","reason":"key_refused"})");
}

// A token's frame is put together by hand, as Boost.JSON writes it.
BOOST_AUTO_TEST_CASE(a_token_is_the_same_frame_without_a_document) {
    std::string text = "\u00e4\u20ac\U0001f600";
    for (int c = 0; c < 128; ++c) text += static_cast<char>(c);
    Recorder by_hand;
    Recorder by_document;
    BOOST_TEST(EventFrames{by_hand}.send_text("token", text));
    BOOST_TEST(EventFrames{by_document}.send({{"token", text}}));
    BOOST_TEST(by_hand.sent == by_document.sent);
}

BOOST_AUTO_TEST_CASE(frames_are_lines_of_json_behind_one_head) {
    Recorder caller;
    EventFrames frames{caller};
    BOOST_TEST((!frames.begun() && caller.heads.empty()));
    BOOST_TEST(frames.send({{"token", "a\nb\r\n\"c\" ä"}}));
    BOOST_TEST(frames.send({{"done", true}, {"model", "m"}}));
    BOOST_TEST(frames.begun());
    BOOST_TEST(caller.sent == "data: {\"token\":\"a\\nb\\r\\n\\\"c\\\" ä\"}\n\n"
                              "data: {\"done\":true,\"model\":\"m\"}\n\n");
    BOOST_REQUIRE(caller.heads.size() == 1U);
    BOOST_TEST(caller.heads[0].status == 200);
    BOOST_TEST(only_header(caller.heads[0], "Content-Type") == "text/event-stream; charset=utf-8");
    BOOST_TEST(only_header(caller.heads[0], "Cache-Control") == "no-store");
}

BOOST_AUTO_TEST_CASE(silence_longer_than_the_patience_is_broken_by_a_comment) {
    Recorder caller;
    EventFrames frames{caller, std::chrono::seconds{0}};
    frames.keep_alive();
    BOOST_TEST(frames.begun());
    BOOST_TEST(!frames.has_sent());
    frames.send({{"token", "a"}});
    BOOST_TEST(frames.has_sent());
    frames.keep_alive();
    BOOST_TEST(caller.heads.size() == 1U);
    BOOST_TEST(caller.sent == ": ping\n\ndata: {\"token\":\"a\"}\n\n: ping\n\n");
}

BOOST_AUTO_TEST_CASE(shorter_silence_is_kept) {
    Recorder caller;
    EventFrames frames{caller, std::chrono::hours{1}};
    frames.keep_alive();
    BOOST_TEST(!frames.begun());
    frames.send({{"token", "a"}});
    frames.keep_alive();
    BOOST_TEST(caller.sent == "data: {\"token\":\"a\"}\n\n");
}

BOOST_AUTO_TEST_CASE(a_caller_who_has_gone_is_noticed) {
    Recorder caller{1};
    EventFrames frames{caller};
    BOOST_TEST(frames.send({{"token", "a"}}));
    BOOST_TEST(!frames.send({{"token", "b"}}));
    BOOST_TEST(!frames.send({{"token", "c"}}));
    BOOST_TEST(frames.begun());
}
