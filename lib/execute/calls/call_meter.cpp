#include "execute/calls/call_meter.hpp"

#include "adapters/errors/upstream_error.hpp"
#include "domain/catalogue.hpp"

#include <algorithm>
#include <vector>

namespace usershell::execute {
namespace {

enum Family : std::size_t { tries, calls, memory };

constexpr const char* other = "other";

std::vector<std::string> type_names() {
    std::vector<std::string> names;
    for (const ProviderType& type : provider_types()) names.emplace_back(type.value);
    names.emplace_back(other);
    return names;
}

std::vector<std::string> outcome_names() {
    std::vector<std::string> names{"answered"};
    for (const adapters::ReasonRow& row : adapters::reason_rows()) {
        const std::string name{row.name};
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    for (const std::string_view key : CallFailure::key_reasons) names.emplace_back(key);
    names.emplace_back(other);
    return names;
}

/// The index of the last name for an unknown one.
std::size_t place_of(std::string_view name, const std::vector<std::string>& names) {
    const auto found = std::ranges::find(names, name);
    return static_cast<std::size_t>((found != names.end() ? found : names.end() - 1) -
                                    names.begin());
}

} // namespace

CallMeter::CallMeter(const std::string& folder)
    : registry_{folder,
                "calls",
                {{.name = "usershell_upstream_calls_total",
                  .help = "Calls to providers, one a key that was tried, by how they ended.",
                  .kind = metrics::Kind::counter,
                  .labels = {{"type", type_names()}, {"outcome", outcome_names()}}},
                 {.name = "usershell_calls_open",
                  .help = "Calls under way.",
                  .kind = metrics::Kind::gauge},
                 {.name = "usershell_calls_reserved_bytes",
                  .help = "Memory that is reserved for bodies, answers and unread bytes of calls.",
                  .kind = metrics::Kind::gauge}}} {}

void CallMeter::tried(std::string_view type, const CallFailure* failure) {
    static const auto types = type_names();
    static const auto outcomes = outcome_names();
    registry_.count(
        tries, {place_of(type, types), place_of(failure ? failure->reason : "answered", outcomes)});
}

void CallMeter::under_way(std::size_t number) {
    registry_.set(calls, static_cast<std::int64_t>(number));
}

void CallMeter::reserved(std::size_t bytes) {
    registry_.set(memory, static_cast<std::int64_t>(bytes));
}

} // namespace usershell::execute
