// No copy of a key or a password stays in this process's memory after its request.
#include "pipeline/dispatch.hpp"
#include "tests/unit/freed_memory.hpp"
#include "tests/unit/pipeline/support.hpp"
using namespace usershell::pipeline;
namespace {
const std::string visitor_key(crypto::antiforgery_key_size, 'v');
/// Uses a secret as handlers do: never as a std::string.
web::Response use(RequestContext& context) {
    const crypto::Secret key{context.json.text_view("apiKey").value_or("")};
    const crypto::Secret password = context.form_secret("password");
    const std::string_view given = key.empty() ? password.reveal() : key.reveal();
    return web::Response::json(std::to_string(given.size()) +
                               crypto::base64url(crypto::token_hash("x", given)));
}
web::Response refuse(RequestContext& context) {
    use(context);
    throw invalid("apiKey", "Not this one."_en);
}
Routes table() {
    using enum web::Method;
    return {{post, "/json", SessionRoute{Access::open, Body::json, use}},
            {post, "/form", SessionRoute{Access::open, Body::form, use}},
            {post, "/multipart", SessionRoute{Access::open, Body::multipart, use}},
            {post, "/refused", SessionRoute{Access::open, Body::json, refuse}}};
}
struct Sent {
    std::string path, type;
    std::string before; ///< the secret
    std::string after;
    std::string escape{}; ///< before each third character's hexadecimal digits; empty: as it is
};
web::Request request_of(const Sent& sent, const HiddenSecret& secret) {
    web::Request made =
        request(web::Method::post, sent.path,
                {{"content-type", sent.type},
                 {"requestverificationtoken", crypto::issue_antiforgery(visitor_key)}});
    made.body.append(sent.before);
    for (std::size_t i = 0; i < secret.size(); ++i) {
        const char c = secret.at(i);
        if (sent.escape.empty() || i % 3 != 0)
            made.body.push_back(c);
        else
            made.body.append(sent.escape + hex({&c, 1}));
    }
    made.body.append(sent.after);
    return made;
}
} // namespace
BOOST_AUTO_TEST_SUITE(
    secrets, *unless_thread_sanitized("their heap lies in mappings too large to be searched"))

BOOST_AUTO_TEST_CASE(a_copy_that_is_left_is_found) {
    const HiddenSecret secret;
    BOOST_TEST(place_in_memory(secret) == "");
    {
        std::string copy;
        for (std::size_t i = 0; i < secret.size(); ++i) copy += secret.at(i);
    }
    BOOST_TEST(place_in_memory(secret) != "");
}

BOOST_AUTO_TEST_CASE(nothing_is_left_of_a_request) {
    const std::string part = "--b\r\nContent-Disposition: form-data; name=";
    const Sent rows[] = {
        {"/json", "application/json", R"({"a":[1],"apiKey":")", R"("})"},
        {"/json", "application/json", R"({"apiKey":")", R"("})", "\\u00"},
        {"/refused", "application/json", R"({"apiKey":")", R"("})"},
        {"/json", "application/json", R"({"apiKey":")", R"(","apiKey":""})"},
        {"/json", "application/json", R"({"apiKey":")", "\\"},
        {"/form", "application/x-www-form-urlencoded", "email=a&password=", "&b=%20"},
        {"/form", "application/x-www-form-urlencoded", "password=", "", "%"},
        {"/form", "application/x-www-form-urlencoded", "password=", "%zz"},
        {"/multipart", "multipart/form-data; boundary=b", part + "\"password\"\r\n\r\n",
         "\r\n--b--\r\n"},
        {"/multipart", "multipart/form-data; boundary=b", part + "\"f\"; filename=\"x\"\r\n\r\n",
         "\r\n--b--\r\n"},
    };
    store::Database store{no_store, 1};
    RequestMeter meter{"", patterns_of(table())};
    const Dispatch dispatch{store,
                            Guard{Pool::manage, "https://shell.example",
                                  [](const web::Request&) { return visitor_key; }},
                            table(), nullptr, meter};
    for (const Sent& sent : rows) {
        const CapturedLog log;
        const HiddenSecret secret;
        int status = 0;
        const void* stack = nullptr; // what calls leave there, the next ones write over
        std::thread{[&] {
            const int here = 0;
            stack = &here;
            status = dispatch.serve(request_of(sent, secret)).status;
        }}.join();
        BOOST_TEST((status == 200 || status == 400), sent.path << " " << status);
        BOOST_TEST(place_in_memory(secret, stack) == "", sent.path << " " << sent.before);
        BOOST_TEST(!secret.stands_in(log.text()));
    }
}
BOOST_AUTO_TEST_SUITE_END()
