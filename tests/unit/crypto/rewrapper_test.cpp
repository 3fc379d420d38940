// A key is sealed again for its own row alone, and signed again by the web ring's active key.
#include "crypto/opening/rewrapper.hpp"
#include "crypto/ring/ring.hpp"
#include "crypto/unseal/unseal.hpp"
#include "tests/unit/crypto/support.hpp"
namespace usershell::crypto {
namespace {
struct Store {
    test::Rings rings = test::new_rings();
    VaultPublic target = test::new_rings().vault_public;
    Rewrapper rewrapper{rings.vault_secret, target, rings.web_public};
    KeyBinding binding{random_id<UserId>(), random_id<ProviderId>(), random_id<AccountId>(),
                       "openai", "https://api.example.com/v1"};
    SealedRow row{
        binding.owner, binding.provider.text(), binding.account->text(),
        KeySealer{rings.web_secret, rings.vault_public}.seal(binding, Secret{"sk-canary"}).bytes()};
    std::optional<UnsealError::Reason> refusal() const {
        try {
            rewrapper.rewrap(row);
            return std::nullopt;
        } catch (const UnsealError& error) {
            return error.reason();
        }
    }
};

BOOST_FIXTURE_TEST_CASE(the_new_envelope_names_the_target_and_the_old_signer, Store) {
    const auto header = EnvelopeHeader::parse(rewrapper.rewrap(row), EnvelopeKind::key).value();
    BOOST_TEST((header.ring_key == target.active));
    BOOST_TEST((header.signer == rings.web_public.active));
    const auto other = test::new_rings(test::another_installation());
    BOOST_CHECK_THROW((Rewrapper{rings.vault_secret, other.vault_public, rings.web_public}),
                      RingError);
}

BOOST_FIXTURE_TEST_CASE(a_key_of_another_row_is_refused, Store) {
    const SealedRow own = row;
    row.provider = random_id<ProviderId>().text();
    BOOST_TEST((refusal() == UnsealError::Reason::moved));
    row = own;
    row.id = random_id<AccountId>().text();
    BOOST_TEST((refusal() == UnsealError::Reason::moved));
    row.id = row.provider; // as the provider's own key
    BOOST_TEST((refusal() == UnsealError::Reason::moved));
    row = own;
    row.owner = random_id<UserId>();
    BOOST_TEST(refusal().has_value());
    row.sealed = "no envelope";
    BOOST_TEST((refusal() == UnsealError::Reason::damaged));
}

BOOST_FIXTURE_TEST_CASE(a_header_is_named_by_its_provider_and_name, Store) {
    binding.account.reset();
    binding.header = "x-tenant";
    row.sealed =
        KeySealer{rings.web_secret, rings.vault_public}.seal(binding, Secret{"acme"}).bytes();
    row.id = row.provider + " x-tenant";
    BOOST_TEST(!refusal());
    for (const std::string& other : {row.provider + " x-other", row.provider, "x-tenant"s}) {
        row.id = other;
        BOOST_TEST((refusal() == UnsealError::Reason::moved), other);
    }
}

/// The rings after `ring rotate web` and `ring activate web`.
struct Rotated : Store {
    WebSecret web = with_new_key(test::copy(rings.web_secret));
    WebPublic web_public = public_of(web);
    Resigner signer{web};
    int asked = 0;
    Rewrapper to_new_key{rings.vault_secret, rings.vault_public, web_public,
                         [this](const SignedDigest& record) {
                             ++asked;
                             return signer.sign_again(record).signature;
                         }};
    static WebSecret with_new_key(WebSecret ring) {
        auto other = test::new_rings().web_secret;
        ring.active = other.active;
        ring.keys.merge(other.keys);
        return ring;
    }
    static WebPublic public_of(const WebSecret& ring) {
        WebPublic half{ring.installation, ring.active, {}};
        for (const auto& [id, seed] : ring.keys)
            half.keys.emplace(id, public_half(RingRole::web, seed));
        return half;
    }
    /// The stored key, by one who verifies with the new key alone.
    std::string opened(const std::string& sealed) const {
        const WebPublic only_new{web.installation, web.active, {*web_public.keys.find(web.active)}};
        const Unsealer unsealer{rings.vault_secret, only_new, AddressRule::path};
        return std::string{unsealer.open(binding, SealedKey{sealed}).reveal()};
    }
};

BOOST_FIXTURE_TEST_CASE(a_new_key_signs_what_an_earlier_one_signed, Rotated) {
    row.sealed = to_new_key.rewrap(row);
    BOOST_TEST(opened(row.sealed) == "sk-canary");
    BOOST_TEST(opened(to_new_key.rewrap(row)) == "sk-canary");
    BOOST_TEST(asked == 1);
}

BOOST_FIXTURE_TEST_CASE(nothing_else_is_signed, Rotated) {
    const auto good = DigestSigner{web.installation, rings.web_secret.active,
                                   rings.web_secret.keys.at(rings.web_secret.active)}
                          .sign(EnvelopeKind::key, digest_of_record("record"));
    BOOST_CHECK_NO_THROW(signer.sign_again(good));
    const std::function<void(SignedDigest&)> changes[] = {
        [](auto& to) { to.digest = digest_of_record("another record"); },
        [](auto& to) { to.kind = EnvelopeKind::vault_entry; },
        [this](auto& to) { to.signer = web.active; },
        [](auto& to) { to.signer = test::new_rings().web_public.active; },
        [](auto& to) { to.signature.pop_back(); },
    };
    for (const auto& change : changes) {
        auto other = good;
        change(other);
        BOOST_CHECK_THROW(signer.sign_again(other), Error);
    }
}

BOOST_FIXTURE_TEST_CASE(a_signature_of_another_key_is_not_taken, Rotated) {
    const Rewrapper keeps_signature{rings.vault_secret, rings.vault_public, web_public,
                                    [](const SignedDigest& record) { return record.signature; }};
    BOOST_CHECK_EXCEPTION(keeps_signature.rewrap(row), Error, [](const Error& error) {
        return std::string_view{error.what()}.starts_with("The new signature");
    });
}

} // namespace
} // namespace usershell::crypto
