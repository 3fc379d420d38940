#include "crypto/token.hpp"

#include "base/ascii.hpp"

#include <boost/test/unit_test.hpp>

#include <set>
#include <string>

namespace usershell::crypto {
namespace {

BOOST_AUTO_TEST_SUITE(access_token)

const auto here = InstallationId::parse("7d1f7a51-4f4b-4a3e-9a53-1f6f3c8d9e10").value();
constexpr auto vector_text = "ush_0005xlvOGG28EabbKk7K6hfLDwbYsv6QmFp2MkPrPdyT9vK4LHKGoxz9"
                             "NaCJ2zffyj";
constexpr auto too_large = "ush_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"
                           "zzzz0dfljJ";
const auto elsewhere = InstallationId::parse("7d1f7a51-4f4b-4a3e-9a53-1f6f3c8d9e11").value();

BOOST_AUTO_TEST_CASE(a_new_token_proves_itself_here_alone) {
    std::set<std::string> seen;
    for (int i = 0; i < 50; ++i) {
        const NewAccessToken token = new_access_token(here);
        const std::string text{std::string_view{token.text}};
        BOOST_TEST(text.size() == 70U);
        BOOST_TEST(text.starts_with(access_token_hint(token.proof.selector)));
        const auto proof = prove_access_token(here, text);
        BOOST_REQUIRE(proof.has_value());
        BOOST_TEST((proof->selector == token.proof.selector));
        BOOST_TEST((proof->verifier == token.proof.verifier));
        BOOST_TEST((prove_access_token(elsewhere, text)->verifier != token.proof.verifier));
        BOOST_TEST(seen.insert(text).second);
    }
}

// Made by another implementation: Python's integers, zlib.crc32 and hashlib.blake2b.
BOOST_AUTO_TEST_CASE(the_form_has_a_vector) {
    const auto proof = prove_access_token(here, vector_text);
    BOOST_REQUIRE(proof.has_value());
    BOOST_TEST(hex(proof->selector) == "000102030405060708090a0b");
    BOOST_TEST(hex(proof->verifier) == "e5d1406c1f13b9285f142c140a815dea"
                                       "dc67f9761f469cb103487a055ce56d48");
}

BOOST_AUTO_TEST_CASE(a_changed_token_is_refused_by_its_form) {
    const std::string text{std::string_view{new_access_token(here).text}};
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string changed = text;
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        BOOST_TEST(!is_access_token(changed));
    }
    for (const std::string& each : {std::string{}, text + "A", text.substr(1), "sk-" + text})
        BOOST_TEST(!is_access_token(each));
}

BOOST_AUTO_TEST_CASE(a_number_of_more_than_44_bytes_is_refused) {
    BOOST_TEST(is_access_token(too_large));
    BOOST_TEST(!prove_access_token(here, too_large).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace usershell::crypto
