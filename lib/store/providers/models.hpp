// Models of a provider, in the order in which they were added.
#pragma once

#include "base/ids.hpp"
#include "store/database/database.hpp"

#include <optional>
#include <string>

namespace usershell::store {

struct Model {
    std::string model_id;
    std::string display_name;
    std::string capabilities; ///< words of the contract, separated by commas
    bool is_enabled = true;
    int position = 0; ///< grows in the order in which they were added
};

struct NewModel {
    std::string model_id;
    std::string display_name;
    std::string capabilities;
};

bool has_model(Lease& lease, const UserId& owner, const ProviderId& provider,
               const std::string& model_id);
/// Throws Refusal conflict for an id the provider has already, cap_reached beyond
/// rules::max_models.
Model add_model(Lease& lease, const UserId& owner, const ProviderId& provider,
                const NewModel& model);
/// `enabled` null: toggles.
Model set_model_enabled(Lease& lease, const UserId& owner, const ProviderId& provider,
                        const std::string& model_id, std::optional<bool> enabled);
Model set_model_name(Lease& lease, const UserId& owner, const ProviderId& provider,
                     const std::string& model_id, const std::string& display_name);
Model set_model_capabilities(Lease& lease, const UserId& owner, const ProviderId& provider,
                             const std::string& model_id, const std::string& capabilities);
void delete_model(Lease& lease, const UserId& owner, const ProviderId& provider,
                  const std::string& model_id);

} // namespace usershell::store
