// An executing program without a store; providers whose keys were really sealed.
#pragma once
#include "crypto/envelope/sealers.hpp"
#include "execute/services.hpp"
#include "store/calls.hpp"
#include "tests/unit/crypto/support.hpp"
namespace usershell::test {
UserId somebody();
ProviderId some_provider();
AccountId account_number(int number);
struct Programs {
    Programs();
    store::CallKey key(const std::string& plain,
                       const std::optional<AccountId>& account = std::nullopt,
                       const std::string& base_url = "https://api.example/v1") const;
    /// Active, of type openai at https://api.example/v1, with this key of its own.
    store::CallProvider provider(const std::string& own_key) const;
    TemporaryFolder folder;
    Settings settings;
    crypto::KeySealer sealer;
    execute::Services execute;
};
/// A provider whose keys are placeholders: for what never opens them.
store::CallProvider bare_provider();
store::CallKey bare_key(std::string name, bool enabled = true, bool is_in_cooldown = false);
} // namespace usershell::test
