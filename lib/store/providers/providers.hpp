// Providers as their owner sees and edits them, each with its models and accounts.
#pragma once

#include "base/ids.hpp"
#include "base/timestamp.hpp"
#include "store/database/database.hpp"
#include "store/providers/parts.hpp"
#include "store/users/sessions.hpp"

#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

/// The fields that its owner edits.
struct ProviderFields {
    std::string name;
    std::string type;
    std::string base_url;
    bool round_robin_accounts = false;
    /// Names the provider to tools, and no other of the owner. Empty: the store makes one from the
    /// name, or keeps the one that there is.
    std::string handle{};
};

struct Provider {
    ProviderId id;
    ProviderFields fields;
    bool is_active = true;
    bool has_key = false; ///< of its own
    std::string key_hint;
    std::optional<std::string> key_entered_for{}; ///< as an account's
    HealthState health{};
    Timestamp created_at{};
    std::vector<Model> models{};     ///< in the order in which they were added
    std::vector<Account> accounts{}; ///< by priority, then name
    std::vector<Header> headers{};   ///< by name
};

/// The oldest first.
std::vector<Provider> list_providers(Lease& lease, const UserId& owner);
/// Without models and accounts.
std::optional<ProviderFields> find_provider_fields(Lease& lease, const UserId& owner,
                                                   const ProviderId& provider);

/// The new provider's fields, or those of the owner's provider that has this id already. Throws
/// Refusal cap_reached beyond rules::max_providers, also when many are created at once.
ProviderFields create_provider(Lease& lease, const UserId& owner, const ProviderId& provider,
                               const ProviderFields& fields, const StoredKey& key);
/// A provider from a file, with its models and accounts and without any key.
struct ImportedProvider {
    ProviderId id;
    ProviderFields fields;
    std::vector<NewModel> models{};
    std::vector<NewAccount> accounts{};
};
/// Adds all of them or, when a cap is reached, none; none also when the first is there already.
void import_providers(Lease& lease, const UserId& owner,
                      const std::vector<ImportedProvider>& providers);
/// Health goes back to unknown when type or base URL change. Returns the provider as it is then.
Provider edit_provider(Lease& lease, const UserId& owner, const ProviderId& provider,
                       const ProviderFields& fields);
void set_provider_key(Lease& lease, const UserId& owner, const ProviderId& provider,
                      const StoredKey& key);
void set_provider_status(Lease& lease, const UserId& owner, const ProviderId& provider,
                         bool is_active);
void delete_provider(Lease& lease, const UserId& owner, const ProviderId& provider);

// The provider list of a user as it was last answered, kept beside its rows: while it is unchanged,
// another answer costs a look at one row, by the statement that checks the session. Each change of
// a provider, model or account draws a new version (sql/0015_provider_lists.sql), by which a page
// learns that the list is unchanged.

struct KeptList {
    std::string version;                   ///< 16 random bytes; empty: there has been no list yet
    std::optional<std::string> document{}; ///< nothing: not kept, of another build, or not wanted
};

struct ListCaller {
    Caller caller;
    KeptList list;
};

/// sign_request_in() with that user's list, in one statement. `build`: of this program, whose
/// documents alone count. `with_document`: else the version only, which costs less.
std::optional<ListCaller> sign_request_in_with_list(Lease& lease, const std::string& token_hash,
                                                    const std::string& build, bool with_document);

/// The list as it is kept.
KeptList find_list(Lease& lease, const UserId& owner, const std::string& build);

struct ReadList {
    std::string version;
    std::vector<Provider> providers; ///< the oldest first
};

/// The rows of the list, with their version.
ReadList read_list(Lease& lease, const UserId& owner);

/// Keeps the list's document, unless the list has another version by now.
void keep_list(Lease& lease, const UserId& owner, const std::string& version,
               const std::string& build, const std::string& document);

} // namespace usershell::store
