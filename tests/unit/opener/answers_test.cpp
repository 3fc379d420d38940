// What is opened for a call: the first key that it tries and the headers, each for its own row and
// address alone.
#include "crypto/envelope/sealers.hpp"
#include "opener/answers.hpp"
#include "tests/unit/crypto/support.hpp"
#include "tests/unit/test.hpp"
using namespace usershell::opener;
namespace {
using Closed = crypto::UnsealError::Reason;
const auto holder = *UserId::parse("5f6f1c0e-0000-4000-8000-000000000001");
const auto its_provider = *ProviderId::parse("5f6f1c0e-0000-4000-8000-000000000002");
AccountId account(int number) {
    return *AccountId::parse("5f6f1c0e-0000-4000-8000-00000000010" + std::to_string(number));
}
constexpr const char* url = "https://api.example/v1";
struct Opening {
    crypto::SealedKey sealed(const std::string& plain, const std::optional<AccountId>& of = {},
                             const std::string& header = {}) const {
        return sealer.seal({holder, its_provider, of, "openai", url, header},
                           crypto::Secret{plain});
    }
    /// With its own key and accounts 1 and 2; the keys have their numbers.
    store::SealedProvider provider(bool in_turn = false) const {
        store::SealedProvider made{store::CallProvider{.id = its_provider,
                                                       .name = "Mine",
                                                       .type = find_provider_type("openai"),
                                                       .base_url = url,
                                                       .is_active = true,
                                                       .round_robin_accounts = in_turn,
                                                       .own_key = store::CallKey{{}, {}}}};
        made.sealed_own = sealed("sk-own");
        for (const int number : {1, 2}) {
            made.accounts.push_back({account(number), "a"});
            made.sealed_accounts.push_back(sealed("sk-" + std::to_string(number), account(number)));
        }
        return made;
    }
    /// "sk-own", "damaged" or "none".
    std::string first(store::SealedProvider of, const std::optional<AccountId>& only = {},
                      const UserId& owner = holder) const {
        const auto opened = with_first_key(unsealer, owner, std::move(of), only);
        if (!opened.first_key) return "none";
        BOOST_TEST(opened.first_key->digest.size() == 32U);
        if (const auto* plain = std::get_if<crypto::Secret>(&opened.first_key->key))
            return std::string{plain->reveal()};
        switch (std::get<Closed>(opened.first_key->key)) {
        case Closed::key_unavailable:
            return "key_unavailable";
        case Closed::damaged:
            return "damaged";
        case Closed::moved:
            return "moved";
        case Closed::address_changed:
            return "address_changed";
        }
        return {};
    }
    Rings rings = new_rings();
    crypto::KeySealer sealer{rings.web_secret, rings.vault_public};
    crypto::Unsealer unsealer{rings.vault_secret, rings.web_public, crypto::AddressRule::whole};
};
} // namespace

BOOST_FIXTURE_TEST_CASE(the_first_key_that_the_call_tries_is_opened, Opening) {
    BOOST_TEST(first(provider()) == "sk-own");
    BOOST_TEST(first(provider(true)) == "sk-1");
    auto second = provider(true);
    second.accounts[0].is_enabled = false;
    BOOST_TEST(first(std::move(second)) == "sk-2");
    BOOST_TEST(first(provider(), account(2)) == "sk-2");
    BOOST_TEST(first(provider(), account(3)) == "none");
}

BOOST_FIXTURE_TEST_CASE(no_key_opens_for_another_row_or_address, Opening) {
    const Opening others;
    auto moved = provider(), elsewhere = moved, other_path = moved, other_type = moved,
         foreign = moved, cut = moved;
    moved.sealed_own = moved.sealed_accounts[0];
    elsewhere.base_url = "https://evil.example/v1";
    other_path.base_url = "https://api.example/v2";
    other_type.type = find_provider_type("mistral");
    foreign.sealed_own = others.sealed("sk-own");
    cut.sealed_own = crypto::SealedKey{cut.sealed_own->bytes().substr(1)};
    BOOST_TEST(first(moved) == "moved");
    for (const auto& each : {elsewhere, other_path, other_type})
        BOOST_TEST(first(each) == "address_changed");
    BOOST_TEST(first(foreign) == "key_unavailable");
    BOOST_TEST(first(cut) == "damaged");
    BOOST_TEST(first(provider(), {}, global_owner()) == "damaged");
}

BOOST_FIXTURE_TEST_CASE(no_key_opens_for_what_is_no_address, Opening) {
    const crypto::Unsealer by_path{rings.vault_secret, rings.web_public, crypto::AddressRule::path};
    auto nowhere = provider();
    nowhere.base_url = "https://api.example/../v1";
    const auto opened = with_first_key(by_path, holder, nowhere, {});
    BOOST_TEST((std::get<Closed>(opened.first_key.value().key) == Closed::address_changed));
}

BOOST_FIXTURE_TEST_CASE(nothing_is_opened_of_what_can_not_be_called, Opening) {
    auto keyless = provider(), unknown = keyless;
    keyless.own_key.reset();
    keyless.sealed_own.reset();
    unknown.type = nullptr;
    for (const auto& each : {keyless, unknown}) {
        const auto opened = with_first_key(unsealer, holder, each, {});
        BOOST_TEST((!opened.first_key && !opened.header_values));
    }
}

BOOST_FIXTURE_TEST_CASE(headers_come_with_the_key_and_without_them_no_key, Opening) {
    auto whole = provider();
    whole.headers = {"x-tenant"};
    whole.sealed_headers.push_back(sealed("acme", {}, "x-tenant"));
    auto opened = with_first_key(unsealer, holder, whole, {});
    BOOST_REQUIRE((opened.first_key && opened.header_values));
    BOOST_TEST((std::get<crypto::Secret>(opened.header_values->at(0)).reveal() == "acme"));
    whole.headers = {"x-other"};
    opened = with_first_key(unsealer, holder, whole, {});
    BOOST_REQUIRE(opened.header_values);
    BOOST_TEST((std::get<Closed>(opened.header_values->at(0)) == Closed::moved));
    BOOST_TEST(!opened.first_key);
}
