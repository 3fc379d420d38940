// Shared by tests of lost connections.
#pragma once
#include "store/store_fixture.hpp"
namespace usershell::store {
inline const Statement& statement_named(std::string_view name) {
    const auto found = std::ranges::find(Statement::all(), name, &Statement::name);
    BOOST_REQUIRE(found != Statement::all().end());
    return **found;
}
/// Ends the managing program's connections; returns how many there were.
inline int lose_connections() { return terminate_connections_of("usershell_manage"); }
void unavailable_for_a_second(const auto& work) {
    BOOST_CHECK_EXCEPTION(work(), Refusal, [](const Refusal& refusal) {
        return refusal.status() == 503 && refusal.retry_after() == 1s;
    });
}
} // namespace usershell::store
