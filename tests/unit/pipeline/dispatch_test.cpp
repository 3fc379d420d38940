// The order of checks (docs/contract.md, section 1), with a store that can't be reached; and the
// guard.
#include "pipeline/dispatch.hpp"
#include "pipeline/guard.hpp"
#include "tests/unit/pipeline/support.hpp"
#include "tests/unit/run_on.hpp"
#include <boost/json/parse.hpp>
using namespace usershell::pipeline;
namespace {
const std::string own_origin = "https://shell.example";
const std::string visitor_key(crypto::antiforgery_key_size, 'v');
constexpr const char* json_type = "application/json";
constexpr const char* form_type = "application/x-www-form-urlencoded";
constexpr const char* multipart_type = "multipart/form-data; boundary=b";
web::Response said(RequestContext& context) {
    return web::Response::json(R"({"path":")" + context.request.path + R"("})");
}
web::Response echo(RequestContext& context) {
    return web::Response::json(context.form_value("word") + context.json.text("word").value_or("") +
                               std::string{context.file("File")});
}
web::Response by_id(RequestContext& context) {
    return web::Response::json(context.id<ProviderId>("providerId").text());
}
web::Response cached(RequestContext&) {
    web::Response response = web::Response::json("{}");
    response.set("Cache-Control", "private, no-cache");
    return response;
}
[[noreturn]] web::Response refuse(RequestContext&) {
    throw Refusal{ErrorCode::conflict, "Not now."_en};
}
[[noreturn]] web::Response break_down(RequestContext&) {
    throw std::runtime_error{"innermost secret"};
}
Routes table() {
    using enum web::Method;
    return {
        {get, "/", SessionRoute{Access::open, Body::none, said}},
        {get, "/open", SessionRoute{Access::open, Body::none, said}},
        {post, "/open", SessionRoute{Access::open, Body::form, echo}},
        {post, "/open-json", SessionRoute{Access::open, Body::json, echo}},
        {post, "/open-large", SessionRoute{Access::open, Body::large_json, echo}},
        {post, "/open-multipart", SessionRoute{Access::open, Body::multipart, echo}},
        {post, "/open-bare", SessionRoute{Access::open, Body::none, said}},
        {get, "/open/refused", SessionRoute{Access::open, Body::none, refuse}},
        {get, "/open/broken", SessionRoute{Access::open, Body::none, break_down}},
        {get, "/open/cached", SessionRoute{Access::open, Body::none, cached}},
        {get, "/open/id/{providerId}", SessionRoute{Access::open, Body::none, by_id}},
        {get, "/page", SessionRoute{Access::page, Body::none, said}},
        {post, "/page", SessionRoute{Access::page, Body::form, said}},
        {get, "/json", SessionRoute{Access::json, Body::none, said}},
        {put, "/json", SessionRoute{Access::json, Body::json, said}},
        {delete_, "/json", SessionRoute{Access::json, Body::json, said}},
    };
}
struct House {
    House()
        : dispatch{store,
                   Guard{Pool::manage, own_origin, [](const web::Request&) { return visitor_key; }},
                   table(), &pages, meter} {}
    web::Response serve(const web::Request& made) const {
        const CapturedLog quiet;
        return dispatch.serve(made);
    }
    web::Response get(std::string_view target, Headers headers = {}) const {
        return serve(request(web::Method::get, target, headers));
    }
    store::Database store{no_store, 1};
    web::Pages pages = pages::load_pages(std::string{USERSHELL_SOURCE_DIR} + "/templates");
    RequestMeter meter{"", patterns_of(table())};
    Dispatch dispatch;
};
/// "401 not_signed_in" of a JSON error, "404 page" of an error page, "200" of anything else.
std::string outcome(const web::Response& response) {
    std::string text = std::to_string(response.status);
    if (response.status < 400) return text;
    if (only_header(response, "Content-Type").starts_with("text/html")) return text + " page";
    const auto document = boost::json::parse(response.body);
    BOOST_TEST(document.at("requestId").as_string() == "request-1");
    return text + " " + std::string{document.at("code").as_string()};
}
/// A POST of that body; without a type when it is "".
web::Request sent(std::string_view target, const std::string& type, const std::string& body,
                  const std::string& token = {}) {
    web::Request made = request(web::Method::post, target, {}, body);
    if (!type.empty()) made.headers.emplace("content-type", type);
    if (!token.empty()) made.headers.emplace("requestverificationtoken", token);
    return made;
}
std::string token() { return crypto::issue_antiforgery(visitor_key); }
std::string form_with_token(const std::string& rest) {
    return "__RequestVerificationToken=" + token() + "&" + rest;
}
std::string multipart_with_token() {
    return "--b\r\nContent-Disposition: form-data; name=\"__RequestVerificationToken\"\r\n\r\n" +
           token() +
           "\r\n--b\r\nContent-Disposition: form-data; name=\"File\"; filename=\"f\"\r\n\r\nx\r\n"
           "--b--\r\n";
}

BOOST_AUTO_TEST_CASE(the_first_check_that_fails_answers) {
    const std::string large(rules::max_form_body + 1, 'x');
    const std::string form_in_capitals =
        "Application/X-WWW-Form-Urlencoded; charset=utf-8"; // and with a parameter
    using enum web::Method;
    const std::tuple<std::string, web::Request, std::string> rows[] = {
        {"no route, before anything else", sent("/nowhere", "text/x", large), "404 not_found"},
        {"no route, a page for who wants one",
         request(get, "/nowhere", {{"accept", "text/html,*/*"}}), "404 page"},
        {"method before session", request(post, "/json"), "405 method_not_allowed"},
        {"method of a page", request(put, "/page"), "405 page"},
        {"a method that nobody knows", request(other, "/open"), "405 page"},
        {"session before size and type", request(put, "/json", {{"content-type", "text/x"}}, large),
         "401 not_signed_in"},
        {"session before size, on a page", sent("/page", "text/x", large), "302"},
        {"GET of a JSON route", request(get, "/json"), "401 not_signed_in"},
        {"HEAD of a JSON route", request(head, "/json"), "401 not_signed_in"},
        {"DELETE of a JSON route", request(delete_, "/json"), "401 not_signed_in"},
        {"size before type", sent("/open", "text/x", large), "413 page"},
        {"type before forgery", sent("/open", json_type, "x"), "415 page"},
        {"a body without a type", sent("/open", "", "x=1"), "415 page"},
        {"forgery before syntax", sent("/open", form_type, "word=%zz"), "400 page"},
        {"nothing to forge with", request(post, "/open"), "400 page"},
        {"syntax after forgery", sent("/open", form_type, "word=%zz", token()), "400 page"},
        {"all is well", sent("/open", form_type, form_with_token("word=w")), "200"},
        {"all is well, too", sent("/open", form_in_capitals, form_with_token("word=w")), "200"},
        {"HEAD is served by GET", request(head, "/open"), "200"},
        {"HEAD where there is no GET", request(head, "/open-json"), "405 page"},
        {"GET looks at no body", request(get, "/open", {}, large), "200"},
        {"a handler's refusal", request(get, "/open/refused"), "409 page"},
        {"a handler that breaks", request(get, "/open/broken"), "500 page"},
        {"a malformed id", request(get, "/open/id/1234"), "404 page"},
        {"an id", request(get, "/open/id/3f2c9a64-1111-4222-8333-444455556666"), "200"},
    };
    const House house;
    for (const auto& [what, made, expected] : rows)
        BOOST_TEST(outcome(house.serve(made)) == expected, what);
}

BOOST_AUTO_TEST_CASE(a_stranger_learns_nothing_from_a_malformed_body) {
    const House house;
    const web::Response response = house.serve(sent("/open-json", json_type, "{\"word\":"));
    BOOST_TEST(response.status == 400);
    BOOST_TEST(has(response.body, "out of date"), response.body);
    const web::Response told = house.serve(sent("/open-json", json_type, "{\"word\":", token()));
    BOOST_TEST(told.status == 400);
    BOOST_TEST(!has(told.body, "out of date"), told.body);
}

BOOST_AUTO_TEST_CASE(the_body_is_what_the_route_takes_and_may_carry_the_token) {
    const House house;
    const std::tuple<std::string, std::string, std::string, std::string> rows[] = {
        {"/open", form_type, form_with_token("word=a+b"), "a b"},
        {"/open-json", json_type,
         R"({"__RequestVerificationToken":")" + token() + R"(","word":"w","else":[1]})", "w"},
        {"/open-multipart", multipart_type, multipart_with_token(), "x"},
    };
    for (const auto& [path, type, body, answer] : rows) {
        const web::Response response = house.serve(sent(path, type, body));
        BOOST_TEST(response.status == 200, path);
        BOOST_TEST(response.body == answer, path);
    }
    for (const char* const path : {"/open", "/open-json", "/open-multipart", "/open-bare"})
        BOOST_TEST(house.serve(sent(path, "", "", token())).status == 200, path);
}

BOOST_AUTO_TEST_CASE(who_finds_no_thread_is_told_in_the_form_of_the_route) {
    const House house;
    const CapturedLog quiet;
    const std::tuple<const char*, const char*, const char*> rows[] = {
        {"/page", "*/*", "503 page"},
        {"/open", "application/json", "503 page"},
        {"/json", "text/html", "503 unavailable"},
        {"/nowhere", "text/html", "503 page"},
        {"/nowhere", "*/*", "503 unavailable"},
    };
    for (const auto& [target, accept, answer] : rows) {
        const web::Request made = request(web::Method::get, target, {{"accept", accept}});
        const web::Response refused = house.dispatch.refuse(service_is_busy(), made);
        BOOST_TEST(outcome(refused) == answer, target);
        BOOST_TEST(!only_header(refused, "Retry-After").empty());
    }
}

BOOST_AUTO_TEST_CASE(sizes_are_held_to_the_byte) {
    const House house;
    const std::tuple<std::string, std::string, std::size_t> rows[] = {
        {"/open", form_type, rules::max_form_body},
        {"/open-bare", "", rules::max_form_body},
        {"/open-json", json_type, rules::max_json_body},
        {"/open-large", json_type, rules::max_large_json_body},
        {"/open-multipart", multipart_type, rules::max_multipart_body}};
    for (const auto& [path, type, limit] : rows) {
        web::Request made = sent(path, type, std::string(limit, 'x'));
        BOOST_TEST(house.serve(made).status == 400, path);
        made.body.push_back('x');
        BOOST_TEST(house.serve(made).status == 413, path);
    }
}

BOOST_AUTO_TEST_CASE(allow_names_the_methods_of_the_path) {
    const House house;
    BOOST_TEST(only_header(house.serve(request(web::Method::put, "/open")), "Allow") ==
               "GET, HEAD, POST");
    BOOST_TEST(only_header(house.serve(request(web::Method::post, "/json")), "Allow") ==
               "GET, HEAD, PUT, DELETE");
    BOOST_TEST(header(house.get("/open"), "Allow").empty());
}

BOOST_AUTO_TEST_CASE(who_is_not_signed_in_comes_back_to_where_they_were) {
    const House house;
    const std::pair<web::Request, std::string> rows[] = {
        {request(web::Method::get, "/page"), "/auth/login?returnUrl=%2Fpage"},
        {request(web::Method::get, "/page?a=1&b=%20c"),
         "/auth/login?returnUrl=%2Fpage%3Fa%3D1%26b%3D%2520c"},
        {request(web::Method::head, "/page"), "/auth/login?returnUrl=%2Fpage"},
        {request(web::Method::post, "/page"), "/auth/login"},
    };
    for (const auto& [made, location] : rows) {
        const web::Response response = house.serve(made);
        BOOST_TEST(response.status == 302);
        BOOST_TEST(only_header(response, "Location") == location);
    }
}

BOOST_AUTO_TEST_CASE(nothing_is_cached_but_what_says_so_itself) {
    const House house;
    for (const char* const path : {"/open", "/nowhere", "/json", "/page", "/open/broken"})
        BOOST_TEST(only_header(house.get(path), "Cache-Control") == "no-store", path);
    BOOST_TEST(only_header(house.get("/open/cached"), "Cache-Control") == "private, no-cache");
}

BOOST_AUTO_TEST_CASE(a_session_cookie_asks_the_store_and_a_dead_store_is_503) {
    const House house;
    const std::string cookie = "__Host-usershell-session=abc";
    for (const char* const path : {"/json", "/page", "/open"}) {
        const web::Response response = house.get(path, {{"cookie", cookie}});
        BOOST_TEST(response.status == 503, path);
        BOOST_TEST(!only_header(response, "Retry-After").empty(), path);
    }
    BOOST_TEST(outcome(house.get("/nowhere", {{"cookie", cookie}})) == "404 not_found");
}

BOOST_AUTO_TEST_CASE(what_went_wrong_inside_stays_inside) {
    const House house;
    const CapturedLog log;
    const web::Response response = house.dispatch.serve(request(web::Method::get, "/open/broken"));
    BOOST_TEST(!has(response.body, "innermost"));
    BOOST_TEST(!has(log.text(), "innermost"));
    BOOST_TEST(has(log.text(), "error=\"std::runtime_error\""));
}

BOOST_AUTO_TEST_CASE(the_log_names_the_route_and_not_the_address) {
    const House house;
    const CapturedLog log;
    house.dispatch.serve(
        request(web::Method::get, "/open/id/3f2c9a64-1111-4222-8333-444455556666?token=hush"));
    const std::string text = log.text();
    BOOST_TEST(has(text, "route=\"/open/id/{providerId}\""), text);
    BOOST_TEST(has(text, "status=\"200\""), text);
    BOOST_TEST(has(text, "method=\"GET\""), text);
    BOOST_TEST(!has(text, "hush"), text);
    BOOST_TEST(!has(text, "3f2c9a64"), text);
}

const std::string ours = "https://shell.example:8443";
const std::string key(crypto::antiforgery_key_size, 'k');
const std::string other_key(crypto::antiforgery_key_size, 'o');
std::string good() { return crypto::issue_antiforgery(key); }
std::string bad() { return crypto::issue_antiforgery(other_key); }
const Guard at_home{Pool::manage, ours};
/// Whether a change with these headers, and this token in its body, is let through.
bool passes(Headers headers, const std::optional<std::string>& in_body = {}) {
    const web::Request made = request(web::Method::post, "/x", headers);
    const auto outcome = outcome_of([&] {
        at_home.check_forgery(made, {"another key", key}, in_body);
    });
    BOOST_TEST((outcome == "served" || outcome == "antiforgery_invalid"), outcome);
    return outcome == "served";
}

BOOST_AUTO_TEST_CASE(a_token_is_taken_where_the_contract_says) {
    const std::string header = "requestverificationtoken";
    const std::string field = "__requestverificationtoken";
    BOOST_TEST(passes({}, good()), "body");
    BOOST_TEST(passes({{header, good()}}), "header");
    BOOST_TEST(passes({{field, good()}}), "header of the field's name");
    BOOST_TEST(passes({{header, good()}, {field, good()}}), "both headers");
    BOOST_TEST(!passes({}), "nowhere");
    BOOST_TEST(!passes({{"x-csrf-token", good()}}), "another header");
    BOOST_TEST(!passes({{"cookie", "__RequestVerificationToken=" + good()}}), "a cookie");
    BOOST_TEST(!passes({}, ""), "empty body field");
    BOOST_TEST(!passes({}, bad()), "another session's");
    BOOST_TEST(!passes({{header, bad()}}), "another session's in the header");
    BOOST_TEST(!passes({{header, bad()}}, good()), "a bad header is not made good by the body");
    BOOST_TEST(!passes({}, key), "the key itself");
    BOOST_TEST(!passes({}, good().substr(1)), "cut short");
}

BOOST_AUTO_TEST_CASE(neither_a_token_in_the_query_nor_one_without_a_key_passes) {
    const auto outcome = [](const std::string& target, const std::vector<std::string>& keys,
                            const std::optional<std::string>& in_body) {
        const web::Request made = request(web::Method::post, target);
        return outcome_of([&] { at_home.check_forgery(made, keys, in_body); });
    };
    BOOST_TEST(outcome("/x?__RequestVerificationToken=" + good(), {key}, {}) ==
               "antiforgery_invalid");
    BOOST_TEST(outcome("/x", {}, good()) == "antiforgery_invalid");
}

BOOST_AUTO_TEST_CASE(requests_from_elsewhere_are_refused_with_a_good_token) {
    BOOST_TEST(passes({}, good()));
    BOOST_TEST(passes({{"origin", ours}}, good()));
    BOOST_TEST(passes({{"origin", ours}, {"sec-fetch-site", "same-origin"}}, good()));
    BOOST_TEST(passes({{"sec-fetch-site", "none"}}, good()));
    BOOST_TEST(!passes({{"sec-fetch-site", "cross-site"}}, good()));
    BOOST_TEST(!passes({{"origin", ours}, {"sec-fetch-site", "cross-site"}}, good()));
    BOOST_TEST(
        !passes({{"origin", "https://evil.example"}, {"sec-fetch-site", "same-origin"}}, good()));
    for (const std::string& origin :
         {"https://evil.example"s, "null"s, ""s, "http://shell.example:8443"s,
          "https://shell.example"s, "https://shell.example:8443.evil.example"s, ours + "/",
          "https://SHELL.example:8443"s})
        BOOST_TEST(!passes({{"origin", origin}}, good()), origin);
}

/// A call's route, whose steps are recorded.
struct CallHouse {
    explicit CallHouse(std::string coming)
        : arriving{std::move(coming)},
          dispatch{store, Guard{Pool::execute, ours}, table(), nullptr, meter} {}
    Routes table() {
        return {{web::Method::post, "/call",
                 CallRoute{Body::json_with_images,
                           [this](const auto&, const auto&) { return call(); }}}};
    }
    PageCall call() {
        return {[this](auto&) {
                    steps += "begin ";
                    return caller;
                },
                [this](web::Stream&, std::size_t, std::size_t) { return read(); },
                [this](auto& context) {
                    steps += "run";
                    return echo(context);
                }};
    }
    Task<WipedString> read() {
        steps += "read ";
        co_return WipedString{arriving};
    }
    std::string steps, arriving;
    std::optional<store::Caller> caller =
        store::Caller{.user = global_owner(),
                      .session = SessionId::parse(global_owner().text()).value(),
                      .antiforgery_key = key};
    store::Database store{no_store, 1};
    RequestMeter meter{"", {"/call"}};
    Dispatch dispatch;
};
// As one that is there does. Without a session none is read.
BOOST_AUTO_TEST_CASE(a_body_that_is_awaited_passes_the_checks_of_all) {
    const std::string large(rules::max_image_body + 1, 'x');
    struct Row {
        std::string session, type, token, body, answer, at_once, awaited;
    };
    const Row rows[] = {
        {"", "text/x", "", large, "401 not_signed_in", "", ""},
        {"over", "text/x", "", large, "401 not_signed_in", "begin ", "begin "},
        {"good", "text/x", "", large, "413 body_too_large", "begin ", "begin "},
        {"good", "text/x", "", "{", "415 unsupported_media_type", "begin ", "begin read begin "},
        {"good", json_type, bad(), "{", "400 antiforgery_invalid", "begin ", "begin read begin "},
        {"good", json_type, good(), "{", "400 malformed_json", "begin ", "begin read begin "},
        {"good", json_type, "", R"({"__RequestVerificationToken":")" + good() + "\"}", "200",
         "begin run", "begin read begin run"},
    };
    for (const bool is_awaited : {false, true})
        for (const Row& row : rows) {
            const CapturedLog quiet;
            CallHouse house{row.body};
            if (row.session == "over") house.caller.reset();
            web::Request made = sent("/call", row.type, is_awaited ? "" : row.body, row.token);
            if (is_awaited) made.awaited = row.body.size();
            if (!row.session.empty())
                made.headers.emplace("cookie", "__Host-usershell-calls=" + row.session);
            web::Response response = house.dispatch.serve(made);
            Recorder stream;
            if (response.async) response = test::run_on(stream.loop_, response.async->run(stream));
            BOOST_TEST(outcome(response) == row.answer);
            BOOST_TEST(house.steps == (is_awaited ? row.awaited : row.at_once), row.answer);
        }
}
BOOST_AUTO_TEST_CASE(the_anonymous_key_comes_from_whoever_knows) {
    const web::Request made = request(web::Method::post, "/x", {{"cookie", "who=me"}});
    BOOST_TEST(!at_home.anonymous_key_of(made));
    const Guard knowing{Pool::manage, ours, [](const web::Request& asked) {
                            return std::optional<std::string>{asked.cookie("who")};
                        }};
    BOOST_TEST(knowing.anonymous_key_of(made).value() == "me");
    BOOST_TEST(!knowing.anonymous_key_of(request(web::Method::post, "/x")));
}

BOOST_AUTO_TEST_CASE(without_a_session_cookie_the_store_is_not_asked) {
    const CapturedLog quiet;
    store::Database store{no_store, 1};
    const auto identified = [&](const std::string& cookie) {
        store::Lease lease{store};
        const web::Request made = request(web::Method::get, "/x", {{"cookie", cookie}});
        return outcome_of([&] { BOOST_TEST(!at_home.identify(made, lease)); });
    };
    for (const std::string cookie :
         {"", "other=1", "__Host-usershell-session=",
          "__Host-usershell-session=a; __Host-usershell-session=b", "__host-usershell-session=abc",
          "__Host-usershell-calls=abc", "__Host-usershell-auth=abc"})
        BOOST_TEST(identified(cookie) == "served", cookie);
    BOOST_TEST(identified("__Host-usershell-session=abc") == "unavailable");
}

BOOST_AUTO_TEST_CASE(each_pool_reads_its_own_cookie_and_hashes_it_for_its_purpose) {
    const web::Request made =
        request(web::Method::get, "/x",
                {{"cookie", "__Host-usershell-session=a; __Host-usershell-calls=b; "
                            "__Host-usershell-auth=c"}});
    BOOST_TEST((Guard{Pool::manage, ours}.token_hash_of(made) == token_hash(Pool::manage, "a")));
    BOOST_TEST((Guard{Pool::execute, ours}.token_hash_of(made) == token_hash(Pool::execute, "b")));
    BOOST_TEST((Guard{Pool::auth, ours}.token_hash_of(made) == token_hash(Pool::auth, "c")));
    BOOST_TEST(token_hash(Pool::manage, "token").size() == 32U);
    BOOST_TEST(token_hash(Pool::manage, "token") == crypto::token_hash("session", "token"));
    BOOST_TEST(token_hash(Pool::auth, "token") == crypto::token_hash("auth", "token"));
    BOOST_TEST(token_hash(Pool::execute, "token") == crypto::token_hash("calls", "token"));
    BOOST_TEST(token_hash(Pool::manage, "token") != token_hash(Pool::manage, "Token"));
}
} // namespace
