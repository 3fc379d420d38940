#include "adapters/errors/upstream_error.hpp"

#include "base/rules.hpp"

#include <algorithm>
#include <utility>

namespace usershell::adapters {

namespace {

using std::chrono::seconds;

std::string counted(seconds::rep number, std::string_view unit) {
    return std::to_string(number) + " " + std::string{unit} + (number == 1 ? "" : "s");
}

std::string in_words(seconds wait) {
    const auto whole = std::max<seconds::rep>(wait.count(), 1);
    if (whole < 120) return counted(whole, "second");
    if (whole < 7200) return counted((whole + 59) / 60, "minute");
    return counted((whole + 3599) / 3600, "hour");
}

/// Can the call succeed later without any change?
bool passes(Reason reason) {
    return reason == Reason::rate_limited || reason == Reason::overloaded ||
           reason == Reason::failed;
}

} // namespace

UpstreamError::UpstreamError(Reason reason, std::optional<seconds> retry_after, ProviderSaid said)
    : reason_{reason},
      sentence_{row_of(reason).sentence},
      retry_after_{retry_after},
      said_{std::move(said)} {
    if (retry_after)
        sentence_ += " " + try_again_in(*retry_after);
    else if (passes(reason))
        sentence_ += " Try again later.";
}

UpstreamError UpstreamError::with_sentence(Reason reason, std::string sentence) {
    UpstreamError error{reason};
    error.sentence_ = std::move(sentence);
    return error;
}

std::string try_again_in(seconds wait) { return "Try again in " + in_words(wait) + "."; }

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
