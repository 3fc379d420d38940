// Parameters with which every statement finds or writes something of one user's. A new statement
// needs a row.
#pragma once
#include "store/store_fixture.hpp"
namespace usershell::store {
struct Example : ProviderOwner {
    Example();
    AccountId account;
    NewSession session;
    std::string mail;      ///< id of a queued one
    std::string link_hash; ///< of every one-time link
    std::string call_id;   ///< of a call under way
    std::string key;       ///< the provider's, sealed
    std::string account_key;
    std::string list_version;                    ///< of the kept list
    std::map<std::string, std::string> sign_ins; ///< a literal, by deed; "half": without a factor
    std::string passkey = crypto::random_uuid(); ///< its id
    NewApp app = some_app();                     ///< with a code that was counted
    AccessTokenId access_token = crypto::random_id<AccessTokenId>();
    crypto::TokenProof proof;
    std::string token_call_id;                    ///< of a call that began with it
    std::string event_id = crypto::random_uuid(); ///< of one that waits for its mail

private:
    void add_token();
    void add_factors();
};
/// By statement name: its parameters as SQL literals.
using Examples = std::map<std::string, std::vector<std::string>, std::less<>>;
Examples examples_of(const Example& example);
void present(pqxx::work& transaction, const std::string& token_hash);
/// Prepares `sql` in a transaction and executes it with these parameters.
pqxx::result execute(pqxx::work& transaction, const std::string& sql,
                     const std::vector<std::string>& parameters);
std::string literal(const std::string& text);
std::string literal_bytes(const std::string& bytes);
} // namespace usershell::store
