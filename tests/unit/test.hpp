// Included by every test: Boost.Test, what most of them use of the libraries, and two helpers.
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
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
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
#include <sys/wait.h>
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
