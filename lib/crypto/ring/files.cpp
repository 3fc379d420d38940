#include "crypto/ring/files.hpp"

#include "crypto/ring/public_half.hpp"

#include <algorithm>
#include <utility>

namespace usershell::crypto {

namespace {

struct NewKey {
    RingKeyId id;
    Secret secret;
};

NewKey new_key(RingRole role, const InstallationId& installation) {
    auto secret = Secret::random(ring_key_size);
    const auto id = fingerprint(role, installation, public_half(role, secret));
    return {id, std::move(secret)};
}

RingText new_ring(RingRole role, const InstallationId& installation) {
    auto key = new_key(role, installation);
    RingText text{installation, key.id, {}, {{key.id, utc_now()}}};
    text.keys.emplace(key.id, std::move(key.secret));
    return text;
}

/// Both files of the ring.
void create(NewFiles& files, const RingFiles& ring) {
    for (const bool secret : {true, false})
        files.create(ring_file_name(ring.role(), secret), secret ? 0600 : 0644,
                     {ring.text(secret).reveal()});
}

} // namespace

std::string ring_file_name(RingRole role, bool secret) {
    return std::string{name_of(role)} + (secret ? ".secret" : ".public");
}

RingFiles::RingFiles(RingRole role, std::filesystem::path folder)
    : role_{role},
      folder_{std::move(folder)},
      text_{read_ring(folder_ / ring_file_name(role, true), {role, true})} {}

RingFiles::RingFiles(RingRole role, std::filesystem::path folder, std::string_view secret_text)
    : role_{role},
      folder_{std::move(folder)},
      text_{parse_ring(ring_file_name(role, true), {role, true}, secret_text)} {}

RingFiles::RingFiles(RingRole role, std::filesystem::path folder,
                     const InstallationId& installation)
    : role_{role},
      folder_{std::move(folder)},
      text_{new_ring(role, installation)} {}

RingSummary RingFiles::summary() const {
    RingSummary summary{role_, text_.installation, text_.active, {}};
    for (const auto& key : text_.keys) summary.ids.push_back(key.first);
    return summary;
}

std::vector<RingKeyRow> RingFiles::keys() const {
    std::vector<RingKeyRow> rows;
    for (const auto& [id, created] : text_.created)
        rows.push_back({id, created, id == text_.active});
    std::ranges::stable_sort(rows, {}, &RingKeyRow::created);
    return rows;
}

std::string RingFiles::difference() const {
    const auto other = read_ring(folder_ / ring_file_name(role_, false), {role_, false});
    const std::string names = ring_file_name(role_, true) + " and " + ring_file_name(role_, false);
    if (other.installation != text_.installation) return names + " are of two installations.";
    // An id is its public half's fingerprint: with the same ids, the halves belong together.
    if (!std::ranges::equal(other.created, text_.created,
                            [](const auto& a, const auto& b) { return a.first == b.first; }))
        return names + " do not hold the same keys.";
    if (other.active != text_.active) return names + " have another key active.";
    return {};
}

RingKeyId RingFiles::add() {
    auto key = new_key(role_, text_.installation);
    text_.keys.emplace(key.id, std::move(key.secret));
    text_.created.emplace(key.id, utc_now());
    return key.id;
}

void RingFiles::require(const RingKeyId& id) const {
    if (!text_.keys.contains(id))
        throw RingError{"The " + std::string{name_of(role_)} + " ring has no key " + id.text() +
                        "."};
}

void RingFiles::activate(const RingKeyId& id) {
    require(id);
    text_.active = id;
}

void RingFiles::drop(const RingKeyId& id) {
    require(id);
    if (id == text_.active)
        throw RingError{"The key " + id.text() + " is active: activate another one first."};
    text_.keys.erase(id);
    text_.created.erase(id);
}

void RingFiles::save() const {
    try {
        if (std::filesystem::exists(folder_ / ring_file_name(role_, true))) return replace();
        NewFiles files{folder_};
        create(files, *this);
        files.keep();
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

Secret RingFiles::text(bool secret) const {
    const RingKind kind{role_, secret};
    std::vector<Secret> lines;
    lines.emplace_back(comment_of(kind));
    lines.emplace_back(heading_of(kind, text_.installation));
    for (const auto& [id, key] : text_.keys) {
        const auto half = secret ? std::string{} : public_half(role_, key);
        lines.push_back(
            line_of(id, secret ? key.reveal() : half, text_.created.at(id), id == text_.active));
    }
    return joined(lines, '\n');
}

NewRings::NewRings(const std::filesystem::path& directory, const InstallationId& installation)
    : files_{directory} {
    try {
        for (const auto role : all_ring_roles) {
            const RingFiles ring{role, directory, installation};
            create(files_, ring);
            summaries_.push_back(ring.summary());
        }
    } catch (const SystemError& error) {
        throw RingError{"The key rings were not made: " + std::string{error.what()} + "."};
    }
}

void NewRings::keep() {
    try {
        files_.keep();
    } catch (const SystemError& error) {
        throw RingError{"The key rings were not kept: " + std::string{error.what()} + "."};
    }
}

} // namespace usershell::crypto
