// An executing program without a store, and an opener that has keys without envelopes.
#pragma once
#include "execute/services.hpp"
#include "opener/server.hpp"
#include "store/calls.hpp"
#include "tests/unit/test.hpp"
namespace usershell::test {
UserId somebody();
ProviderId some_provider();
AccountId account_number(int number);
/// Of so many bytes as a digest has.
std::string digest_named(std::string name);
/// A plaintext.
opener::OpenedKey opened_key(const std::string& plain);
struct Programs {
    Programs();
    /// From now on the opener has this key.
    opener::CallKey key(const std::string& plain,
                       const std::optional<AccountId>& account = std::nullopt) const;
    /// Active, of type openai at https://api.example/v1, with this key of its own.
    opener::CallProvider provider(const std::string& own_key) const;
    /// As the answer that begins a call for it.
    opener::CallProvider opened(const opener::CallProvider& provider,
                                  const std::optional<AccountId>& only = {}) const;
    opener::Answer answer(const opener::Request& request) const;

    TemporaryFolder folder;
    Settings settings;
    mutable std::mutex mutex;
    mutable std::map<std::optional<AccountId>, std::string> keys;
    mutable std::vector<opener::NextKey> asked; ///< of the opener
    /// In place of the answer to a request for a key.
    std::function<opener::Answer(opener::FoundKey)> change;
    opener::Server server;
    execute::Services execute;
};
opener::CallProvider bare_provider();
opener::CallKey bare_key(std::string name, bool enabled = true, bool is_in_cooldown = false);
} // namespace usershell::test
