// Replaces operator delete by one that looks for a marked text. For one test at a time. A test with
// USERSHELL_LOOKS_INTO_C, linked with --wrap=malloc,--wrap=free, looks into static C libraries too.
#pragma once
#include "tests/unit/test.hpp"
namespace usershell::test {
/// Counts the blocks freed in its life that hold `marker`, which must outlive it.
struct FreedMemory : boost::noncopyable {
    explicit FreedMemory(std::string_view marker);
    ~FreedMemory();
    int blocks_with_marker() const;
};
} // namespace usershell::test
