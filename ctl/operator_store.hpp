// The store as the operator's role sees it, for one command.
#pragma once

#include "domain/settings/config.hpp"
#include "store/database/database.hpp"

#include <string>

namespace usershell::ctl {

/// The setting `database` for an operator: role usershell_owner unless the string names a user
/// itself.
std::string owner_connection(const Settings& settings);

/// Throws Error when the store can't be reached or has another schema.
class OperatorStore {
public:
    explicit OperatorStore(const Settings& settings);
    operator store::Lease&() {
        return lease_;
    } // NOLINT(google-explicit-constructor): is used as one

private:
    store::Database database_;
    store::Lease lease_;
};

} // namespace usershell::ctl
