#include "adapters/errors/upstream_error.hpp"

#include "domain/rules.hpp"

#include <algorithm>
#include <utility>

namespace usershell::adapters {

namespace {

using std::chrono::seconds;

Sentence counted(seconds::rep number, English one, English several) {
    return number == 1 ? Sentence{one} : Sentence{several, {{"count", std::to_string(number)}}};
}

Sentence in_words(seconds wait) {
    const auto whole = std::max<seconds::rep>(wait.count(), 1);
    if (whole < 120) return counted(whole, "1 second"_en, "{count} seconds"_en);
    if (whole < 7200) return counted((whole + 59) / 60, "1 minute"_en, "{count} minutes"_en);
    return counted((whole + 3599) / 3600, "1 hour"_en, "{count} hours"_en);
}

/// Can the call succeed later without any change?
bool passes(Reason reason) {
    return reason == Reason::rate_limited || reason == Reason::overloaded ||
           reason == Reason::failed;
}

} // namespace

UpstreamError::UpstreamError(Reason reason, std::optional<seconds> retry_after, ProviderSaid said)
    : Error{"A provider's call failed: " + std::string{row_of(reason).name}},
      reason_{reason},
      sentence_{row_of(reason).sentence},
      retry_after_{retry_after},
      said_{std::move(said)} {
    if (retry_after)
        sentence_ = with_return(std::move(sentence_), *retry_after);
    else if (passes(reason))
        sentence_ = {"{sentence} Try again later."_en, {{"sentence", std::move(sentence_)}}};
}

UpstreamError UpstreamError::with_sentence(Reason reason, Sentence sentence) {
    UpstreamError error{reason};
    error.sentence_ = std::move(sentence);
    return error;
}

Sentence with_return(Sentence sentence, seconds wait) {
    return {"{sentence} Try again in {time}."_en,
            {{"sentence", std::move(sentence)}, {"time", in_words(wait)}}};
}

ErrorCode UpstreamError::code() const {
    return reason_ == Reason::timed_out ? ErrorCode::upstream_timeout : ErrorCode::upstream_error;
}

std::optional<seconds> UpstreamError::cooldown() const {
    const auto cooldown = row_of(reason_).cooldown;
    if (cooldown == seconds{0}) return std::nullopt;
    const bool obeys = reason_ == Reason::rate_limited || reason_ == Reason::out_of_credit;
    return obeys ? std::min(retry_after_.value_or(cooldown), rules::max_key_cooldown) : cooldown;
}

} // namespace usershell::adapters
