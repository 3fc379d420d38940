// An executing program without a store, and an opener that has keys without envelopes.
#pragma once
#include "execute/services.hpp"
#include "opener/server.hpp"
#include "opener/wire/call_starts.hpp"
#include "store/calls.hpp"
#include "tests/unit/test.hpp"
namespace usershell::test {
UserId somebody();
ProviderId some_provider();
AccountId account_number(int number);
/// Of so many bytes as a digest has.
std::string digest_named(std::string name);
/// What the opener has for a question about a key.
struct Found {
    std::string type = "openai";
    std::string base_url = "https://api.example/v1";
    std::optional<std::string> key{}; ///< null: it is gone
    std::map<std::string, std::string> headers{};
};
/// A question about a key.
struct Asked {
    std::string user;
    std::string account;
    bool with_headers;
};
struct Programs {
    Programs();
    /// From now on the opener has this key.
    opener::CallKey key(const std::string& plain,
                        const std::optional<AccountId>& account = std::nullopt) const;
    /// Active, of type openai at https://api.example/v1, with this key of its own.
    opener::CallProvider provider(const std::string& own_key) const;
    /// As the answer that begins a call for it.
    opener::CallProvider opened(opener::CallProvider provider,
                                const std::optional<AccountId>& only = {}) const;
    WipedString answer(const opener::Question& question) const;

    TemporaryFolder folder;
    Settings settings;
    mutable std::mutex mutex;
    mutable std::map<std::string, std::string> keys; ///< by account
    mutable std::vector<Asked> asked;
    /// In place of the answer to a question about a key; null: there is no right to it.
    std::function<std::optional<Found>(Found)> change;
    opener::Server server;
    execute::Services execute;
};
opener::CallProvider bare_provider();
opener::CallKey bare_key(std::string name, bool enabled = true, bool is_in_cooldown = false);
} // namespace usershell::test
