// What a program counts, as families with labels, in Prometheus's terms
// (https://prometheus.io/docs/concepts/data_model/). A label's values are a closed list that the
// program knows when it starts (routes, statuses, reasons): never a user, an address or anything
// else that a request says.
#pragma once

#include "metrics/shared_cells.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace usershell::metrics {

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

/// Thread-safe. A family is named by its index in the list; a index that is not there is a fault of
/// the program (std::out_of_range).
class Registry {
public:
    /// `folder`: shared by the processes of a pool, which count in a file there. It is called
    /// `name` and a hash of the families, so that two versions of a program do not add to each
    /// other's numbers. Empty: this process alone. Throws CellsError.
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
