#include "auth/passkeys/challenge.hpp"

#include "crypto/bytes.hpp"
#include "crypto/token.hpp"

#include <algorithm>
#include <cstdint>

namespace usershell::auth::passkeys {
namespace {

using std::chrono::seconds;

constexpr std::size_t random_size = 16;
constexpr std::size_t head_size = random_size + sizeof(std::uint64_t);
constexpr seconds lifetime{300};
constexpr seconds clock_difference{60};

std::string bytes_of_time(Moment moment) {
    const auto since = std::chrono::floor<seconds>(moment.time_since_epoch()).count();
    std::string bytes;
    for (int shift = 56; shift >= 0; shift -= 8)
        bytes += static_cast<char>(static_cast<std::uint64_t>(since) >> shift & 0xff);
    return bytes;
}

Moment time_of(std::string_view bytes) {
    std::uint64_t since = 0;
    for (const char byte : bytes) since = since << 8U | static_cast<unsigned char>(byte);
    return Moment{seconds{static_cast<std::int64_t>(since)}};
}

std::string proof(const crypto::Secret& seed, std::string_view head, std::string_view purpose) {
    return std::string{
        crypto::derive_ring_key(seed, "passkey-challenge", crypto::length_prefixed({head, purpose}))
            .reveal()};
}

} // namespace

std::string make_challenge(const crypto::AuthSecret& ring, std::string_view purpose, Moment now) {
    const std::string head = crypto::random_bytes(random_size) + bytes_of_time(now);
    return head + proof(ring.keys.at(ring.active), head, purpose);
}

bool is_challenge(const crypto::AuthSecret& ring, std::string_view purpose,
                  std::string_view challenge, Moment now) {
    const auto head = challenge.substr(0, head_size);
    const bool is_ours = std::ranges::any_of(ring.keys, [&](const auto& key) {
        return crypto::equal_in_constant_time(proof(key.second, head, purpose),
                                              challenge.substr(head.size()));
    });
    if (!is_ours) return false;
    const auto age = now - time_of(head.substr(random_size));
    return age <= lifetime && age >= -clock_difference;
}

} // namespace usershell::auth::passkeys
