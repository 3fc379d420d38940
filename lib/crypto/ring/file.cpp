#include "crypto/ring/file.hpp"

#include "base/error.hpp"
#include "runtime/descriptor.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fcntl.h>
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

} // namespace usershell::crypto
