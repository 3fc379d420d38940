#include "adapters/errors/upstream_error.hpp"

#include "domain/rules.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace usershell::adapters {

namespace {

using std::chrono::seconds;
using namespace std::chrono_literals;
using rules::limited_key_cooldown;
using rules::refused_key_cooldown;

// Two reasons may have one name: the contract's words say what a program can do about it.
constexpr auto reasons = std::to_array<ReasonRow>({
    {Reason::key_refused, "key_refused", Fault::key, true, refused_key_cooldown, "key refused"_en,
     "The provider refused the key. Check or replace it."_en},
    // It may be of this model or this call alone, so the key does not rest.
    {Reason::not_allowed, "not_allowed", Fault::key, true, 0s, "call not allowed"_en,
     "The key is valid, but not allowed to do this. Check its permissions at the provider."_en},
    {Reason::blocked, "not_allowed", Fault::provider, false, 0s, "blocked by a firewall"_en,
     "A firewall in front of the provider blocked this call. Ask the provider whether it allows "
     "calls from this server."_en},
    {Reason::out_of_credit, "out_of_credit", Fault::key, true, limited_key_cooldown,
     "no credit left"_en,
     "The provider says that this key has no credit left. Top up the account or use another key."_en},
    {Reason::rate_limited, "rate_limited", Fault::key, true, limited_key_cooldown,
     "rate limited"_en, "The provider limits how often this key may call."_en},
    {Reason::overloaded, "overloaded", Fault::provider, true, 0s, "provider overloaded"_en,
     "The provider is overloaded."_en},
    {Reason::failed, "overloaded", Fault::provider, true, 0s, "error of the provider"_en,
     "The provider had an internal error."_en},
    {Reason::unknown_model, "unknown_model", Fault::request, false, 0s, "unknown model"_en,
     "The provider does not know this model, or this key may not use it. Check the model id."_en},
    {Reason::wrong_api, "wrong_api", Fault::request, false, 0s, "model of another API"_en,
     "This model does not chat, or only by another API of the provider. Choose another model."_en},
    {Reason::too_long, "too_long", Fault::request, false, 0s, "message too long"_en,
     "The message is too long for this model. Shorten it or start a new conversation."_en},
    {Reason::too_big, "rejected", Fault::request, false, 0s, "request too large"_en,
     "The provider, or a proxy before it, takes no request of this size. Send fewer or smaller "
     "images, or less text."_en},
    {Reason::too_many_tokens, "rejected", Fault::request, false, 0s, "token limit too high"_en,
     "The model does not write so many tokens. Lower the token limit."_en},
    {Reason::policy, "policy", Fault::request, false, 0s, "declined by the content policy"_en,
     "The provider declined to answer because of its content policy."_en},
    {Reason::rejected, "rejected", Fault::request, false, 0s, "request rejected"_en,
     "The provider rejected the request."_en},
    {Reason::empty, "empty", Fault::request, false, 0s, "answer without text"_en,
     "The model answered without any text."_en},
    {Reason::unreachable, "unreachable", Fault::provider, true, 0s, "provider not reached"_en,
     "The provider could not be reached. Check the base URL."_en},
    // The same as `unreachable` for users, so that answers do not reveal internal names.
    {Reason::forbidden_address, "unreachable", Fault::provider, true, 0s, "provider not reached"_en,
     "The provider could not be reached. Check the base URL."_en},
    {Reason::timed_out, "timed_out", Fault::provider, false, 0s, "no answer in time"_en,
     "The provider did not answer in time."_en}, // another key would hang as well
    {Reason::bad_certificate, "bad_certificate", Fault::provider, false, 0s, "bad certificate"_en,
     "The provider’s TLS certificate could not be verified. Check the base URL."_en},
    {Reason::not_this_protocol, "not_this_protocol", Fault::provider, true, 0s,
     "answer in another protocol"_en,
     "This doesn’t look like an API of this type. Check the base URL (it often ends in /v1) and "
     "the type."_en},
    {Reason::too_large, "too_large", Fault::provider, false, 0s, "answer too large"_en,
     "The provider’s answer was too large."_en},
    {Reason::cut_off, "cut_off", Fault::provider, true, 0s, "answer broken off"_en,
     "The provider’s answer broke off before it was complete."_en},
    {Reason::cancelled, "cancelled", Fault::nobody, false, 0s, "call cancelled"_en,
     "The call was cancelled."_en},
});

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

std::span<const ReasonRow> reason_rows() { return reasons; }

const ReasonRow& row_of(Reason reason) {
    return *std::ranges::find(reasons, reason, &ReasonRow::reason);
}

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
