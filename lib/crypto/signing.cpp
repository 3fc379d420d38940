#include "crypto/signing.hpp"

#include "crypto/bytes.hpp"
#include "crypto/ring.hpp"

#include <sodium.h>

namespace usershell::crypto {

SigningPair derive_signing_pair(const Secret& seed) {
    const auto signing_seed = derive_web_key(seed, "sign");
    static_assert(crypto_sign_SEEDBYTES == crypto_generichash_BYTES);
    SigningPair pair{std::string(crypto_sign_PUBLICKEYBYTES, '\0'),
                     Secret::of_size(crypto_sign_SECRETKEYBYTES)};
    crypto_sign_seed_keypair(bytes_of(pair.public_key), pair.secret_key.writable().data(),
                             bytes_of(signing_seed.reveal()));
    return pair;
}

} // namespace usershell::crypto
