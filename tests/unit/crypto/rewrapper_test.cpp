// A key is sealed anew for its own row alone.
#include "crypto/opening/rewrapper.hpp"

#include "crypto/token.hpp"
#include "crypto/unseal/unseal.hpp"
#include "support.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>

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

BOOST_FIXTURE_TEST_SUITE(rewrapping, Store)

BOOST_AUTO_TEST_CASE(the_new_envelope_names_the_target_and_the_old_signer) {
    const auto header = EnvelopeHeader::parse(rewrapper.rewrap(row), EnvelopeKind::key).value();
    BOOST_TEST((header.ring_key == target.active));
    BOOST_TEST((header.signer == rings.web_public.active));
}

BOOST_AUTO_TEST_CASE(a_key_of_another_row_is_refused) {
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
}

BOOST_AUTO_TEST_CASE(other_bytes_are_damaged) {
    row.sealed = "no envelope";
    BOOST_TEST((refusal() == UnsealError::Reason::damaged));
}

BOOST_AUTO_TEST_CASE(rings_of_two_installations_are_refused) {
    const auto other = test::new_rings(test::another_installation());
    BOOST_CHECK_THROW((Rewrapper{rings.vault_secret, other.vault_public, rings.web_public}),
                      RingError);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace usershell::crypto
