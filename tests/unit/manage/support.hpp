// A managing wing with rings of its own, the project's templates and a store that can't be reached.
#pragma once

#include "manage/manage.hpp"
#include "store/sessions.hpp"
#include "tests/unit/crypto/support.hpp"

#include <string>

namespace usershell::test {

/// What a wing needs to start; both rings are made in `folder`, unless they are there.
Settings wing_settings(const TemporaryFolder& folder);

/// A wing of the given folder's rings.
struct Wing {
    explicit Wing(const TemporaryFolder& folder)
        : settings{wing_settings(folder)},
          manage{settings} {}

    Settings settings;
    Manage manage;
};

/// Somebody who is signed in.
Caller someone();

bool holds(const std::string& text, const std::string& part);

} // namespace usershell::test
