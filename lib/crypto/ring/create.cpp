#include "crypto/ring/create.hpp"

#include "crypto/ring/file.hpp"
#include "crypto/ring/files.hpp"
#include "crypto/ring/public_half.hpp"
#include "crypto/ring/ring_text.hpp"

#include <system_error>
#include <utility>

#include <sodium.h>

namespace usershell::crypto {

namespace {

constexpr mode_t mode_of(bool secret) { return secret ? 0600 : 0644; }

} // namespace

NewRings::NewRings(const std::filesystem::path& directory, const InstallationId& installation)
    : files_{std::make_unique<NewFiles>(directory)} {
    try {
        const auto created = utc_now();
        for (const auto role : all_ring_roles) create(role, installation, created);
    } catch (const std::system_error& error) {
        throw RingError{"The key rings were not made: " + std::string{error.what()} + "."};
    }
}

NewRings::~NewRings() = default;

void NewRings::create(RingRole role, const InstallationId& installation, std::string_view created) {
    auto secret = Secret::of_size(ring_key_size);
    randombytes_buf(secret.writable().data(), secret.size());
    const Secret half{public_half(role, secret)};
    const auto id = fingerprint(role, installation, half.reveal());
    for (const auto ring_half : {RingHalf::secret_half, RingHalf::public_half}) {
        const RingKind kind{role, ring_half};
        const bool is_secret = ring_half == RingHalf::secret_half;
        const auto line = line_of(id, (is_secret ? secret : half).reveal(), created, true);
        files_->create(
            ring_file_name(role, is_secret), mode_of(is_secret),
            {comment_of(kind), heading_of(kind, installation), "\n", line.reveal(), "\n"});
    }
    summaries_.push_back({role, installation, {id}});
}

void NewRings::keep() {
    try {
        files_->keep();
    } catch (const std::system_error& error) {
        throw RingError{"The key rings were not kept: " + std::string{error.what()} + "."};
    }
}

} // namespace usershell::crypto
