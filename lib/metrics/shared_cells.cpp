#include "metrics/shared_cells.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>

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

} // namespace usershell::metrics
