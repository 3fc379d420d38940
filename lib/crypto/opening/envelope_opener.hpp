// Opens envelopes. A library of its own, so that the linker keeps it out of usershell-manage.
// lib/crypto/unseal adds the checks of a key's row, lib/mail those of a mail's row. Thread-safe
// after construction.
#pragma once

#include "crypto/envelope/envelope.hpp"
#include "crypto/opening/unseal_error.hpp"
#include "crypto/opening/verified_envelopes.hpp"
#include "crypto/ring/ring.hpp"

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

namespace usershell::crypto {

/// A record that was signed for us and sealed to us: KeyRecord, VaultEntryRecord or MailRecord.
template <class Record>
struct Opened {
    Secret plain;  ///< signature and record
    Record record; ///< views of `plain`
};

class EnvelopeOpener {
public:
    /// Opens what was sealed to `ring` and signed by a key of `web`, a mail by one of `auth`.
    /// `kind`: which of the kinds that are sealed to the vault ring. `verified`: where signatures
    /// are remembered, if at all; for openers with these rings only. Keeps references; all outlive
    /// the opener.
    EnvelopeOpener(const VaultSecret& ring, const WebPublic& web,
                   EnvelopeKind kind = EnvelopeKind::key, VerifiedEnvelopes* verified = nullptr);
    EnvelopeOpener(const MailSecret& ring, const AuthPublic& auth);

    /// Checks everything up to the owner; the members of Record are the caller's to check. Throws
    /// UnsealError, or std::bad_alloc when memory is short.
    template <class Record>
    Opened<Record> open(const UserId& owner, std::string_view envelope) const {
        std::array<std::string_view, Record::size> fields;
        Secret plain = open(owner, envelope, fields);
        const auto as_record = [](auto... field) { return Record{field...}; };
        return {std::move(plain), std::apply(as_record, fields)};
    }

private:
    /// Fills `fields` with the record's, after the owner. Returns the text that they are views of.
    Secret open(const UserId& owner, std::string_view envelope,
                std::span<std::string_view> fields) const;
    using Secrets = std::map<RingKeyId, Secret>;
    using Signers = std::map<RingKeyId, std::string>;
    EnvelopeOpener(EnvelopeKind kind, const InstallationId& installation, const Secrets& secrets,
                   const Signers& signers, VerifiedEnvelopes* verified);

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
    const Signers& signers_;
    VerifiedEnvelopes* verified_; ///< null: none is remembered
};

} // namespace usershell::crypto
