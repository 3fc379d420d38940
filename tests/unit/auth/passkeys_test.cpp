// Passkeys: each rule about what a browser sends, and challenges.
#include "auth/passkeys/challenge.hpp"
#include "auth/passkeys/webauthn.hpp"
#include "tests/unit/crypto/support.hpp"
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
using namespace usershell::auth;
namespace {
using Key = std::shared_ptr<EVP_PKEY>;
const passkeys::Expected expected{"https://usershell.example", "usershell.example",
                                  std::string(56, 'c')};

Key owned(EVP_PKEY* key) {
    BOOST_REQUIRE(key != nullptr);
    return {key, &EVP_PKEY_free};
}
std::string spki(const Key& key) {
    unsigned char* der = nullptr;
    const int size = i2d_PUBKEY(key.get(), &der);
    std::string text{reinterpret_cast<const char*>(der), static_cast<std::size_t>(size)};
    OPENSSL_free(der);
    return text;
}
/// A public key of RSA without a private one.
std::string rsa_of_bits(int bits, int exponent_bits = 17, const char* type = "RSA") {
    const auto odd = [](int size) {
        std::unique_ptr<BIGNUM, decltype(&BN_free)> number{BN_new(), &BN_free};
        BN_set_bit(number.get(), size - 1);
        BN_set_bit(number.get(), 0);
        return number;
    };
    const auto modulus = odd(bits);
    const auto exponent = odd(exponent_bits);
    const std::unique_ptr<OSSL_PARAM_BLD, decltype(&OSSL_PARAM_BLD_free)> builder{
        OSSL_PARAM_BLD_new(), &OSSL_PARAM_BLD_free};
    OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get());
    OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, exponent.get());
    const std::unique_ptr<OSSL_PARAM, decltype(&OSSL_PARAM_free)> parts{
        OSSL_PARAM_BLD_to_param(builder.get()), &OSSL_PARAM_free};
    const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context{
        EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr), &EVP_PKEY_CTX_free};
    EVP_PKEY* key = nullptr;
    EVP_PKEY_fromdata_init(context.get());
    EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parts.get());
    return spki(owned(key));
}
std::string sha256(std::string_view bytes) {
    std::string hash(32, '\0');
    SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
           reinterpret_cast<unsigned char*>(hash.data()));
    return hash;
}

struct Passkey {
    Key key;
    int algorithm;
    passkeys::PublicKey open() const { return {spki(key), algorithm}; }
    std::string sign(const std::string& client_data, const std::string& data) const {
        const std::string message = data + sha256(client_data);
        std::string signature(512, '\0');
        std::size_t size = signature.size();
        const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                              &EVP_MD_CTX_free};
        EVP_DigestSignInit(context.get(), nullptr, algorithm == -8 ? nullptr : EVP_sha256(),
                           nullptr, key.get());
        BOOST_REQUIRE(EVP_DigestSign(context.get(),
                                     reinterpret_cast<unsigned char*>(signature.data()), &size,
                                     reinterpret_cast<const unsigned char*>(message.data()),
                                     message.size()) == 1);
        signature.resize(size);
        return signature;
    }
};
const Passkey& es256() {
    static const Passkey made{owned(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256")), -7};
    return made;
}
const Passkey& eddsa() {
    static const Passkey made{owned(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")), -8};
    return made;
}
const Passkey& rs256() {
    static const Passkey made{owned(EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", std::size_t{2048})),
                              -257};
    return made;
}

enum Flag { up = 1, uv = 4, be = 8, bs = 16, at = 64, ed = 128 };

std::string client_data(const std::string& type) {
    return R"({"type":")" + type + R"(","challenge":")" + crypto::base64url(expected.challenge) +
           R"(","origin":"https://usershell.example","crossOrigin":false})";
}
std::string data_of(int flags, const std::string& rest = {},
                    const std::string& rp_id = expected.rp_id) {
    return sha256(rp_id) + static_cast<char>(flags) + "\x01\x02\x03\xff" + rest;
}
std::string credential(std::size_t size, const std::string& behind = "CBOR") {
    return std::string(16, 'a') + static_cast<char>(size / 256) + static_cast<char>(size % 256) +
           std::string(size, 'i') + behind;
}
const std::string created = client_data("webauthn.create");
const std::string got = client_data("webauthn.get");

auto registered(const std::string& text, const std::string& data,
                const passkeys::PublicKey& key = es256().open()) {
    return passkeys::verify_registration({text, data, key}, expected);
}
/// Signed as it is.
auto asserted(const std::string& text, const std::string& data, const Passkey& by = es256()) {
    return passkeys::verify_assertion({text, data, by.sign(text, data)}, by.open(), expected);
}
std::string with(std::string text, std::string_view part, std::string_view other) {
    const auto at = text.find(part);
    BOOST_REQUIRE(at != std::string::npos);
    return text.replace(at, part.size(), other);
}
std::string flipped(std::string bytes, std::size_t at) {
    bytes.at(at) = static_cast<char>(bytes.at(at) ^ 1);
    return bytes;
}
const std::string good_data = data_of(up | at, credential(16));

} // namespace

BOOST_AUTO_TEST_SUITE(passkeys_of_browsers)

BOOST_AUTO_TEST_CASE(a_passkey_of_each_algorithm_registers_and_signs) {
    for (const Passkey* passkey : {&es256(), &eddsa(), &rs256()}) {
        const auto key = passkey->open();
        const auto registration =
            registered(created, data_of(up | uv | be | at, credential(16)), key);
        BOOST_REQUIRE(registration.has_value());
        BOOST_TEST(registration->credential_id == std::string(16, 'i'));
        BOOST_TEST(registration->counter == 0x010203ffU);
        BOOST_TEST(registration->is_synced);
        BOOST_TEST(asserted(got, data_of(up), *passkey).has_value());
    }
    const auto plain = registered(created, good_data);
    BOOST_TEST((plain && !plain->is_synced));
    for (const int flags : {0, +uv, +be, be | bs}) {
        const auto assertion = asserted(got, data_of(up | flags));
        BOOST_REQUIRE(assertion.has_value());
        BOOST_TEST(assertion->counter == 0x010203ffU);
        BOOST_TEST(assertion->is_verified == (flags == uv));
        BOOST_TEST(assertion->is_synced == ((flags & be) != 0));
    }
}

BOOST_AUTO_TEST_CASE(client_data_is_exactly_what_was_asked_for) {
    const std::pair<const char*, const char*> rows[] = {
        {"webauthn.create", "webauthn.get"},
        {"webauthn.create", "webauthn.create "},
        {R"("type")", R"("Type")"},
        {"Y2Nj", "Y2Nk"},
        {R"(","origin)", R"(=","origin)"},
        {R"("challenge")", R"("x")"},
        {"https", "http"},
        {R"(example")", R"(example:8443")"},
        {R"(example")", R"(example/")"},
        {R"("origin")", R"("x")"},
        {"false", "true"},
        {"false", R"("false")"},
        {"false", R"(false,"topOrigin":"https://usershell.example")"},
        {"false", R"(false,"crossOrigin":false)"},
        {"{", ""},
        {"}", "}x"}};
    for (const auto& [part, other] : rows)
        BOOST_TEST(!registered(with(created, part, other), good_data), part << " → " << other);
    for (const auto& [part, other] :
         {std::pair{R"(,"crossOrigin":false)", ""}, std::pair{"}", R"(,"later":{"a":[1]}})"}})
        BOOST_TEST(registered(with(created, part, other), good_data).has_value(), other);
    for (const auto& [size, is_good] : {std::pair{2048U, true}, std::pair{2049U, false}})
        BOOST_TEST(
            registered(created + std::string(size - created.size(), ' '), good_data).has_value() ==
            is_good);
    BOOST_TEST(!registered("", good_data));
    BOOST_TEST(!asserted(created, data_of(up)));
}

BOOST_AUTO_TEST_CASE(authenticator_data_of_a_registration_has_a_credential) {
    for (const auto& [data, what] : std::initializer_list<std::pair<std::string, const char*>>{
             {data_of(at, credential(16)), "nobody was present"},
             {data_of(up, credential(16)), "says that it has no credential"},
             {data_of(up | at | bs, credential(16)), "backed up, and may not be"},
             {data_of(up | at, credential(16), "example"), "another RP"},
             {data_of(up | at, credential(0)), "no credential ID"},
             {data_of(up | at, credential(1024)), "a long credential ID"}})
        BOOST_TEST(!registered(created, data), what);
    for (const std::size_t size : {1U, 1023U})
        BOOST_TEST(registered(created, data_of(up | at, credential(size)))->credential_id ==
                   std::string(size, 'i'));
    const std::string whole = data_of(up | at, credential(300, ""));
    BOOST_TEST(registered(created, whole).has_value());
    for (std::size_t size = 0; size < whole.size(); ++size)
        BOOST_TEST(!registered(created, whole.substr(0, size)), size);
}

BOOST_AUTO_TEST_CASE(a_key_is_of_its_algorithm) {
    const auto accepts = [](const std::string& key, int algorithm) {
        return registered(created, good_data, {key, algorithm}).has_value();
    };
    const std::pair<std::string, int> others[] = {
        {spki(owned(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-384"))), 0},
        {spki(owned(EVP_PKEY_Q_keygen(nullptr, nullptr, "SM2"))), 0},
        {spki(owned(EVP_PKEY_Q_keygen(nullptr, nullptr, "X25519"))), 0},
        // P-256's point at infinity, with which anybody signs
        {from_hex("3019301306072a8648ce3d020106082a8648ce3d03010703020000"), 0},
        {rsa_of_bits(2047), 0},
        {rsa_of_bits(2048), -257},
        {rsa_of_bits(4096), -257},
        {rsa_of_bits(4097), 0},
        {rsa_of_bits(4096, 512), 0}, // of more than 600 bytes
        {rsa_of_bits(2048, 17, "RSA-PSS"), 0},
        {es256().open().spki, -7},
        {eddsa().open().spki, -8},
        {eddsa().open().spki + '\0', 0},
        {es256().open().spki.substr(1), 0},
        {"", 0}};
    for (const auto& [key, own] : others)
        for (const int algorithm : {-7, -8, -257, -35, 0})
            BOOST_TEST(accepts(key, algorithm) == (algorithm == own && own != 0),
                       algorithm << " with " << key.size() << " bytes");
    BOOST_TEST(ERR_peek_error() == 0U);
}

BOOST_AUTO_TEST_CASE(an_assertion_is_of_somebody_present_here) {
    BOOST_TEST(asserted(got, data_of(up | ed, "extensions")).has_value());
    for (const auto& [data, what] : std::initializer_list<std::pair<std::string, const char*>>{
             {data_of(uv), "nobody was present"},
             {data_of(up | bs), "backed up, and may not be"},
             {data_of(up, "", "example"), "another RP"},
             {data_of(up).substr(0, 36), "cut"},
             {data_of(up, "x"), "more, and no extension"},
             {data_of(up | at, credential(16)), "a credential"}})
        BOOST_TEST(!asserted(got, data), what);
}

BOOST_AUTO_TEST_CASE(a_signature_is_of_all_by_the_registered_key) {
    for (const Passkey* passkey : {&es256(), &eddsa(), &rs256()}) {
        const std::string data = data_of(up);
        const std::string signature = passkey->sign(got, data);
        const auto accepts = [&](const std::string& text, const std::string& signed_data,
                                 const std::string& by, const passkeys::PublicKey& key) {
            return passkeys::verify_assertion({text, signed_data, by}, key, expected).has_value();
        };
        const auto key = passkey->open();
        BOOST_TEST(accepts(got, data, signature, key));
        BOOST_TEST(!accepts(got + " ", data, signature, key));
        BOOST_TEST(!accepts(got, flipped(data, 36), signature, key));
        for (const std::string& other :
             {flipped(signature, 0), flipped(signature, signature.size() - 1), signature + '\0',
              signature.substr(1), passkey->sign(got, flipped(data, 36)), ""s})
            BOOST_TEST(!accepts(got, data, other, key));
        BOOST_TEST(ERR_peek_error() == 0U);
        for (const Passkey* other : {&es256(), &eddsa(), &rs256()}) {
            if (other == passkey) continue;
            BOOST_TEST(!accepts(got, data, signature, other->open()));
            BOOST_TEST(!accepts(got, data, signature, {key.spki, other->algorithm}));
        }
    }
}

BOOST_AUTO_TEST_CASE(the_test_vector_of_the_standard_is_good) { // 16.2
    const auto hash = "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b5"s;
    const auto id = "f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4"s;
    const auto x = "afefa16f97ca9b2d23eb86ccb64098d20db90856062eb249c33a9b672f26df61"s;
    const auto y = "930a56b87a2fca66334b03458abf879717c12cc68ed73290af2e2664796b9220"s;
    const passkeys::PublicKey key{
        from_hex("3059301306072a8648ce3d020106082a8648ce3d03010703420004" + x + y), -7};
    const auto registration = passkeys::verify_registration(
        {R"({"type":"webauthn.create","challenge":"AMMPt4UxxGTStncdq417YDwBFi8vpIa-pw8oOuVW4TA",)"
         R"("origin":"https://example.org","crossOrigin":false,"extraData":"clientDataJSON may be )"
         R"(extended with additional fields in the future, such as this: BkQeDjdcTBrXBiAwJTLE5Q"})",
         from_hex(hash + "59000000008446ccb9ab1db374750b2367ff6f3a1f0020" + id +
                  "a5010203262001215820" + x + "225820" + y),
         key},
        {"https://example.org", "example.org",
         from_hex("00c30fb78531c464d2b6771dab8d7b603c01162f2fa486bea70f283ae556e130")});
    BOOST_TEST((registration && registration->credential_id == from_hex(id)));
    const auto assertion = passkeys::verify_assertion(
        {R"({"type":"webauthn.get","challenge":"OcDnUhQXulTUPo3JUXT0I97pvzzYBP9tZchXyav01Ag",)"
         R"("origin":"https://example.org","crossOrigin":false})",
         from_hex(hash + "1900000000"),
         from_hex("3046022100f50a4e2e4409249c4a853ba361282f09841df4dd4547a13a87780218deffcd38"
                  "0221008480ac0f0b93538174f575bf11a1dd5d78c6e486013f937295ea13653e331e87")},
        key,
        {"https://example.org", "example.org",
         from_hex("39c0e7521417ba54d43e8dc95174f423dee9bf3cd804ff6d65c857c9abf4d408")});
    BOOST_TEST((assertion && assertion->is_synced && !assertion->is_verified));
}

BOOST_AUTO_TEST_CASE(a_challenge_is_good_for_its_purpose_and_five_minutes) {
    const auto ring = new_rings().auth_secret;
    const passkeys::Moment now{std::chrono::seconds{1'800'000'000}};
    const std::string made = passkeys::make_challenge(ring, "visitor deed", now);
    BOOST_TEST(made != passkeys::make_challenge(ring, "visitor deed", now));
    const auto is_good = [&](const std::string& challenge, auto after) {
        return passkeys::is_challenge(ring, "visitor deed", challenge, now + after);
    };
    for (const auto& [after, good] :
         {std::pair{-61s, false}, std::pair{-60s, true}, std::pair{0s, true}, std::pair{300s, true},
          std::pair{301s, false}})
        BOOST_TEST(is_good(made, after) == good, after.count());
    for (std::size_t at = 0; at < made.size(); ++at) {
        BOOST_TEST(!is_good(flipped(made, at), 0s), at);
        BOOST_TEST(!is_good(made.substr(0, at), 0s), at);
    }
    BOOST_TEST(!is_good(made + "x", 0s));
    BOOST_TEST(!passkeys::is_challenge(ring, "visitor dee", made, now));
    const auto other = new_rings().auth_secret;
    BOOST_TEST(!passkeys::is_challenge(other, "visitor deed", made, now));
    auto both = copy(ring); // a rotation
    both.keys.merge(copy(other).keys);
    for (const auto* active : {&ring, &other}) {
        both.active = active->active;
        BOOST_TEST(passkeys::is_challenge(both, "visitor deed", made, now));
        const std::string by_active = passkeys::make_challenge(both, "visitor deed", now);
        BOOST_TEST(passkeys::is_challenge(*active, "visitor deed", by_active, now));
    }
}

BOOST_AUTO_TEST_SUITE_END()
