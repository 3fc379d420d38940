#include "crypto/ring/ring_text.hpp"

#include "base/ascii.hpp"
#include "base/timestamp.hpp"
#include "crypto/bytes.hpp"
#include "crypto/ring/files.hpp"
#include "crypto/ring/ring.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

namespace usershell::crypto {

namespace {

constexpr std::size_t size_limit = 65536;
constexpr std::string_view format = "usershell-ring 1";

/// "vault secret"
std::string words_of(RingKind kind, char between = ' ') {
    return std::string{name_of(kind.role)} + between + (kind.secret ? "secret" : "public");
}

/// YYYY-MM-DDTHH:MM:SSZ, a day that exists.
bool is_utc_time(const std::string& text) {
    std::tm parts{};
    if (strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr) return false;
    // Only a time in exactly this form is written as it was read.
    return rfc3339_seconds(std::chrono::sys_seconds{std::chrono::seconds{timegm(&parts)}}) == text;
}

std::optional<Secret> decode_key(std::string_view text) {
    auto key = Secret::of_size(ring_key_size);
    if (decode_base64(text, key.writable()) != ring_key_size) return std::nullopt;
    return key;
}

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    for_each_piece(text, at, [&parts](std::string_view part) { parts.push_back(part); });
    return parts;
}

class RingReader {
public:
    RingReader(std::string file, RingKind kind) : file_{std::move(file)}, kind_{kind} {}

    RingText read(std::string_view text) {
        for (const auto line : split(text, '\n')) {
            ++line_;
            if (line.empty() || line.front() == '#') continue;
            if (installation_)
                add(split(line, ' '));
            else
                read_heading(line);
        }
        if (!installation_) throw RingError{file_ + ": this is no ring file."};
        if (!active_) throw RingError{file_ + ": no key is active."};
        return {*std::move(installation_), *active_, std::move(keys_), std::move(created_)};
    }

private:
    [[noreturn]] void refuse(const std::string& why) const {
        throw RingError{file_ + " line " + std::to_string(line_) + ": " + why};
    }

    void read_heading(std::string_view line) {
        const auto words = split(line, ' ');
        if (words.size() != 5 || !line.starts_with(std::string{format} + " "))
            refuse("a ring file begins with: " + std::string{format} +
                   " ROLE secret|public INSTALLATION.");
        const auto found = std::string{words[2]} + " " + std::string{words[3]};
        if (found != words_of(kind_))
            refuse("this is not the " + words_of(kind_) + " file; its heading says otherwise.");
        installation_ = InstallationId::parse(words[4]);
        if (!installation_) refuse("the installation is not a UUID in lower case.");
    }

    void add(const std::vector<std::string_view>& words) {
        if (words.size() != 4)
            refuse("a line is ID KEY CREATED active|kept, with one space between.");
        const auto id = RingKeyId::parse(words[0]);
        if (!id) refuse("the id is not 32 lower-case hexadecimal digits.");
        auto key = decode_key(words[1]);
        if (!key) refuse("the key is not 32 bytes in Base64.");
        check_key(*id, *key);
        if (!is_utc_time(std::string{words[2]}))
            refuse("the time is not of the form YYYY-MM-DDTHH:MM:SSZ.");
        if (is_active(words[3])) activate(*id);
        if (!keys_.emplace(*id, std::move(*key)).second) refuse("the id appears twice.");
        created_.emplace(*id, words[2]);
    }

    /// The id is a fingerprint of the key's public half: what belongs to another key, role or
    /// installation does not fit.
    void check_key(const RingKeyId& id, const Secret& key) const {
        const auto half = kind_.secret ? public_half(kind_.role, key) : std::string{key.reveal()};
        if (!is_usable_public_key(kind_.role, half)) refuse("the key can't be used.");
        if (fingerprint(kind_.role, *installation_, half) != id)
            refuse("the key is not the one that its id names.");
    }

    bool is_active(std::string_view status) const {
        if (status != "active" && status != "kept")
            refuse("the status is neither active nor kept.");
        return status == "active";
    }

    void activate(const RingKeyId& id) {
        if (active_) refuse("a second key is active.");
        active_ = id;
    }

    std::string file_;
    RingKind kind_;
    std::optional<InstallationId> installation_;
    std::optional<RingKeyId> active_;
    std::map<RingKeyId, Secret> keys_;
    std::map<RingKeyId, std::string> created_;
    std::size_t line_ = 0;
};

FileContent content_of(const std::filesystem::path& file, RingKind kind) {
    if (file.empty()) throw RingError{"The setting " + words_of(kind, '-') + " is not set."};
    try {
        return read_file(file, size_limit);
    } catch (const SystemError& error) {
        throw RingError{file.string() + ": this key ring can't be read (" +
                            std::generic_category().message(error.code()) + ").",
                        remedy_of_errno(error.code(), Remedy::restore_rings)};
    }
}

} // namespace

RingText read_ring(const std::filesystem::path& file, RingKind kind) {
    const auto content = content_of(file, kind);
    const auto fault = access_fault(kind.secret, content.owner, geteuid(), content.mode);
    if (!fault.empty()) throw RingError{file.string() + ": " + fault, Remedy::close_rings};
    return parse_ring(file.string(), kind, content.bytes.reveal());
}

RingText parse_ring(std::string file, RingKind kind, std::string_view text) {
    return RingReader{std::move(file), kind}.read(text);
}

std::string heading_of(RingKind kind, const InstallationId& installation) {
    return std::string{format} + " " + words_of(kind) + " " + installation.text();
}

Secret line_of(const RingKeyId& id, std::string_view key, std::string_view created,
               bool is_active) {
    constexpr std::size_t encoded_size =
        sodium_base64_ENCODED_LEN(ring_key_size, sodium_base64_VARIANT_ORIGINAL);
    auto encoded = Secret::of_size(encoded_size);
    sodium_bin2base64(reinterpret_cast<char*>(encoded.writable().data()), encoded_size,
                      bytes_of(key), key.size(), sodium_base64_VARIANT_ORIGINAL);
    const auto base64 = encoded.reveal().substr(0, encoded_size - 1);
    const std::string before = id.text() + " ";
    const std::string behind = " " + std::string{created} + (is_active ? " active" : " kept");
    auto line = Secret::of_size(before.size() + base64.size() + behind.size());
    auto* at = line.writable().data();
    for (const std::string_view part : {std::string_view{before}, base64, std::string_view{behind}})
        at = std::ranges::copy(part, at).out;
    return line;
}

std::string comment_of(RingKind kind) {
    const std::string name{name_of(kind.role)};
    if (!kind.secret)
        return signs(kind.role) ? "# Verifies what " + name + ".secret signed."
                                : "# Seals what " + name + ".secret opens.";
    switch (kind.role) {
    case RingRole::vault:
        return "# Opens stored keys. For usershell-opener alone.";
    case RingRole::web:
        return "# Signs keys, encrypts avatars. For usershell-manage alone.";
    case RingRole::auth:
        return "# Signs mails and known browsers. For usershell-auth alone.";
    case RingRole::mail:
        break;
    }
    return "# Opens queued mail. For usershell-mail alone.";
}

Secret joined(const std::vector<Secret>& parts, char end) {
    std::size_t size = 0;
    for (const auto& part : parts) size += part.size() + 1;
    auto all = Secret::of_size(size);
    auto* at = all.writable().data();
    for (const auto& part : parts) {
        at = std::ranges::copy(part.reveal(), at).out;
        *at++ = static_cast<unsigned char>(end);
    }
    return all;
}

std::string utc_now() {
    const auto now =
        std::chrono::time_point_cast<Timestamp::duration>(std::chrono::system_clock::now());
    return rfc3339_seconds(now);
}

std::string access_fault(bool secret, uid_t owner, uid_t self, mode_t mode) {
    if (owner != 0 && owner != self)
        return "this file belongs to another user than root; give it to root.";
    if ((mode & S_IWGRP) != 0) return "its group may write this file; take that away.";
    if ((mode & S_IWOTH) != 0) return "everybody may write this file; take that away.";
    if (secret && (mode & S_IRWXO) != 0)
        return "everybody may read this secret file; take that away.";
    return {};
}

} // namespace usershell::crypto
