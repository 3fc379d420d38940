// A folder of a test's own, removed at its end with all that is in it.
#pragma once
#include <boost/noncopyable.hpp>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <system_error>
namespace usershell::test {
struct TemporaryFolder : boost::noncopyable {
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "usershell-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            throw std::system_error{errno, std::generic_category()};
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }
    /// A file with that content; returns its path.
    std::filesystem::path write(std::string_view name, std::string_view text,
                                mode_t mode = 0600) const {
        auto file = path_ / name;
        std::ofstream{file, std::ios::binary} << text;
        if (::chmod(file.c_str(), mode) != 0)
            throw std::system_error{errno, std::generic_category()};
        return file;
    }
    std::filesystem::path path_;
};
} // namespace usershell::test
