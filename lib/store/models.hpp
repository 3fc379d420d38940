// Models of a provider, in the order added. Documents are JSON texts of a Model (docs/contract.md,
// section 4).
// Every function throws Refusal not_found when there is no such provider or model of that owner.
#pragma once

#include "base/ids.hpp"
#include "store/database/database.hpp"

#include <optional>
#include <string>

namespace usershell::store {

struct NewModel {
    std::string model_id;
    std::string display_name;
    std::string capabilities;
};

/// Throws conflict for an id the provider has already, cap_reached at the twenty-first.
std::string add_model(Lease& lease, const UserId& owner, const ProviderId& provider,
                      const NewModel& model);
/// `enabled` nothing: toggles.
std::string set_model_enabled(Lease& lease, const UserId& owner, const ProviderId& provider,
                              const std::string& model_id, std::optional<bool> enabled);
std::string set_model_capabilities(Lease& lease, const UserId& owner, const ProviderId& provider,
                                   const std::string& model_id, const std::string& capabilities);
void delete_model(Lease& lease, const UserId& owner, const ProviderId& provider,
                  const std::string& model_id);
bool has_model(Lease& lease, const UserId& owner, const ProviderId& provider,
               const std::string& model_id);

} // namespace usershell::store
