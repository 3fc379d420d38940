#include "auth/passkeys/challenge.hpp"

#include "base/ascii.hpp"
#include "crypto/bytes.hpp"
#include "crypto/token.hpp"

#include <algorithm>

namespace usershell::auth::passkeys {
namespace {

using std::chrono::seconds;

constexpr std::size_t random_size = 16;
constexpr std::size_t proof_size = 32;
constexpr seconds lifetime{300};
constexpr seconds clock_difference{60};

std::string proof(const crypto::Secret& seed, std::string_view head, std::string_view purpose) {
    return std::string{
        crypto::derive_ring_key(seed, "passkey-challenge", crypto::length_prefixed({head, purpose}))
            .reveal()};
}

} // namespace

std::string make_challenge(const crypto::AuthSecret& ring, std::string_view purpose, Moment now) {
    const auto since = std::chrono::floor<seconds>(now.time_since_epoch()).count();
    const std::string head = crypto::random_bytes(random_size) + std::to_string(since);
    return head + proof(ring.keys.at(ring.active), head, purpose);
}

bool is_challenge(const crypto::AuthSecret& ring, std::string_view purpose,
                  std::string_view challenge, Moment now) {
    if (challenge.size() < random_size + proof_size) return false;
    const auto head = challenge.substr(0, challenge.size() - proof_size);
    const bool is_ours = std::ranges::any_of(ring.keys, [&](const auto& key) {
        return crypto::equal_in_constant_time(proof(key.second, head, purpose),
                                              challenge.substr(head.size()));
    });
    if (!is_ours) return false;
    const auto since = parse_number<seconds::rep>(head.substr(random_size));
    const auto age = now - Moment{seconds{since.value_or(0)}};
    return age <= lifetime && age >= -clock_difference;
}

} // namespace usershell::auth::passkeys
