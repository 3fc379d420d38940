// Shared by tests of lost connections.
#pragma once

#include "store/store_fixture.hpp"

namespace usershell::store {

inline const Statement& statement_named(std::string_view name) {
    for (const Statement* statement : Statement::all()) {
        if (statement->name() == name) return *statement;
    }
    throw std::logic_error{"No such statement."};
}

/// Ends the managing program's connections; returns how many there were.
inline int lose_connections() { return terminate_connections_of("usershell_manage"); }

/// For BOOST_CHECK_EXCEPTION.
inline auto unavailable_for_a_second() {
    return [](const Refusal& refusal) {
        return refusal.status() == 503 && refusal.retry_after() == 1s;
    };
}

} // namespace usershell::store
