// The cookies of this program: session, visitor, device.
#include "app/guard.hpp"
#include "crypto/token.hpp"
#include "manage/sign_in/anonymous.hpp"
#include "manage/sign_in/device_cookie.hpp"
#include "manage/sign_in/session_cookie.hpp"
#include "tests/unit/app/support.hpp"
#include "tests/unit/manage/support.hpp"

#include <boost/test/unit_test.hpp>

#include <set>
#include <string>

using namespace usershell;
using namespace usershell::manage;
using namespace usershell::test;

namespace {

/// "name=value" of a Set-Cookie header.
std::string pair_of(const std::string& set_cookie) {
    return set_cookie.substr(0, set_cookie.find(';'));
}

web::Request with_cookie(const std::string& pair) {
    return request(web::Method::post, "/", {{"cookie", pair}});
}

/// A ring file of these rows; the last seed is the active one.
void write_ring(const TemporaryFolder& folder, const std::vector<std::string>& seeds) {
    std::string text;
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        text += "000000000000000" + std::to_string(i) + " " + to_base64(seeds[i]) +
                " 2026-01-01T00:00:00Z " + (i + 1 == seeds.size() ? "active" : "kept") + "\n";
    }
    folder.write("web.secret", text);
}

std::string device_pair(const Services& services, const std::string& email) {
    web::Response response;
    set_device_cookie(response, services, email);
    return pair_of(only_header(response, "Set-Cookie"));
}

} // namespace

BOOST_AUTO_TEST_SUITE(cookies)

BOOST_AUTO_TEST_CASE(a_session_token_is_256_random_bits_of_which_only_the_hash_is_kept) {
    std::set<std::string> seen;
    for (int i = 0; i < 50; ++i) {
        const FreshToken fresh = fresh_session_token();
        BOOST_TEST(crypto::from_base64url(fresh.token).value_or("").size() == 32U);
        BOOST_TEST(fresh.hash == app::session_token_hash(fresh.token));
        BOOST_TEST(fresh.antiforgery_key.size() == crypto::antiforgery_key_size);
        seen.insert({fresh.token, fresh.hash, fresh.antiforgery_key});
    }
    BOOST_TEST(seen.size() == 150U);
}

BOOST_AUTO_TEST_CASE(the_session_cookie_has_the_contracts_attributes) {
    Settings settings;
    settings.session_absolute = std::chrono::hours{24 * 14};
    web::Response response;
    set_session_cookie(response, "tok", false, settings);
    BOOST_TEST(only_header(response, "Set-Cookie") ==
               "__Host-usershell-session=tok; Path=/; Secure; HttpOnly; SameSite=Lax");
    web::Response remembered;
    set_session_cookie(remembered, "tok", true, settings);
    BOOST_TEST(only_header(remembered, "Set-Cookie") ==
               "__Host-usershell-session=tok; Path=/; Secure; HttpOnly; SameSite=Lax; "
               "Max-Age=1209600");
    web::Response cleared;
    clear_session_cookie(cleared);
    BOOST_TEST(only_header(cleared, "Set-Cookie") ==
               "__Host-usershell-session=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0");
}

BOOST_AUTO_TEST_CASE(a_visitor_gets_a_cookie_and_its_key_comes_back_with_it) {
    const auto ring = new_rings().web_secret;
    const Visitor visitor = visitor_of(ring, request(web::Method::get, "/auth/login"));
    BOOST_REQUIRE(visitor.set_cookie.has_value());
    BOOST_TEST(
        visitor.set_cookie->ends_with("; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=3600"));
    BOOST_TEST(visitor.antiforgery_key.size() == crypto::antiforgery_key_size);

    const web::Request back = with_cookie(pair_of(*visitor.set_cookie));
    BOOST_TEST(anonymous_antiforgery_key(ring, back).value_or("") == visitor.antiforgery_key);
    const Visitor again = visitor_of(ring, back);
    BOOST_TEST(!again.set_cookie.has_value());
    BOOST_TEST(again.antiforgery_key == visitor.antiforgery_key);
    BOOST_TEST(crypto::check_antiforgery(again.antiforgery_key,
                                         crypto::issue_antiforgery(visitor.antiforgery_key)));
}

BOOST_AUTO_TEST_CASE(visitors_and_rings_have_keys_of_their_own) {
    const auto ring = new_rings().web_secret;
    const auto other_ring = new_rings().web_secret;
    const Visitor one = visitor_of(ring, request(web::Method::get, "/"));
    const Visitor two = visitor_of(ring, request(web::Method::get, "/"));
    BOOST_TEST(*one.set_cookie != *two.set_cookie);
    BOOST_TEST(one.antiforgery_key != two.antiforgery_key);
    BOOST_TEST(
        anonymous_antiforgery_key(other_ring, with_cookie(pair_of(*one.set_cookie))).value_or("") !=
        one.antiforgery_key);
}

BOOST_AUTO_TEST_CASE(what_is_no_visitor_cookie_counts_as_none) {
    const auto ring = new_rings().web_secret;
    const std::string good = crypto::base64url(std::string(32, 'x'));
    const struct {
        std::string cookie;
        bool counts;
    } table[] = {
        {"__Host-usershell-visitor=" + good, true},
        {"__Host-usershell-visitor=", false},
        {"__Host-usershell-visitor=" + good.substr(1), false},
        {"__Host-usershell-visitor=" + good + "A", false},
        {"__Host-usershell-visitor=" + crypto::base64url(std::string(31, 'x')), false},
        {"__Host-usershell-visitor=" + crypto::base64url(std::string(33, 'x')), false},
        {"__Host-usershell-visitor=" + std::string(43, '!'), false},
        {"usershell-visitor=" + good, false},
        {"__Host-usershell-visitor=" + good + "; __Host-usershell-visitor=" + good, false},
    };
    for (const auto& row : table) {
        const web::Request made = with_cookie(row.cookie);
        BOOST_TEST(anonymous_antiforgery_key(ring, made).has_value() == row.counts, row.cookie);
        BOOST_TEST(visitor_of(ring, made).set_cookie.has_value() == !row.counts, row.cookie);
    }
    BOOST_TEST(clear_visitor_cookie() ==
               "__Host-usershell-visitor=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0");
}

BOOST_AUTO_TEST_CASE(a_device_is_known_for_the_account_it_signed_in_to) {
    const TemporaryFolder folder;
    const Program services{folder};
    web::Response response;
    set_device_cookie(response, services.services, "ada@shell.example");
    const std::string header = only_header(response, "Set-Cookie");
    BOOST_TEST(header.starts_with("__Host-usershell-device="));
    BOOST_TEST(header.ends_with("; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=31536000"));

    const web::Request back = with_cookie(pair_of(header));
    const auto device = known_device(services.services, back, "ada@shell.example");
    BOOST_REQUIRE(device.has_value());
    BOOST_TEST(crypto::from_base64url(*device).value_or("").size() == 16U);
    BOOST_TEST(!known_device(services.services, back, "bob@shell.example"));
    BOOST_TEST(!known_device(services.services, back, ""));
    BOOST_TEST(pair_of(header) != device_pair(services.services, "ada@shell.example"));
}

BOOST_AUTO_TEST_CASE(a_forged_device_is_a_stranger) {
    const TemporaryFolder folder;
    const Program services{folder};
    const std::string pair = device_pair(services.services, "ada@shell.example");
    const auto known = [&](const std::string& cookie) {
        return known_device(services.services, with_cookie(cookie), "ada@shell.example")
            .has_value();
    };
    BOOST_TEST(known(pair));
    for (std::size_t i = pair.find('=') + 1; i < pair.size(); ++i) {
        std::string spoilt = pair;
        spoilt[i] = spoilt[i] == 'A' ? 'B' : 'A';
        BOOST_TEST(!known(spoilt), spoilt);
    }
    const std::string name = "__Host-usershell-device=";
    for (const std::string& forged :
         {name, name + ".", name + "x.", name + ".x", name + "..", pair + ".", pair + "A",
          pair.substr(0, pair.size() - 1), pair.substr(0, pair.find('.')),
          name + std::string(4000, '.')})
        BOOST_TEST(!known(forged), forged);
}

BOOST_AUTO_TEST_CASE(a_device_stays_known_while_its_ring_key_is_kept) {
    const std::string first(32, '1');
    const std::string second(32, '2');
    const TemporaryFolder folder;
    crypto::create_rings(folder.path());
    const auto wing_with = [&](const std::vector<std::string>& seeds) {
        write_ring(folder, seeds);
        return std::make_unique<Program>(folder);
    };
    const auto before = wing_with({first});
    const std::string pair = device_pair(before->services, "ada@shell.example");
    const auto rotated = wing_with({first, second});
    BOOST_TEST(known_device(rotated->services, with_cookie(pair), "ada@shell.example").has_value());
    const std::string fresh = device_pair(rotated->services, "ada@shell.example");
    BOOST_TEST(!known_device(before->services, with_cookie(fresh), "ada@shell.example"));
    const auto dropped = wing_with({second});
    BOOST_TEST(!known_device(dropped->services, with_cookie(pair), "ada@shell.example"));
    BOOST_TEST(
        known_device(dropped->services, with_cookie(fresh), "ada@shell.example").has_value());
}

BOOST_AUTO_TEST_SUITE_END()
