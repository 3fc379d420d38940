// A managing program with rings of its own, the project's templates and a store that can't be
// reached.
#pragma once

#include "manage/services.hpp"
#include "store/users/sessions.hpp"
#include "tests/unit/crypto/support.hpp"

#include <string>

namespace usershell::test {

/// The settings of a program; both rings are made in `folder`, unless they are there.
Settings wing_settings(const TemporaryFolder& folder);

/// A program of the given folder's rings.
struct Program {
    explicit Program(const TemporaryFolder& folder)
        : settings{wing_settings(folder)},
          services{settings} {}

    Settings settings;
    manage::Services services;
};

/// Somebody who is signed in.
store::Caller someone();

bool holds(const std::string& text, const std::string& part);

} // namespace usershell::test
