// Opening of envelopes, in a library of its own: usershell-manage, -auth and -execute do not
// link it.
#pragma once

#include "crypto/envelope/envelope.hpp"
#include "crypto/envelope/unseal_error.hpp"
#include "crypto/ring/ring.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace usershell::crypto {

// Remembers which envelopes have been found to be signed by the web ring, so that a key that is
// used again is not verified again: Ed25519 takes more time than all else that opening one does.
// Remembered is a digest of the ciphertext and its owner, which says nothing of the key. The
// envelope must still be decrypted first: only then is the record surely the one that was signed.
// Any thread.

class VerifiedEnvelopes {
public:
    using Digest = std::array<unsigned char, 32>;

    /// The most digests, of 32 bytes each. A new one replaces another with the same first bytes.
    static constexpr std::size_t capacity = 4096;

    static Digest digest_of(std::string_view owner, std::string_view envelope);

    bool contains(const Digest& digest) const;
    void add(const Digest& digest);

private:
    static std::size_t place_of(const Digest& digest);

    mutable std::mutex mutex_;
    std::vector<Digest> digests_; ///< at their places; zeros: nothing
};

// Opens envelopes. lib/crypto/unseal adds the checks of a key's row, lib/mail those of a mail's
// row. Thread-safe after construction.

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
