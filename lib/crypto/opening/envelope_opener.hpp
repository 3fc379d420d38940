// Opening envelopes: a library of its own, so that the linker keeps it out of usershell-manage.
// Whoever opens keys adds the checks of a key's row (lib/crypto/unseal), whoever opens mails those
// of a mail's (lib/mail). Thread-safe after construction.
#pragma once

#include "crypto/envelope/envelope.hpp"
#include "crypto/opening/unseal_error.hpp"
#include "crypto/opening/verified_envelopes.hpp"
#include "crypto/ring/ring.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::crypto {

/// A record that was signed for us and sealed to us.
struct OpenedRecord {
    Secret plain;                         ///< what the fields look into: signature and record
    std::vector<std::string_view> fields; ///< of the record (envelope/record.hpp), after the owner
};

class EnvelopeOpener {
public:
    /// Opens what was sealed to `ring` and signed by a key of `web`. `kind`: which of the kinds
    /// that are sealed to the vault ring. `verified`: where signatures are remembered, if at all;
    /// for openers with these rings only. Keeps references; all outlive the opener.
    EnvelopeOpener(const VaultSecret& ring, const WebPublic& web,
                   EnvelopeKind kind = EnvelopeKind::key, VerifiedEnvelopes* verified = nullptr);
    EnvelopeOpener(const MailSecret& ring, const WebPublic& web);

    /// Checks all but the fields after the owner, of which there are `field_count`. The ring's key
    /// is found by its id alone. Throws UnsealError, and nothing else but std::bad_alloc when
    /// memory is short.
    OpenedRecord open(const UserId& owner, std::string_view envelope,
                      std::size_t field_count) const;

private:
    using Secrets = std::map<RingKeyId, Secret>;
    EnvelopeOpener(EnvelopeKind kind, const InstallationId& installation, const Secrets& secrets,
                   const WebPublic& web, VerifiedEnvelopes* verified);

    Secret decrypted(const EnvelopeHeader& header, const UserId& owner,
                     std::string_view envelope) const;
    void verify(const EnvelopeHeader& header, std::string_view signature,
                std::string_view padded) const;
    std::string_view verified_record(const EnvelopeHeader& header, const UserId& owner,
                                     std::string_view envelope, std::string_view plain) const;

    EnvelopeKind kind_;
    const InstallationId& installation_;
    const Secrets& secrets_;
    std::map<RingKeyId, std::string> public_keys_; ///< of the same ids
    const WebPublic& web_;
    VerifiedEnvelopes* verified_; ///< null: none is remembered
};

} // namespace usershell::crypto
