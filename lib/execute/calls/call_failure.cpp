#include "execute/calls/call_failure.hpp"

#include "adapters/errors/upstream_error.hpp"
#include "domain/catalogue.hpp"

#include <algorithm>
#include <vector>

namespace usershell::execute {

namespace {

using adapters::Fault;
using crypto::UnsealError;

constexpr std::string_view provider_code = "providerCode";
constexpr std::string_view provider_said = "providerSaid";
/// Of a call that was ended. A client that has gone does not read it.
constexpr English was_ended =
    "The call was ended: your session has ended or was renewed, or the provider was deleted or "
    "switched off."_en;

bool is_of_key_or_provider(const FailedKey& key) {
    return key.failure.fault == Fault::key || key.failure.fault == Fault::provider;
}

bool is_end(const adapters::UpstreamError& error) {
    return error.reason() == adapters::Reason::cancelled;
}

/// The shortest time after which a provider said to come back.
std::optional<std::chrono::seconds> first_return(const std::vector<FailedKey>& tries) {
    std::optional<std::chrono::seconds> first;
    for (const FailedKey& key : tries)
        if (const auto wait = key.failure.retry_after)
            first = std::min(first.value_or(*wait), *wait);
    return first;
}

Sentence all_of(const std::vector<FailedKey>& tries) {
    std::vector<Sentence> keys;
    keys.reserve(tries.size());
    for (const auto& [name, failure] : tries)
        keys.push_back(name.empty() ? Sentence{failure.of_key}
                                    : Sentence{"\u201c{name}\u201d: {cause}"_en,
                                               {{"name", name}, {"cause", failure.of_key}}});
    return {"{count} keys were tried and none worked. {keys}."_en,
            {{"count", std::to_string(tries.size())}, {"keys", std::move(keys)}}};
}

} // namespace

Refusal lost_memory() {
    return unavailable("This call was ended: your calls take too much memory at a time. Make fewer "
                       "or smaller ones, or try again in a moment."_en,
                       std::chrono::seconds{1});
}

CallFailure::CallFailure(const adapters::UpstreamError& error, std::string called_model)
    : code{is_end(error) ? ErrorCode::conflict : error.code()},
      reason{error.reason_name()},
      sentence{is_end(error) ? was_ended : error.sentence()},
      of_key{error.of_key()},
      retry_after{error.retry_after()},
      fault{error.fault()},
      next_key{error.may_try_another_key()},
      cooldown{error.cooldown()},
      model{std::move(called_model)},
      said{error.said()} {}

CallFailure::CallFailure(const UnsealError& error)
    : code{ErrorCode::conflict},
      reason{error.reason() == UnsealError::Reason::address_changed ? address_changed
                                                                    : key_unavailable},
      sentence{error.sentence()},
      of_key{error.reason() == UnsealError::Reason::address_changed
                 ? "entered for another address"_en
                 : "can’t be opened"_en},
      fault{Fault::key},
      next_key{true} {}

CallFailure::CallFailure(const Refusal& refusal)
    : code{refusal.code()},
      reason{adapters::row_of(adapters::Reason::cancelled).name},
      sentence{refusal.sentence()},
      of_key{adapters::row_of(adapters::Reason::cancelled).of_key},
      retry_after{refusal.retry_after()},
      fault{Fault::nobody},
      next_key{false} {}

Sentence CallFailure::shown() const {
    if (model.empty() || fault != Fault::request) return sentence;
    return {"{sentence} The model was “{model}”."_en, {{"sentence", sentence}, {"model", model}}};
}

Refusal CallFailure::refusal() const {
    auto refusal = Refusal{code, shown()}
                       .because(reason)
                       .with(provider_code, said.code)
                       .with(provider_said, said.words);
    return retry_after ? std::move(refusal).retry_after(*retry_after) : std::move(refusal);
}

CallFailure failure_of(const std::vector<FailedKey>& tries) {
    CallFailure failure = tries.back().failure;
    if (tries.size() == 1) failure.key_name = tries.front().name;
    if (tries.size() == 1 || !std::ranges::all_of(tries, is_of_key_or_provider)) return failure;
    failure.retry_after = first_return(tries);
    failure.sentence = all_of(tries);
    if (failure.retry_after)
        failure.sentence = adapters::with_return(failure.sentence, *failure.retry_after);
    failure.said = {};
    return failure;
}

CallFailure for_tool(std::vector<FailedKey> tries) {
    for (FailedKey& key : tries) {
        key.name.clear();
        key.failure.model.clear();
    }
    return failure_of(tries);
}

void tell(const adapters::ProviderSaid& said, boost::json::object& members) {
    if (!said.code.empty()) members[provider_code] = said.code;
    if (!said.words.empty()) members[provider_said] = said.words;
}

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
