#include "crypto/ring/files.hpp"

#include "crypto/ring/file.hpp"
#include "crypto/ring/public_half.hpp"
#include "crypto/ring/ring_text.hpp"

#include <algorithm>
#include <utility>

#include <sodium.h>

namespace usershell::crypto {

namespace {

RingKind kind_of(RingRole role, bool secret) {
    return {role, secret ? RingHalf::secret_half : RingHalf::public_half};
}

constexpr mode_t mode_of(bool secret) { return secret ? 0600 : 0644; }

Secret fresh_key() {
    auto key = Secret::of_size(ring_key_size);
    randombytes_buf(key.writable().data(), key.size());
    return key;
}

} // namespace

std::string ring_file_name(RingRole role, bool secret) {
    return std::string{name_of(role)} + (secret ? ".secret" : ".public");
}

RingFiles::RingFiles(RingRole role, std::filesystem::path folder)
    : role_{role},
      folder_{std::move(folder)},
      text_{std::make_unique<RingText>(
          read_ring(folder_ / ring_file_name(role, true), kind_of(role, true)))} {}

RingFiles::RingFiles(RingRole role, std::filesystem::path folder, std::string_view secret_text)
    : role_{role},
      folder_{std::move(folder)},
      text_{std::make_unique<RingText>(
          parse_ring(ring_file_name(role, true), kind_of(role, true), secret_text))} {}

RingFiles::~RingFiles() = default;
RingFiles::RingFiles(RingFiles&&) noexcept = default;

RingSummary RingFiles::summary() const {
    RingSummary summary{role_, text_->installation, text_->active, {}};
    for (const auto& key : text_->keys) summary.ids.push_back(key.first);
    return summary;
}

std::vector<RingKeyRow> RingFiles::keys() const {
    std::vector<RingKeyRow> rows;
    for (const auto& [id, created] : text_->created)
        rows.push_back({id, created, id == text_->active});
    std::ranges::stable_sort(rows, {}, &RingKeyRow::created);
    return rows;
}

std::string RingFiles::difference() const {
    const auto other = read_ring(folder_ / ring_file_name(role_, false), kind_of(role_, false));
    const std::string names = ring_file_name(role_, true) + " and " + ring_file_name(role_, false);
    if (other.installation != text_->installation) return names + " are of two installations.";
    // An id is its public half's fingerprint: with the same ids, the halves belong together.
    if (!std::ranges::equal(other.created, text_->created,
                            [](const auto& a, const auto& b) { return a.first == b.first; }))
        return names + " do not hold the same keys.";
    if (other.active != text_->active) return names + " have another key active.";
    return {};
}

RingKeyId RingFiles::add() {
    auto secret = fresh_key();
    const auto id = fingerprint(role_, text_->installation, public_half(role_, secret));
    text_->keys.emplace(id, std::move(secret));
    text_->created.emplace(id, utc_now());
    return id;
}

void RingFiles::require(const RingKeyId& id) const {
    if (!text_->keys.contains(id))
        throw RingError{"The " + std::string{name_of(role_)} + " ring has no key " + id.text() +
                        "."};
}

void RingFiles::activate(const RingKeyId& id) {
    require(id);
    text_->active = id;
}

void RingFiles::drop(const RingKeyId& id) {
    require(id);
    if (id == text_->active)
        throw RingError{"The key " + id.text() + " is active: activate another one first."};
    text_->keys.erase(id);
    text_->created.erase(id);
}

void RingFiles::save() const {
    try {
        if (std::filesystem::exists(folder_ / ring_file_name(role_, true)))
            replace();
        else
            make();
    } catch (const SystemError& error) {
        throw RingError{"The " + std::string{name_of(role_)} +
                        " ring was not written: " + error.what() + "."};
    }
}

void RingFiles::replace() const {
    // A program that seals or signs with a new key must find that the other side knows it already.
    const bool secret_first = !signs(role_);
    for (const bool secret : {secret_first, !secret_first})
        replace_file(folder_ / ring_file_name(role_, secret), {text(secret).reveal()});
}

void RingFiles::make() const {
    NewFiles files{folder_};
    for (const bool secret : {true, false})
        files.create(ring_file_name(role_, secret), mode_of(secret), {text(secret).reveal()});
    files.keep();
}

Secret RingFiles::text(bool secret) const {
    const auto kind = kind_of(role_, secret);
    std::string start{comment_of(kind)};
    start += heading_of(kind, text_->installation) + "\n";
    std::vector<Secret> lines;
    std::size_t size = start.size();
    for (const auto& [id, key] : text_->keys) {
        const auto half = secret ? std::string{} : public_half(role_, key);
        lines.push_back(
            line_of(id, secret ? key.reveal() : half, text_->created.at(id), id == text_->active));
        size += lines.back().size() + 1;
    }
    auto text = Secret::of_size(size);
    auto* at = std::ranges::copy(start, text.writable().data()).out;
    for (const auto& line : lines) {
        at = std::ranges::copy(line.reveal(), at).out;
        *at++ = '\n';
    }
    return text;
}

NewRings::NewRings(const std::filesystem::path& directory, const InstallationId& installation,
                   std::span<const RingRole> roles)
    : files_{std::make_unique<NewFiles>(directory)} {
    try {
        const auto created = utc_now();
        for (const auto role : roles) create(role, installation, created);
    } catch (const SystemError& error) {
        throw RingError{"The key rings were not made: " + std::string{error.what()} + "."};
    }
}

NewRings::~NewRings() = default;

void NewRings::create(RingRole role, const InstallationId& installation, std::string_view created) {
    const Secret secret = fresh_key();
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
    summaries_.push_back({role, installation, id, {id}});
}

void NewRings::keep() {
    try {
        files_->keep();
    } catch (const SystemError& error) {
        throw RingError{"The key rings were not kept: " + std::string{error.what()} + "."};
    }
}

} // namespace usershell::crypto
