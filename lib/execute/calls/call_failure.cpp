#include "execute/calls/call_failure.hpp"

#include <algorithm>

namespace usershell::execute {
namespace {

using adapters::Fault;
using crypto::UnsealError;

constexpr std::string_view provider_code = "providerCode";
constexpr std::string_view provider_said = "providerSaid";
/// Of a call that was ended. A client that has gone does not read it.
constexpr const char* was_ended =
    "The call was ended: your session has ended or was renewed, or the "
    "provider was removed or deactivated.";

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

std::string all_of(const std::vector<FailedKey>& tries,
                   std::optional<std::chrono::seconds> retry_after) {
    std::string sentence = std::to_string(tries.size()) + " keys were tried and none worked: ";
    for (const FailedKey& key : tries) {
        if (&key != &tries.front()) sentence += ", ";
        sentence.append("\u201c").append(key.name).append("\u201d ").append(key.failure.of_key);
    }
    sentence += ".";
    if (retry_after) sentence += " " + adapters::try_again_in(*retry_after);
    return sentence;
}

} // namespace

CallFailure::CallFailure(const adapters::UpstreamError& error, std::string of)
    : code{is_end(error) ? ErrorCode::conflict : error.code()},
      reason{error.reason_name()},
      sentence{is_end(error) ? was_ended : error.sentence()},
      of_key{error.of_key()},
      retry_after{error.retry_after()},
      fault{error.fault()},
      next_key{error.may_try_another_key()},
      cooldown{error.cooldown()},
      called{std::move(of)},
      said{error.said()} {}

CallFailure::CallFailure(const UnsealError& error)
    : code{ErrorCode::conflict},
      reason{key_reasons[error.reason() == UnsealError::Reason::address_changed ? 0 : 1]},
      sentence{error.what()},
      of_key{error.reason() == UnsealError::Reason::address_changed
                 ? "was entered for another address"
                 : "can't be opened"},
      fault{Fault::key},
      next_key{true} {}

std::string CallFailure::shown() const {
    return called.empty() ? sentence : sentence + " The call was for " + called + ".";
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
    if (tries.size() == 1) failure.key = tries.front().name;
    if (tries.size() == 1 || !std::ranges::all_of(tries, is_of_key_or_provider)) return failure;
    failure.retry_after = first_return(tries);
    failure.sentence = all_of(tries, failure.retry_after);
    failure.said = {};
    return failure;
}

void tell(const adapters::ProviderSaid& said, boost::json::object& members) {
    if (!said.code.empty()) members[provider_code] = said.code;
    if (!said.words.empty()) members[provider_said] = said.words;
}

} // namespace usershell::execute
