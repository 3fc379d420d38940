#include "crypto/seal.hpp"

#include "crypto/token.hpp"
#include "support.hpp"

#include <boost/test/unit_test.hpp>

#include <set>
#include <stdexcept>
#include <string>

namespace usershell::crypto {
namespace {

struct Sealing {
    test::Rings rings = test::new_rings();
    Sealer sealer{rings.vault_public, rings.web_secret};
    KeyBinding row{random_id<UserId>(), random_id<ProviderId>(), std::nullopt,
                   "https://api.example.com"};
    Scope scope = sealer.make_scope(row.owner);

    std::size_t sealed_size(std::size_t key_size) const {
        return sealer.seal(row, Secret{std::string(key_size, 'k')}, scope.public_key)
            .bytes()
            .size();
    }
};

BOOST_FIXTURE_TEST_SUITE(seal, Sealing)

BOOST_AUTO_TEST_CASE(a_scope_hangs_on_the_active_vault_key) {
    BOOST_TEST(sealer.active_ring_key() == rings.vault_public.active);
    BOOST_TEST(scope.ring_key == rings.vault_public.active);
    BOOST_TEST(scope.public_key.size() == 32U);
    const auto again = sealer.make_scope(row.owner);
    BOOST_TEST((again.public_key != scope.public_key));
    BOOST_TEST((again.secret.bytes() != scope.secret.bytes()));
}

BOOST_AUTO_TEST_CASE(a_scope_is_vouched_for_as_it_was_made) {
    const auto vouched = [this](const UserId& owner, const std::string& ring_key,
                                const std::string& public_key, const std::string& voucher) {
        return sealer.vouches_for(owner, ring_key, public_key, voucher);
    };
    const auto other = sealer.make_scope(row.owner);
    BOOST_TEST(vouched(row.owner, scope.ring_key, scope.public_key, scope.voucher));
    BOOST_TEST(!vouched(random_id<UserId>(), scope.ring_key, scope.public_key, scope.voucher));
    BOOST_TEST(!vouched(row.owner, "0011223344556677", scope.public_key, scope.voucher));
    BOOST_TEST(!vouched(row.owner, scope.ring_key, other.public_key, scope.voucher));
    BOOST_TEST(!vouched(row.owner, scope.ring_key, scope.public_key, ""));
    for (std::size_t i = 0; i < scope.voucher.size(); ++i) {
        std::string flipped = scope.voucher;
        flipped[i] = static_cast<char>(flipped[i] ^ 1);
        BOOST_TEST(!vouched(row.owner, scope.ring_key, scope.public_key, flipped));
    }
    const auto elsewhere = test::new_rings();
    const Sealer stranger{rings.vault_public, elsewhere.web_secret};
    BOOST_TEST(!stranger.vouches_for(row.owner, scope.ring_key, scope.public_key, scope.voucher));
}

BOOST_AUTO_TEST_CASE(nothing_of_the_record_shows) {
    const auto sealed = sealer.seal(row, Secret{"sk-visible-0123456789"}, scope.public_key).bytes();
    for (const auto& part : {std::string{"sk-visible"}, row.owner.text(), row.provider.text(),
                             row.origin, rings.web_secret.active})
        BOOST_TEST(sealed.find(part) == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_same_key_never_looks_the_same) {
    const Secret key{"sk-0123456789"};
    BOOST_TEST((sealer.seal(row, key, scope.public_key).bytes() !=
                sealer.seal(row, key, scope.public_key).bytes()));
}

BOOST_AUTO_TEST_CASE(length_shows_in_steps_of_128_bytes) {
    std::set<std::size_t> sizes;
    for (std::size_t size = 0; size <= 512; ++size) sizes.insert(sealed_size(size));
    BOOST_TEST(sizes.size() == 5U);
    for (const auto size : sizes) BOOST_TEST((size - *sizes.begin()) % 128 == 0U);
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_public_key) {
    const Secret key{"sk-0123456789"};
    for (const std::size_t size : {0U, 31U, 33U})
        BOOST_CHECK_THROW(sealer.seal(row, key, std::string(size, 'p')), std::invalid_argument);
    // the neutral element: everybody knows the secret that would come of it
    BOOST_CHECK_THROW(sealer.seal(row, key, std::string(32, '\0')), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(refuses_a_ring_that_is_none) {
    const WebSecret empty{"00112233445566aa", {}};
    BOOST_CHECK_THROW((Sealer{rings.vault_public, empty}), std::out_of_range);
    WebSecret short_id{"0011", {}};
    short_id.seeds.emplace("0011", Secret{test::counting(32)});
    BOOST_CHECK_THROW((Sealer{rings.vault_public, short_id}), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(the_global_owner_is_nil) {
    BOOST_TEST(global_owner().text() == "00000000-0000-0000-0000-000000000000");
}

BOOST_AUTO_TEST_CASE(hints_show_little) {
    const std::pair<std::string, std::string> cases[] = {
        {"", "••••"},
        {"12345678901", "••••"},
        {"abcdefghijkl", "…ijkl"},
        {"abcdefghijklmnopqrs", "…pqrs"},
        {"abcdefghijklmnopqrst", "abc…qrst"},
        {"sk-" + std::string(200, 'x') + "1234", "sk-…1234"},
    };
    for (const auto& [key, hint] : cases) BOOST_TEST(key_hint(Secret{key}) == hint);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace usershell::crypto
