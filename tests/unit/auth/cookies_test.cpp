#include "auth/cookies.hpp"
#include "pipeline/guard.hpp"
#include "tests/unit/crypto/support.hpp"
#include "tests/unit/pipeline/support.hpp"
using namespace usershell::auth;
namespace {
store::StampedUser stamped(char letter) {
    return {crypto::random_id<UserId>(), std::string(16, letter)};
}
const store::StampedUser ada = stamped('a');
web::Request with_cookie(const std::string& pair) {
    return request(web::Method::post, "/", {{"cookie", pair}});
}
web::Request with_cookie(const web::Cookie& cookie) {
    return with_cookie(std::string{cookie.name} + "=" + cookie.value);
}
/// "name=value" of the answer's only Set-Cookie header.
std::string pair_set(const web::Response& response) {
    const std::string header = only_header(response, "Set-Cookie");
    return header.substr(0, header.find(';'));
}
std::string device_pair(const crypto::AuthSecret& ring) {
    web::Response response;
    set_device_cookie(response, ring, ada);
    return pair_set(response);
}
bool knows(const crypto::AuthSecret& ring, const std::string& pair,
           const store::StampedUser& who = ada) {
    return known_device(ring, with_cookie(pair), who).has_value();
}

BOOST_AUTO_TEST_CASE(a_session_token_is_256_random_bits_of_which_only_the_hash_is_kept) {
    std::set<std::string> seen;
    for (int i = 0; i < 50; ++i) {
        const FreshSession fresh = fresh_session();
        const store::SessionKeys& keys = fresh.keys;
        for (const auto& [pool, stored] :
             {std::pair{pipeline::Pool::manage, keys.token_hash},
              std::pair{pipeline::Pool::execute, keys.calls_token_hash},
              std::pair{pipeline::Pool::auth, keys.auth_token_hash}}) {
            const std::string& token = fresh.tokens.at(pool);
            BOOST_TEST(crypto::from_base64url(token).value_or("").size() == 32U);
            BOOST_TEST(stored == pipeline::token_hash(pool, token));
            seen.insert(token);
        }
        for (const std::string& key : {keys.antiforgery_key, keys.auth_antiforgery_key}) {
            BOOST_TEST(key.size() == crypto::antiforgery_key_size);
            seen.insert(key);
        }
    }
    BOOST_TEST(seen.size() == 250U);
}

BOOST_AUTO_TEST_CASE(a_session_s_cookies_last_as_long_as_they_are_given) {
    const FreshSession session{{{pipeline::Pool::manage, "tok"},
                                {pipeline::Pool::execute, "call"},
                                {pipeline::Pool::auth, "own"}},
                               {}};
    for (const bool remembered : {true, false}) {
        web::Response response;
        set_session_cookies(response, session,
                            remembered ? std::optional{std::chrono::seconds{77}} : std::nullopt);
        const auto cookies = header(response, "Set-Cookie");
        BOOST_REQUIRE(cookies.size() == 3U);
        BOOST_TEST(cookies[0].starts_with("__Host-usershell-session=tok;"));
        BOOST_TEST(cookies[1].starts_with("__Host-usershell-calls=call;"));
        BOOST_TEST(cookies[2].starts_with("__Host-usershell-auth=own;"));
        for (const std::string& cookie : cookies)
            BOOST_TEST(cookie.ends_with("; Max-Age=77") == remembered, cookie);
    }
}

BOOST_AUTO_TEST_CASE(a_visitor_comes_back_with_their_cookie_and_key) {
    const auto ring = new_rings().auth_secret;
    const web::Request first = request(web::Method::get, "/auth/login");
    const Visitor visitor = visitor_of(ring, first);
    BOOST_REQUIRE(visitor.cookie.has_value());
    BOOST_TEST(visitor.antiforgery_key.size() == crypto::antiforgery_key_size);
    const web::Request back = with_cookie(*visitor.cookie);
    BOOST_TEST(visitor_antiforgery_key(ring, back).value() == visitor.antiforgery_key);
    BOOST_TEST(visitor_of(ring, back).antiforgery_key == visitor.antiforgery_key);
    BOOST_TEST(!visitor_of(ring, back).cookie.has_value());
    BOOST_TEST(visitor_of(ring, first).antiforgery_key != visitor.antiforgery_key);
    BOOST_TEST(visitor_antiforgery_key(new_rings().auth_secret, back).value() !=
               visitor.antiforgery_key);
}

BOOST_AUTO_TEST_CASE(what_is_no_visitor_cookie_counts_as_none) {
    const auto ring = new_rings().auth_secret;
    const std::string good = crypto::base64url(std::string(32, 'x'));
    const auto counts = [&](const std::string& cookie) {
        const web::Request made = with_cookie(cookie);
        const bool known = visitor_antiforgery_key(ring, made).has_value();
        BOOST_TEST(visitor_of(ring, made).cookie.has_value() == !known, cookie);
        return known;
    };
    const std::string name = "__Host-usershell-visitor=";
    BOOST_TEST(counts(name + good));
    for (const std::string& cookie :
         {name, name + good + "A", name + crypto::base64url(std::string(31, 'x')),
          name + std::string(43, '!'), "usershell-visitor=" + good, std::string{}})
        BOOST_TEST(!counts(cookie), cookie);
}

BOOST_AUTO_TEST_CASE(a_device_is_known_for_the_account_it_signed_in_to) {
    const auto ring = new_rings().auth_secret;
    const std::string pair = device_pair(ring);
    const auto device = known_device(ring, with_cookie(pair), ada);
    BOOST_REQUIRE(device.has_value());
    BOOST_TEST(crypto::from_base64url(*device).value_or("").size() == 16U);
    BOOST_TEST(!knows(ring, pair, {ada.user, std::string(16, 'b')})); // after a security event
    BOOST_TEST(!knows(ring, pair, {stamped('a').user, ada.stamp}));
    BOOST_TEST(!knows(new_rings().auth_secret, pair));
    BOOST_TEST(device_pair(ring) != pair);
}

BOOST_AUTO_TEST_CASE(a_forged_device_is_a_stranger) {
    const auto ring = new_rings().auth_secret;
    const std::string pair = device_pair(ring);
    for (std::size_t i = pair.find('=') + 1; i < pair.size(); ++i) {
        std::string spoilt = pair;
        spoilt[i] = spoilt[i] == 'A' ? 'B' : 'A';
        BOOST_TEST(!knows(ring, spoilt), spoilt);
    }
    const std::string name = "__Host-usershell-device=";
    for (const std::string& forged :
         {name, name + ".", name + "x.", name + ".x", name + "..", pair + ".", pair + "A",
          pair.substr(0, pair.size() - 1), pair.substr(0, pair.find('.')),
          name + std::string(4000, '.')})
        BOOST_TEST(!knows(ring, forged), forged);
}

BOOST_AUTO_TEST_CASE(a_device_stays_known_while_its_ring_key_is_kept) {
    auto ring = new_rings().auth_secret;
    const std::string pair = device_pair(ring);
    auto next = new_rings().auth_secret;
    const auto old = std::exchange(ring.active, next.active);
    ring.keys.merge(next.keys);
    const std::string fresh = device_pair(ring);
    BOOST_TEST(knows(ring, pair));
    BOOST_TEST(knows(ring, fresh));
    ring.keys.erase(old);
    BOOST_TEST(!knows(ring, pair));
    BOOST_TEST(knows(ring, fresh));
}

BOOST_AUTO_TEST_CASE(a_browser_names_its_user_without_the_store_and_nobody_else_can) {
    const auto ring = new_rings().auth_secret;
    const std::string pair = device_pair(ring);
    BOOST_TEST((user_of_browser(ring, with_cookie(pair)) == ada.user));
    BOOST_TEST(!user_of_browser(new_rings().auth_secret, with_cookie(pair)));
    const std::string other = stamped('a').user.text();
    const std::string stolen =
        pair.substr(0, pair.find('=') + 1) + other + pair.substr(pair.find('.'));
    const std::string name = "__Host-usershell-device=";
    for (const std::string& forged :
         {stolen, name, name + ada.user.text(), name + ada.user.text() + "...", name + "....",
          name + ada.user.text() + ".x.x.x", std::string{"__Host-usershell-auth=x"}})
        BOOST_TEST(!user_of_browser(ring, with_cookie(forged)), forged);
}
} // namespace
