// The managing wing: what its handlers share. Built once at start, outlives every request; all
// parts are thread-safe. This wing can seal keys and not open them.
#pragma once

#include "app/mail_writer.hpp"
#include "base/address.hpp"
#include "base/config.hpp"
#include "crypto/avatar_box.hpp"
#include "crypto/password.hpp"
#include "crypto/ring.hpp"
#include "crypto/seal.hpp"
#include "store/database.hpp"
#include "web/pages.hpp"

namespace usershell {

class Manage {
public:
    /// Loads rings and templates. Throws RingError, PagesError, ConfigError with one sentence each.
    explicit Manage(const Settings& settings);

    const Settings& settings;
    Database database;
    Pages pages;
    WebSecret web_ring;
    Sealer sealer;
    PasswordHasher passwords;
    EgressPolicy egress;
    MailWriter mails;
};

} // namespace usershell
