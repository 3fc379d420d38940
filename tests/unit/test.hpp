// Included by every test: Boost.Test, what most of them use of the libraries, and helpers.
#pragma once
#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "domain/rules.hpp"
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/noncopyable.hpp>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>
namespace usershell::test {}
using namespace usershell;
using namespace usershell::test;
namespace usershell {
using namespace std::literals;
using namespace test;
inline bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}
inline std::string content_of(const std::filesystem::path& file) {
    std::ifstream stream{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
}
} // namespace usershell
namespace usershell::test {
/// A folder of a test's own, removed at its end with all that is in it.
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
/// Decorates a test or a suite of them: left out with ThreadSanitizer, and the reason is printed,
/// for `./dev test --sanitize` to show at its end.
inline boost::unit_test::decorator::precondition
unless_thread_sanitized([[maybe_unused]] const std::string& reason) {
    return boost::unit_test::decorator::precondition{[=](boost::unit_test::test_unit_id id) {
#ifdef __SANITIZE_THREAD__
        const auto& unit = boost::unit_test::framework::get(id, boost::unit_test::TUT_ANY);
        std::cout << unit.full_name() << " ... skipped 'with sanitizers " << reason << "'\n";
        return boost::test_tools::assertion_result{false};
#else
        static_cast<void>(id);
        return boost::test_tools::assertion_result{true};
#endif
    }};
}
/// "code", or "code field" when a field is at fault; "served" when nothing was refused.
template <class Work>
std::string outcome_of(Work work) {
    try {
        work();
    } catch (const Refusal& refusal) {
        BOOST_TEST(!refusal.sentence().empty());
        std::string outcome{name_of(refusal.code())};
        if (!refusal.field().empty()) outcome += " " + refusal.field();
        return outcome;
    }
    return "served";
}

inline std::string repeated(const std::string& piece, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += piece;
    return text;
}
} // namespace usershell::test
