#include "crypto/ring/create.hpp"

#include "crypto/bytes.hpp"
#include "crypto/ring/file.hpp"
#include "crypto/ring/public_half.hpp"
#include "crypto/ring/ring_text.hpp"

#include <array>
#include <ctime>
#include <system_error>
#include <utility>

#include <sodium.h>

namespace usershell::crypto {

namespace {

struct FileRow {
    RingKind kind;
    std::string_view name;
    mode_t mode;
    std::string_view comment;
};

constexpr std::array file_rows{
    FileRow{{RingRole::vault, RingHalf::secret_half},
            "vault.secret",
            0600,
            "# Opens stored keys. For usershell-execute alone.\n"},
    FileRow{{RingRole::vault, RingHalf::public_half},
            "vault.public",
            0644,
            "# Seals what vault.secret opens.\n"},
    FileRow{{RingRole::web, RingHalf::secret_half},
            "web.secret",
            0600,
            "# Signs what is stored, encrypts avatars. For usershell-manage alone.\n"},
    FileRow{{RingRole::web, RingHalf::public_half},
            "web.public",
            0644,
            "# Verifies what web.secret signed.\n"},
    FileRow{{RingRole::mail, RingHalf::secret_half},
            "mail.secret",
            0600,
            "# Opens queued mail. For usershell-mail alone.\n"},
    FileRow{{RingRole::mail, RingHalf::public_half},
            "mail.public",
            0644,
            "# Seals what mail.secret opens.\n"},
};

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

/// A key in Base64, in wiped memory.
class Base64Key {
public:
    explicit Base64Key(std::string_view key) : text_{Secret::of_size(encoded_size)} {
        sodium_bin2base64(reinterpret_cast<char*>(text_.writable().data()), text_.size(),
                          bytes_of(key), key.size(), sodium_base64_VARIANT_ORIGINAL);
    }
    std::string_view text() const { return text_.reveal().substr(0, encoded_size - 1); }

private:
    static constexpr std::size_t encoded_size =
        sodium_base64_ENCODED_LEN(ring_key_size, sodium_base64_VARIANT_ORIGINAL);
    Secret text_;
};

} // namespace

NewRings::NewRings(const std::filesystem::path& directory, const InstallationId& installation)
    : files_{std::make_unique<NewFiles>(directory)} {
    try {
        const auto created = utc_now();
        for (const auto role : {RingRole::vault, RingRole::web, RingRole::mail})
            create(role, installation, created);
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
    for (const auto& row : file_rows) {
        if (row.kind.role != role) continue;
        const auto& key = row.kind.half == RingHalf::secret_half ? secret : half;
        files_->create(row.name, row.mode,
                       {row.comment, heading_of(row.kind, installation), "\n", id.text(), " ",
                        Base64Key{key.reveal()}.text(), " ", created, " active\n"});
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
