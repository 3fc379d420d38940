// Providers as their owner sees and edits them, and the scope their keys are sealed to. The
// documents are JSON texts made by PostgreSQL as in docs/contract.md, section 3, ready to be sent:
// one place says what a Provider is. No ciphertext can be read back here: the role has no right to.
#pragma once

#include "base/ids.hpp"
#include "crypto/seal.hpp"
#include "store/database/database.hpp"

#include <optional>
#include <string>

namespace usershell::store {

/// The user's current scope, without its secret half.
struct PublicScope {
    std::string id; ///< UUID
    crypto::RingKeyId ring_key;
    std::string public_key;
    std::string voucher; ///< Scope::voucher
};
std::optional<PublicScope> current_scope(Lease& lease, const UserId& owner);
/// Stores a new scope, which becomes the current one; returns its id.
std::string add_scope(Lease& lease, const UserId& owner, const crypto::Scope& scope);

/// A key on its way to the store.
struct StoredKey {
    crypto::SealedKey sealed;
    std::string scope; ///< id of the scope that it is sealed to
    std::string hint;
};

/// `{"providers":[…]}`, oldest first, each with its models and accounts.
std::string list_providers(Lease& lease, const UserId& owner);
/// One Provider document; nothing when there is none of that owner.
std::optional<std::string> provider_document(Lease& lease, const UserId& owner,
                                             const ProviderId& provider);

/// The fields an edit starts from.
struct ProviderFields {
    std::string name;
    std::string type;
    std::string base_url;
    bool round_robin_accounts = false;
};
std::optional<ProviderFields> find_provider(Lease& lease, const UserId& owner,
                                            const ProviderId& provider);

/// Throws Refusal cap_reached at the eleventh, also when many are created at once.
void create_provider(Lease& lease, const UserId& owner, const ProviderId& provider,
                     const ProviderFields& fields, const StoredKey& key);

/// The following return false when there is no such provider of that owner.
/// Health goes back to unknown when type or base URL changed.
bool edit_provider(Lease& lease, const UserId& owner, const ProviderId& provider,
                   const ProviderFields& fields);
bool set_provider_key(Lease& lease, const UserId& owner, const ProviderId& provider,
                      const StoredKey& key);
bool set_provider_status(Lease& lease, const UserId& owner, const ProviderId& provider,
                         bool active);
bool delete_provider(Lease& lease, const UserId& owner, const ProviderId& provider);

} // namespace usershell::store
