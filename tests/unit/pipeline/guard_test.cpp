#include "pipeline/guard.hpp"
#include "tests/unit/pipeline/support.hpp"
#include "tests/unit/web/refusal_check.hpp"
using namespace usershell::pipeline;
namespace {
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
