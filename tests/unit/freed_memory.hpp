// Bytes in freed memory: a suite that links this has its operator delete replaced
// by one that looks for a marked text first. Used by one test at a time, from any threads.
#pragma once
#include <boost/noncopyable.hpp>
#include <string_view>

namespace usershell::test {
/// Counts, from now until it is destroyed, the freed blocks that hold `marker`. `marker` must
/// outlive it, and itself not be freed while it lives.
class FreedMemory : boost::noncopyable {
public:
    explicit FreedMemory(std::string_view marker);
    ~FreedMemory();
    int blocks_with_marker() const;
};
} // namespace usershell::test
