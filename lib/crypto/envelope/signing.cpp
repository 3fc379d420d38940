// Apart from signature.cpp, so that the linker leaves it out of the programs that only verify.
#include "crypto/bytes.hpp"
#include "crypto/envelope/signature.hpp"
#include "crypto/ring/public_half.hpp"

#include <utility>

#include <sodium.h>

namespace usershell::crypto {

DigestSigner::DigestSigner(InstallationId installation, const RingKeyId& signer, const Secret& seed)
    : installation_{std::move(installation)},
      signer_{signer},
      secret_key_{derive_signing_pair(seed).secret_key} {}

SignedDigest DigestSigner::sign(EnvelopeKind kind, const RecordDigest& digest) const {
    const auto message = signed_message(kind, installation_, signer_, digest);
    SignedDigest record{kind, signer_, digest, std::string(signature_size, '\0')};
    crypto_sign_detached(bytes_of(record.signature), nullptr, bytes_of(message), message.size(),
                         bytes_of(secret_key_.reveal()));
    return record;
}

Resigner::Resigner(const WebSecret& web)
    : web_{web},
      active_{web.installation, web.active, web.keys.at(web.active)} {}

SignedDigest Resigner::sign_again(const SignedDigest& record) const {
    const auto signer = web_.keys.find(record.signer);
    if (signer == web_.keys.end() ||
        !is_signed(record, web_.installation, public_half(RingRole::web, signer->second)))
        throw Error{"A record was not signed by a key of this web ring."};
    return active_.sign(record.kind, record.digest);
}

} // namespace usershell::crypto
