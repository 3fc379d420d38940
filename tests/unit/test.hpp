// Included by every test: Boost.Test, the parts of the standard library that most of them use, and
// two helpers.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/noncopyable.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
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

/// All bytes of a file.
inline std::string content_of(const std::filesystem::path& file) {
    std::ifstream stream{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
}
} // namespace usershell
