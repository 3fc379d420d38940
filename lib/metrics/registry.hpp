// The metrics of a program, and the numbers behind them.
#pragma once

#include "runtime/descriptor.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace usershell::metrics {

// Numbers that the processes of one pool share in a file that all of them map. Counts belong to the
// pool and survive a restart of a process. Gauges belong to a process; their sum is over the
// processes that live. Each process holds a lock on the file (fcntl(2), F_OFD_SETLK), which the
// kernel releases when it ends.

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

// The metrics of a program: families with labels, as in Prometheus
// (https://prometheus.io/docs/concepts/data_model/). The values of a label are a list that is fixed
// at the start (routes, statuses, reasons). Labels never contain user input.

enum class Kind {
    counter,
    gauge,     ///< without labels
    histogram, ///< of durations, in seconds
};

struct Label {
    std::string name;
    std::vector<std::string> values;
};

struct Family {
    std::string name;
    std::string help;
    Kind kind;
    std::vector<Label> labels{};
};

/// Which value each label has, by its index in Label::values, in the order of the labels.
using LabelIndexes = std::initializer_list<std::size_t>;

/// Thread-safe. Families and label values are given by their index in the list; an unknown index
/// throws Error.
class Registry {
public:
    /// `folder`: shared by the processes of a pool, which count in a file there. It is called
    /// `name` and a hash of the families, so that two versions of a program do not add to each
    /// other's numbers. Empty: this process alone. Throws Error.
    Registry(const std::string& folder, const std::string& name, std::vector<Family> families);

    void count(std::size_t family, LabelIndexes labels, std::uint64_t by = 1);
    void observe(std::size_t family, LabelIndexes labels, std::chrono::microseconds duration);
    /// A gauge of this process; text() has the sum over the processes.
    void set(std::size_t family, std::int64_t value);

    /// Everything in Prometheus's text format, version 0.0.4. Series that were never counted are
    /// left out.
    std::string text() const;

private:
    struct Placed {
        Family family;
        std::size_t first = 0; ///< cell
    };
    std::size_t cell(std::size_t family, LabelIndexes labels, std::size_t cells_a_series) const;
    void append_series(std::string& out, const Placed& placed, std::size_t series) const;
    void append_histogram(std::string& out, const Family& family, const std::string& labels,
                          std::size_t first) const;

    std::vector<Placed> families_;
    SharedCells cells_;
};

} // namespace usershell::metrics
