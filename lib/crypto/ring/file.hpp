// Whole small files, read into wiped memory and written so that they are whole or not there.
// Internal to lib/crypto. Failures are SystemError, whose text names the file.
#pragma once

#include "crypto/secret.hpp"

#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace usershell::crypto {

/// A regular file's content, owner and permission bits, read by one open(2).
struct FileContent {
    Secret bytes;
    uid_t owner;
    mode_t mode;
};
/// std::errc::invalid_argument when it is no regular file, file_too_large when it is longer than
/// `limit`.
FileContent read_file(const std::filesystem::path& file, std::size_t limit);

/// Puts `content` in the place of a file that is there, whole or not at all, with the owner and the
/// mode that the file has. On disk when this returns.
void replace_file(const std::filesystem::path& file, const std::vector<std::string_view>& content);

/// New files of one folder, that come into being together: what create() has made is removed again
/// by the destructor unless keep() was reached.
class NewFiles {
public:
    explicit NewFiles(std::filesystem::path directory);
    ~NewFiles();
    NewFiles(const NewFiles&) = delete;
    NewFiles& operator=(const NewFiles&) = delete;

    /// Fails with std::errc::file_exists rather than touch a file; `mode` holds whatever the umask.
    void create(std::string_view name, mode_t mode,
                std::initializer_list<std::string_view> content);
    /// Everything is on disk when this returns.
    void keep();

private:
    std::filesystem::path directory_;
    std::vector<std::filesystem::path> made_;
};

} // namespace usershell::crypto
