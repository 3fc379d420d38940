// A statement of SQL under a name of its own: a type, so that no text put together at run time can
// be taken for one. Every statement is a constant beside the function that uses it, and a row of
// that file's list; statements.hpp gathers the lists. Connections prepare them by name, and a test
// executes each one as every role that uses it. Inside lib/store only.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace usershell::store {

/// Who runs a statement: the database roles usershell_owner, usershell_manage, usershell_execute.
enum Roles : unsigned char {
    by_owner = 1,
    by_manage = 2,
    by_execute = 4,
    by_workers = by_manage | by_execute,
    by_all = by_owner | by_workers,
};

struct Statement {
    std::string_view name;
    Roles roles;
    /// The text, in up to three parts (documents.hpp has fragments that several statements share).
    std::array<std::string_view, 3> parts;
    /// Where breaking a unique constraint is the caller's conflict: what to tell them.
    std::string_view conflict = {};

    std::string text() const {
        std::string whole;
        for (const std::string_view part : parts) whole += part;
        return whole;
    }
};

using StatementList = std::span<const Statement* const>;

} // namespace usershell::store
