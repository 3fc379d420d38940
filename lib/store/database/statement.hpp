// A statement of SQL under a name of its own: a type, so that no text put together at run time can
// be taken for one. Each is a constant beside the function that uses it, and registers itself by
// being constructed. Connections prepare it by name, and a test executes each one as every role
// that uses it (tests/store).
//
// The list of statements begins as a null pointer before any constructor runs, and is only read
// after main() has begun. A linker drops unused files of a static library, with their statements;
// the tests link the whole library and compare the list with the sources. Inside lib/store only.
#pragma once

#include "base/sentence.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::store {

/// The database roles that run a statement: usershell_owner and so on.
enum Roles : unsigned char {
    by_owner = 1,
    by_manage = 2,
    by_execute = 4,
    by_mail = 8,
    by_rewrap = 16,
    by_auth = 32,
    by_pages = by_auth | by_manage,
    by_workers = by_pages | by_execute,
    by_all = by_owner | by_workers | by_mail | by_rewrap,
};

class Statement {
public:
    /// Only as a constant of a namespace: it is never unregistered. `parts` are joined by spaces
    /// (several statements share a list of columns). `conflict`: what to tell the caller when it
    /// breaks a unique constraint, where that is the caller's doing.
    Statement(std::string_view name, Roles roles, std::initializer_list<std::string_view> parts,
              English conflict = {});
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    std::string_view name() const { return name_; }
    Roles roles() const { return roles_; }
    const std::string& text() const { return text_; }
    English conflict() const { return conflict_; }

    /// Every statement linked into this program, by name. Any thread, once main() has begun.
    static const std::vector<const Statement*>& all();

private:
    std::string_view name_;
    Roles roles_;
    std::string text_;
    English conflict_;
    const Statement* next_;

    static const Statement* newest_;
};

} // namespace usershell::store
