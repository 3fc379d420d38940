#include "crypto/ring/files.hpp"

#include "base/error.hpp"
#include "crypto/bytes.hpp"
#include "crypto/ring/ring.hpp"
#include "runtime/descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

namespace usershell::crypto {

namespace {

[[noreturn]] void fail(const std::filesystem::path& file, int error) {
    throw SystemError{file.string(), error};
}

Descriptor open_file(const std::filesystem::path& file, int flags, mode_t mode = 0) {
    Descriptor opened{open(file.c_str(), flags | O_CLOEXEC, mode)};
    if (!opened) fail(file, errno);
    return opened;
}

void check(int result, const std::filesystem::path& file) {
    if (result != 0) fail(file, errno);
}

/// The bytes that read(2) or write(2) moved; retried after a signal.
template <class Call>
std::size_t moved(const std::filesystem::path& file, Call call) {
    for (;;) {
        const ssize_t count = call();
        if (count >= 0) return static_cast<std::size_t>(count);
        if (errno != EINTR) fail(file, errno);
    }
}

void write_all(const Descriptor& out, const std::filesystem::path& file, std::string_view content) {
    while (!content.empty()) {
        content.remove_prefix(
            moved(file, [&] { return write(out.get(), content.data(), content.size()); }));
    }
}

} // namespace

FileContent read_file(const std::filesystem::path& file, std::size_t limit) {
    // O_NONBLOCK: a FIFO must not hold up the start
    const Descriptor in = open_file(file, O_RDONLY | O_NONBLOCK);
    struct stat status {};
    check(fstat(in.get(), &status), file);
    if (!S_ISREG(status.st_mode)) fail(file, EINVAL);
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size > limit) fail(file, EFBIG);

    auto bytes = Secret::of_size(size);
    for (auto rest = bytes.writable(); !rest.empty();) {
        const auto count = moved(file, [&] { return read(in.get(), rest.data(), rest.size()); });
        if (count == 0) fail(file, EIO); // it shrank while we read
        rest = rest.subspan(count);
    }
    return {std::move(bytes), status.st_uid, status.st_mode & 07777U};
}

void replace_file(const std::filesystem::path& file, const std::vector<std::string_view>& content) {
    struct stat status {};
    check(stat(file.c_str(), &status), file);
    const std::filesystem::path fresh = file.string() + ".new";
    std::error_code error;
    std::filesystem::remove(fresh, error); // left by one that was killed
    const Descriptor out = open_file(fresh, O_WRONLY | O_CREAT | O_EXCL, 0600);
    for (const auto piece : content) write_all(out, fresh, piece);
    if (status.st_uid != geteuid() || status.st_gid != getegid())
        check(fchown(out.get(), status.st_uid, status.st_gid), fresh);
    check(fchmod(out.get(), status.st_mode & 07777U), fresh);
    check(fsync(out.get()), fresh);
    check(std::rename(fresh.c_str(), file.c_str()), file);
    const Descriptor folder = open_file(file.parent_path(), O_RDONLY | O_DIRECTORY);
    check(fsync(folder.get()), file);
}

NewFiles::NewFiles(std::filesystem::path directory) : directory_{std::move(directory)} {}

NewFiles::~NewFiles() {
    for (const auto& file : made_) {
        std::error_code ignored; // nothing better can be done about a file that won't go
        std::filesystem::remove(file, ignored);
    }
}

void NewFiles::create(std::string_view name, mode_t mode,
                      std::initializer_list<std::string_view> content) {
    auto path = directory_ / name;
    made_.reserve(made_.size() + 1); // so that nothing can fail between making and remembering it
    const Descriptor out = open_file(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    const auto& file = made_.emplace_back(std::move(path));
    for (const auto piece : content) write_all(out, file, piece);
    check(fchmod(out.get(), mode), file);
    check(fsync(out.get()), file);
}

void NewFiles::keep() {
    const Descriptor folder = open_file(directory_, O_RDONLY | O_DIRECTORY);
    check(fsync(folder.get()), directory_);
    made_.clear();
}

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

namespace {

bool is_encrypted(const std::filesystem::path& secret) {
    std::error_code ignored; // reading it says more
    return !std::filesystem::exists(secret, ignored) &&
           std::filesystem::exists(secret.string() + ".cred", ignored);
}

} // namespace

RingFiles::RingFiles(RingRole role, std::filesystem::path folder)
    : role_{role},
      folder_{std::move(folder)},
      lies_encrypted_{is_encrypted(folder_ / ring_file_name(role, true))},
      text_{read_ring(folder_ / ring_file_name(role, !lies_encrypted_), {role, !lies_encrypted_})} {
}

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

void RingFiles::require_plain() const {
    if (lies_encrypted_)
        throw RingError{"The " + std::string{name_of(role_)} +
                        " ring lies encrypted: put its plain file back first."};
}

RingKeyId RingFiles::add() {
    require_plain();
    auto key = new_key(role_, text_.installation);
    text_.keys.emplace(key.id, std::move(key.secret));
    text_.created.emplace(key.id, utc_now());
    return key.id;
}

void RingFiles::require(const RingKeyId& id) const {
    require_plain();
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
    require_plain();
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

namespace {

namespace aead {
constexpr std::size_t key_size = crypto_aead_xchacha20poly1305_ietf_KEYBYTES;
constexpr std::size_t nonce_size = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t tag_size = crypto_aead_xchacha20poly1305_ietf_ABYTES;
} // namespace aead

constexpr std::string_view heading = "usershell-rings 1\n";
constexpr std::size_t salt_size = crypto_pwhash_SALTBYTES;
constexpr std::size_t copy_size_limit = 1024UL * 1024;
constexpr char between_texts = '\0'; // no ring file has one

Secret key_of(const Secret& passphrase, std::string_view salt) {
    auto key = Secret::of_size(aead::key_size);
    if (crypto_pwhash(key.writable().data(), key.size(), passphrase.reveal().data(),
                      passphrase.size(), bytes_of(salt), crypto_pwhash_OPSLIMIT_MODERATE,
                      crypto_pwhash_MEMLIMIT_MODERATE, crypto_pwhash_ALG_ARGON2ID13) != 0)
        throw std::bad_alloc{};
    return key;
}

Secret texts_of(const std::filesystem::path& folder) {
    std::vector<Secret> texts;
    texts.reserve(std::size(all_ring_roles));
    for (const auto role : all_ring_roles) texts.push_back(RingFiles{role, folder}.text(true));
    return joined(texts, between_texts);
}

std::vector<RingFiles> rings_in(std::string_view texts, const std::filesystem::path& folder) {
    std::vector<RingFiles> rings;
    for (const auto role : all_ring_roles) {
        const auto end = std::min(texts.find(between_texts), texts.size());
        rings.emplace_back(role, folder, texts.substr(0, end));
        texts.remove_prefix(std::min(end + 1, texts.size()));
    }
    return rings;
}

} // namespace

void write_ring_copy(const std::filesystem::path& folder, const std::filesystem::path& file,
                     const Secret& passphrase) {
    const Secret texts = texts_of(folder);
    std::string start(salt_size + aead::nonce_size, '\0');
    randombytes_buf(start.data(), start.size());
    const auto key = key_of(passphrase, start);
    std::string box(texts.size() + aead::tag_size, '\0');
    crypto_aead_xchacha20poly1305_ietf_encrypt(
        bytes_of(box), nullptr, bytes_of(texts.reveal()), texts.size(), bytes_of(heading),
        heading.size(), nullptr, bytes_of(start) + salt_size, bytes_of(key.reveal()));
    try {
        NewFiles made{file.parent_path().empty() ? "." : file.parent_path()};
        made.create(file.filename().string(), 0600, {heading, start, box});
        made.keep();
    } catch (const SystemError& error) {
        throw RingError{"The copy was not written: " + std::string{error.what()} + "."};
    }
}

std::vector<RingFiles> read_ring_copy(const std::filesystem::path& file, const Secret& passphrase,
                                      const std::filesystem::path& folder) {
    const auto content = [&file] {
        try {
            return read_file(file, copy_size_limit);
        } catch (const SystemError& error) {
            throw RingError{"The copy can't be read: " + std::string{error.what()} + "."};
        }
    }();
    auto rest = content.bytes.reveal();
    if (!rest.starts_with(heading) ||
        rest.size() < heading.size() + salt_size + aead::nonce_size + aead::tag_size)
        throw RingError{file.string() + " was not made by ring copy."};
    rest.remove_prefix(heading.size());
    const auto key = key_of(passphrase, rest.substr(0, salt_size));
    const auto nonce = rest.substr(salt_size, aead::nonce_size);
    const auto box = rest.substr(salt_size + aead::nonce_size);
    auto texts = Secret::of_size(box.size() - aead::tag_size);
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(
            texts.writable().data(), nullptr, nullptr, bytes_of(box), box.size(), bytes_of(heading),
            heading.size(), bytes_of(nonce), bytes_of(key.reveal())) != 0)
        throw RingError{"The passphrase is another one, or " + file.string() + " was changed."};
    return rings_in(texts.reveal(), folder);
}

} // namespace usershell::crypto
