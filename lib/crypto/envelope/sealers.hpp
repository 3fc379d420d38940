// Sealing: keys and mails go in, and only the libraries of lib/crypto/opening, which
// usershell-manage and usershell-auth do not link, get them out. Each sealer signs with the active
// key of its first ring and seals to the active key of the other. The constructors throw RingError
// when the rings are not of one installation. Thread-safe after construction.
#pragma once

#include "base/ids.hpp"
#include "crypto/envelope/sealer.hpp"
#include "crypto/ring/ring.hpp"
#include "crypto/secret.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::crypto {

/// The row that a key, or the value of a header, belongs to and where it may be sent. It opens for
/// exactly these.
struct KeyBinding {
    UserId owner; ///< for an administrator's global provider: global_owner()
    ProviderId provider;
    std::optional<AccountId> account; ///< null: the provider-level key
    std::string type;                 ///< the provider type's value in the catalogue
    std::string base_url;             ///< BaseUrl::text(), all of it
    std::string header{};             ///< its name; empty: a key
};

class KeySealer {
public:
    KeySealer(const WebSecret& web, const VaultPublic& vault);
    SealedKey seal(const KeyBinding& binding, const Secret& key) const;

private:
    EnvelopeSealer sealer_;
};

/// The hint of a key. 20 bytes or more: first 3, "…", last 4; 12 to 19: "…" and last 4; shorter:
/// "••••".
std::string key_hint(const Secret& key);

/// The entry of the earlier flat vault that a key belongs to and where it may be sent.
struct VaultEntryBinding {
    UserId owner;
    VaultEntryId entry;
    std::string kind;     ///< a provider type's value in the catalogue
    std::string base_url; ///< BaseUrl::text(); empty: the catalogue's default for that kind
};

/// For an operator's import. crypto/unseal opens such a key once the entry is folded into the
/// provider store (sql/0018_legacy.sql).
class VaultEntrySealer {
public:
    VaultEntrySealer(const WebSecret& web, const VaultPublic& vault);
    SealedKey seal(const VaultEntryBinding& binding, const Secret& key) const;

private:
    EnvelopeSealer sealer_;
};

/// The row of the outbox that a mail belongs to, and until when it is worth sending.
struct MailBinding {
    UserId owner;
    MailId mail;
    std::chrono::sys_seconds valid_until;
};

class MailSealer {
public:
    MailSealer(const AuthSecret& auth, const MailPublic& mail);
    SealedMail seal(const MailBinding& binding, std::string_view content) const;

private:
    EnvelopeSealer sealer_;
};

} // namespace usershell::crypto
