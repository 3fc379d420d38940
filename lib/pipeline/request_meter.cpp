#include "pipeline/request_meter.hpp"

#include "web/status.hpp"

#include <algorithm>
#include <array>

namespace usershell::pipeline {
namespace {

enum Family : std::size_t { requests, durations };

constexpr std::array methods{web::Method::get, web::Method::head,    web::Method::post,
                             web::Method::put, web::Method::delete_, web::Method::other};

constexpr std::string_view no_route = "-";

std::vector<std::string> words(const auto& values, auto&& word_of) {
    std::vector<std::string> words;
    words.reserve(values.size());
    for (const auto& value : values) words.emplace_back(word_of(value));
    return words;
}

std::vector<metrics::Family> families(const std::vector<std::string_view>& patterns) {
    const metrics::Label method{"method", words(methods, web::name_of)};
    const metrics::Label route{"route", words(patterns, std::identity{})};
    auto numbers =
        words(web::statuses, [](const web::Status& each) { return std::to_string(each.number); });
    numbers.emplace_back("other");
    const metrics::Label status{"status", std::move(numbers)};
    return {{.name = "usershell_requests_total",
             .help = "Requests answered.",
             .kind = metrics::Kind::counter,
             .labels = {method, route, status}},
            {.name = "usershell_request_duration_seconds",
             .help = "Time from a whole request to the end of its answer, streams included.",
             .kind = metrics::Kind::histogram,
             .labels = {route}}};
}

std::vector<std::string_view> sorted(std::vector<std::string_view> patterns) {
    patterns.push_back(no_route);
    std::ranges::sort(patterns);
    patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());
    return patterns;
}

template <class Range, class Value, class Member = std::identity>
std::size_t place_of(const Range& range, const Value& value, Member member = {}) {
    return static_cast<std::size_t>(std::ranges::find(range, value, member) - range.begin());
}

} // namespace

RequestMeter::RequestMeter(const std::string& folder, std::vector<std::string_view> patterns)
    : patterns_{sorted(std::move(patterns))},
      registry_{folder, "requests", families(patterns_)} {}

void RequestMeter::count(web::Method method, std::string_view pattern, int status,
                         std::chrono::microseconds duration) {
    const auto found = std::ranges::lower_bound(patterns_, pattern);
    const bool known = found != patterns_.end() && *found == pattern;
    const std::size_t route =
        known ? static_cast<std::size_t>(found - patterns_.begin()) : place_of(patterns_, no_route);
    const std::size_t code = place_of(web::statuses, status, &web::Status::number); // or "other"
    registry_.count(requests, {place_of(methods, method), route, code});
    registry_.observe(durations, {route}, duration);
}

} // namespace usershell::pipeline
