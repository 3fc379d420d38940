// What is opened: each envelope for its own row and address alone.
#include "base/ascii.hpp"
#include "crypto/envelope/sealers.hpp"
#include "opener/answers.hpp"
#include "tests/unit/crypto/support.hpp"
#include "tests/unit/test.hpp"
using namespace usershell::opener;
namespace {
using Closed = crypto::UnsealError::Reason;
using Row = std::map<std::string, std::optional<std::string>>;
const auto holder = *UserId::parse("5f6f1c0e-0000-4000-8000-000000000001");
const auto its_provider = *ProviderId::parse("5f6f1c0e-0000-4000-8000-000000000002");
const auto account = *AccountId::parse("5f6f1c0e-0000-4000-8000-000000000003");
constexpr const char* url = "https://api.example/v1";
struct Opening {
    crypto::SealedKey sealed(const std::optional<AccountId>& of = {},
                             const std::string& header = {}) const {
        return sealer.seal({holder, its_provider, of, "openai", url, header},
                           crypto::Secret{"sk-1"});
    }
    Row row(const crypto::SealedKey& key) const {
        return {{"user_id", holder.text()}, {"provider", its_provider.text()},
                {"type", "openai"},         {"base_url", url},
                {"account", std::nullopt},  {"key_name", ""},
                {"name", "Mine"},           {"sealed_key", "\\x" + hex(key.bytes())}};
    }
    /// The key, or why there is none.
    std::string opened(const Row& row, const crypto::Unsealer* with = nullptr) const {
        store::Texts rows{{}, {{}}};
        for (const auto& [column, value] : row) {
            rows.columns.push_back(column);
            rows.rows[0].push_back(value);
        }
        const Answer answer{with_keys(rows, with != nullptr ? *with : unsealer)};
        BOOST_TEST(answer.front().get<std::string>("name") == "Mine");
        const auto key = answer.front().opened();
        if (!key) return "none";
        BOOST_TEST(key->digest.size() == 32U);
        if (const auto* plain = std::get_if<crypto::Secret>(&key->key))
            return std::string{plain->reveal()};
        constexpr std::array names{"key_unavailable", "damaged", "moved", "address_changed"};
        return names.at(static_cast<std::size_t>(std::get<Closed>(key->key)));
    }
    Rings rings = new_rings();
    crypto::KeySealer sealer{rings.web_secret, rings.vault_public};
    crypto::Unsealer unsealer{rings.vault_secret, rings.web_public, crypto::AddressRule::whole};
};
} // namespace

BOOST_FIXTURE_TEST_CASE(an_envelope_opens_in_its_own_row, Opening) {
    Row own = row(sealed()), of_account = row(sealed(account)), header = row(sealed({}, "x-a"));
    of_account["account"] = account.text();
    of_account["key_name"] = "Work"; // an account's name is no header's
    header["key_name"] = "x-a";
    for (const Row& each : {own, of_account, header}) BOOST_TEST(opened(each) == "sk-1");
    own["sealed_key"].reset();
    BOOST_TEST(opened(own) == "none");
}

BOOST_FIXTURE_TEST_CASE(no_key_opens_for_another_row_or_address, Opening) {
    const Opening others;
    const auto with = [&](const std::string& column, const std::optional<std::string>& value) {
        Row changed = row(sealed());
        changed[column] = value;
        return opened(changed);
    };
    BOOST_TEST(with("account", account.text()) == "moved");
    BOOST_TEST(with("key_name", "x-a") == "moved");
    BOOST_TEST(with("provider", account.text()) == "moved");
    BOOST_TEST(with("user_id", global_owner().text()) == "damaged");
    BOOST_TEST(with("type", "mistral") == "address_changed");
    for (const char* other : {"https://evil.example/v1", "https://api.example/v2", "nowhere"})
        BOOST_TEST(with("base_url", other) == "address_changed");
    BOOST_TEST(opened(row(others.sealed())) == "key_unavailable");
    BOOST_TEST(opened(row(crypto::SealedKey{sealed().bytes().substr(1)})) == "damaged");
}

BOOST_FIXTURE_TEST_CASE(no_key_opens_for_what_is_no_address, Opening) {
    const crypto::Unsealer by_path{rings.vault_secret, rings.web_public, crypto::AddressRule::path};
    Row nowhere = row(sealed());
    nowhere["base_url"] = "https://api.example/v2";
    BOOST_TEST(opened(nowhere, &by_path) == "sk-1");
    nowhere["base_url"] = "https://api.example/../v1";
    BOOST_TEST(opened(nowhere, &by_path) == "address_changed");
}

BOOST_FIXTURE_TEST_CASE(a_row_says_whose_envelope_it_has, Opening) {
    for (const char* column : {"user_id", "provider", "type", "base_url", "key_name"}) {
        Row without = row(sealed());
        without[column].reset();
        BOOST_CHECK_THROW(opened(without), Error);
        without.erase(column);
        BOOST_CHECK_THROW(opened(without), Error);
    }
}
