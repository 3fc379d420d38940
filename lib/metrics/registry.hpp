// The metrics of a program: families with labels, as in Prometheus
// (https://prometheus.io/docs/concepts/data_model/). The values of a label are a list that is fixed
// at the start (routes, statuses, reasons). Labels never contain user input.
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
