#include "app/guard.hpp"

#include "crypto/token.hpp"
#include "tests/unit/app/support.hpp"
#include "tests/unit/web/refusal_check.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>
#include <vector>

using namespace usershell;
using namespace usershell::app;
using namespace usershell::test;

namespace {

const std::string ours = "https://shell.example:8443";
const std::string key(crypto::antiforgery_key_size, 'k');
const std::string other_key(crypto::antiforgery_key_size, 'o');

std::string good() { return crypto::issue_antiforgery(key); }
std::string bad() { return crypto::issue_antiforgery(other_key); }

} // namespace

BOOST_AUTO_TEST_SUITE(guard)

BOOST_AUTO_TEST_CASE(a_token_is_taken_where_the_contract_says) {
    const struct {
        std::string where;
        std::vector<std::pair<std::string, std::string>> headers;
        std::optional<std::string> in_body;
        bool passes;
    } table[] = {
        {"nowhere", {}, std::nullopt, false},
        {"body", {}, good(), true},
        {"header", {{"requestverificationtoken", good()}}, std::nullopt, true},
        {"header of the field's name", {{"__requestverificationtoken", good()}}, {}, true},
        {"both headers",
         {{"requestverificationtoken", good()}, {"__requestverificationtoken", good()}},
         {},
         true},
        {"another header", {{"x-csrf-token", good()}}, {}, false},
        {"a cookie", {{"cookie", "__RequestVerificationToken=" + good()}}, {}, false},
        {"empty body field", {}, "", false},
        {"another session's", {}, bad(), false},
        {"another session's in the header", {{"requestverificationtoken", bad()}}, {}, false},
        {"a bad header is not made good by the body",
         {{"requestverificationtoken", bad()}},
         good(),
         false},
        {"the key itself", {}, key, false},
        {"cut short", {}, good().substr(1), false},
    };
    const Guard guard{Pool::manage, ours};
    for (const auto& row : table) {
        web::Request made = request(web::Method::post, "/x");
        for (const auto& [name, value] : row.headers) made.headers.emplace(name, value);
        const std::string outcome =
            outcome_of([&] { guard.check_forgery(made, key, row.in_body); });
        BOOST_TEST(outcome == (row.passes ? "served" : "antiforgery_invalid"), row.where);
    }
}

BOOST_AUTO_TEST_CASE(a_token_in_the_query_is_not_looked_at) {
    const Guard guard{Pool::manage, ours};
    const web::Request made = request(web::Method::post, "/x?__RequestVerificationToken=" + good());
    BOOST_TEST(outcome_of([&] { guard.check_forgery(made, key, {}); }) == "antiforgery_invalid");
}

BOOST_AUTO_TEST_CASE(no_key_no_pass) {
    const Guard guard{Pool::manage, ours};
    const web::Request made = request(web::Method::post, "/x");
    BOOST_TEST(outcome_of([&] { guard.check_forgery(made, {}, good()); }) == "antiforgery_invalid");
}

BOOST_AUTO_TEST_CASE(a_flipped_character_anywhere_spoils_a_token) {
    const Guard guard{Pool::manage, ours};
    const web::Request made = request(web::Method::post, "/x");
    const std::string token = good();
    for (std::size_t i = 0; i < token.size(); ++i) {
        std::string spoilt = token;
        spoilt[i] = spoilt[i] == 'A' ? 'B' : 'A';
        BOOST_TEST(outcome_of([&] { guard.check_forgery(made, key, spoilt); }) ==
                   "antiforgery_invalid");
    }
}

BOOST_AUTO_TEST_CASE(requests_from_elsewhere_are_refused_with_a_good_token) {
    const struct {
        std::vector<std::pair<std::string, std::string>> headers;
        bool passes;
    } table[] = {
        {{}, true},
        {{{"origin", ours}}, true},
        {{{"origin", ours}, {"sec-fetch-site", "same-origin"}}, true},
        {{{"sec-fetch-site", "none"}}, true},
        {{{"sec-fetch-site", "cross-site"}}, false},
        {{{"origin", ours}, {"sec-fetch-site", "cross-site"}}, false},
        {{{"origin", "https://evil.example"}}, false},
        {{{"origin", "https://evil.example"}, {"sec-fetch-site", "same-origin"}}, false},
        {{{"origin", "null"}}, false},
        {{{"origin", ""}}, false},
        {{{"origin", "http://shell.example:8443"}}, false},
        {{{"origin", "https://shell.example"}}, false},
        {{{"origin", "https://shell.example:8443.evil.example"}}, false},
        {{{"origin", ours + "/"}}, false},
        {{{"origin", "https://SHELL.example:8443"}}, false},
    };
    const Guard guard{Pool::manage, ours};
    for (const auto& row : table) {
        web::Request made = request(web::Method::post, "/x");
        for (const auto& [name, value] : row.headers) made.headers.emplace(name, value);
        const std::string outcome = outcome_of([&] { guard.check_forgery(made, key, good()); });
        std::string seen;
        for (const auto& [name, value] : row.headers)
            seen.append(name).append(": ").append(value).append("; ");
        BOOST_TEST(outcome == (row.passes ? "served" : "antiforgery_invalid"), seen);
    }
}

BOOST_AUTO_TEST_CASE(the_anonymous_key_comes_from_whoever_knows) {
    const web::Request made = request(web::Method::post, "/x", {{"cookie", "who=me"}});
    BOOST_TEST(!(Guard{Pool::manage, ours}.anonymous_key_of(made)));
    const Guard guard{Pool::manage, ours, [](const web::Request& asked) {
                          return std::optional<std::string>{asked.cookie("who")};
                      }};
    BOOST_TEST(guard.anonymous_key_of(made).value() == "me");
    BOOST_TEST(!guard.anonymous_key_of(request(web::Method::post, "/x")));
}

BOOST_AUTO_TEST_CASE(without_a_session_cookie_the_store_is_not_asked) {
    const CapturedLog quiet;
    store::Database store{no_store, 1};
    const struct {
        Pool pool;
        std::string cookie;
        std::string outcome;
    } table[] = {
        {Pool::manage, "", "served"},
        {Pool::manage, "other=1", "served"},
        {Pool::manage, "__Host-usershell-session=", "served"},
        {Pool::manage, "__Host-usershell-session=a; __Host-usershell-session=b", "served"},
        {Pool::manage, "__host-usershell-session=abc", "served"},
        {Pool::manage, "__Host-usershell-calls=abc", "served"},
        {Pool::manage, "__Host-usershell-session=abc", "unavailable"},
    };
    for (const auto& row : table) {
        const Guard guard{row.pool, ours};
        store::Lease lease{store};
        const web::Request made = request(web::Method::get, "/x", {{"cookie", row.cookie}});
        const std::string outcome = outcome_of([&] { BOOST_TEST(!guard.identify(made, lease)); });
        BOOST_TEST(outcome == row.outcome, row.cookie);
    }
}

BOOST_AUTO_TEST_CASE(each_pool_reads_its_own_cookie) {
    const web::Request made = request(web::Method::get, "/x",
                                      {{"cookie", "__Host-usershell-session=a; "
                                                  "__Host-usershell-calls=b"}});
    BOOST_TEST((Guard{Pool::manage, ours}.token_hash_of(made) == token_hash(Pool::manage, "a")));
    BOOST_TEST((Guard{Pool::execute, ours}.token_hash_of(made) == token_hash(Pool::execute, "b")));
}

BOOST_AUTO_TEST_CASE(the_store_knows_a_session_by_a_hash_of_its_own_purpose) {
    BOOST_TEST(token_hash(Pool::manage, "token").size() == 32U);
    BOOST_TEST(token_hash(Pool::manage, "token") == crypto::token_hash("session", "token"));
    BOOST_TEST(token_hash(Pool::manage, "token") != token_hash(Pool::execute, "token"));
    BOOST_TEST(token_hash(Pool::manage, "token") != token_hash(Pool::manage, "Token"));
}

BOOST_AUTO_TEST_SUITE_END()
