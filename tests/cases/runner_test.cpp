// The runner's own test: against a stand-in that always answers the same, it says yes to what is
// right and no, naming file and line, to every kind of expectation that is wrong.
#include "case_file.hpp"
#include "script.hpp"

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace usershell::test {

namespace {

/// Lets everybody sign in and shows a page; answers /thing with what it was given, and /echo with
/// the body.
class StandIn : public Site {
public:
    web::Response serve(const web::Request& request) override {
        seen.push_back(request);
        web::Response response = answer(request);
        if (request.path != "/cached") response.set("Cache-Control", "no-store");
        return response;
    }
    std::string origin() const override { return "https://stand-in.example"; }
    std::string closed_address() const override { return "127.0.0.1:9"; }
    void add_user(const std::string&, const std::string&, const std::string&) override {}
    void hold_calls(const std::string&, int count) override { held += count; }
    void sql(const std::string& statement) override { statements.push_back(statement); }

    std::vector<web::Request> seen;
    std::vector<std::string> statements;
    int held = 0;

private:
    static web::Response answer(const web::Request& request) {
        if (request.path == "/auth/login" && request.method == web::Method::post) {
            auto response = web::Response::redirect(302, "/user/providers");
            response.set("Set-Cookie",
                         "__Host-usershell-session=secret-session-token; Path=/; Secure");
            return response;
        }
        if (request.path == "/auth/login" || request.path == "/user/providers")
            return web::Response::html(
                R"(<!doctype html><input name="__RequestVerificationToken" value="t0k3n">)");
        if (request.path == "/missing") {
            return web::Response::json(
                R"({"error":"No.","code":"missing_field","field":"name","requestId":")" +
                    request.id + "\"}",
                400);
        }
        if (request.path == "/page-error")
            return web::Response::html("<!doctype html><p>404, request " + request.id, 404);
        if (request.path == "/echo") return web::Response::json(std::string{request.body});
        if (request.path == "/mislabelled") {
            auto response = web::Response::json("{}");
            response.set("Content-Type", "text/html");
            return response;
        }
        if (request.path == "/nothing") return web::Response::no_content();
        return web::Response::json(
            R"({"id":"0f8fad5b-d9cb-469f-a165-70867728950e","name":"Ada","list":[1,{"b":null}]})");
    }
};

void run(const std::string& text, StandIn& site) {
    const CaseFile file = parse_case_file("x.case", "--- x\n" + text);
    for (const Case& each : file.cases) Script{site}.run(each);
}

void holds(const std::string& text) {
    StandIn site;
    BOOST_CHECK_NO_THROW(run(text, site));
}

/// Fails at that line (the first after the title is line 2).
void fails(int line, const std::string& text) {
    StandIn site;
    std::string told = "nothing";
    try {
        run(text, site);
    } catch (const CaseFailure& failure) {
        told = failure.what();
    }
    BOOST_TEST_CONTEXT(text) {
        BOOST_TEST(told.substr(0, told.find(": ")) == "x.case:" + std::to_string(line));
    }
}

} // namespace

BOOST_AUTO_TEST_CASE(runner_status) {
    holds("GET /thing\n=> 200");
    fails(3, "GET /thing\n=> 201");
    holds("GET /nothing\n=> 204\nis empty");
    fails(3, "GET /thing\n=> 200\nis empty");
}

BOOST_AUTO_TEST_CASE(runner_error_bodies) {
    holds("GET /missing\n=> 400 missing_field name");
    fails(3, "GET /missing\n=> 400 missing_field");
    fails(3, "GET /missing\n=> 400 missing_field names");
    fails(3, "GET /missing\n=> 400 invalid_field name");
    fails(3, "GET /thing\n=> 200 missing_field name");
}

BOOST_AUTO_TEST_CASE(runner_pages_and_redirects) {
    holds("GET /page-error\n=> 404 page");
    fails(3, "GET /missing\n=> 400 page");
    holds("POST /auth/login\n=> 302 /user/providers");
    fails(3, "POST /auth/login\n=> 302 /elsewhere");
    fails(3, "GET /thing\n=> 200 /user/providers");
}

BOOST_AUTO_TEST_CASE(runner_json) {
    const std::string ask = "GET /thing\n=> 200\n";
    holds(ask + R"({"list": [1, {"b": null}], "name": "Ada", "id": "<uuid>"})");
    holds(ask + R"({"name": "*", ...})");
    holds(ask + "{\"name\": \"<text>\",\n \"list\": [\"<number>\", \"*\"],\n ...\n}");
    fails(4, ask + R"({"name": "Ada"})");
    fails(4, ask + R"({"name": "Bob", ...})");
    fails(4, ask + R"({"nickname": "*", ...})");
    fails(4, ask + R"({"list": [1], ...})");
    fails(4, ask + R"({"list": [1, {"b": null}, 2], ...})");
    fails(4, ask + R"({"list": [2, "*"], ...})");
    fails(4, ask + R"({"list": [1, {}], ...})");
    fails(4, ask + R"({"name": "<uuid>", ...})");
    fails(4, ask + R"({"id": "<time>", ...})");
    fails(4, ask + R"({"id": "<number>", ...})");
    fails(4, ask + "{no json}");
    fails(4, "GET /page-error\n=> 404\n{...}");
}

BOOST_AUTO_TEST_CASE(runner_headers_and_texts) {
    const std::string ask = "GET /thing\n=> 200\n";
    holds(ask + "< Content-Type: application/json*\n< no Location");
    fails(4, ask + "< Content-Type: text/*");
    fails(4, ask + "< Location: *");
    fails(4, ask + "< no content-type");
    holds(ask + "contains \"Ada\"\nlacks Bob");
    fails(4, ask + "contains Bob");
    fails(4, ask + "lacks Ada");
}

BOOST_AUTO_TEST_CASE(runner_manners) {
    fails(3, "GET /cached\n=> 200");
    fails(3, "GET /mislabelled\n=> 200");
    fails(4, "POST /echo\n{\"apiKey\": \"sk-echoed\"}\n=> 200");
    fails(5, "as ada\nPOST /echo\n{\"was\": \"${ada.password}\"}\n=> 200");
    fails(5, "as ada\nPOST /echo\n{\"cookie\": \"secret-session-token\"}\n=> 200");
    holds("POST /echo\n{\"apiKey\": \"short\"}\n=> 200");
}

BOOST_AUTO_TEST_CASE(runner_variables_and_tables) {
    holds("GET /thing\n=> 200\nsave n = json name\nsave m = json name\nsave l = json list.0\n"
          "same n m\ndiffer n l\nGET /thing\n=> 200\n{\"name\": \"${n}\", ...}");
    const std::string saved = "GET /thing\n=> 200\nsave n = json name\nsave l = json list.0\n";
    fails(6, saved + "differ n n");
    fails(6, saved + "same n l");
    fails(4, "GET /thing\n=> 200\nsave n = json nobody\n");
    fails(4, "GET /thing\n=> 200\nsave n = token\n");
    fails(2, "GET /thing?${unknown}\n=> 200");
    holds("with path | name\n  thing | Ada\n  other | Ada\nGET /${path}\n=> 200\ncontains ${name}");
    fails(7,
          "with path | name\n  thing | Ada\n  other | Bob\nGET /${path}\n=> 200\ncontains ${name}");
    fails(6, "with path\n  thing\n  nothing\nGET /${path}\n=> 200");
    StandIn site;
    run("repeat 3\nPOST /echo\n{\"n\": \"${n} ${ab*2} ${hex:41}\"}\n=> 200", site);
    BOOST_TEST((site.seen.back().body == "{\"n\": \"3 abab A\"}"));
}

BOOST_AUTO_TEST_CASE(runner_tokens) {
    const auto asked = [](const std::string& knob, const std::string& body) {
        StandIn site;
        run("POST /echo?a=b\n" + knob + body + "\n=> 200", site);
        return site.seen.back();
    };
    const std::string json = "{\"a\": 1}";
    BOOST_TEST(*asked("", json).header("requestverificationtoken") == "t0k3n");
    BOOST_TEST(*asked("> token in header2\n", json).header("__requestverificationtoken") ==
               "t0k3n");
    BOOST_TEST((asked("> token in json\n", json).body ==
                "{\"__RequestVerificationToken\": \"t0k3n\", \"a\": 1}"));
    BOOST_TEST(
        (asked("> token abc in json\n", "{}").body == "{\"__RequestVerificationToken\": \"abc\"}"));
    BOOST_TEST((asked("> token in query\n", json).query == "a=b&__RequestVerificationToken=t0k3n"));
    BOOST_TEST(!asked("> no token\n", json).header("requestverificationtoken"));
    BOOST_TEST(*asked("> token abc\n", json).header("requestverificationtoken") == "abc");
    StandIn site;
    BOOST_CHECK_THROW(run("POST /echo\na=b\n=> 200", site),
                      CaseFailure); // the echo of a form is not JSON
    BOOST_TEST((site.seen.back().body == "a=b&__RequestVerificationToken=t0k3n"));
    BOOST_TEST(*site.seen.back().header("content-type") == "application/x-www-form-urlencoded");
}

BOOST_AUTO_TEST_CASE(runner_people) {
    StandIn site;
    run("as ada\nhold 8 calls\nsql SELECT 1\nGET /thing\n> X: y\n> no cookie\n> from 192.0.2.7\n=> "
        "200\n"
        "as nobody\nGET /thing\n=> 200",
        site);
    BOOST_TEST(site.held == 8);
    BOOST_TEST(site.statements == std::vector<std::string>{"SELECT 1"},
               boost::test_tools::per_element());
    BOOST_TEST(!site.seen.back().header("cookie"));
    BOOST_TEST(!site.seen[site.seen.size() - 2].header("cookie"));
    BOOST_TEST(*site.seen[site.seen.size() - 2].header("x") == "y");
    BOOST_TEST(site.seen[site.seen.size() - 2].client_address == "192.0.2.7");
    BOOST_TEST(site.seen.back().client_address.starts_with("2001:db8:"));
    fails(2, "hold 8 calls\nGET /thing\n=> 200");
    fails(3, "as ada\ngiven house h\nGET /thing\n=> 200");
}

BOOST_AUTO_TEST_CASE(runner_reads_strictly) {
    const auto refuses = [](const std::string& text) {
        BOOST_CHECK_THROW(parse_case_file("x.case", text), CaseFailure);
    };
    refuses("");
    refuses("# nothing\n");
    refuses("GET /thing\n=> 200");
    refuses("--- no request\nas ada");
    refuses("--- x\nFETCH /thing\n=> 200");
    refuses("--- x\nGET /thing");
    refuses("--- x\nGET /thing\n=> many");
    refuses("--- x\nGET /thing\n=> 200\nhas Ada");
    refuses("--- x\nGET /thing\n> nonsense\n=> 200");
    refuses("--- x\nPOST /thing\n> token in pocket\n=> 200");
    refuses("--- x\nwith a | b\n  1\nGET /thing\n=> 200");
    refuses("--- x\nwith a\nGET /thing\n=> 200");
    refuses("--- x\nGET /thing\n=> 200\nsave a = body\n");
    refuses("--- x\nGET /thing\n=> 200\n--- y\n");
}

} // namespace usershell::test
