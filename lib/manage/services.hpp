// The managing program: what its handlers share. Built once at start, outlives every request; all
// parts are thread-safe. This program can seal keys and not open them.
#pragma once

#include "app/mail_writer.hpp"
#include "base/address/address.hpp"
#include "base/settings/config.hpp"
#include "crypto/avatar_box.hpp"
#include "crypto/password.hpp"
#include "crypto/ring.hpp"
#include "crypto/seal.hpp"
#include "images/decode_places.hpp"
#include "store/database/database.hpp"
#include "web/pages.hpp"

#include <chrono>

namespace usershell::manage {

class Services {
public:
    /// Loads rings and templates. Throws RingError, PagesError, ConfigError with one sentence each.
    explicit Services(const Settings& settings);

    const Settings& settings;
    store::Database database;
    web::Pages pages;
    crypto::WebSecret web_ring;
    crypto::Sealer sealer;
    crypto::PasswordHasher passwords;
    EgressPolicy egress;
    images::DecodePlaces decode_places;
    app::MailWriter mails;
};

/// One round of clearing away what has expired: sessions, one-time links, pending changes of
/// address, old tries. Returns how long to wait before the next; several processes may sweep at a
/// time.
std::chrono::milliseconds sweep(Services& services);

} // namespace usershell::manage
