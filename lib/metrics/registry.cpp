#include "metrics/registry.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <functional>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace usershell::metrics {

namespace {

using Cell = std::atomic_ref<std::uint64_t>;
static_assert(Cell::is_always_lock_free, "shared between processes");

constexpr auto relaxed = std::memory_order_relaxed;

[[noreturn]] void fail(const std::string& file, int error) {
    throw SystemError{"metrics in " + (file.empty() ? "memory" : file), error};
}

Descriptor open_file(const std::string& file) {
    Descriptor opened{file.empty()
                          ? ::memfd_create("usershell-metrics", MFD_CLOEXEC)
                          : ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
    if (!opened) fail(file, errno);
    return opened;
}

/// The lock of a process is the byte of its number, which need not be in the file.
struct flock lock_of(std::size_t process) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = static_cast<off_t>(process);
    lock.l_len = 1;
    return lock;
}

/// Takes the first number that no running process has.
std::size_t take_number(const Descriptor& file, const std::string& name) {
    for (std::size_t process = 0; process < SharedCells::max_processes; ++process) {
        struct flock lock = lock_of(process);
        if (::fcntl(file.get(), F_OFD_SETLK, &lock) == 0) return process;
        if (errno != EAGAIN && errno != EACCES) fail(name, errno);
    }
    throw Error{"metrics in " + name + ": too many processes have it"};
}

bool held_by_another(const Descriptor& file, std::size_t process) {
    struct flock lock = lock_of(process);
    return ::fcntl(file.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

} // namespace

SharedCells::SharedCells(const std::string& file, std::size_t counts, std::size_t gauges)
    : file_{open_file(file)},
      counts_{counts},
      gauges_{gauges},
      // One cell more, so that the mapping is not empty when there is nothing to count.
      bytes_{(counts + max_processes * gauges + 1) * sizeof(std::uint64_t)} {
    // Its blocks are taken now: a full disk must not end the process at a later addition (SIGBUS).
    if (const int error = ::posix_fallocate(file_.get(), 0, static_cast<off_t>(bytes_)))
        fail(file, error);
    own_ = take_number(file_, file);
    void* const mapped =
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    if (mapped == MAP_FAILED) fail(file, errno);
    cells_ = static_cast<std::uint64_t*>(mapped);
    // The last process of this number has left its values.
    for (std::size_t gauge = 0; gauge < gauges_; ++gauge) set(gauge, 0);
}

SharedCells::~SharedCells() { ::munmap(cells_, bytes_); }

void SharedCells::add(std::size_t count, std::uint64_t by) {
    Cell{cells_[count]}.fetch_add(by, relaxed);
}

std::uint64_t SharedCells::count(std::size_t count) const {
    return Cell{cells_[count]}.load(relaxed);
}

void SharedCells::set(std::size_t gauge, std::int64_t value) {
    Cell{gauges_of(own_)[gauge]}.store(std::bit_cast<std::uint64_t>(value), relaxed);
}

std::int64_t SharedCells::sum(std::size_t gauge) const {
    std::int64_t sum = 0;
    for (std::size_t process = 0; process < max_processes; ++process) {
        const auto value =
            std::bit_cast<std::int64_t>(Cell{gauges_of(process)[gauge]}.load(relaxed));
        if (value != 0 && (process == own_ || held_by_another(file_, process))) sum += value;
    }
    return sum;
}

std::uint64_t* SharedCells::gauges_of(std::size_t process) const {
    return cells_ + counts_ + process * gauges_;
}

namespace {

struct Bound {
    std::chrono::microseconds at_most;
    const char* text; ///< the same in seconds
};

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto bounds = std::to_array<Bound>({
    {milliseconds{5}, "0.005"},
    {milliseconds{10}, "0.01"},
    {milliseconds{25}, "0.025"},
    {milliseconds{50}, "0.05"},
    {milliseconds{100}, "0.1"},
    {milliseconds{250}, "0.25"},
    {milliseconds{500}, "0.5"},
    {seconds{1}, "1"},
    {milliseconds{2500}, "2.5"},
    {seconds{5}, "5"},
    {seconds{10}, "10"},
    {seconds{30}, "30"},
    {seconds{60}, "60"},
    {seconds{300}, "300"},
});

// How it works. Each family has a run of cells of its own: a series for every combination of label
// values, and as many cells a series as the kind needs. A series is numbered like a number whose
// digits are the indexes of its values, the last label being the lowest digit. So counting is a
// computed index and one atomic addition; names and label texts are only needed in text().

// A histogram's cells: one a bound, one for what is above the last, and the sum in microseconds.
constexpr std::size_t histogram_cells = bounds.size() + 2;
constexpr std::size_t sum_cell = bounds.size() + 1;

std::size_t cells_a_series(Kind kind) { return kind == Kind::histogram ? histogram_cells : 1; }

std::size_t number_of_series(const Family& family) {
    std::size_t number = 1;
    for (const Label& label : family.labels) number *= label.values.size();
    return number;
}

const char* word_for(Kind kind) {
    switch (kind) {
    case Kind::counter:
        return "counter";
    case Kind::gauge:
        return "gauge";
    case Kind::histogram:
        break;
    }
    return "histogram";
}

std::string escaped(const std::string& value) {
    std::string text;
    for (const char c : value) {
        if (c == '\\' || c == '"') text += '\\';
        if (c == '\n') {
            text += "\\n";
        } else {
            text += c;
        }
    }
    return text;
}

/// `a="1",b="2"` of the series with that number.
std::string labels_of(const Family& family, std::size_t series) {
    std::string text;
    std::size_t step = number_of_series(family);
    for (const Label& label : family.labels) {
        step /= label.values.size();
        if (!text.empty()) text += ',';
        text +=
            label.name + "=\"" + escaped(label.values[series / step % label.values.size()]) + '"';
    }
    return text;
}

void append_sample(std::string& out, const std::string& name, const std::string& labels,
                   const std::string& value) {
    out += name;
    if (!labels.empty()) out += '{' + labels + '}';
    out += ' ' + value + '\n';
}

std::string in_seconds(std::uint64_t microseconds) {
    std::string fraction = std::to_string(microseconds % 1'000'000);
    fraction.insert(0, 6 - fraction.size(), '0');
    return std::to_string(microseconds / 1'000'000) + '.' + fraction;
}

std::string file_of(const std::string& folder, const std::string& name,
                    const std::vector<Family>& families) {
    if (folder.empty()) return {};
    std::string all;
    for (const Family& family : families) {
        all += family.name + '\n' + word_for(family.kind) + '\n';
        for (const Label& label : family.labels) {
            all += label.name + '\n';
            for (const std::string& value : label.values) all += value + '\n';
        }
    }
    return folder + '/' + name + '.' + std::to_string(std::hash<std::string>{}(all));
}

std::size_t cells_of(const Family& family) {
    return number_of_series(family) * cells_a_series(family.kind);
}

std::size_t total(const std::vector<Family>& families, bool gauges) {
    std::size_t cells = 0;
    for (const Family& family : families) {
        if ((family.kind == Kind::gauge) == gauges) cells += cells_of(family);
    }
    return cells;
}

} // namespace

Registry::Registry(const std::string& folder, const std::string& name, std::vector<Family> families)
    : cells_{file_of(folder, name, families), total(families, false), total(families, true)} {
    std::size_t counts = 0;
    std::size_t gauges = 0;
    for (Family& family : families) {
        std::size_t& next = family.kind == Kind::gauge ? gauges : counts;
        const std::size_t first = std::exchange(next, next + cells_of(family));
        families_.push_back({.family = std::move(family), .first = first});
    }
}

std::size_t Registry::cell(std::size_t family, LabelIndexes labels, std::size_t width) const {
    if (family >= families_.size()) throw Error{"there is no such metric"};
    const Placed& placed = families_[family];
    if (labels.size() != placed.family.labels.size())
        throw Error{placed.family.name + " has another number of labels"};
    std::size_t series = 0;
    auto label = placed.family.labels.begin();
    for (const std::size_t index : labels) {
        if (index >= label->values.size()) throw Error{placed.family.name};
        series = series * label->values.size() + index;
        ++label;
    }
    return placed.first + series * width;
}

void Registry::count(std::size_t family, LabelIndexes labels, std::uint64_t by) {
    cells_.add(cell(family, labels, 1), by);
}

void Registry::observe(std::size_t family, LabelIndexes labels,
                       std::chrono::microseconds duration) {
    const std::size_t first = cell(family, labels, histogram_cells);
    const auto* const bound = std::ranges::find_if(
        bounds, [&](const Bound& candidate) { return duration <= candidate.at_most; });
    cells_.add(first + static_cast<std::size_t>(bound - bounds.begin()), 1);
    cells_.add(first + sum_cell, static_cast<std::uint64_t>(duration.count()));
}

void Registry::set(std::size_t family, std::int64_t value) {
    cells_.set(cell(family, {}, 1), value);
}

std::string Registry::text() const {
    std::string out;
    for (const Placed& placed : families_) {
        const Family& family = placed.family;
        out += "# HELP " + family.name + ' ' + family.help + '\n';
        out += "# TYPE " + family.name + ' ' + word_for(family.kind) + '\n';
        for (std::size_t series = 0; series < number_of_series(family); ++series)
            append_series(out, placed, series);
    }
    return out;
}

void Registry::append_series(std::string& out, const Placed& placed, std::size_t series) const {
    const Family& family = placed.family;
    const std::string labels = labels_of(family, series);
    const std::size_t first = placed.first + series * cells_a_series(family.kind);
    switch (family.kind) {
    case Kind::gauge:
        append_sample(out, family.name, labels, std::to_string(cells_.sum(first)));
        break;
    case Kind::counter:
        if (const auto counted = cells_.count(first); counted != 0 || family.labels.empty())
            append_sample(out, family.name, labels, std::to_string(counted));
        break;
    case Kind::histogram:
        append_histogram(out, family, labels, first);
        break;
    }
}

void Registry::append_histogram(std::string& out, const Family& family, const std::string& labels,
                                std::size_t first) const {
    std::array<std::uint64_t, bounds.size() + 1> up_to{};
    std::uint64_t observed = 0;
    for (std::size_t i = 0; i < up_to.size(); ++i)
        up_to.at(i) = observed += cells_.count(first + i);
    if (observed == 0) return;
    const std::string before = labels.empty() ? "" : labels + ',';
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        append_sample(out, family.name + "_bucket", before + "le=\"" + bounds.at(i).text + '"',
                      std::to_string(up_to.at(i)));
    }
    append_sample(out, family.name + "_bucket", before + "le=\"+Inf\"", std::to_string(observed));
    append_sample(out, family.name + "_sum", labels, in_seconds(cells_.count(first + sum_cell)));
    append_sample(out, family.name + "_count", labels, std::to_string(observed));
}

} // namespace usershell::metrics
