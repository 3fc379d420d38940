// Numbers that the processes of one pool share in a file that all of them map. Counts belong to the
// pool and survive a restart of a process. Gauges belong to a process; their sum is over the
// processes that live. Each process holds a lock on the file (fcntl(2), F_OFD_SETLK), which the
// kernel releases when it ends.
#pragma once

#include "runtime/descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace usershell::metrics {

/// Thread-safe; add() and set() take no lock and make no system call.
class SharedCells {
public:
    static constexpr std::size_t max_processes = 256;

    /// Maps the file, which is made when it is not there, for so many counts and gauges a process.
    /// All processes must give the same numbers. `file` empty: memory of this process alone. Throws
    /// Error when it can't be made, or when max_processes others have it.
    SharedCells(const std::string& file, std::size_t counts, std::size_t gauges);
    ~SharedCells();
    SharedCells(const SharedCells&) = delete;
    SharedCells& operator=(const SharedCells&) = delete;

    void add(std::size_t count, std::uint64_t by);
    std::uint64_t count(std::size_t count) const;

    /// Of this process.
    void set(std::size_t gauge, std::int64_t value);
    /// Of all processes that live.
    std::int64_t sum(std::size_t gauge) const;

private:
    std::uint64_t* gauges_of(std::size_t process) const;

    Descriptor file_;
    std::size_t counts_;
    std::size_t gauges_;
    std::size_t bytes_;
    std::uint64_t* cells_ = nullptr;
    std::size_t own_ = 0; ///< which process this is
};

} // namespace usershell::metrics
