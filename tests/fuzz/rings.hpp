// The rings of docs/security.md's test vectors, whole: from the same secrets, on every run.
#pragma once

#include "crypto/ring/ring.hpp"

namespace usershell::fuzz {

struct Rings {
    crypto::VaultSecret vault_secret;
    crypto::VaultPublic vault_public;
    crypto::WebSecret web_secret;
    crypto::WebPublic web_public;
    crypto::AuthSecret auth_secret;
    crypto::AuthPublic auth_public;
    crypto::MailSecret mail_secret;
    crypto::MailPublic mail_public;
};

/// Starts libsodium, too.
const Rings& rings();

} // namespace usershell::fuzz
