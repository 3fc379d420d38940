#include "load_report.hpp"

#include <algorithm>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace usershell::bench {
namespace {

double milliseconds(Clock::duration time) {
    return std::chrono::duration<double, std::milli>{time}.count();
}

/// Sorts.
double quantile(std::vector<Clock::duration>& times, double part) {
    if (times.empty()) return 0;
    std::ranges::sort(times);
    const auto rank = static_cast<std::size_t>(part * static_cast<double>(times.size()));
    return milliseconds(times[std::min(rank, times.size() - 1)]);
}

} // namespace

std::string LoadReport::json() {
    const double seconds = milliseconds(time) / 1000;
    boost::json::object counts;
    for (const auto& [status, count] : statuses) counts[std::to_string(status)] = count;
    return boost::json::serialize(boost::json::object{
        {"requests", requests},
        {"seconds", seconds},
        {"per_second", static_cast<double>(requests) / seconds},
        {"p50_ms", quantile(whole, 0.5)},
        {"p99_ms", quantile(whole, 0.99)},
        {"max_ms", quantile(whole, 1)},
        {"first_p50_ms", quantile(first, 0.5)},
        {"first_p99_ms", quantile(first, 0.99)},
        {"statuses", counts},
        {"failed", failed},
        {"unfinished", unfinished},
        {"open_most", open_most},
    });
}

} // namespace usershell::bench
