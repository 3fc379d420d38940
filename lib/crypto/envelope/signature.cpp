#include "crypto/envelope/signature.hpp"

#include "crypto/bytes.hpp"
#include "crypto/length_prefixed.hpp"

#include <sodium.h>

namespace usershell::crypto {

static_assert(signature_size == crypto_sign_BYTES);

RecordDigest digest_of_record(std::string_view padded) {
    RecordDigest digest{};
    crypto_generichash(digest.data(), digest.size(), bytes_of(padded), padded.size(), nullptr, 0);
    return digest;
}

std::string signed_message(EnvelopeKind kind, const InstallationId& installation,
                           const RingKeyId& signer, const RecordDigest& digest) {
    const std::string_view digest_bytes{reinterpret_cast<const char*>(digest.data()),
                                        digest.size()};
    return length_prefixed({"usershell signature 1", name_of(kind), installation.text(),
                            signer.bytes(), digest_bytes});
}

bool is_signed(const SignedDigest& record, const InstallationId& installation,
               std::string_view public_key) {
    const auto message = signed_message(record.kind, installation, record.signer, record.digest);
    return record.signature.size() == signature_size &&
           crypto_sign_verify_detached(bytes_of(record.signature), bytes_of(message),
                                       message.size(), bytes_of(public_key)) == 0;
}

} // namespace usershell::crypto
