// What a browser brings to a sign-in and is given: cookies, addresses, words, permits and waits.
#include "auth/browser_words.hpp"
#include "auth/cookies.hpp"
#include "auth/password_check.hpp"
#include "auth/services.hpp"
#include "auth/sign_in.hpp"
#include "crypto/token.hpp"
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
std::string device_pair(const crypto::AuthSecret& ring, const web::Request& request = {},
                        const store::StampedUser& who = ada) {
    web::Response response;
    set_device_cookie(response, ring, request, who);
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
    // A later sign-in there proves it anew, and is no further device.
    const store::StampedUser later{ada.user, std::string(16, 'b')};
    const std::string again = device_pair(ring, with_cookie(pair), later);
    BOOST_TEST((known_device(ring, with_cookie(again), later) == device));
    const auto bob = stamped('a');
    BOOST_TEST((known_device(ring, with_cookie(device_pair(ring, with_cookie(pair), bob)), bob) !=
                device));
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

BOOST_AUTO_TEST_CASE(is_told_in_words_of_ours) {
    const std::string mozilla = "Mozilla/5.0 ";
    const std::string webkit = "AppleWebKit/537.36 (KHTML, like Gecko) ";
    const std::pair<std::string, std::string> table[] = {
        {mozilla + "(X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
         "Firefox on Linux"},
        {mozilla + "(Windows NT 10.0; Win64; x64) " + webkit + "Chrome/126.0.0.0 Safari/537.36",
         "Chrome on Windows"},
        {mozilla + "(Windows NT 10.0; Win64; x64) " + webkit +
             "Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0",
         "Edge on Windows"},
        {mozilla + "(Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                   "Version/17.5 Safari/605.1.15",
         "Safari on macOS"},
        {mozilla + "(iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like "
                   "Gecko) CriOS/126.0 Mobile/15E148 Safari/604.1",
         "Chrome on iPhone"},
        {mozilla + "(Linux; Android 14; Pixel 8) " + webkit +
             "SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36",
         "Samsung Internet on Android"},
        {mozilla + "(X11; CrOS x86_64 14541.0.0) " + webkit + "Chrome/126.0.0.0 Safari/537.36",
         "Chrome on ChromeOS"},
        {"curl/7.88.1", "curl"},
        {"", "An unknown browser"},
        {"<script>alert(1)</script>", "An unknown browser"},
        {"<b>Linux</b>\n", "An unknown browser on Linux"},
        {std::string(10000, 'x'), "An unknown browser"},
    };
    for (const auto& [user_agent, words] : table)
        BOOST_TEST(browser_words(user_agent).english() == words);
}

namespace usershell::auth {
namespace {
struct Permits {
    using Users = std::vector<std::optional<UserId>>;
    /// One for each of them, in turn: "+" where there was one, which is held from then on.
    std::string takes(const Users& users) {
        std::string told;
        for (const auto& user : users) try {
                held.push_back(std::make_unique<Held>(permits, user));
                told += '+';
            } catch (const Refusal& refusal) {
                BOOST_TEST((refusal.code() == ErrorCode::unavailable));
                BOOST_TEST(refusal.retry_after().has_value());
                told += '-';
            }
        return told;
    }
    static UserId somebody() { return crypto::random_id<UserId>(); }
    struct Held {
        Held(PasswordPermits& from, const std::optional<UserId>& proven)
            : permit{from.take(proven)} {}
        PasswordPermits::Permit permit;
    };
    const std::optional<UserId> stranger{};
    PasswordPermits permits{{1, 8192}, {}};
    std::vector<std::unique_ptr<Held>> held;
};

BOOST_FIXTURE_TEST_CASE(strangers_take_no_kept_one, Permits) {
    BOOST_TEST(takes({stranger, stranger, stranger}) == "++-");
    BOOST_TEST(takes({somebody(), somebody(), somebody()}) == "++-");
}

BOOST_FIXTURE_TEST_CASE(a_user_takes_one_kept_one_and_is_then_as_anybody, Permits) {
    const UserId one = somebody();
    BOOST_TEST(takes({one, one, one, one, stranger, somebody()}) == "+++--+");
}

BOOST_FIXTURE_TEST_CASE(each_kind_is_given_back_where_it_was_taken, Permits) {
    const UserId one = somebody();
    for (int i = 0; i < 5; ++i) {
        BOOST_TEST(takes({one, one}) == "++");
        held.pop_back();
        BOOST_TEST(takes({stranger, stranger, stranger}) == "++-");
        held.clear();
    }
}

BOOST_FIXTURE_TEST_CASE(threads_take_no_more_than_there_are_and_give_all_back, Permits) {
    std::atomic<int> inside{0};
    std::atomic<bool> too_many{false};
    {
        std::array<std::jthread, 8> threads;
        for (auto& thread : threads)
            thread = std::jthread{[&] {
                for (int turn = 0; turn < 100; ++turn) try {
                        const auto permit = permits.take(std::nullopt);
                        if (++inside > 2) too_many = true;
                        std::this_thread::yield();
                        --inside;
                    } catch (const Refusal&) {
                        std::this_thread::yield();
                    }
            }};
    }
    BOOST_TEST(!too_many);
    BOOST_TEST(takes({stranger, stranger}) == "++");
}
} // namespace
} // namespace usershell::auth

BOOST_AUTO_TEST_CASE(a_path_of_ours_is_kept) {
    for (const std::string& url :
         {"/"s, "/user/providers"s,
          "/user/settings/profile/confirm-email-change?userId=1&email=a%40b.example&token=t-_"s,
          "/x?next=https://evil.example"s, "/x#//evil.example"s, "/@evil.example"s,
          "/%2f/evil.example"s, "/%5cevil.example"s, "/.evil.example"s,
          "/" + std::string(2047, 'x')})
        BOOST_TEST(local_return_url(url) == url);
}

BOOST_AUTO_TEST_CASE(what_a_browser_could_read_as_another_site_is_replaced) {
    const auto all_are_replaced = [](const std::vector<std::string>& urls) {
        for (const auto& url : urls) BOOST_TEST(local_return_url(url) == "/user/providers", url);
    };
    all_are_replaced({"", "user/providers", "https://evil.example", "HTTPS://evil.example/",
                      "http:evil.example", "https:/evil.example", "//evil.example",
                      "///evil.example", "//", R"(/\evil.example)", R"(\/evil.example)",
                      R"(\\evil.example)", R"(/x\..\..\evil)"});
    all_are_replaced({" //evil.example", " /user/providers", "/\t/evil.example", "/\n/evil.example",
                      "/\r\n/evil.example", "\t//evil.example", "/x\r\nSet-Cookie: a=b",
                      "/\0/evil.example"s, "/\x7f/evil.example"});
    all_are_replaced({"javascript:alert(1)", "data:text/html,x", "@evil.example", ".evil.example",
                      "?x", "#x", "\xe3\x80\x82//evil.example", "/\xc3\xa4",
                      "/\xe2\x88\x95/evil.example", "/" + std::string(2048, 'x')});
}

BOOST_AUTO_TEST_CASE(one_second_is_no_seconds) {
    BOOST_TEST(wait_sentence(1s).english() == "Too many attempts. Try again in 1 second.");
    BOOST_TEST(wait_sentence(2s).english() == "Too many attempts. Try again in 2 seconds.");
}
